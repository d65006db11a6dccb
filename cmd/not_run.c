/* SPDX-License-Identifier: MIT */
/*
 * This file explains why COMMAND did not run. It gets the command's name and the errno value of
 * execve(2). Its message says whether an option was mistyped, the file does not exist, or the file
 * cannot be executed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "command.h"
#include "options.h"

/* Remedies for errno values whose cause does not depend on the command's name. */
static const struct {
	int number;
	const char *lines;
} remedies[] = {
	{EACCES, "try: chmod +x, if it is a program"},
	{ENOEXEC, "it was not built for this machine\n  try: a program that was"},
	{ENOTDIR, "try: a path that exists"},
	{ELOOP, "try: a path without a loop of symbolic links"},
	{ENAMETOOLONG, "try: a shorter path"},
	{E2BIG, "try: fewer or shorter arguments, or ulimit -s with a higher number"},
	{ETXTBSY, "another process has it open for writing\n  try: again when that process has "
		  "ended"},
	{ENOMEM, "try: with more memory, or a higher ulimit -v"},
};

/* Return true if word is a command of the shell, which may not exist as a program. */
static bool is_of_shell(const char *word)
{
	static const char *const words[] = {"alias", "cd", "eval", "exec", "export", "for", "if",
		"set", "source", "trap", "type", "ulimit", "umask", "unset", "wait", "while"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

/* Explain that no directory of PATH contains the command, whose name has no slash. Suggest what the
 * user may have meant. */
static void explain_not_in_path(const struct rs_options *options, struct rs_err *err)
{
	const char *name = options->words[0];
	const char *near = options->command_is_explicit ? NULL : rs_command_find_near(name);
	const struct rs_text_shown shown = rs_text_shown(name);
	rs_err_add_line(err, "it is in none of the directories of PATH");
	if (near)
		rs_err_add_line(err, "try: %s, if that was meant", near);
	if (options->valueless && !options->command_is_explicit)
		rs_err_add_line(err, "--%s takes a value after '=': see regionstat --help",
			options->valueless);
	if (name[0] == '-')
		rs_err_add_line(err, "try: options before '--', the program after it");
	else if (strchr(name, ' '))
		rs_err_add_line(err, "try: %s, without quotes around all of it; or sh -c '%s'",
			shown.text, shown.text);
	else if (strchr(name, '='))
		rs_err_add_line(err, "try: env %s COMMAND", shown.text);
	else if (is_of_shell(name))
		rs_err_add_line(
			err, "try: sh -c '%s ...': it is a command of the shell", shown.text);
	else
		rs_err_add_line(err, "try: its path, such as ./%s", shown.text);
}

static void explain_no_file(const char *name, struct rs_err *err)
{
	struct stat status;
	char target[256] = "";
	if (stat(name, &status) == 0) {
		rs_err_add_line(err, "the file exists, but the interpreter that its first line or "
				     "header names does not");
		rs_err_add_line(err, "try: install that, or correct the first line");
	} else if (readlink(name, target, sizeof(target) - 1) > 0) {
		rs_err_add_line(err, "it is a link to '%s', which does not exist",
			rs_text_shown(target).text);
		rs_err_add_line(err, "try: a path that exists");
	} else {
		rs_err_add_line(err, "try: a path that exists");
	}
}

static void explain(const struct rs_options *options, int number, struct rs_err *err)
{
	const char *name = options->words[0];
	struct stat status;
	if (name[0] == '\0') {
		rs_err_add_line(err, "try: the name of a program instead of ''");
	} else if (number == ENOENT && strchr(name, '/')) {
		explain_no_file(name, err);
	} else if (number == ENOENT) {
		explain_not_in_path(options, err);
	} else if (number == EACCES && stat(name, &status) == 0 && S_ISDIR(status.st_mode)) {
		rs_err_add_line(err, "it is a directory\n  try: a program in it");
	} else {
		for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
			if (remedies[i].number == number)
				rs_err_add_line(err, "%s", remedies[i].lines);
	}
}

int rs_command_refuse_exec(const struct rs_options *options, int number, int status)
{
	struct rs_err err;
	rs_err_set_errno(&err, number, "cannot run '%s'", rs_text_shown(options->words[0]).text);
	explain(options, number, &err);
	rs_command_complain(&err);
	if (!options->is_in_series) /* in a series, earlier runs may have been made */
		fprintf(stderr, "regionstat: nothing was run (exit status %d)\n", status);
	return status;
}
