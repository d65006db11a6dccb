/* SPDX-License-Identifier: MIT */
/*
 * The rule for traces when a program is killed at any instruction. If a ring's number of cells
 * includes a record, this record is whole and does not change any more. A call is in the ring of
 * recent calls at the latest when the next call of its thread has ended.
 */
#ifndef RS_TESTS_STEPS_TRACED_H
#define RS_TESTS_STEPS_TRACED_H

#include "stats/run.h"

/* Compare the rings in a mapped segment with those of the last look. collection: the accumulators
 * of the same moment. tell: called with each failure. exact: each call has a record, except for one
 * that is being written. Return the number of records that were new. */
uint64_t traced_look(const char *base, const struct rs_run *collection, uint32_t n_events,
	bool exact, void (*tell)(const char *text));

/* Forget what was seen, for a new segment. */
void traced_forget(void);

#endif
