/* SPDX-License-Identifier: MIT */
/*
 * This file reads files of saved runs: regular files, pipes, and the standard input.
 */
#include "runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "record/record.h"
#include "report/formats.h"
#include "trace/origin.h"

#define TRY_SAVED "try: a file that -o FILE.json wrote"
/* first size of the buffer; most files are smaller, so it need not grow */
#define FIRST_BYTES (1u << 20)
/* this many bytes at the start of a trace contain the name of its host */
#define FIRST_OF_TRACE 64u

/* Call read(2), and repeat it only after EINTR. Return how many bytes were read, 0 at the end, or
 * -1 with errno set. */
static ssize_t read_some(int fd, char *text, size_t room)
{
	ssize_t got;
	do {
		got = read(fd, text, room);
	} while (got < 0 && errno == EINTR);
	return got;
}

/* Read everything from a descriptor, which may be a pipe, and append a NUL. Return false and set
 * errno on failure; errno is EFBIG if there are more than RS_MOST_FILE_BYTES. The caller frees
 * *text, even after a failure. */
static bool read_all(int fd, char **text, size_t *bytes)
{
	size_t room = 0;
	for (ssize_t got = 1; got > 0; *bytes += (size_t)got) {
		if (*bytes > RS_MOST_FILE_BYTES) {
			errno = EFBIG;
			return false;
		}
		if (*bytes + 1 >= room) {
			room = room > 0 ? 2 * room : FIRST_BYTES;
			char *grown = realloc(*text, room);
			if (!grown)
				return false;
			*text = grown;
		}
		got = read_some(
			fd, *text + *bytes, rs_min(room - 1, RS_MOST_FILE_BYTES + 1) - *bytes);
		if (got < 0)
			return false;
	}
	(*text)[*bytes] = '\0';
	return true;
}

bool rs_read_file(const char *path, char **text, size_t *bytes, struct rs_err *err)
{
	bool is_input = strcmp(path, "-") == 0;
	int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool done = fd >= 0 && read_all(fd, text, bytes);
	int number = errno;
	if (fd >= 0 && !is_input)
		close(fd);
	if (done)
		return true;
	if (number == EFBIG)
		rs_err_set(err, "cannot read '%s': it is larger than %u MiB, the limit",
			rs_text_shown(path).text, RS_MOST_FILE_BYTES >> 20);
	else
		rs_err_set_errno(err, number, "cannot read '%s'", rs_text_shown(path).text);
	return false;
}

void rs_warn_of_size(const char *path, uint64_t bytes, const char *remedy)
{
	if (bytes > RS_MOST_FILE_BYTES)
		fprintf(stderr,
			"regionstat: '%s' is larger than %u MiB, so regionstat cannot read it "
			"again\n"
			"  try: without --per-thread and --per-process, fewer regions, or %s\n",
			rs_text_shown(path).text, RS_MOST_FILE_BYTES >> 20, remedy);
}

/* Return true if the first bytes of a file show that regionstat wrote it as a trace. */
static bool is_trace(const char *text, size_t bytes)
{
	return bytes > FIRST_OF_TRACE && text[0] == '\n' &&
	       memmem(text, FIRST_OF_TRACE, RS_TRACE_HOST, strlen(RS_TRACE_HOST));
}

bool rs_read_run(struct rs_run *run, const char *path, struct rs_err *err)
{
	char *text = NULL;
	size_t bytes = 0;
	const struct rs_report_format *format = rs_report_format_of_file(path);
	bool is_series = format && format->is_series;
	bool done = rs_read_file(path, &text, &bytes, err);
	if (!done) {
		rs_err_add_line(err, TRY_SAVED);
	} else {
		done = rs_run_load(run, NULL, text, bytes, err);
		if (!done && is_trace(text, bytes)) {
			rs_err_set(err, "it is a trace of calls");
			rs_err_add_line(err, "try: regionstat merge -o all.tar for traces, without "
					     "saved runs");
		}
		if (!done && is_series) {
			rs_err_set(err, "it is a series of runs");
			rs_err_add_line(err, "try: regionstat report for a series, or -o FILE.json "
					     "with one FILE for each run");
		}
		if (!done)
			rs_err_prefix(err, "cannot read '%s'", rs_text_shown(path).text);
	}
	free(text);
	return done;
}

/* Read the runs of a file and add them to series, which may be zeroed. */
static bool read_series(struct rs_series *series, const char *path, struct rs_err *err)
{
	char *text = NULL;
	size_t bytes = 0;
	bool done = rs_read_file(path, &text, &bytes, err) || rs_err_add_line(err, TRY_SAVED);
	done = done && rs_series_read(series, path, text, bytes, err);
	if (done && series->is_cut)
		fprintf(stderr, "regionstat: a run of '%s' is not whole; it is not used\n",
			rs_text_shown(path).text);
	free(text);
	return done;
}

bool rs_saved_sides_read(struct rs_saved_sides *sides, char *const *files, struct rs_err *err)
{
	for (size_t i = 0; files[i]; i++) {
		if (i == RS_MOST_SERIES) {
			rs_err_set(err, "more than %u files", RS_MOST_SERIES);
			return rs_err_add_line(err, "try: one file for all runs of a side, which "
						    "-o FILE.jsonl writes");
		}
		const struct rs_series *series = &sides->series[sides->n_series++];
		if (!read_series(&sides->series[i], files[i], err))
			return false;
		for (uint32_t c = 0; c < series->n_commands && sides->n < RS_MOST_SIDES; c++) {
			sides->sides[sides->n] = (struct rs_side){series, c, files[i]};
			sides->n += rs_side_n_runs(&sides->sides[sides->n]) > 0;
		}
	}
	return true;
}

void rs_saved_sides_finish(struct rs_saved_sides *sides)
{
	for (size_t i = 0; i < sides->n_series; i++)
		rs_series_finish(&sides->series[i]);
}
