/* SPDX-License-Identifier: MIT */
/*
 * This file checks an existing file before CSV is appended to it. The file must begin with the same
 * header. If it does not, the error message shows its first line and the header.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* a message shows at most this many bytes of the file's first line */
#define SHOWN_BYTES sizeof(((struct rs_append *)0)->first_line.text)

#define LOCK_TRIES 1000
#define LOCK_PAUSE_NS 1000000

/* Open the file again for reading, because the report's descriptor is write-only. Return -1 if it
 * is no regular file or cannot be read. */
static int open_to_read(const struct rs_output *output, off_t *bytes)
{
	struct stat status;
	if (!output->append || fstat(output->fd, &status) != 0 || !S_ISREG(status.st_mode))
		return -1;
	*bytes = status.st_size;
	return open(strcmp(output->path, "-") == 0 ? "/dev/stdout" : output->path,
		O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

struct rs_append rs_append_look(const struct rs_output *output, const char *header)
{
	struct rs_append append = {RS_APPEND_NOTHING};
	/* compare without the newline at its end, because the file may end before the newline */
	size_t length = strlen(header) - 1;
	size_t room = length + SHOWN_BYTES;
	char last, *start = calloc(room + 1, 1);
	off_t bytes = 0;
	int fd = open_to_read(output, &bytes);
	ssize_t got = fd >= 0 && start ? pread(fd, start, room, 0) : 0;
	if (got > 0) {
		bool is_same = memcmp(start, header, length + ((size_t)got > length)) == 0;
		append.found = is_same ? RS_APPEND_SAME_HEADER : RS_APPEND_OTHER_TEXT;
		append.is_line_open = pread(fd, &last, 1, bytes - 1) == 1 && last != '\n';
		start[strcspn(start, "\n")] = '\0';
		append.first_line = rs_text_shown(start);
	}
	if (fd >= 0)
		close(fd);
	free(start);
	return append;
}

void rs_append_lock(const struct rs_output *output)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
	/* A lock of flock() belongs to all processes that share the descriptor, so it could remain
	 * after this command has ended. Lock only a descriptor that no other process has. */
	for (int i = 0; output->append && output->is_ours && i < LOCK_TRIES; i++) {
		if (flock(output->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			return;
		nanosleep(&pause, NULL);
	}
}

bool rs_append_check(const struct rs_output *output, const char *header, struct rs_err *err)
{
	struct rs_append append = rs_append_look(output, header);
	if (append.found != RS_APPEND_OTHER_TEXT)
		return true;
	if (strcmp(output->path, "-") == 0)
		rs_err_set(err, "--append: cannot add to the standard output: its file does not "
				"begin with the header of this CSV");
	else
		rs_err_set(err,
			"--append: cannot add to '%s': it does not begin with the header of this "
			"CSV",
			rs_text_shown(output->path).text);
	rs_err_add_line(err, "its first line: %s", append.first_line.text);
	rs_err_add_line(err, "this header:    %.*s", (int)strlen(header) - 1, header);
	return rs_err_add_line(err, "try: -o with another file, or no --append, to replace it");
}
