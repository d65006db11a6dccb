/* SPDX-License-Identifier: MIT */
/*
 * --functions: globs in the user's order, and from them to the functions of the program.
 */
#include "options_functions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "names/names.h"
#include "options_values.h"

bool rs_options_add_functions(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	if (value[0] == '\0') {
		rs_err_set(err, "%s: the glob is empty, and no function has such a name", name);
		return rs_err_add_line(
			err, "try: %s 'parse*', or none to measure all functions", name);
	}
	if (value[0] == '-' && value[1] == '-') {
		rs_err_set(err, "%s: its value is missing: '%s' looks like an option", name,
			rs_text_shown(value).text);
		return rs_err_add_line(err, "try: %s GLOB", name);
	}
	return rs_options_append(&options->functions, &options->n_functions, name, value, err);
}

void rs_options_free_functions(struct rs_options *options)
{
	free(options->functions);
	options->functions = NULL;
	options->n_functions = 0;
}

/* Another word of the command that is the path of a program, such as behind env(1), and is looked
 * at as well; NULL: there is none. */
static const char *other_program(const struct rs_options *options)
{
	struct stat status;
	for (size_t i = 1; options->words[i]; i++)
		if (strchr(options->words[i], '/') && stat(options->words[i], &status) == 0 &&
			S_ISREG(status.st_mode) && access(options->words[i], X_OK) == 0)
			return options->words[i];
	return NULL;
}

static bool refuse_globs(const struct rs_options *options, struct rs_err *err)
{
	const char *first = options->words[0], *other = other_program(options);
	rs_err_set(err,
		"--functions: no function of %s%s%s or of the libraries that %s called '%s'%s",
		rs_text_shown(first).text, other ? ", of " : "",
		other ? rs_text_shown(other).text : "", other ? "they need is" : "it needs is",
		rs_text_shown(options->functions[0]).text,
		options->n_functions > 1 ? ", or as the others say" : "");
	rs_err_add_line(err,
		"functions that the program comes to only once it runs, by dlopen() or another "
		"program, are not known by name");
	return rs_err_add_line(err, "try: nm --demangle %s, for what there is",
		rs_text_shown(other ? other : first).text);
}

bool rs_options_choose_functions(
	const struct rs_options *options, const struct rs_segment *segment, struct rs_err *err)
{
	uint64_t *hashes = NULL;
	size_t n = 0;
	if (options->n_functions == 0)
		return true;
	if (!rs_names_choose((const char *const *)options->words, options->functions,
		    options->n_functions, &hashes, &n, err))
		return false;
	bool done = n > 0 ? rs_segment_choose(segment, hashes, n, err) : refuse_globs(options, err);
	free(hashes);
	return done;
}
