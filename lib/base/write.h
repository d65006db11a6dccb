/* SPDX-License-Identifier: MIT */
/* These functions read or write whole texts: at once, or by a separate thread. */
#ifndef RS_BASE_WRITE_H
#define RS_BASE_WRITE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read up to n bytes, until the end of the file. Return how many were read, or -1 with errno
 * set. */
ssize_t rs_read_all(int fd, void *bytes, size_t n);

/* Write all bytes to a descriptor, with retries. Return 0 or an errno value. */
int rs_write_all(int fd, const void *bytes, size_t n);

/* A text that a separate thread writes to a pipe or terminal that may be full. Meanwhile the caller
 * can forward signals and end the program in time. A zeroed struct has no text. */
struct rs_background {
	int fd;
	char *text; /* owned */
	size_t bytes;
	size_t n_written; /* bytes that are written */
	int number; /* errno of the write, or 0 */
	uint64_t n_lost; /* lines of all texts so far that could not be written */
	bool is_started; /* the thread must be joined */
	atomic_bool has_ended;
	pthread_t thread;
};

/* Return true if a text is still being written. */
bool rs_background_is_busy(struct rs_background *background);

/* Start to write a text to fd, and free the text afterwards. The text comes from malloc(3). fd must
 * stay open until rs_background_finish(). Call this only if rs_background_is_busy() returns false.
 * Whole lines are written, at most as many bytes at once as a pipe writes atomically. Return 0, or
 * the errno value of writing the previous text or of creating the thread. The text is lost then. */
int rs_background_write(struct rs_background *background, int fd, char *text, size_t bytes);

/* Wait until the text is written. Return 0 or an errno value. The second function waits at most
 * until a time of CLOCK_MONOTONIC in ns. The rest of the text is lost then. */
int rs_background_finish(struct rs_background *background);
int rs_background_finish_until(struct rs_background *background, int64_t end_ns);

#endif
