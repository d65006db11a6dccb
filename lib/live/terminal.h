/* SPDX-License-Identifier: MIT */
/*
 * The controlling terminal, on which a screen is drawn.
 */
#ifndef RS_LIVE_TERMINAL_H
#define RS_LIVE_TERMINAL_H

#include "base/err.h"

/* Check that there is a terminal on which text can be placed. Return false and set err if not. */
bool rs_live_check_terminal(struct rs_err *err);

#endif
