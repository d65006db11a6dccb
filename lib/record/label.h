/* SPDX-License-Identifier: MIT */
/*
 * The default label of a run.
 */
#ifndef RS_RECORD_LABEL_H
#define RS_RECORD_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/arena.h"

/*
 * The label of a run that was given none: when it started, in UTC, and the process number of its
 * program: "2026-11-22T13:45:08Z-4242". In arena. NULL: no memory.
 */
const char *rs_record_default_label(struct rs_arena *arena, int64_t started_s, long pid);

/* Whether a label is the default one, which the user did not choose. */
bool rs_record_is_default_label(const char *label);

#endif
