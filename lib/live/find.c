/* SPDX-License-Identifier: MIT */
/*
 * This file finds the segments of running measurements. A segment is a sealed memfd, which both
 * regionstat and the program keep open. The search looks at the descriptors of all processes, and
 * accepts only files that belong to this user or root.
 */
#include "live/find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "launch/processes.h"
#include "plan/host.h"
#include "segment/layout.h"

#define PATH_BYTES 300u
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define LINK "/memfd:regionstat"

/* Read the header, and return true if fd is a segment: a sealed file with the right size and
 * header. It must belong to this user or root, or this user must be root. A program may have
 * changed its user after it made its segment as root. */
static bool is_segment(int fd, struct rs_segment_header *header)
{
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);
	return seals >= 0 && (seals & SEALS) == SEALS && fstat(fd, &status) == 0 &&
	       (status.st_uid == geteuid() || status.st_uid == 0 || geteuid() == 0) &&
	       status.st_size == (off_t)RS_SEGMENT_BYTES &&
	       pread(fd, header, sizeof(*header), 0) == (ssize_t)sizeof(*header) &&
	       header->magic == RS_SEGMENT_MAGIC && header->abi == RS_SEGMENT_ABI;
}

/* Search the directory /proc/PID/`name` for a segment and open it. name is "fd", or "map_files",
 * which only root may read. Return -1 if there is none. Set errno to EACCES if the process belongs
 * to another user. */
static int open_in(pid_t pid, const char *name, struct rs_segment_header *header)
{
	char path[PATH_BYTES], link[sizeof(LINK)];
	int fd = -1;
	pid = rs_process_thread(pid);
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	DIR *directory = opendir(path);
	if (!directory)
		return -1;
	struct dirent *entry;
	errno = 0;
	while (fd < 0 && (entry = readdir(directory))) {
		snprintf(path, sizeof(path), "/proc/%d/%s/%s", (int)pid, name, entry->d_name);
		ssize_t bytes = readlink(path, link, sizeof(link));
		if (bytes < (ssize_t)strlen(LINK) || strncmp(link, LINK, strlen(LINK)) != 0)
			continue;
		/* O_NONBLOCK: the process may have replaced the file by a FIFO or a terminal */
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd >= 0 && !is_segment(fd, header)) {
			close(fd);
			fd = -1;
			errno = EPROTO;
		}
	}
	int number = errno;
	closedir(directory);
	errno = number;
	return fd;
}

/* Open the segment with this nonce for writing, in the directory `name` of a process in /proc.
 * Return -1 if there is none. */
static int open_whole(pid_t pid, const char *name, uint64_t nonce)
{
	struct rs_segment_header header;
	char path[32];
	int fd = open_in(pid, name, &header), opened = -1;
	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (header.nonce == nonce)
		opened = open(path, O_RDWR | O_CLOEXEC);
	close(fd);
	return opened;
}

int rs_live_open_orphan(pid_t pid, uint64_t nonce, struct rs_err *err)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	int fd = open_whole(pid, "fd", nonce);
	/* A thread of an attached program may have its own table of descriptors. */
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *directory = fd < 0 ? opendir(path) : NULL;
	while (fd < 0 && directory && (entry = readdir(directory))) {
		snprintf(path, sizeof(path), "task/%.20s/fd", entry->d_name);
		fd = open_whole(pid, path, nonce);
	}
	if (directory)
		closedir(directory);
	if (fd < 0)
		fd = open_whole(pid, "map_files", nonce);
	if (fd >= 0)
		return fd;
	rs_err_set(err, "process %d has closed the descriptor of its run", (int)pid);
	rs_err_add_line(err, "try: as root");
	return -1;
}

int rs_live_open_file(const char *path)
{
	struct rs_segment_header header;
	struct stat status;
	/* Skip files of another size, which are not segments. Opening a pipe could block. */
	if (stat(path, &status) != 0 || status.st_size != (off_t)RS_SEGMENT_BYTES)
		return -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || is_segment(fd, &header))
		return fd;
	close(fd);
	return -1;
}

/* Return the pid of a process's parent, or 0 if it is unknown. */
static pid_t parent_of(pid_t pid)
{
	char text[1024];
	int parent = 0;
	rs_host_read(text, sizeof(text), "/proc/%d/stat", (int)pid);
	const char *rest = strrchr(text, ')');
	return rest && sscanf(rest, ") %*c %d", &parent) == 1 ? parent : 0;
}

static int refuse(pid_t pid, int number, struct rs_err *err)
{
	char path[PATH_BYTES];
	struct stat status;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &status) != 0) {
		rs_err_set(err, "there is no process %d", (int)pid);
		rs_err_add_line(err, "try: regionstat live, which finds the runs of this user");
	} else if ((number == EACCES || number == EPERM) && status.st_uid == geteuid()) {
		rs_err_set(err,
			"process %d is protected: it is not dumpable (prctl(2)), or has more "
			"capabilities than this viewer",
			(int)pid);
		rs_err_add_line(
			err, "try: the process id of regionstat itself, or run the viewer as root");
	} else if (number == EACCES || number == EPERM) {
		rs_err_set(err, "process %d belongs to user %u, and this viewer to user %u",
			(int)pid, (unsigned)status.st_uid, (unsigned)geteuid());
		rs_err_add_line(err, "try: sudo regionstat live %d", (int)pid);
	} else if (number == EPROTO) {
		rs_err_set(
			err, "process %d is measured by a regionstat of another version", (int)pid);
		rs_err_add_line(err, "try: regionstat live of that version");
	} else {
		rs_err_set(err, "process %d is not measured by regionstat", (int)pid);
		rs_err_add_line(err,
			"try: regionstat attach --live %d, or the process id of the regionstat "
			"that measures it",
			(int)pid);
	}
	return -1;
}

int rs_live_open(pid_t pid, struct rs_err *err)
{
	struct rs_segment_header header;
	int fd = open_in(pid, "fd", &header), number = errno;
	/* the program may have closed the descriptor, so search its parent process, the parent of
	 * that, and so on */
	for (pid_t above = pid; fd < 0 && number != EACCES && (above = parent_of(above)) > 1;)
		fd = open_in(above, "fd", &header);
	return fd >= 0 ? fd : refuse(pid, number, err);
}

/* Read the program and the arguments of a process into words[room]; a NUL follows each. Return how
 * many bytes were read. */
static size_t read_words(pid_t pid, char *words, size_t room)
{
	char path[PATH_BYTES];
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)rs_process_thread(pid));
	FILE *file = fopen(path, "re");
	size_t bytes = file ? fread(words, 1, room - 1, file) : 0;
	if (file)
		fclose(file);
	words[bytes] = '\0';
	return bytes;
}

void rs_live_read_command(struct rs_live_command *command, pid_t pid)
{
	size_t bytes = read_words(pid, command->text, sizeof(command->text)), n = 0;
	if (bytes == 0)
		strcpy(command->text, "?");
	for (size_t at = 0; n == 0 || (at < bytes && n < RS_LIVE_WORDS);
		at += strlen(command->text + at) + 1)
		command->words[n++] = command->text + at;
	bool is_title = n > 1 && !*command->words[n - 1];
	while (n > 1 && !*command->words[n - 1])
		n--;
	is_title &= n == 1;
	/* A process may have changed its title, as with setproctitle(3bsd). In this case its
	 * arguments are one word and many NULs. */
	for (char *c = command->text; is_title && n < RS_LIVE_WORDS && (c = strchr(c, ' ')); n++) {
		*c++ = '\0';
		command->words[n] = c;
	}
	command->words[n] = NULL;
}

void rs_live_find_command(struct rs_live_command *command, int fd)
{
	struct rs_segment_header header;
	bool is_whole = pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header);
	rs_live_read_command(command, is_whole ? (pid_t)header.program_pid : 0);
}

static void set_command(struct rs_live_run *run)
{
	char words[sizeof(run->command)];
	size_t bytes = read_words(run->pid, words, sizeof(words));
	for (size_t i = 0; i < bytes; i++)
		words[i] = words[i] ? words[i] : ' ';
	while (bytes > 0 && words[bytes - 1] == ' ')
		bytes--;
	words[bytes] = '\0';
	rs_text_escape(run->command, sizeof(run->command), words);
}

size_t rs_live_list(struct rs_live_run *runs, size_t n)
{
	struct dirent *entry;
	size_t found = 0;
	DIR *directory = opendir("/proc");
	while (directory && (entry = readdir(directory))) {
		struct rs_segment_header header;
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		int fd = pid > 0 && pid != getpid() ? open_in(pid, "fd", &header) : -1;
		if (fd < 0)
			continue;
		close(fd);
		/* Skip the program, which also has the segment open. */
		if (header.launcher_pid != (uint32_t)pid || found++ >= n)
			continue;
		runs[found - 1].pid = pid;
		set_command(&runs[found - 1]);
	}
	if (directory)
		closedir(directory);
	return found;
}
