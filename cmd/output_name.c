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
#include "base/text_stream.h"

#define HOST_BYTES 256u /* more than HOST_NAME_MAX of any system */

static bool add_rank(FILE *file, const char *name, struct rs_err *err)
{
	uint32_t rank;
	const char *bad = NULL;
	for (size_t i = 0; i < RS_RANK_VARIABLES; i++) {
		const char *value = getenv(rs_rank_variables[i]);
		if (value && rs_rank_parse(value, &rank))
			return fprintf(file, "%" PRIu32, rank) > 0;
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

static bool add_host(FILE *file, const char *name, struct rs_err *err)
{
	char host[HOST_BYTES] = "";
	if (gethostname(host, HOST_BYTES - 1) != 0)
		return rs_err_set_errno(err, errno, "%s: %%h: cannot find the host's name", name);
	if (*host && !strchr(host, '/'))
		return fputs(host, file) >= 0;
	rs_err_set(err, "%s: %%h: the host's name '%s' cannot be part of a file name", name,
		rs_text_shown(host).text);
	return rs_err_add_line(err, "try: %%p, the process id");
}

static bool add_time(FILE *file, const char *name, int64_t at_ms, struct rs_err *err)
{
	time_t seconds = (time_t)(at_ms / 1000);
	struct tm utc;
	if (!gmtime_r(&seconds, &utc))
		return rs_err_set_errno(err, errno, "%s: %%t: cannot read the clock", name);
	return fprintf(file, "%04d%02d%02dT%02d%02d%02d.%03dZ", utc.tm_year + 1900, utc.tm_mon + 1,
		       utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, (int)(at_ms % 1000)) > 0;
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
	bool done = true;
	for (const char *percent; done && (percent = strchr(value, '%')); value = percent + 2) {
		fwrite(value, 1, (size_t)(percent - value), file);
		switch (percent[1]) {
		case 'r':
			done = add_rank(file, name, err);
			break;
		case 'p':
			fprintf(file, "%ld", (long)getpid());
			break;
		case 'h':
			done = add_host(file, name, err);
			break;
		case 't':
			done = add_time(file, name, at_ms, err);
			break;
		case '%':
			putc('%', file);
			break;
		default:
			return refuse(name, value, percent, err);
		}
	}
	fputs(done ? value : "", file);
	return done;
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
	FILE *file = rs_text_stream_open(&text, &bytes);
	bool done = file && write_name(file, option, value, at_ms, err);
	bool is_full = !file || fclose(file) != 0;
	if (is_full)
		rs_err_set(err, "%s: out of memory", option);
	if (done && !is_full)
		return text;
	free(text);
	return NULL;
}
