/* SPDX-License-Identifier: MIT */
/*
 * This file starts a thread that writes one text and then ends. The program may share the
 * descriptor, and O_NONBLOCK would change it for the program too. Therefore the thread uses
 * blocking writes.
 */
#include "output.h"

#include <signal.h>
#include <stdlib.h>

bool rs_background_is_busy(struct rs_background *background)
{
	return background->is_started && !atomic_load(&background->has_ended);
}

static void *write_text(void *context)
{
	struct rs_background *background = context;
	background->number = rs_output_write_all(
		background->fd, background->text, background->bytes);
	atomic_store(&background->has_ended, true);
	return NULL;
}

int rs_background_write(struct rs_background *background, int fd, char *text, size_t bytes)
{
	sigset_t all, before;
	int number = rs_background_finish(background);
	if (number != 0) {
		free(text);
		return number;
	}
	background->fd = fd;
	background->text = text;
	background->bytes = bytes;
	atomic_store(&background->has_ended, false);
	/* block SIGPIPE and SIGXFSZ, so that write(2) returns an error instead */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	number = pthread_create(&background->thread, NULL, write_text, background);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	background->is_started = number == 0;
	if (number == 0)
		return 0;
	free(text);
	background->text = NULL;
	return number;
}

int rs_background_finish(struct rs_background *background)
{
	if (!background->is_started)
		return 0;
	pthread_join(background->thread, NULL);
	background->is_started = false;
	free(background->text);
	background->text = NULL;
	return background->number;
}
