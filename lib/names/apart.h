/* SPDX-License-Identifier: MIT */
/*
 * Work that may die: done by a forked process with limits, whose results come through a pipe.
 */
#ifndef RS_NAMES_APART_H
#define RS_NAMES_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Have work(context, fd) done by a forked process, which writes to fd, and take(bytes, n, context)
 * called with what comes, in the calling one, until it ends or after most_ms. It has no descriptor
 * but fd, which is its number 3, writes no file and gets no more rights (PR_SET_NO_NEW_PRIVS), and
 * ends with the thread that called. True: the process ended by itself, with status 0, which is what
 * work returns true for. Returns within a second of most_ms, if need be with the process left
 * behind.
 */
bool rs_apart(bool (*work)(void *context, int fd),
	bool (*take)(const void *bytes, size_t n, void *context), void *context, int most_ms);

/* Milliseconds on CLOCK_MONOTONIC, by which most_ms goes. */
int64_t rs_apart_now_ms(void);

/* Write all of it; false: nobody reads. */
bool rs_apart_write(int fd, const void *bytes, size_t n);

#endif
