/* SPDX-License-Identifier: MIT */
/*
 * The check of the terminal on which the view is drawn.
 */
#ifndef RS_LIVE_TERMINAL_H
#define RS_LIVE_TERMINAL_H

#include "base/err.h"

/* Check that the process has a controlling terminal that can place text anywhere on the screen.
 * Return false and set err if not. */
bool rs_live_check_terminal(struct rs_err *err);

#endif
