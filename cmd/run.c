/* SPDX-License-Identifier: MIT */
/*
 * This file implements `regionstat run` and `regionstat attach`: it chooses between one run, a
 * series of runs, the plan of a run, and the settings.
 */
#include <stdio.h>

#include "base/text.h"
#include "command.h"
#include "config.h"
#include "options.h"

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

static int run(struct rs_options *options, bool is_attach)
{
	struct rs_err err;
	if (options->config.notice.text[0])
		rs_command_complain(&options->config.notice);
	if (options->print_config) {
		rs_print_config(options, stdout);
		return rs_command_flush();
	}
	if (is_attach && !rs_command_take_pid(options, &err))
		return rs_command_refuse(&err);
	const char *command = options->words[0];
	if (options->duration_ms && !options->pid) {
		rs_err_set(
			&err, "--duration is for a running process, and -p or attach names none");
		rs_err_add_line(&err, "try: --timeout MS, which ends COMMAND, or -p PID");
		return rs_command_refuse(&err);
	}
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
	if (rs_options_have_series(options))
		return rs_command_repeat(options);
	return options->warmup > 0 || options->prepare ? rs_command_prepare(options)
						       : rs_measure(options, NULL, false);
}

int rs_command_run(struct rs_options *options)
{
	return run(options, false);
}

int rs_command_attach(struct rs_options *options)
{
	return run(options, true);
}
