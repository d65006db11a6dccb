/* SPDX-License-Identifier: MIT */
/* The table of units, and the dimensions of events. */
#include "metrics/unit.h"

#include <stdio.h>
#include <string.h>

/* The dimension of a unit consists of the powers of time, bytes and flops. */
static const struct rs_unit units[] = {
	{"ratio", {0, 0, 0}, 1},
	{"count", {0, 0, 0}, 1},
	{"CPUs", {0, 0, 0}, 1},
	{"%", {0, 0, 0}, 100},
	{"MPKI", {0, 0, 0}, 1000}, /* misses per 1000 instructions */
	{"per 1000", {0, 0, 0}, 1000},
	{"ns", {1, 0, 0}, 1},
	{"us", {1, 0, 0}, 1e-3},
	{"ms", {1, 0, 0}, 1e-6},
	{"s", {1, 0, 0}, 1e-9},
	{"/s", {-1, 0, 0}, 1e9},
	{"K/s", {-1, 0, 0}, 1e6},
	{"M/s", {-1, 0, 0}, 1e3},
	{"G/s", {-1, 0, 0}, 1},
	{"Hz", {-1, 0, 0}, 1e9},
	{"kHz", {-1, 0, 0}, 1e6},
	{"MHz", {-1, 0, 0}, 1e3},
	{"GHz", {-1, 0, 0}, 1},
	{"B", {0, 1, 0}, 1},
	{"KB", {0, 1, 0}, 1e-3},
	{"MB", {0, 1, 0}, 1e-6},
	{"GB", {0, 1, 0}, 1e-9},
	{"B/s", {-1, 1, 0}, 1e9},
	{"KB/s", {-1, 1, 0}, 1e6},
	{"MB/s", {-1, 1, 0}, 1e3},
	{"GB/s", {-1, 1, 0}, 1},
	{"MiB/s", {-1, 1, 0}, 1e9 / (1 << 20)},
	{"GiB/s", {-1, 1, 0}, 1e9 / (1 << 30)},
	{"B/cycle", {0, 1, 0}, 1},
	{"flop", {0, 0, 1}, 1},
	{"flop/s", {-1, 0, 1}, 1e9},
	{"MFLOP/s", {-1, 0, 1}, 1e3},
	{"GFLOP/s", {-1, 0, 1}, 1},
	{"flop/cycle", {0, 0, 1}, 1},
	{"flop/B", {0, -1, 1}, 1},
	{"B/flop", {0, 1, -1}, 1},
};

bool rs_dimension_is_same(struct rs_dimension a, struct rs_dimension b)
{
	return a.time == b.time && a.bytes == b.bytes && a.flops == b.flops;
}

static void add_word(char text[RS_DIMENSION_BYTES], const char *before, const char *word, int power)
{
	size_t used = strlen(text);
	snprintf(text + used, RS_DIMENSION_BYTES - used, power > 1 ? "%s%s^%d" : "%s%s", before,
		word, power);
}

const char *rs_dimension_write(struct rs_dimension dimension, char text[RS_DIMENSION_BYTES])
{
	const struct {
		const char *word;
		int power;
	} parts[] = {
		{"bytes", dimension.bytes}, {"flops", dimension.flops}, {"time", dimension.time}};
	const size_t n = sizeof(parts) / sizeof(parts[0]);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		if (parts[i].power > 0)
			add_word(text, *text ? " * " : "", parts[i].word, parts[i].power);
	if (!*text)
		strcpy(text,
			dimension.bytes || dimension.flops || dimension.time ? "1" : "a number");
	for (size_t i = 0; i < n; i++)
		if (parts[i].power < 0)
			add_word(text, " / ", parts[i].word, -parts[i].power);
	return text;
}

const struct rs_unit *rs_unit_find(const char *word)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].word, word) == 0)
			return &units[i];
	return NULL;
}

struct rs_dimension rs_unit_of_event(const char *event)
{
	static const char *const of_time[] = {
		"task-clock", "cpu-clock", "user_time", "system_time", "duration_time"};
	const struct rs_dimension time = {.time = 1}, count = {0};
	size_t length = strcspn(event, ":/");
	for (size_t i = 0; i < sizeof(of_time) / sizeof(of_time[0]); i++)
		if (strlen(of_time[i]) == length && strncmp(of_time[i], event, length) == 0)
			return time;
	return count;
}
