/* SPDX-License-Identifier: MIT */
/*
 * This file makes the runs of a series. In each round every command runs once, in a random order
 * that the seed determines. Every second round has the opposite order of the round before (ABBA).
 * Therefore a machine that becomes slower affects all commands equally.
 */
#include "runs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "base/path.h"
#include "base/text.h"
#include "base/text_stream.h"
#include "command.h"

#define MOST_ENVIRONMENT 4096u
#define MOST_PATH 128u
#define VARIED_VARIABLE "REGIONSTAT_LAYOUT"
#define RUN_PATH_BYTES 64u

/* The files to which the series is written. */
struct writer {
	FILE *files[RS_MAX_COMMANDS];
	const char *paths[RS_MAX_COMMANDS]; /* the paths belong to the options */
	size_t n;
};

static volatile sig_atomic_t is_stopped;
/* True if the signal was sent only to regionstat, so that regionstat must forward it to the
 * program. */
static volatile sig_atomic_t must_forward;

static void stop(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	is_stopped = 1;
	/* A terminal sends the signal to the program as well, but kill(2) does not. */
	must_forward = info->si_code <= 0;
}

/* Return the next number of the generator splitmix64, https://prng.di.unimi.it/splitmix64.c */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double seconds(void)
{
	return (double)rs_now_ns(CLOCK_MONOTONIC) / 1e9;
}

/* ---- files ---- */

/* Open the file of a series. If its last line is incomplete, begin another line. */
static FILE *open_file(const char *path, bool append)
{
	FILE *file = fopen(path, append ? "a+e" : "we");
	if (file && append && fseek(file, -1, SEEK_END) == 0 && getc(file) != '\n') {
		fseek(file, 0, SEEK_END);
		putc('\n', file);
	}
	return file;
}

static bool open_files(struct writer *writer, const struct rs_options *options, struct rs_err *err)
{
	for (size_t i = 0; i < options->n_reports; i++) {
		const char *path = options->reports[i].path;
		if (!options->reports[i].format->is_series || writer->n == RS_MAX_COMMANDS)
			continue;
		FILE *file = !path		      ? stderr
			     : strcmp(path, "-") == 0 ? stdout
						      : open_file(path, options->append);
		if (!file)
			return rs_err_set_unwritable(err, errno, "", path, "-o");
		writer->paths[writer->n] = path;
		writer->files[writer->n++] = file;
	}
	return true;
}

static void close_files(struct writer *writer)
{
	for (size_t i = 0; i < writer->n; i++) {
		if (writer->files[i] == stdout || writer->files[i] == stderr)
			continue;
		off_t bytes = ftello(writer->files[i]); /* -1 if the file is a pipe */
		fclose(writer->files[i]);
		rs_warn_of_size(
			writer->paths[i], bytes > 0 ? (uint64_t)bytes : 0, "fewer runs in a file");
	}
}

static bool write_files(struct writer *writer, const char *line, size_t bytes, struct rs_err *err)
{
	for (size_t i = 0; i < writer->n; i++)
		if (fwrite(line, 1, bytes, writer->files[i]) != bytes ||
			fflush(writer->files[i]) != 0) {
			const char *path = writer->paths[i];
			return rs_err_set_unwritable(
				err, errno, "the series ", path ? path : "/dev/stderr", "-o");
		}
	return true;
}

/* ---- order and layout ---- */

/* Choose a random order of the commands for an even round and the odd round after it. The odd round
 * uses this order in reverse. */
static void choose_order(size_t *order, size_t n, uint64_t seed, uint32_t round)
{
	uint64_t state = seed + round / 2;
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t other = (size_t)(next_random(&state) % i), kept = order[i - 1];
		order[i - 1] = order[other];
		order[other] = kept;
	}
}

/* Choose the layout of a round: the size of the environment, the length of the path, and whether
 * addresses are random. Two successive rounds have the same layout. Therefore their difference
 * shows variation that the layout does not cause. */
static void choose_layout(struct rs_series_place *place)
{
	uint64_t state = ~(place->seed + place->round / 2);
	place->is_varied = true;
	place->environment_bytes = (uint32_t)(next_random(&state) % MOST_ENVIRONMENT);
	place->path_bytes = (uint32_t)(next_random(&state) % (MOST_PATH / 2)) * 2;
	place->is_fixed = next_random(&state) % 2 == 0;
}

/* Apply the layout in the child process of the run: "dir/app" becomes "dir/./././app". A name that
 * is looked up in PATH is not changed. */
static bool set_layout(const struct rs_series_place *place, char **words)
{
	static char filler[MOST_ENVIRONMENT + 1], dots[MOST_PATH + 1];
	const char *path = words[0], *slash = strrchr(path, '/');
	int head = slash ? (int)(slash + 1 - path) : 0;
	memset(filler, 'x', place->environment_bytes);
	for (uint32_t i = 0; slash && i < place->path_bytes; i++)
		dots[i] = i % 2 == 0 ? '.' : '/';
	if (asprintf(&words[0], "%.*s%s%s", head, path, dots, path + head) < 0)
		return false;
	int flags = personality(0xffffffff);
	if (place->is_fixed && flags != -1)
		personality((unsigned long)flags | ADDR_NO_RANDOMIZE);
	return setenv(VARIED_VARIABLE, filler, 1) == 0;
}

/* ---- one run ---- */

static void detach(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
}

/* Wait for the child and return its status as a shell does. */
static int wait_for(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return RS_STATUS_FAILED;
		if (is_stopped && must_forward) {
			must_forward = 0;
			kill(child, SIGINT);
		}
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Make a run in the child process. Signals are handled as they were before the series. */
static int run_child(
	const struct rs_runs *runs, const struct rs_series_place *place, int fd, bool is_first)
{
	char path[RUN_PATH_BYTES];
	char **words = runs->commands[place->command];
	signal(SIGINT, SIG_DFL);
	if (runs->is_apart)
		detach();
	if (place->is_varied && !set_layout(place, words))
		return RS_STATUS_FAILED;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct rs_report_wish wish = {path, path, rs_report_format_named("json")};
	struct rs_options options = *runs->options; /* a shallow copy, which is not released */
	options.words = words;
	options.reports = &wish;
	options.n_reports = 1;
	options.is_in_series = true;
	options.append = false;
	int status = rs_measure(&options, NULL, !is_first);
	fflush(NULL);
	return status < 0 ? 128 - status : status;
}

enum outcome {
	KEPT,
	DROPPED, /* a warmup run */
	STOPPED, /* a signal ended the series */
	FAILED, /* the series ends with an error */
};

/* Run a command line with the shell. Return false if it fails. */
static bool prepare(const char *line)
{
	pid_t child = fork();
	if (child == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", "--", line, (char *)NULL);
		_exit(127);
	}
	return child > 0 && wait_for(child) == 0;
}

/* Run the command of --prepare, if there is one. */
static enum outcome run_prepare(const struct rs_options *options, struct rs_err *err)
{
	bool done = !options->prepare || prepare(options->prepare);
	if (!done)
		rs_err_set(err, "--prepare: '%s' failed", rs_text_shown(options->prepare).text);
	return is_stopped ? STOPPED : done ? KEPT : FAILED;
}

/* Write the run that a child process has written to fd into the files of the series, and add it to
 * runs->series. */
static bool keep_run(struct rs_runs *runs, struct writer *writer,
	const struct rs_series_place *place, int fd, struct rs_err *err)
{
	char path[RUN_PATH_BYTES], *text = NULL, *line = NULL;
	size_t bytes = 0, line_bytes = 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	bool is_read = rs_read_file(path, &text, &bytes, err);
	FILE *stream = is_read ? rs_text_stream_open(&line, &line_bytes) : NULL;
	bool done = stream && rs_series_write(stream, text, bytes, place, err);
	if (is_read && (!stream || fclose(stream) != 0))
		done = rs_err_set(err, "cannot keep the run in the series: out of memory");
	done = done && write_files(writer, line, line_bytes, err) &&
	       rs_series_read(&runs->series, "the run", line, line_bytes, err);
	free(line);
	free(text);
	return done;
}

static enum outcome make_run(struct rs_runs *runs, struct writer *writer,
	const struct rs_series_place *place, bool is_warmup, bool is_first, struct rs_err *err)
{
	const struct rs_options *options = runs->options;
	const char *name = runs->commands[place->command][0];
	int fd = memfd_create("regionstat-run", MFD_CLOEXEC);
	if (fd < 0) {
		rs_err_set_errno(err, errno, "cannot make a file for the run");
		return FAILED;
	}
	enum outcome outcome = run_prepare(options, err);
	if (outcome != KEPT) {
		close(fd);
		return outcome;
	}
	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		_exit(run_child(runs, place, fd, is_first));
	int status = child > 0 ? wait_for(child) : RS_STATUS_FAILED;
	outcome = is_warmup ? DROPPED : KEPT;
	if (is_stopped) {
		outcome = STOPPED;
	} else if (status == RS_STATUS_FAILED || status == 126 || status == 127) {
		runs->status = status;
		rs_err_set(err, "the series ends: '%s' could not be run (run %zu)",
			rs_text_shown(name).text, runs->series.n + 1);
		outcome = FAILED;
	} else if (!is_warmup && !keep_run(runs, writer, place, fd, err)) {
		runs->status = RS_STATUS_FAILED;
		outcome = FAILED;
	} else if (status != 0 && !options->ignore_failure) {
		runs->status = runs->status ? runs->status : status;
		if (!is_warmup)
			name = runs->series.runs[runs->series.n - 1].command;
		rs_err_set(err, "'%s' failed in %srun %zu (exit status %d)",
			rs_text_shown(name).text, is_warmup ? "a warmup before " : "",
			runs->series.n + is_warmup, status);
		rs_err_add_line(err, "try: --ignore-failure, to continue");
		outcome = FAILED;
	}
	close(fd);
	return outcome;
}

/* ---- progress ---- */

struct progress {
	bool is_shown;
	double begin;
	size_t done, all;
};

/* Return the seconds until the end, estimated from the runs so far and limited by --budget-time. */
static double time_left(const struct progress *progress, const struct rs_options *options)
{
	double used = seconds() - progress->begin;
	double left = used / (double)progress->done * (double)(progress->all - progress->done);
	double budget = (double)options->budget_time_ms / 1e3 - used;
	return options->budget_time_ms > 0 && budget < left ? fmax(budget, 0) : left;
}

static void show_progress(struct progress *progress, const struct rs_options *options)
{
	if (!progress->is_shown || progress->done == 0)
		return;
	double left = time_left(progress, options);
	fprintf(stderr, "\r\033[Krun %zu of %zu, %.0f %s left", progress->done, progress->all,
		left < 100 ? left : left / 60, left < 100 ? "s" : "min");
	fflush(stderr);
}

/* ---- the series ---- */

static uint64_t random_id(void)
{
	uint64_t id = 0;
	if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id))
		id = (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
	return (id >> 2) + 1; /* the JSON document needs a positive integer */
}

/* Return true if one more round of average length would exceed the budget. */
static bool is_over_budget(
	const struct progress *progress, const struct rs_runs *runs, uint32_t round)
{
	double used = seconds() - progress->begin,
	       budget = (double)runs->options->budget_time_ms / 1e3;
	return budget > 0 && round > 0 && used + used / round > budget;
}

static bool make_all(struct rs_runs *runs, struct writer *writer, struct rs_err *err)
{
	const struct rs_options *options = runs->options;
	struct rs_series_place place = {.id = random_id()};
	size_t order[RS_MAX_COMMANDS];
	/* If is_apart is false, the programs write to the terminal, unless their output is
	 * redirected. */
	bool is_alone = runs->is_apart || !isatty(STDOUT_FILENO);
	struct progress progress = {.is_shown = isatty(STDERR_FILENO) && is_alone,
		.begin = seconds(),
		.all = runs->n_commands * (runs->n_rounds + options->warmup)};
	enum outcome outcome = KEPT;
	place.seed = options->seed ? options->seed : place.id;
	for (uint32_t i = 0; i < options->warmup + runs->n_rounds && outcome < STOPPED; i++) {
		bool is_warmup = i < options->warmup;
		place.round = is_warmup ? i : i - options->warmup;
		if (!is_warmup && is_over_budget(&progress, runs, i))
			break;
		choose_order(order, runs->n_commands, place.seed, place.round);
		if (options->vary == RS_VARY_LAYOUT)
			choose_layout(&place);
		for (size_t c = 0; c < runs->n_commands && outcome < STOPPED; c++) {
			size_t at = place.round % 2 == 0 ? c : runs->n_commands - 1 - c;
			place.command = (uint32_t)order[at];
			outcome = make_run(runs, writer, &place, is_warmup, i + c == 0, err);
			progress.done++;
			if (outcome < STOPPED)
				show_progress(&progress, options);
		}
	}
	if (progress.is_shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	runs->is_interrupted = outcome == STOPPED;
	if (outcome == FAILED && runs->series.n > 0)
		rs_command_complain(err);
	if (outcome == STOPPED && runs->series.n == 0)
		rs_err_set(err, "interrupted before the first run ended");
	return runs->series.n > 0;
}

/* Initialize the results of runs, and begin to handle Ctrl-C. Return the previous action of
 * SIGINT. */
static struct sigaction begin(struct rs_runs *runs)
{
	struct sigaction action = {.sa_sigaction = stop, .sa_flags = SA_SIGINFO}, before;
	runs->series = (struct rs_series){0};
	runs->status = 0;
	runs->is_interrupted = false;
	is_stopped = 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, &before);
	return before;
}

bool rs_runs_prepare(struct rs_runs *runs, struct rs_err *err)
{
	const struct rs_options *options = runs->options;
	const struct rs_series_place place = {.id = 0};
	struct writer writer = {.n = 0};
	struct sigaction before = begin(runs);
	enum outcome outcome = KEPT;
	for (uint32_t i = 0; i < options->warmup && outcome < STOPPED; i++)
		outcome = make_run(runs, &writer, &place, true, i == 0, err);
	if (outcome < STOPPED)
		outcome = run_prepare(options, err);
	sigaction(SIGINT, &before, NULL);
	runs->is_interrupted = outcome == STOPPED;
	if (outcome == STOPPED)
		rs_err_set(err, "interrupted before the first run ended");
	return outcome < STOPPED;
}

bool rs_runs_make(struct rs_runs *runs, struct rs_err *err)
{
	struct writer writer = {.n = 0};
	struct sigaction before = begin(runs);
	bool done = open_files(&writer, runs->options, err) && make_all(runs, &writer, err);
	close_files(&writer);
	sigaction(SIGINT, &before, NULL);
	return done;
}
