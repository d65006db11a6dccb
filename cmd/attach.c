/* SPDX-License-Identifier: MIT */
/*
 * This file implements `regionstat attach PID` and -p PID. It checks that regionstat can measure
 * the process, and then measures it as in `regionstat run`.
 */
#include "launch/attach.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "command.h"
#include "live/find.h"
#include "options_table.h"

static bool check_options(const struct rs_options *options, struct rs_err *err)
{
	for (size_t i = 0; i < options->settings.n; i++) {
		const struct rs_setting *setting = &options->settings.items[i];
		const struct rs_option *option = setting->option;
		if (setting->place.file || !option->not_attached)
			continue;
		rs_err_set(err, "--%s is not for a running process: %s", option->word,
			option->not_attached);
		return rs_err_add_line(err, strcmp(option->word, "timeout") == 0
						    ? "try: --duration TIME"
						    : "try: without it, or regionstat COMMAND");
	}
	if (!options->words[0])
		return true;
	rs_err_set(err, "-p %d measures a running process, and '%s' is a command",
		(int)options->pid, rs_text_shown(options->words[0]).text);
	return rs_err_add_line(err, "try: -p without COMMAND, or --duration TIME");
}

/* Return true if regionstat cannot change this option after a run has begun. */
static bool is_of_start(const struct rs_option *option)
{
	return option->group == RS_GROUP_COUNT || option->group == RS_GROUP_MARK ||
	       strcmp(option->word, "delay") == 0 || strncmp(option->word, "trace", 5) == 0;
}

/* Continue a run whose launcher has ended: open its segment, and use the options that it stores. */
static bool go_on(struct rs_attach *attach, struct rs_options *options, struct rs_err *err)
{
	struct rs_segment_header header;
	attach->segment_fd = rs_live_open_orphan(attach->pid, attach->nonce, err);
	if (attach->segment_fd < 0)
		return false;
	if (pread(attach->segment_fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return rs_err_set_errno(err, errno, "cannot read the segment of the run");
	for (size_t i = 0; i < options->settings.n; i++) {
		const struct rs_setting *setting = &options->settings.items[i];
		if (setting->place.file || !is_of_start(setting->option))
			continue;
		rs_err_set(err,
			"--%s cannot change: attach continues the run that regionstat %d "
			"began",
			setting->option->word, (int)attach->ended_launcher);
		return header.flags & RS_SEGMENT_ATTACHED ? rs_err_add_line(err,
								    "try: without it, or end that "
								    "run first: regionstat attach "
								    "--duration 1ms %d",
								    (int)attach->pid)
							  : rs_err_add_line(err, "try: without it");
	}
	options->raw = header.flags & RS_SEGMENT_RAW;
	options->by_work = header.flags & RS_SEGMENT_BY_WORK;
	options->budget_ppm = header.budget_ppm;
	/* A settings file may have set these options. Ignore them, because they are for runs that
	 * start a command. */
	options->trace = NULL;
	options->delay_ms = 0;
	options->only.n = options->n_samples = 0;
	return true;
}

#define CONTINUE                                                                          \
	"  try: kill -CONT %d, \"continue\" in its debugger, or thaw its cgroup (docker " \
	"unpause)\n"

static void warn_stopped(pid_t pid)
{
	fprintf(stderr,
		"regionstat: waiting for process %d, which is stopped and cannot leave the "
		"measurement\n" CONTINUE,
		(int)pid, (int)pid);
}

/* Warn if the process is stopped when regionstat attaches. Only the threads of the process can
 * begin the measurement. */
static void warn_if_stopped(pid_t pid)
{
	if (rs_attach_is_stopped(pid))
		fprintf(stderr,
			"regionstat: process %d is stopped, and nothing is measured until it "
			"continues\n" CONTINUE,
			(int)pid, (int)pid);
}

int rs_command_attach_to(struct rs_options *options)
{
	struct rs_live_command command;
	struct rs_attach attach = rs_attach_of((pid_t)options->pid);
	struct rs_err err;
	int status;
	if (!check_options(options, &err))
		return rs_command_refuse(&err);
	options->markers = (struct rs_marker_wish){.is_given = true};
	attach.warn_stopped = warn_stopped;
	/* A shell script starts its background commands with SIGINT ignored. This command must
	 * react to SIGINT, so restore the default action. */
	signal(SIGINT, SIG_DFL);
	if (rs_attach_init(&attach, &err) &&
		(attach.ended_launcher == 0 || go_on(&attach, options, &err))) {
		warn_if_stopped(attach.pid);
		rs_live_read_command(&command, attach.pid);
		options->words = command.words;
		status = rs_measure(options, &attach, false);
	} else {
		status = rs_command_refuse(&err);
	}
	rs_attach_finish(&attach);
	return status;
}

bool rs_command_take_pid(struct rs_options *options, struct rs_err *err)
{
	const char *word = options->words[0];
	if (!word && options->pid)
		return true;
	if (!word) {
		rs_err_set(err, "attach: there is no PID");
		return rs_err_add_line(err, "try: regionstat attach $(pidof NAME)");
	}
	if (options->pid || options->words[1]) {
		rs_err_set(err, "attach: more than one PID: '%s'",
			rs_text_shown(options->words[options->pid ? 0 : 1]).text);
		return rs_err_add_line(err, "try: regionstat attach PID, one process at a time");
	}
	if (!rs_option_number(&options->pid, word, 1, INT32_MAX)) {
		rs_err_set(err, "attach: '%s' is not a process id", rs_text_shown(word).text);
		return rs_err_add_line(err, "try: regionstat attach $(pidof NAME)");
	}
	options->words++;
	return true;
}
