/* SPDX-License-Identifier: MIT */
/*
 * This file opens and writes the file of a report. The finished report is one text, and replaces
 * the file as a whole: it is written to a temporary file, which is then renamed.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/text.h"
#include "base/write.h"

static bool is_standard_output(const char *path)
{
	return strcmp(path, "-") == 0;
}

static bool refuse(const char *path, int number, struct rs_err *err)
{
	if (is_standard_output(path)) {
		rs_err_set_errno(err, number, "cannot write to the standard output");
		return rs_err_add_line(err, "try: -o FILE, or -o ./- for a file of that name");
	}
	return rs_err_set_unwritable(err, number, "", path, "-o");
}

/* Open the file. Try it without O_CREAT first, to find out whether this call creates it. */
static int open_file(struct rs_output *output)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (output->append ? O_APPEND : 0);
	int fd = open(output->path, flags);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = open(output->path, flags | O_CREAT | O_EXCL, 0666);
	output->created = fd >= 0;
	if (fd < 0 && errno == EEXIST) /* a dangling link, or another process created the file */
		fd = open(output->path, flags | O_CREAT, 0666);
	return fd;
}

/* Return a copy of the descriptor of standard output, which the program also uses. Fail if it was
 * closed: then cmd/main.c has opened a read-only file as standard output. */
static int share_standard_output(void)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	if (flags < 0)
		return -1;
	if ((flags & O_ACCMODE) == O_RDONLY) {
		errno = EBADF;
		return -1;
	}
	return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
}

static bool is_same_file(const struct stat *a, int fd)
{
	struct stat b;
	return fstat(fd, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/*
 * If the program's stdout or stderr is the same file, as with -o /dev/stdout, use a copy of that
 * descriptor. The report is then written at the program's position, and nothing is truncated.
 */
static bool share_standard_stream(struct rs_output *output, const struct stat *status)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (!is_same_file(status, fd))
			continue;
		int shared = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (shared < 0)
			return false;
		close(output->fd);
		output->fd = shared;
		return true;
	}
	return false;
}

int rs_output_columns(int fd)
{
	struct winsize size;
	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static void find_terminal(struct rs_output *output)
{
	struct winsize size;
	output->is_terminal = isatty(output->fd) == 1;
	if (output->is_terminal && ioctl(output->fd, TIOCGWINSZ, &size) == 0) {
		output->width = size.ws_col;
		output->height = size.ws_row;
	}
}

bool rs_output_init(struct rs_output *output, const char *path, bool append, struct rs_err *err)
{
	*output = (struct rs_output){.path = path, .append = append, .fd = STDERR_FILENO};
	if (path && is_standard_output(path)) {
		output->fd = share_standard_output();
		if (output->fd < 0)
			return refuse(path, errno, err);
	} else if (path) {
		struct stat status;
		output->fd = open_file(output);
		if (output->fd < 0)
			return refuse(path, errno, err);
		if (fstat(output->fd, &status) == 0 && S_ISREG(status.st_mode))
			output->is_ours = !share_standard_stream(output, &status);
		/* This new file has shown that the path can be written. Remove its name now, so
		 * that no empty file remains if this process is killed. */
		if (output->created && output->is_ours && !append)
			output->is_unnamed = unlink(path) == 0;
	}
	find_terminal(output);
	return true;
}

/*
 * Return true if the path still leads to the file that was opened, or still to no file. The program
 * may have removed or replaced the file or its directory.
 */
static bool stands_at_path(const struct rs_output *output, struct rs_err *err)
{
	struct stat status;
	if (stat(output->path, &status) != 0) {
		int number = errno;
		if (output->is_unnamed && number == ENOENT && rs_has_directory(output->path))
			return true;
		if (number == ENOENT || number == ENOTDIR)
			rs_err_set(err,
				"'%s' is gone: it, or its directory, was removed or renamed "
				"while the program ran",
				rs_text_shown(output->path).text);
		else
			rs_err_set_errno(err, number,
				"cannot find '%s' any more, which was opened before the program "
				"ran",
				rs_text_shown(output->path).text);
	} else if (!is_same_file(&status, output->fd)) {
		rs_err_set(err,
			output->is_unnamed
				? "'%s' was made by another process while the program ran"
				: "'%s' is another file now than before the program ran",
			rs_text_shown(output->path).text);
	} else {
		return true;
	}
	return rs_err_add_line(err, "try: -o with a file that neither the program nor another "
				    "regionstat writes, such as one with %%p in its name");
}

/* Write to the file itself: when appending, after its content, otherwise in place of its content.
 * After an error, truncate the file to its old size when appending, otherwise to 0 bytes. Return 0
 * or an errno value. */
static int write_in_place(struct rs_output *output, const struct rs_output_content *content)
{
	struct stat before;
	off_t kept_bytes = 0;
	int number = 0;
	if (output->is_ours && output->append && fstat(output->fd, &before) == 0)
		kept_bytes = before.st_size;
	if (output->is_ours && !output->append &&
		(ftruncate(output->fd, 0) != 0 || lseek(output->fd, 0, SEEK_SET) != 0))
		number = errno;
	if (number == 0)
		number = content->write(content->context, output->fd);
	/* Some file systems report write errors only at close(2). Close a copy of the descriptor,
	 * so that the file can still be truncated. */
	int copy = number == 0 && output->is_ours ? fcntl(output->fd, F_DUPFD_CLOEXEC, 3) : -1;
	if (copy >= 0 && close(copy) != 0)
		number = errno;
	bool is_as_before = number == 0 || !output->is_ours ||
			    ftruncate(output->fd, kept_bytes) == 0;
	(void)is_as_before; /* there is no remedy if truncating fails */
	return number;
}

/* Give a new file the owner, group and mode of the old one, or the usual ones if old is NULL.
 * Return false and set errno on failure. If the file system has no modes (vfat), fchmod(2) fails,
 * and the file keeps the mode that the file system gives it. */
static bool set_owner(int fd, const struct stat *old)
{
	struct stat status;
	mode_t mask = umask(077);
	umask(mask);
	if (old && fstat(fd, &status) != 0)
		return false;
	bool is_theirs = !old || (status.st_uid == old->st_uid && status.st_gid == old->st_gid);
	if (!is_theirs && fchown(fd, old->st_uid, old->st_gid) != 0)
		return false;
	fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask);
	return true;
}

/* Write a new file beside path, and rename it to path when it is complete. old is the file that it
 * replaces, or NULL. Return 0 or an errno value. */
static int write_beside(
	const char *path, const struct stat *old, const struct rs_output_content *content)
{
	char new[PATH_MAX + 32];
	const char *slash = strrchr(path, '/');
	int directory = slash ? (int)(slash + 1 - path) : 0;
	if ((size_t)snprintf(new, sizeof(new), "%.*s.regionstat-XXXXXX", directory, path) >=
		sizeof(new))
		return ENAMETOOLONG;
	int fd = mkostemp(new, O_CLOEXEC);
	if (fd < 0)
		return errno;
	int number = set_owner(fd, old) ? content->write(content->context, fd) : errno;
	if (close(fd) != 0 && number == 0)
		number = errno;
	if (number == 0 && rename(new, path) != 0)
		number = errno;
	if (number != 0)
		unlink(new);
	return number;
}

/* Find the file's path without links. Return false if the file has no name, or if output->path
 * leads to a descriptor in /proc. */
static bool find_name(const struct rs_output *output, char real[PATH_MAX])
{
	char link[PATH_MAX];
	struct stat status;
	/* with -o /dev/fd/3, the report must go into the open file, because descriptor 3 has a
	 * reader */
	snprintf(link, sizeof(link), "%s", output->path);
	char *slash = strrchr(link, '/');
	if (slash)
		slash[1] = '\0';
	if (slash && realpath(link, real) && strncmp(real, "/proc/", strlen("/proc/")) == 0)
		return false;
	return realpath(output->path, real) && stat(real, &status) == 0 &&
	       is_same_file(&status, output->fd);
}

/*
 * Replace the file by a new one, after the new one is complete. Return 0 or an errno value. Set
 * *is_in_place if the file must be written in place instead: its directory or owner is another
 * user's, it is a mount point, or it has no name.
 */
static int replace(
	struct rs_output *output, const struct rs_output_content *content, bool *is_in_place)
{
	char real[PATH_MAX];
	struct stat old;
	bool is_new = output->is_unnamed;
	const char *path = is_new ? output->path : real;
	*is_in_place = !is_new;
	if ((!is_new && !find_name(output, real)) || fstat(output->fd, &old) != 0)
		return 0;
	int number = write_beside(path, &old, content);
	/* open the new file, because a later report replaces it */
	int opened = number == 0 ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : -1;
	if (opened >= 0) {
		close(output->fd);
		output->fd = opened;
		output->is_unnamed = false;
	}
	*is_in_place = !is_new &&
		       (number == EACCES || number == EPERM || number == EROFS || number == EBUSY);
	return number;
}

/* Open the file that is at the path now. If that fails, keep the old one open. */
static bool open_again(struct rs_output *output, struct rs_err *err)
{
	struct rs_output again;
	if (!rs_output_init(&again, output->path, output->append, err))
		return false;
	close(output->fd);
	*output = again;
	return true;
}

bool rs_output_write_content(
	struct rs_output *output, const struct rs_output_content *content, struct rs_err *err)
{
	bool is_in_place = true;
	int number = 0;
	signal(SIGXFSZ, SIG_IGN); /* exceeding the limit of file size then returns an error */
	if (output->is_ours && !stands_at_path(output, err) &&
		!(output->reopens && open_again(output, err)))
		return false;
	if (output->is_ours && !output->append)
		number = replace(output, content, &is_in_place);
	if (is_in_place)
		number = write_in_place(output, content);
	if (number == 0)
		return true;
	if (!output->path)
		return rs_err_set_errno(err, number, "cannot write to the standard error");
	return refuse(output->path, number, err);
}

void rs_output_append(struct rs_output *output)
{
	int flags = fcntl(output->fd, F_GETFL);
	if (output->is_ours && flags >= 0 && fcntl(output->fd, F_SETFL, flags | O_APPEND) == 0)
		output->append = true;
}

struct text {
	const char *text;
	size_t bytes;
};

static int write_text(void *context, int fd)
{
	const struct text *text = context;
	return rs_write_all(fd, text->text, text->bytes);
}

bool rs_output_write(struct rs_output *output, const char *text, size_t bytes, struct rs_err *err)
{
	struct text whole = {text, bytes};
	return rs_output_write_content(
		output, &(struct rs_output_content){write_text, &whole}, err);
}

bool rs_output_write_new(const char *path, const char *text, size_t bytes, struct rs_err *err)
{
	struct text whole = {text, bytes};
	signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit then returns an error, as above */
	int number = write_beside(path, NULL, &(struct rs_output_content){write_text, &whole});
	return number == 0 || refuse(path, number, err);
}

void rs_output_finish(struct rs_output *output, bool written)
{
	if (output->path && output->fd >= 0) {
		struct stat status;
		if (!written && output->created && stat(output->path, &status) == 0 &&
			is_same_file(&status, output->fd))
			unlink(output->path);
		close(output->fd);
	}
	*output = (struct rs_output){.fd = -1};
}
