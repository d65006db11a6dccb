/* SPDX-License-Identifier: MIT */
/*
 * Whose own time is, where an entry ends before ones that began within it.
 */
#ifndef RS_RUNTIME_MARK_OVERLAP_H
#define RS_RUNTIME_MARK_OVERLAP_H

#include "runtime/calls/entry.h"

/* The call of an entry is over with the snapshot in thread->now, and those begun after it are open:
 * what ended within them so far becomes children's of the entry, to be recorded next. */
void rs_overlap_pass(struct rs_thread *thread, struct rs_entry *entry);

/* An entry that ends leaves to the one below what it used[1 + n_events], as far as that does not
 * have it from one that passed it. used: changed. */
void rs_overlap_leave(struct rs_thread *thread, struct rs_entry *entry, uint64_t *used);

/* The entry is over. has_ended: by its END, so that those who passed it are told what was not their
 * own. */
void rs_passes_drop(struct rs_thread *thread, struct rs_entry *entry, bool has_ended);

/* In a forked child: those who passed it were the parent's. */
void rs_passes_inherit(const struct rs_thread *thread, struct rs_entry *entry);

#endif
