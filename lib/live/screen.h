/* SPDX-License-Identifier: MIT */
/*
 * This header declares the full-screen view of a running measurement.
 */
#ifndef RS_LIVE_SCREEN_H
#define RS_LIVE_SCREEN_H

#include "base/err.h"

/*
 * Show the run of the segment fd on the controlling terminal, until the user quits or SIGINT,
 * SIGTERM or SIGHUP arrives. argv is the command line of the measured program. Return 0 if the user
 * quits, or the number of the signal. Return -1 and set err if the run cannot be read or the
 * terminal cannot be used.
 */
int rs_live_show(int fd, char *const *argv, struct rs_err *err);

#endif
