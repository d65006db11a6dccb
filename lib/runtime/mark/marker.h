/* SPDX-License-Identifier: MIT */
/* Which markers a program takes. */
#ifndef RS_RUNTIME_MARK_MARKER_H
#define RS_RUNTIME_MARK_MARKER_H

#define REGIONSTAT_RUNTIME_ONLY_ /* the runtime is no program that marks: the types alone */
#include "runtime/adapter_table.h"
#include "runtime/state.h"

/* The runtime's markers, made for as many events as the plan has, without what adapters ask for; and those
 * for any number, however they are read. */
const struct rs_adapter_table *rs_markers_choose(const struct rs_runtime *runtime);
const struct rs_adapter_table *rs_markers_any(const struct rs_runtime *runtime);

/* Those that the program takes. */
static inline const struct rs_adapter_table *rs_markers_of(const struct rs_runtime *runtime)
{
	return (const struct rs_adapter_table *)(const void *)runtime->table;
}

#endif
