/* SPDX-License-Identifier: MIT */
/* Choosing the markers that a program gets. */
#ifndef RS_RUNTIME_MARK_MARKER_H
#define RS_RUNTIME_MARK_MARKER_H

/* Include the types only: the runtime has no markers of its own. */
#define REGIONSTAT_RUNTIME_ONLY_
#include "runtime/adapter_table.h"
#include "runtime/state.h"

/* rs_markers_choose() returns markers that are compiled for the number of events of the plan.
 * rs_markers_any() returns markers for any number of events, read in any way. Both tables lack the
 * members for adapters. */
const struct rs_adapter_table *rs_markers_choose(const struct rs_runtime *runtime);
const struct rs_adapter_table *rs_markers_any(const struct rs_runtime *runtime);

/* Return the markers that the program has. */
static inline const struct rs_adapter_table *rs_markers_of(const struct rs_runtime *runtime)
{
	return (const struct rs_adapter_table *)(const void *)runtime->table;
}

#endif
