/* SPDX-License-Identifier: MIT */
/* WORK, and the END of a call that has some. */
#ifndef RS_RUNTIME_MARK_WORK_H
#define RS_RUNTIME_MARK_WORK_H

#include "runtime/state.h"

/*
 * END of the innermost entry, whose work was given, and that alone keeps it off the fast path, as
 * far as its `apart` says; with the snapshot in thread->now. False: something else does, and nothing has been
 * done that counts.
 */
bool rs_work_end(struct rs_thread *thread, struct rs_entry *entry);

/* The markers: of the innermost open call of a site's region, or of a name's. */
void rs_work_site(struct regionstat_site_ *site, uint64_t bytes, uint64_t flops);
void rs_work_name(const char *name, uint64_t bytes, uint64_t flops);

#endif
