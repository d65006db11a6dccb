/* SPDX-License-Identifier: MIT */
/*
 * This file implements `regionstat run`, and the options of `regionstat attach`. It reads the options and the settings, and then measures
 * one run or a series of runs.
 */
#include <stdio.h>

#include "base/text.h"
#include "command.h"
#include "config.h"
#include "measure.h"
#include "options.h"

static int print_settings(const struct rs_options *options)
{
	rs_print_config(options, stdout);
	return rs_command_flush();
}

static int refuse_missing_command(const struct rs_options *options)
{
	struct rs_err err;
	rs_err_set(&err, "there is no COMMAND to run");
	if (options->last_value)
		rs_err_add_line(&err, "the last word, '%s', was taken as the value of %s",
			rs_text_shown(options->last_value).text, options->last_value_option);
	rs_err_add_line(&err, "usage: regionstat [OPTION...] [--] COMMAND [ARGUMENT...]");
	rs_err_add_line(&err, "try: regionstat --help");
	return rs_command_refuse(&err);
}

/* Run the verb. options must be zeroed. Return the exit status. */
static int run_with(struct rs_options *options, struct rs_err *err, int argc, char **argv,
	enum rs_options_verb verb, bool is_implied)
{
	if (!rs_options_parse(options, verb, argc, argv, err))
		return rs_command_refuse(err);
	bool is_asked = options->help || options->version;
	bool is_ready = is_asked || rs_config_load(options, err);
	if (is_ready && !rs_options_settle(options, RS_OPTIONS_RUN, err)) {
		is_ready = false;
		rs_config_add_origin(options, "quiet", 0, err);
		rs_config_add_origin(options, "append", 0, err);
	}
	if (!is_ready)
		return rs_command_refuse(err);
	if (options->config.notice.text[0])
		rs_command_complain(&options->config.notice);
	options->command_is_explicit |= !is_implied;
	if (options->help)
		return verb == RS_OPTIONS_ATTACH ? rs_command_attach_help() : rs_command_help();
	if (options->version)
		return rs_command_version();
	if (options->print_config)
		return print_settings(options);
	if (verb == RS_OPTIONS_ATTACH && !rs_command_take_pid(options, err))
		return rs_command_refuse(err);
	const char *command = options->words[0];
	if (options->pid && !options->dry_run)
		return rs_command_attach_to(options);
	if (options->dry_run && !command)
		return rs_measure_show_plan(options);
	if (!command)
		return refuse_missing_command(options);
	if (!options->command_is_explicit && rs_command_is_verb(command))
		return rs_command_refuse_verb(command);
	if (options->dry_run)
		return rs_measure_show_plan(options);
	return rs_options_have_series(options) ? rs_command_repeat(options)
					       : rs_measure(options, NULL, false);
}

static int run_verb(int argc, char **argv, enum rs_options_verb verb, bool is_implied)
{
	struct rs_options options = {0};
	struct rs_err err = {{0}};
	int status = run_with(&options, &err, argc, argv, verb, is_implied);
	rs_options_finish(&options);
	return status;
}

int rs_command_run(int argc, char **argv)
{
	return run_verb(argc, argv, RS_OPTIONS_RUN, false);
}

int rs_command_run_implied(int argc, char **argv)
{
	return run_verb(argc, argv, RS_OPTIONS_RUN, true);
}

int rs_command_attach(int argc, char **argv)
{
	return run_verb(argc, argv, RS_OPTIONS_ATTACH, false);
}
