/* SPDX-License-Identifier: MIT */
/*
 * This file implements struct rs_host for the real machine. It has the usual mount points, calls
 * perf_event_open(2) for the calling thread, and reads the small files of sysfs and procfs.
 */
#include "plan/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/write.h"

static int open_event(const struct perf_event_attr *attr, int group_fd)
{
	/* pass a copy: if the kernel refuses attr->size (E2BIG), it overwrites it with its own
	 * size */
	struct perf_event_attr copy = *attr;
	long fd = syscall(SYS_perf_event_open, &copy, 0, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static void enable_event(int fd)
{
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

#define HOST(tracefs_)                                                                           \
	{                                                                                        \
		.root = "", .sysfs = "/sys", .proc = "/proc", .tracefs = (tracefs_),             \
		.open_event = open_event, .enable_event = enable_event, .close = close,          \
		.read = read, .getaffinity = sched_getaffinity, .setaffinity = sched_setaffinity \
	}

const struct rs_host *rs_host_self(void)
{
	static const struct rs_host self = HOST("/sys/kernel/tracing");
	/* Before Linux 4.1 tracefs was a part of debugfs, and many systems still mount it there. */
	static const struct rs_host self_with_debugfs = HOST("/sys/kernel/debug/tracing");
	if (access("/sys/kernel/tracing/events", F_OK) != 0 &&
		access("/sys/kernel/debug/tracing/events", F_OK) == 0)
		return &self_with_debugfs;
	return &self;
}

/* Open a file whose path has a printf format. Return a descriptor, or -errno. */
static int open_path(const char *path, va_list arguments)
{
	char full[4096];
	int length = vsnprintf(full, sizeof(full), path, arguments);
	if (length < 0 || (size_t)length >= sizeof(full))
		return -ENAMETOOLONG;
	int fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int rs_host_read(char *text, size_t text_bytes, const char *path, ...)
{
	va_list arguments;
	va_start(arguments, path);
	int fd = open_path(path, arguments);
	va_end(arguments);
	text[0] = '\0';
	if (fd < 0)
		return -fd;
	ssize_t got = rs_read_all(fd, text, text_bytes - 1);
	int error = got < 0 ? errno : 0;
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	size_t used = strlen(text);
	while (used > 0 && text[used - 1] == '\n')
		text[--used] = '\0';
	return error;
}

bool rs_host_field(char *value, size_t bytes, const char *key, const char *path, ...)
{
	va_list arguments;
	va_start(arguments, path);
	int fd = open_path(path, arguments);
	va_end(arguments);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0, key_bytes = strlen(key);
	bool found = false;
	value[0] = '\0';
	while (file && !found && getline(&line, &room, file) > 0) {
		const char *after = line + key_bytes;
		if (strncmp(line, key, key_bytes) != 0)
			continue;
		after += strspn(after, " \t");
		if (*after++ != ':')
			continue;
		after += strspn(after, " \t");
		snprintf(value, bytes, "%.*s", (int)strcspn(after, "\n"), after);
		found = true;
	}
	free(line);
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return found;
}
