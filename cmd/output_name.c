/* SPDX-License-Identifier: MIT */
/*
 * This file expands codes in file names: out.%r.json becomes out.3.json. It computes the text of a
 * code only if the name contains this code. Under mpirun each rank has its own regionstat, and
 * without %r all of them would write the same file.
 */
#include "options_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/rank.h"
#include "base/text.h"

#define HOST_BYTES 256u /* more than HOST_NAME_MAX of any system */

/* Write the text that replaces a code. Return false and set err if there is none. */
typedef bool (*make_text)(
	char text[HOST_BYTES], const char *name, int64_t at_ms, struct rs_err *err);

static bool make_rank(char text[HOST_BYTES], const char *name, int64_t at_ms, struct rs_err *err)
{
	(void)at_ms;
	uint32_t rank;
	const char *bad = NULL;
	for (size_t i = 0; i < RS_RANK_VARIABLES; i++) {
		const char *value = getenv(rs_rank_variables[i]);
		if (value && rs_rank_parse(value, &rank)) {
			snprintf(text, HOST_BYTES, "%" PRIu32, rank);
			return true;
		}
		if (value && !bad)
			bad = rs_rank_variables[i];
	}
	rs_err_set(err, "%s: %%r is the rank of an MPI program, and there is none", name);
	if (bad)
		rs_err_add_line(
			err, "%s is '%s', which is no rank", bad, rs_text_shown(getenv(bad)).text);
	else
		rs_err_add_line(err, "%s, %s, %s and %s are not set", rs_rank_variables[0],
			rs_rank_variables[1], rs_rank_variables[2], rs_rank_variables[3]);
	return rs_err_add_line(err,
		"try: mpirun -n 4 regionstat %s ..., for one regionstat per rank; or %%p, the "
		"process id",
		name);
}

static bool make_pid(char text[HOST_BYTES], const char *name, int64_t at_ms, struct rs_err *err)
{
	(void)at_ms;
	(void)name;
	(void)err;
	snprintf(text, HOST_BYTES, "%ld", (long)getpid());
	return true;
}

static bool make_host(char text[HOST_BYTES], const char *name, int64_t at_ms, struct rs_err *err)
{
	(void)at_ms;
	text[HOST_BYTES - 1] = '\0';
	if (gethostname(text, HOST_BYTES - 1) != 0)
		return rs_err_set_errno(err, errno, "%s: %%h: cannot find the host's name", name);
	if (*text && !strchr(text, '/'))
		return true;
	rs_err_set(err, "%s: %%h: the host's name '%s' cannot be part of a file name", name,
		rs_text_shown(text).text);
	return rs_err_add_line(err, "try: %%p, the process id");
}

static bool make_time(char text[HOST_BYTES], const char *name, int64_t at_ms, struct rs_err *err)
{
	time_t seconds = (time_t)(at_ms / 1000);
	struct tm utc;
	if (!gmtime_r(&seconds, &utc))
		return rs_err_set_errno(err, errno, "%s: %%t: cannot read the clock", name);
	snprintf(text, HOST_BYTES, "%04d%02d%02dT%02d%02d%02d.%03dZ", utc.tm_year + 1900,
		utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
		(int)(at_ms % 1000));
	return true;
}

static bool make_percent(char text[HOST_BYTES], const char *name, int64_t at_ms, struct rs_err *err)
{
	(void)name;
	(void)at_ms;
	(void)err;
	strcpy(text, "%");
	return true;
}

static const struct {
	char letter;
	make_text make;
} letters[] = {
	{'r', make_rank}, {'p', make_pid}, {'h', make_host}, {'t', make_time}, {'%', make_percent}};

static make_text find_letter(char letter)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].letter == letter)
			return letters[i].make;
	return NULL;
}

static bool refuse(const char *name, const char *value, const char *percent, struct rs_err *err)
{
	if (percent[1])
		rs_err_set(err, "%s: '%s': unknown code at '%s'", name, rs_text_shown(value).text,
			rs_text_shown(percent).text);
	else
		rs_err_set(err, "%s: '%s' ends in a percent sign", name, rs_text_shown(value).text);
	return rs_err_add_line(err, "try: %%r for the rank, %%p for the process id, %%h for the "
				    "host, %%t for the time, %%%% for a percent sign");
}

/* Write the expanded name to file. Return false and set err if a code is wrong. */
static bool write_name(
	FILE *file, const char *name, const char *value, int64_t at_ms, struct rs_err *err)
{
	char text[HOST_BYTES];
	for (const char *percent; (percent = strchr(value, '%')); value = percent + 2) {
		make_text make = find_letter(percent[1]);
		if (!make)
			return refuse(name, value, percent, err);
		if (!make(text, name, at_ms, err))
			return false;
		fwrite(value, 1, (size_t)(percent - value), file);
		fputs(text, file);
	}
	fputs(value, file);
	return true;
}

int64_t rs_now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static size_t count_times(const char *value)
{
	size_t n = 0;
	for (; (value = strchr(value, '%')); value += value[1] ? 2 : 1)
		n += value[1] == 't';
	return n;
}

bool rs_output_name_has_time(const char *value)
{
	return count_times(value) > 0;
}

bool rs_output_name_has_one_time(const char *value)
{
	const char *slash = strrchr(value, '/');
	return count_times(value) == 1 && count_times(slash ? slash : value) == 1;
}

char *rs_output_name(const char *option, const char *value, int64_t at_ms, struct rs_err *err)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&text, &bytes);
	bool done = file && write_name(file, option, value, at_ms, err);
	bool is_full = !file || fclose(file) != 0 || !text;
	if (is_full)
		rs_err_set(err, "%s: out of memory", option);
	if (done && !is_full)
		return text;
	free(text);
	return NULL;
}
