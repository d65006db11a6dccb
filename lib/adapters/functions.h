/* SPDX-License-Identifier: MIT */
/* For the two sources of functions' calls: -finstrument-functions, and XRay. */
#ifndef RS_ADAPTERS_FUNCTIONS_H
#define RS_ADAPTERS_FUNCTIONS_H

#include "adapters/adapter.h"

/* The stack frame that a marker of a function is called from, in the marker itself; as the
 * runtime's own have it (RS_STACK). */
#if defined(__riscv) && defined(__clang__)
#define RS_FUNCTION_STACK ((uintptr_t)__builtin_frame_address(0))
#else
#define RS_FUNCTION_STACK ((uintptr_t)__builtin_dwarf_cfa())
#endif

/*
 * The site of the region of a function; NULL: in a handler that interrupted a marker, where
 * nothing can be found. &rs_function_left_out: one that --functions does not name. Any thread;
 * takes microseconds; keeps errno. stack: of the function's frame, as its markers have it. The
 * caller keeps the result.
 */
struct regionstat_site_ *rs_function_learn(const void *address, uintptr_t stack);
extern struct regionstat_site_ rs_function_left_out;

#endif
