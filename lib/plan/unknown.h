/* SPDX-License-Identifier: MIT */
/*
 * Messages about event strings that cannot be resolved: what is wrong, and what the user may have
 * meant.
 */
#ifndef RS_PLAN_UNKNOWN_H
#define RS_PLAN_UNKNOWN_H

#include "plan/host.h"
#include "plan/libpfm.h"
#include "plan/syntax.h"

/*
 * Set err to a message that says why an event is unknown. base: its head without perf's modifiers.
 * said: the answer of libpfm4, not RS_LIBPFM_OK. Return false.
 */
bool rs_unknown_explain(const struct rs_syntax_event *written, const char *base,
	enum rs_libpfm_result said, const struct rs_host *host, struct rs_err *err);

#endif
