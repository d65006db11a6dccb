/* SPDX-License-Identifier: MIT */
/* These functions run dangerous work in a forked process with limits. Its results come through a
 * pipe. */
#ifndef RS_NAMES_APART_H
#define RS_NAMES_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Run work(context, fd) in a forked process, where work writes its results to fd. In the calling
 * process, pass these results to take(bytes, n, context), until the forked process ends or most_ms
 * have passed.
 *
 * In the forked process fd is 3, and its only other descriptors are 0 to 2, which are /dev/null. It
 * can neither write files nor gain rights (PR_SET_NO_NEW_PRIVS). It dies with the calling thread.
 *
 * Return true if work returned true. Return at the latest one second after most_ms, even if the
 * process cannot be killed.
 */
bool rs_apart(bool (*work)(void *context, int fd),
	bool (*take)(const void *bytes, size_t n, void *context), void *context, int most_ms);

/* Return the time of CLOCK_MONOTONIC in ms, the clock of most_ms. */
int64_t rs_apart_now_ms(void);

#endif
