/* SPDX-License-Identifier: MIT */
/* Selecting the functions that a program gets as its markers. */
#ifndef RS_RUNTIME_MARK_MARKER_H
#define RS_RUNTIME_MARK_MARKER_H

/* Include the types only: the runtime has no markers of its own. */
#define REGIONSTAT_RUNTIME_ONLY_
#include "runtime/adapter_table.h"
#include "runtime/state.h"

/* how many sets of markers there are; each exists with and without labels */
#define RS_MARKER_SETS 8u

/* The _choose functions return markers that are compiled for the plan's number of events. The _any
 * functions return markers for any plan. The tables lack the members for adapters and for reading;
 * tables of labelled markers also lack START and STOP. */
const struct rs_adapter_table *rs_labelled_choose(const struct rs_runtime *runtime);
const struct rs_adapter_table *rs_labelled_any(void);
const struct rs_adapter_table *rs_unlabelled_choose(const struct rs_runtime *runtime);
const struct rs_adapter_table *rs_unlabelled_any(void);

static inline const struct rs_adapter_table *rs_markers_any(const struct rs_runtime *runtime)
{
	return runtime->labels ? rs_labelled_any() : rs_unlabelled_any();
}

/* Fill a table with the markers of runs with --only. They call those of the table given to
 * rs_markers_measure() for regions that are not filtered. */
void rs_markers_filter(struct rs_adapter_table *table, const struct rs_adapter_table *all);
void rs_markers_measure(const struct rs_adapter_table *all);

/* Return the markers that the program uses. */
static inline const struct rs_adapter_table *rs_markers_of(const struct rs_runtime *runtime)
{
	return (const struct rs_adapter_table *)(const void *)runtime->table;
}

#endif
