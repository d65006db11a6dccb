/* SPDX-License-Identifier: MIT */
/*
 * Writing to a pipe or a terminal that may be full. A separate thread waits for it, so that the
 * caller can still forward signals and end the program in time.
 */
#ifndef RS_BACKGROUND_H
#define RS_BACKGROUND_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The text that is written in the background. A zeroed struct has no text. */
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

/* Write a text from malloc(3), and free it. fd must stay open until rs_background_finish(). The
 * previous text must be written completely. Return 0, or an errno value of the previous text or of
 * creating the thread. */
int rs_background_write(struct rs_background *background, int fd, char *text, size_t bytes);

/* Wait until the text is written. Return 0 or an errno value. */
int rs_background_finish(struct rs_background *background);

#endif
