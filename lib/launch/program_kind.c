/* SPDX-License-Identifier: MIT */
/*
 * This file searches a command in PATH. It finds the kind of the command's program from the first
 * bytes and the program headers of its file (elf(5)).
 */
#include "launch/program_kind.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/text.h"
#include "launch/elf_object.h"
#include "plan/host.h"

#define MOST_INTERPRETERS 4u /* the kernel's limit (execve(2)) */

static bool is_program(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* An empty directory in PATH means the current directory. */
bool rs_program_find(char path[PATH_MAX], const char *command)
{
	const char *list = getenv("PATH");
	int n;
	if (strchr(command, '/')) {
		n = snprintf(path, PATH_MAX, "%s", command);
		return n > 0 && n < PATH_MAX && is_program(path);
	}
	for (const char *at = list ? list : "/bin:/usr/bin";; at++) {
		size_t length = strcspn(at, ":");
		n = snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, at, length > 0 ? "/" : "",
			command);
		if (n > 0 && n < PATH_MAX && is_program(path))
			return true;
		at += length;
		if (*at == '\0')
			return false;
	}
}

/* Return the first word of a line, ended by NUL, and advance line beyond it. Return "" if there is
 * none. */
static char *take_word(char **line)
{
	char *word = *line + strspn(*line, " \t");
	char *end = word + strcspn(word, " \t");
	*line = end + (*end != '\0');
	*end = '\0';
	return word;
}

/* Replace the path of a script by the path of its interpreter. If the interpreter is env(1), use
 * the program that env would run. Return false if the file is not a script. */
static bool take_interpreter(char path[PATH_MAX])
{
	char text[PATH_MAX], *line = text + 2;
	rs_host_read(text, sizeof(text), "%s", path);
	if (strncmp(text, "#!", 2) != 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	const char *word = take_word(&line);
	snprintf(path, PATH_MAX, "%s", word);
	if (strcmp(rs_text_file_name(word), "env") != 0)
		return true;
	do
		word = take_word(&line);
	while (word[0] == '-' || strchr(word, '='));
	char found[PATH_MAX];
	if (word[0] && rs_program_find(found, word))
		snprintf(path, PATH_MAX, "%s", found);
	return true;
}

/* Return true if the file has mode bits or capabilities(7) that raise its user's rights. */
static bool is_privileged(const char *path, const struct stat *status)
{
	return (status->st_mode & (S_ISUID | S_ISGID)) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

/* Return the kind of a file that may be an ELF object of another class or machine. fd is -1 if the
 * file cannot be opened. */
static enum rs_program_kind kind_of_other(int fd)
{
	unsigned char start[EI_NIDENT] = {0};
	bool is_elf = pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) &&
		      memcmp(start, ELFMAG, SELFMAG) == 0;
	if (!is_elf || rs_object_is_ours(fd))
		return RS_PROGRAM_UNKNOWN;
	return start[EI_CLASS] == ELFCLASS32 ? RS_PROGRAM_32_BITS : RS_PROGRAM_OTHER_MACHINE;
}

enum rs_program_kind rs_program_kind_find(char path[PATH_MAX], const char *command)
{
	struct rs_object object;
	struct stat status;
	enum rs_program_kind kind;
	if (!rs_program_find(path, command))
		return RS_PROGRAM_UNKNOWN;
	unsigned n_interpreters = 0;
	do {
		if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
			n_interpreters++ > MOST_INTERPRETERS)
			return RS_PROGRAM_UNKNOWN;
	} while (take_interpreter(path));
	if (is_privileged(path, &status))
		return RS_PROGRAM_PRIVILEGED;
	if (!rs_object_init(&object, path)) {
		kind = kind_of_other(object.fd);
	} else if (!object.interpreter) {
		kind = RS_PROGRAM_STATIC;
	} else {
		const char *slash = strrchr(object.interpreter, '/');
		bool is_glibc = slash && strncmp(slash + 1, "ld-linux", 8) == 0;
		kind = is_glibc ? RS_PROGRAM_OURS : RS_PROGRAM_OTHER_LIBRARY;
	}
	rs_object_finish(&object);
	return kind;
}
