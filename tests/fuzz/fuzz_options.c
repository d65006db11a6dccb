/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing the command line with arbitrary words, one per line of the input. Results keep the
 * promises of options.h.
 */
#include "fuzz_target.h"

#include <stdlib.h>
#include <string.h>

#include "../../cmd/command.h"
#include "../../cmd/options.h"
#include "fuzz_require.h"

#define MOST_WORDS 40

/* Replaces the function of verbs.c, which is not linked. */
bool rs_command_is_verb(const char *word)
{
	return strcmp(word, "run") == 0 || strcmp(word, "list") == 0;
}

static void check(const struct rs_options *options, char **argv, int argc)
{
	REQUIRE(options->events.n < (size_t)argc);
	for (size_t i = 0; i < options->events.n; i++)
		REQUIRE(options->events.items[i][0]);
	for (size_t i = 0; i < options->n_samples; i++) {
		REQUIRE(options->samples[i].name && options->samples[i].name[0]);
		for (size_t k = 0; k < i; k++)
			REQUIRE(strcmp(options->samples[i].name, options->samples[k].name) != 0);
	}
	for (size_t i = 0; i < options->only.n; i++)
		REQUIRE(options->only.items[i][0] &&
			strlen(options->only.items[i]) < RS_GLOB_BYTES);
	REQUIRE(options->only.n <= RS_MAX_ONLY);
	REQUIRE(options->budget_ppm <= 1000000);
	REQUIRE(!options->separator || options->separator[0]);
	/* Only rows of intervals, or only the lines of rules, may be wanted. */
	REQUIRE(options->n_reports > 0 || options->interval_ms > 0 || options->fail_if.n > 0);
	for (size_t i = 0; i < options->n_reports; i++)
		REQUIRE(options->reports[i].format &&
			(!options->reports[i].path || options->reports[i].path[0]));
	REQUIRE(options->delay_ms >= -1);
	REQUIRE(options->color <= RS_COLOR_NEVER);
	REQUIRE(options->words > argv && options->words <= argv + argc);
}

/* Use the verb "list" if the number of bytes is a multiple of four. */
void fuzz_run(const uint8_t *data, size_t bytes)
{
	enum rs_options_verb verb = bytes % 4 ? RS_OPTIONS_RUN : RS_OPTIONS_LIST;
	char *argv[MOST_WORDS + 2] = {(char *)"regionstat"};
	struct rs_options options = {0};
	struct rs_err err = {0};
	int argc = 1;
	char *text = fuzz_text(data, bytes);
	for (char *word = text; word && argc <= MOST_WORDS; argc++) {
		argv[argc] = word;
		word = strchr(word, '\n');
		if (word)
			*word++ = '\0';
	}
	if (rs_options_parse(&options, verb, argc, argv, &err) &&
		rs_options_settle(&options, verb, &err))
		check(&options, argv, argc);
	else
		fuzz_require_message(&err);
	rs_options_finish(&options);
	free(text);
}
