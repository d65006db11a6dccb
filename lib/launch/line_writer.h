/* SPDX-License-Identifier: MIT */
/*
 * Writing lines to a file on a file system that may be full, or to a pipe that no process reads. A
 * separate thread waits for the file, so that the caller never waits.
 */
#ifndef RS_LAUNCH_LINE_WRITER_H
#define RS_LAUNCH_LINE_WRITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* longest line with its newline; a pipe writes this much at once (PIPE_BUF) */
#define RS_LINE_BYTES 4096u

struct rs_line_writer {
	int fd; /* belongs to the caller; its flags are not changed */
	char *waiting; /* the queue: lines to write; owned */
	size_t n_waiting_bytes;
	uint64_t n_waiting; /* how many lines are in the queue */
	uint64_t n_writing; /* lines that the thread is writing now, which may block */
	uint64_t n_written;
	uint64_t n_lost; /* lines that did not fit into the queue or could not be written */
	int number; /* errno of the first failed write, or 0 */
	bool stop;
	bool started;
	pthread_mutex_t lock; /* protects all members except fd */
	pthread_cond_t changed;
	pthread_t thread;
};

/* Start the thread. fd must stay open until rs_line_writer_finish(). Return false and set err if
 * memory or threads run out; then the caller releases nothing. */
bool rs_line_writer_init(struct rs_line_writer *writer, int fd, struct rs_err *err);

/* Append a copy of a line to the queue. The line has 1 to RS_LINE_BYTES bytes and ends with a
 * newline. If the queue is full, the line is lost. This function never waits for the file. */
void rs_line_writer_add(struct rs_line_writer *writer, const char *line, size_t bytes);

/* Wait at most wait_ms until all lines are written, and end the thread. The remaining lines are
 * lost. n_written, n_lost and number stay valid. writer may be zeroed. */
void rs_line_writer_finish(struct rs_line_writer *writer, uint64_t wait_ms);

#endif
