/* SPDX-License-Identifier: MIT */
/*
 * This file makes the default label of a run from its start and the pid of its program. Two runs on
 * a machine never have both in common. Labels sort by time.
 */
#include "record/record.h"

#include <ctype.h>
#include <string.h>

#include <time.h>

const char *rs_record_default_label(struct rs_arena *arena, int64_t started_s, long pid)
{
	char text[64] = "?";
	time_t started = (time_t)started_s;
	struct tm utc;
	if (gmtime_r(&started, &utc))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	return rs_arena_format(arena, "%s-%ld", text, pid);
}

bool rs_record_is_default_label(const char *label)
{
	static const char form[] = "0000-00-00T00:00:00Z-";
	size_t i = 0;
	for (; form[i]; i++)
		if (form[i] == '0' ? !isdigit((unsigned char)label[i]) : label[i] != form[i])
			return false;
	return label[i] && strspn(label + i, "0123456789") == strlen(label + i);
}
