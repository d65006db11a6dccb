/* SPDX-License-Identifier: MIT */
/*
 * This file reads and writes texts, also by a thread that writes one text and then ends. The
 * program may share the descriptor, and O_NONBLOCK would change it for the program too. Therefore
 * the thread uses blocking writes.
 */
#include "base/write.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"

#define STACK_BYTES ((size_t)256 * 1024)

ssize_t rs_read_all(int fd, void *bytes, size_t n)
{
	size_t done = 0;
	for (ssize_t got = 1; got != 0 && done < n;) {
		got = read(fd, (char *)bytes + done, n - done);
		if (got < 0 && errno != EINTR)
			return -1;
		done += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)done;
}

/* Discard the SIGPIPE of a failed write. While the program runs, SIGPIPE is blocked, and regionstat
 * would forward the pending signal to the program. */
static int refuse_pipe(void)
{
	const struct timespec now = {0};
	sigset_t pipes;
	sigemptyset(&pipes);
	sigaddset(&pipes, SIGPIPE);
	sigtimedwait(&pipes, NULL, &now);
	return EPIPE;
}

int rs_write_all(int fd, const void *bytes, size_t n)
{
	for (const char *from = bytes; n > 0;) {
		ssize_t put = write(fd, from, n);
		if (put >= 0) {
			from += put;
			n -= (size_t)put;
			/* the program made the shared terminal or pipe non-blocking */
		} else if (errno == EAGAIN) {
			struct pollfd ready = {.fd = fd, .events = POLLOUT};
			poll(&ready, 1, -1);
		} else if (errno == EPIPE) {
			return refuse_pipe();
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

/* ---- in the background ---- */

bool rs_background_is_busy(struct rs_background *background)
{
	return background->is_started && !atomic_load(&background->has_ended);
}

static void *write_text(void *context)
{
	struct rs_background *background = context;
	while (background->n_written < background->bytes && background->number == 0) {
		const char *from = background->text + background->n_written;
		size_t n = background->bytes - background->n_written;
		if (n > PIPE_BUF) {
			const char *newline = memrchr(from, '\n', PIPE_BUF);
			n = newline ? (size_t)(newline + 1 - from) : PIPE_BUF;
		}
		background->number = rs_write_all(background->fd, from, n);
		if (background->number == 0)
			background->n_written += n;
	}
	atomic_store(&background->has_ended, true);
	return NULL;
}

/* Release the text, and count the lines that were not written. */
static int end_text(struct rs_background *background)
{
	for (size_t i = background->n_written; i < background->bytes; i++)
		background->n_lost += background->text[i] == '\n';
	free(background->text);
	background->text = NULL;
	background->bytes = 0;
	return background->number;
}

int rs_background_write(struct rs_background *background, int fd, char *text, size_t bytes)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	background->number = rs_background_finish(background);
	background->fd = fd;
	background->text = text;
	background->bytes = bytes;
	background->n_written = 0;
	if (background->number != 0)
		return end_text(background);
	atomic_store(&background->has_ended, false);
	/* block SIGPIPE and SIGXFSZ, so that write(2) returns an error instead */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	int number = pthread_create(&background->thread, &attributes, write_text, background);
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	background->is_started = number == 0;
	if (number == 0)
		return 0;
	background->number = number;
	return end_text(background);
}

int rs_background_finish_until(struct rs_background *background, int64_t end_ns)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	if (!background->is_started)
		return 0;
	while (end_ns < INT64_MAX && rs_background_is_busy(background) &&
		rs_now_ns(CLOCK_MONOTONIC) < end_ns)
		nanosleep(&pause, NULL);
	if (end_ns < INT64_MAX)
		pthread_cancel(background->thread);
	pthread_join(background->thread, NULL);
	background->is_started = false;
	return end_text(background);
}

int rs_background_finish(struct rs_background *background)
{
	return rs_background_finish_until(background, INT64_MAX);
}
