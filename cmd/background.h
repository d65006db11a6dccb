/* SPDX-License-Identifier: MIT */
/*
 * These functions write to a pipe or terminal that may be full. A separate thread waits until it
 * has space. Meanwhile the caller can forward signals and end the program in time.
 */
#ifndef RS_BACKGROUND_H
#define RS_BACKGROUND_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* A text that a thread writes in the background. A zeroed struct has no text. */
struct rs_background {
	int fd;
	char *text; /* owned */
	size_t bytes;
	int number; /* errno of the write, or 0 */
	bool is_started; /* the thread must be joined */
	atomic_bool has_ended;
	pthread_t thread;
};

/* Return true if a text is still being written. */
bool rs_background_is_busy(struct rs_background *background);

/* Start to write a text to fd, and free the text afterwards. The text comes from malloc(3). fd must
 * stay open until rs_background_finish(). Call this only if rs_background_is_busy() returns false.
 * Return 0, or the errno value of writing the previous text or of creating the thread. */
int rs_background_write(struct rs_background *background, int fd, char *text, size_t bytes);

/* Wait until the text is written. Return 0 or an errno value. */
int rs_background_finish(struct rs_background *background);

#endif
