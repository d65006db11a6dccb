/* SPDX-License-Identifier: MIT */
/*
 * Why COMMAND did not run. In go its name and the errno value of execve(2); out comes a message
 * that tells a slip on the command line from a file that is not there or is none to be run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "command.h"

/* What to say of an error that needs no look at the name. */
static const struct {
	int number;
	const char *lines;
} remedies[] = {
	{EACCES, "try: chmod +x, if it is a program"},
	{ENOEXEC, "it is no program for this machine\n  try: one that was built for it"},
	{ENOTDIR, "try: a path that exists"},
	{ELOOP, "try: a path without a circle of links"},
	{ENAMETOOLONG, "try: a shorter path"},
	{E2BIG, "try: fewer or shorter arguments, or ulimit -s with a higher number"},
	{ETXTBSY, "somebody has it open to write\n  try: again when that has ended"},
	{ENOMEM, "try: with more memory, or a higher ulimit -v"},
};

/* A name without a slash that no directory of PATH has: what was meant by it? */
static void explain_not_in_path(const char *name, bool is_explicit, struct rs_err *err)
{
	const char *near = is_explicit ? NULL : rs_command_find_near(name);
	const struct rs_text_shown shown = rs_text_shown(name);
	rs_err_add_line(err, "it is in none of the directories of PATH");
	if (near)
		rs_err_add_line(err, "try: %s, if that was meant", near);
	if (name[0] == '-')
		rs_err_add_line(err, "try: options before '--', the program behind it");
	else if (strchr(name, ' '))
		rs_err_add_line(err, "try: %s, without quotes around all of it; or sh -c '%s'",
			shown.text, shown.text);
	else if (strchr(name, '='))
		rs_err_add_line(err, "try: env %s COMMAND", shown.text);
	else
		rs_err_add_line(err, "try: its path, such as ./%s", shown.text);
}

static void explain(const char *name, int number, bool is_explicit, struct rs_err *err)
{
	struct stat status;
	bool is_path = strchr(name, '/') != NULL, is_there = stat(name, &status) == 0;
	if (name[0] == '\0') {
		rs_err_add_line(err, "try: the name of a program, where it says ''");
	} else if (number == ENOENT && is_path && is_there) {
		rs_err_add_line(err, "the file is there: the interpreter that its first line or "
				     "header names is not");
		rs_err_add_line(err, "try: install that, or correct the first line");
	} else if (number == ENOENT && is_path) {
		rs_err_add_line(err, "try: a path that exists");
	} else if (number == ENOENT) {
		explain_not_in_path(name, is_explicit, err);
	} else if (number == EACCES && is_there && S_ISDIR(status.st_mode)) {
		rs_err_add_line(err, "it is a directory\n  try: a program in it");
	} else {
		for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
			if (remedies[i].number == number)
				rs_err_add_line(err, "%s", remedies[i].lines);
	}
}

int rs_command_refuse_exec(const char *name, int number, bool is_explicit, int status)
{
	struct rs_err err;
	rs_err_set_errno(&err, number, "cannot run '%s'", rs_text_shown(name).text);
	explain(name, number, is_explicit, &err);
	rs_command_complain(&err);
	fprintf(stderr, "regionstat: nothing was run (exit status %d)\n", status);
	return status;
}
