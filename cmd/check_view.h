/* SPDX-License-Identifier: MIT */
/*
 * Whether what a reader wants to see is among what is measured.
 */
#ifndef RS_CHECK_VIEW_H
#define RS_CHECK_VIEW_H

#include "options.h"
#include "plan/plan.h"

/* False, with err filled: options name an event that regions do not count. plan: of the run. */
bool rs_check_view(
	const struct rs_options *options, const struct rs_plan *plan, struct rs_err *err);

#endif
