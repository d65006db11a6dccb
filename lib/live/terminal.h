/* SPDX-License-Identifier: MIT */
/*
 * This function checks whether the live view can be drawn on the terminal.
 */
#ifndef RS_LIVE_TERMINAL_H
#define RS_LIVE_TERMINAL_H

#include "base/err.h"

/* Check that the process has a controlling terminal on which it can move the cursor to any
 * position. Return false and set err if it has none. */
bool rs_live_check_terminal(struct rs_err *err);

#endif
