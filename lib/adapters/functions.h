/* SPDX-License-Identifier: MIT */
/* Between the two ways by which functions tell of their calls: -finstrument-functions, and XRay. */
#ifndef RS_ADAPTERS_FUNCTIONS_H
#define RS_ADAPTERS_FUNCTIONS_H

#include "adapters/adapter.h"

/*
 * The site of the region of a function; NULL: in a handler that interrupted a marker, where nothing
 * can be found out; &rs_function_left_out: one that --functions does not name. Any thread; takes
 * microseconds; keeps errno. What it found is for the caller to keep.
 */
struct regionstat_site_ *rs_function_learn(const void *address);
extern struct regionstat_site_ rs_function_left_out;

#endif
