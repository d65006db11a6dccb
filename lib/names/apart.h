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
 * A forked process runs work(context, fd), which writes to fd. The calling process runs take(bytes,
 * n, context) on those bytes until the other one ends, or for most_ms. It has no descriptor but fd,
 * which is its number 3, writes no file and gets no more rights (PR_SET_NO_NEW_PRIVS), and ends
 * with the thread that called. True: the process ended by itself, with status 0, which is what work
 * returns true for. Returns within a second of most_ms, if need be with the process left behind.
 */
bool rs_apart(bool (*work)(void *context, int fd),
	bool (*take)(const void *bytes, size_t n, void *context), void *context, int most_ms);

/* Milliseconds on CLOCK_MONOTONIC, by which most_ms goes. */
int64_t rs_apart_now_ms(void);

/* Write all of it; false: the reader is gone. */
bool rs_apart_write(int fd, const void *bytes, size_t n);

#endif
