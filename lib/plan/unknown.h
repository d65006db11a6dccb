/* SPDX-License-Identifier: MIT */
/*
 * Event strings that mean nothing: what is wrong with each, and what may have been meant.
 */
#ifndef RS_PLAN_UNKNOWN_H
#define RS_PLAN_UNKNOWN_H

#include "plan/host.h"
#include "plan/libpfm.h"
#include "plan/syntax.h"

/*
 * Say why an event is unknown. base: its head without perf's modifiers. said: what libpfm4 said of
 * it, not RS_LIBPFM_OK. err: filled. Returns false always.
 */
bool rs_unknown_explain(const struct rs_syntax_event *written, const char *base,
	enum rs_libpfm_result said, const struct rs_host *host, struct rs_err *err);

#endif
