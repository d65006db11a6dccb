/* SPDX-License-Identifier: MIT */
/*
 * From regionstat.yaml to options: what the command line leaves open, a profile says, and what that
 * leaves open, the rest of the file.
 */
#ifndef RS_CONFIG_H
#define RS_CONFIG_H

#include "options.h"

/*
 * Find the file of settings, as options->config_path says or else where files are found, read it into
 * options->config, and apply it.
 * options: of rs_options_parse(), before rs_options_settle(). False, with err filled: see below.
 */
bool rs_config_load(struct rs_options *options, struct rs_err *err);

/*
 * Apply options->config, which is read. An option that was set already keeps its value, or all of
 * its values. False, with err filled and the place in the file: an unknown key, or a value that the
 * option does not take. It is also an unknown profile, or one that extends itself, and in a file
 * from the working directory a key that may name files. Profiles that the user did not name are
 * checked as well.
 */
bool rs_config_apply(struct rs_options *options, struct rs_err *err);

/* The profiles of a file in their order, and what they are for; "" where it is missing. Calls visit
 * for each. */
void rs_config_visit_profiles(const struct rs_config_file *file,
	void (*visit)(void *context, const char *name, const char *description), void *context);

/* Where a setting is from: "command line", "FILE:LINE", "profile NAME, FILE:LINE". Fit to show. */
struct rs_origin {
	char text[360];
};
struct rs_origin rs_config_origin(const struct rs_setting *setting);

/* Add a line to a message about what an option holds: where the nth of its values, from 0, was said,
 * unless on the command line. */
void rs_config_add_origin(
	const struct rs_options *options, const char *word, size_t n, struct rs_err *err);

/* Print all settings as a file for -c, with a comment behind each that says who set it. options:
 * settled (print_config.c). */
void rs_print_config(const struct rs_options *options, FILE *stream);

#endif
