/* SPDX-License-Identifier: MIT */
/*
 * The default label of a run.
 */
#ifndef RS_RECORD_LABEL_H
#define RS_RECORD_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * Return the label of a run without --label, in arena: its start in UTC and the pid of its program,
 * as in "2026-11-22T13:45:08Z-4242". Return NULL if memory runs out.
 */
const char *rs_record_default_label(struct rs_arena *arena, int64_t started_s, long pid);

/* Return true if a label has the form of the default label. */
bool rs_record_is_default_label(const char *label);

#endif
