/* SPDX-License-Identifier: MIT */
/*
 * This file prints regionstat's messages to stderr. Each begins with the command's name, so that a
 * reader can distinguish it from the program's output. The file also explains why a word is not
 * accepted as a verb.
 */
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "options.h"

void rs_command_complain(const struct rs_err *err)
{
	if (err->text[0])
		fprintf(stderr, "regionstat: %s\n", err->text);
}

int rs_command_fail(const char *undone, const struct rs_err *err)
{
	rs_command_complain(err);
	if (undone)
		fprintf(stderr, "regionstat: nothing was %s (exit status %d)\n", undone,
			RS_STATUS_FAILED);
	return RS_STATUS_FAILED;
}

int rs_command_refuse(const struct rs_err *err)
{
	return rs_command_fail("run", err);
}

int rs_command_flush(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	struct rs_err err;
	rs_err_set_errno(&err, errno, "cannot write to the standard output");
	return rs_command_fail(NULL, &err);
}

/* ---- verbs ---- */

/* Verbs of perf that regionstat does not need, and the commands to use instead. */
static const struct {
	const char *name, *instead;
} perf_verbs[] = {{"trace", "regionstat --trace FILE COMMAND"}, {"stat", "regionstat COMMAND"}};
#define N_PERF_VERBS (sizeof(perf_verbs) / sizeof(perf_verbs[0]))

/* Return the arguments of the verb `word`, or NULL if word is no verb. */
static const char *find_arguments(const char *word)
{
	for (unsigned i = 0; i < RS_OPTIONS_VERBS; i++)
		if (strcmp(rs_options_verb_word((enum rs_options_verb)(1u << i)), word) == 0)
			return rs_options_verb_arguments((enum rs_options_verb)(1u << i));
	return NULL;
}

/* Return the command to use instead of a verb of perf, or NULL if word is no such verb. */
static const char *find_instead(const char *word)
{
	for (size_t i = 0; i < N_PERF_VERBS; i++)
		if (strcmp(perf_verbs[i].name, word) == 0)
			return perf_verbs[i].instead;
	return NULL;
}

bool rs_command_is_verb(const char *word)
{
	return find_arguments(word) || find_instead(word);
}

const char *rs_command_find_near(const char *word)
{
	/* verbs of other commands, and verbs that are often mistyped */
	static const struct {
		const char *word;
		const char *instead;
	} hints[] = {
		{"help", "regionstat --help, or man regionstat"},
		{"version", "regionstat --version"},
		{"list", "regionstat list"},
		{"report", "regionstat report FILE"},
		{"run", "regionstat run COMMAND"},
	};
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (strlen(word) > 2 && rs_text_distance(word, hints[i].word, 1) <= 1)
			return hints[i].instead;
	return NULL;
}

int rs_command_refuse_verb(const char *word)
{
	const char *arguments = find_arguments(word);
	struct rs_err err;
	if (arguments) {
		rs_err_set(&err, "'%s' is a verb of regionstat and must come before its options",
			word);
		rs_err_add_line(&err, "try: regionstat %s %s", word, arguments);
	} else {
		rs_err_set(&err, "'%s' is a verb of perf, not of regionstat", word);
		rs_err_add_line(&err, "try: %s", find_instead(word));
	}
	rs_err_add_line(
		&err, "try: regionstat -- %s, or its path, to run a program of that name", word);
	return rs_command_refuse(&err);
}
