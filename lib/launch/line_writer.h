/* SPDX-License-Identifier: MIT */
/*
 * Lines to a file that may be full, or to a pipe without a reader. A separate thread waits for it,
 * so that the caller need not.
 */
#ifndef RS_LAUNCH_LINE_WRITER_H
#define RS_LAUNCH_LINE_WRITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define RS_LINE_BYTES 4096u /* of one, with its newline: what a pipe takes whole (PIPE_BUF) */

struct rs_line_writer {
	int fd; /* borrowed; as blocking as it is */
	char *waiting; /* lines that are to be written; owned */
	size_t n_waiting_bytes;
	uint64_t n_waiting; /* lines of them */
	uint64_t n_writing; /* lines that the thread is writing, for which it may have to wait */
	uint64_t n_written;
	uint64_t n_lost; /* there was no room for them, or no writing them */
	int number; /* errno of the first that could not be written; 0 */
	bool stop;
	bool started;
	pthread_mutex_t lock; /* of all above but fd */
	pthread_cond_t changed;
	pthread_t thread;
};

/* Start the thread. fd: borrowed until rs_line_writer_finish(). False, with err filled: no memory,
 * no thread; the caller releases nothing then. */
bool rs_line_writer_init(struct rs_line_writer *writer, int fd, struct rs_err *err);

/* Give it a line, which it copies. line[bytes]: 1 to RS_LINE_BYTES, the last a newline. Never waits for
 * a file; one for which there is no room is lost. */
void rs_line_writer_add(struct rs_line_writer *writer, const char *line, size_t bytes);

/* Wait until all is written, at most so long, and end the thread. Lines that are not written then
 * are lost. n_written, n_lost and number stay to be read. writer: filled, or zeroed. */
void rs_line_writer_finish(struct rs_line_writer *writer, uint64_t wait_ms);

#endif
