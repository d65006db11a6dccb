/* SPDX-License-Identifier: MIT */
/*
 * This file keeps a queue of lines, and a thread that writes them. The queue has a fixed size. The
 * thread writes whole lines, at most as many bytes at a time as a pipe writes atomically. The
 * descriptor may be the program's standard error. O_NONBLOCK would change the program's writes to
 * it too, so the thread blocks instead.
 */
#include "launch/slow_log.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROOM_BYTES (64u * RS_LINE_BYTES)
#define STACK_BYTES (256u * 1024u)

/* Move whole lines from the queue to chunk[RS_LINE_BYTES]. Return their length. */
static size_t take_lines(struct rs_line_writer *writer, char *chunk)
{
	size_t bytes = 0;
	writer->n_writing = 0;
	for (;;) {
		const char *line = writer->waiting + bytes;
		const char *end = memchr(line, '\n', writer->n_waiting_bytes - bytes);
		if (!end || (size_t)(end + 1 - writer->waiting) > RS_LINE_BYTES)
			break;
		bytes = (size_t)(end + 1 - writer->waiting);
		writer->n_writing++;
	}
	memcpy(chunk, writer->waiting, bytes);
	writer->n_waiting_bytes -= bytes;
	memmove(writer->waiting, writer->waiting + bytes, writer->n_waiting_bytes);
	writer->n_waiting -= writer->n_writing;
	return bytes;
}

/* Write all bytes. Return 0 or an errno value. The thread can be cancelled only here. */
static int write_all(int fd, const char *chunk, size_t bytes)
{
	while (bytes > 0) {
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
		ssize_t n = write(fd, chunk, bytes);
		int number = n < 0 ? errno : 0;
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		if (number == EAGAIN) /* another process made the file non-blocking */
			nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		else if (number != 0 && number != EINTR)
			return number;
		if (n > 0) {
			chunk += n;
			bytes -= (size_t)n;
		}
	}
	return 0;
}

static void *write_lines(void *context)
{
	struct rs_line_writer *writer = context;
	/* This buffer is in the heap, because the stack of a cancelled thread is gone. */
	char *chunk = writer->waiting + ROOM_BYTES;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_mutex_lock(&writer->lock);
	for (;;) {
		while (writer->n_waiting == 0 && !writer->stop)
			pthread_cond_wait(&writer->changed, &writer->lock);
		if (writer->n_waiting == 0)
			break;
		size_t bytes = take_lines(writer, chunk);
		pthread_mutex_unlock(&writer->lock);
		int number = write_all(writer->fd, chunk, bytes);
		pthread_mutex_lock(&writer->lock);
		if (number == 0)
			writer->n_written += writer->n_writing;
		else
			writer->n_lost += writer->n_writing;
		writer->n_writing = 0;
		if (writer->number == 0)
			writer->number = number;
		pthread_cond_broadcast(&writer->changed);
	}
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

/* Start the thread with all signals blocked. Then SIGPIPE and SIGXFSZ stay pending, and write(2)
 * returns an error instead. */
static int start(struct rs_line_writer *writer)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int number = pthread_attr_init(&attributes);
	if (number != 0)
		return number;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	number = pthread_attr_setstacksize(&attributes, STACK_BYTES);
	if (number == 0)
		number = pthread_create(&writer->thread, &attributes, write_lines, writer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return number;
}

bool rs_line_writer_init(struct rs_line_writer *writer, int fd, struct rs_err *err)
{
	*writer = (struct rs_line_writer){.fd = fd, .waiting = malloc(ROOM_BYTES + RS_LINE_BYTES)};
	if (!writer->waiting)
		return rs_err_set(err, "cannot write lines: out of memory");
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	int number = start(writer);
	writer->started = number == 0;
	if (writer->started)
		return true;
	rs_line_writer_finish(writer, 0);
	return rs_err_set_errno(err, number, "cannot write lines: pthread_create");
}

void rs_line_writer_add(struct rs_line_writer *writer, const char *line, size_t bytes)
{
	pthread_mutex_lock(&writer->lock);
	if (bytes > ROOM_BYTES - writer->n_waiting_bytes) {
		writer->n_lost++;
	} else {
		memcpy(writer->waiting + writer->n_waiting_bytes, line, bytes);
		writer->n_waiting_bytes += bytes;
		writer->n_waiting++;
	}
	pthread_cond_broadcast(&writer->changed);
	pthread_mutex_unlock(&writer->lock);
}

static struct timespec after_ms(uint64_t ms)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	uint64_t ns = (uint64_t)time.tv_nsec + ms % 1000 * 1000000;
	time.tv_sec += (time_t)(ms / 1000 + ns / 1000000000);
	time.tv_nsec = (long)(ns % 1000000000);
	return time;
}

void rs_line_writer_finish(struct rs_line_writer *writer, uint64_t wait_ms)
{
	if (!writer->waiting)
		return;
	if (writer->started) {
		const struct timespec until = after_ms(wait_ms);
		pthread_mutex_lock(&writer->lock);
		int number = 0;
		while (writer->n_waiting + writer->n_writing > 0 && number == 0)
			number = pthread_cond_timedwait(&writer->changed, &writer->lock, &until);
		writer->stop = true;
		writer->n_lost += writer->n_waiting;
		writer->n_waiting = 0;
		bool is_stuck = writer->n_writing > 0;
		pthread_cond_broadcast(&writer->changed);
		pthread_mutex_unlock(&writer->lock);
		if (is_stuck)
			pthread_cancel(writer->thread);
		pthread_join(writer->thread, NULL);
		writer->n_lost += writer->n_writing;
		writer->started = false;
	}
	pthread_mutex_destroy(&writer->lock);
	pthread_cond_destroy(&writer->changed);
	free(writer->waiting);
	writer->waiting = NULL;
}
