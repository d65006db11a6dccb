/* SPDX-License-Identifier: MIT */
/* The common part of the two adapters for function calls: -finstrument-functions and XRay. */
#ifndef RS_ADAPTERS_FUNCTIONS_H
#define RS_ADAPTERS_FUNCTIONS_H

#include "adapters/adapter.h"

/* The address of the caller's stack frame. The runtime computes it in the same way (RS_STACK). */
#if defined(__riscv) && defined(__clang__)
#define RS_FUNCTION_STACK ((uintptr_t)__builtin_frame_address(0))
#else
#define RS_FUNCTION_STACK ((uintptr_t)__builtin_dwarf_cfa())
#endif

/*
 * Find the site of a function's region. Return NULL in a signal handler that interrupted a marker,
 * because look-ups are impossible there. Return &rs_function_filtered if --functions excludes the
 * function. stack: the function's frame, as its markers compute it. Any thread may call this. errno
 * is preserved. A look-up takes microseconds, so the caller stores the result.
 */
struct regionstat_site_ *rs_function_learn(const void *address, uintptr_t stack);
extern struct regionstat_site_ rs_function_filtered;

#endif
