/* SPDX-License-Identifier: MIT */
/*
 * --functions: from globs to the functions of the program, which its segment names.
 */
#include "functions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "names/names.h"

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
		rs_text_shown(options->functions.items[0]).text,
		options->functions.n > 1 ? ", or as the others say" : "");
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
	if (options->functions.n == 0)
		return true;
	if (!rs_names_choose((const char *const *)options->words, options->functions.items,
		    options->functions.n, &hashes, &n, err))
		return false;
	bool done = n > 0 ? rs_segment_choose(segment, hashes, n, err) : refuse_globs(options, err);
	free(hashes);
	return done;
}
