/* SPDX-License-Identifier: MIT */
/* The table of units, and the dimensions of events. */
#include "metrics/unit.h"

#include <stdio.h>
#include <string.h>

#define COUNT           \
	{               \
		0, 0, 0 \
	}
#define TIME            \
	{               \
		1, 0, 0 \
	}
#define RATE             \
	{                \
		-1, 0, 0 \
	}
#define BYTES           \
	{               \
		0, 1, 0 \
	}
#define BANDWIDTH        \
	{                \
		-1, 1, 0 \
	}
#define FLOPS           \
	{               \
		0, 0, 1 \
	}
#define FLOP_RATE        \
	{                \
		-1, 0, 1 \
	}

static const struct rs_unit units[] = {
	{"ratio", COUNT, 1},
	{"count", COUNT, 1},
	{"CPUs", COUNT, 1},
	{"%", COUNT, 100},
	{"MPKI", COUNT, 1000}, /* misses per 1000 instructions */
	{"per 1000", COUNT, 1000},
	{"ns", TIME, 1},
	{"us", TIME, 1e-3},
	{"ms", TIME, 1e-6},
	{"s", TIME, 1e-9},
	{"/s", RATE, 1e9},
	{"K/s", RATE, 1e6},
	{"M/s", RATE, 1e3},
	{"G/s", RATE, 1},
	{"Hz", RATE, 1e9},
	{"kHz", RATE, 1e6},
	{"MHz", RATE, 1e3},
	{"GHz", RATE, 1},
	{"B", BYTES, 1},
	{"KB", BYTES, 1e-3},
	{"MB", BYTES, 1e-6},
	{"GB", BYTES, 1e-9},
	{"B/s", BANDWIDTH, 1e9},
	{"KB/s", BANDWIDTH, 1e6},
	{"MB/s", BANDWIDTH, 1e3},
	{"GB/s", BANDWIDTH, 1},
	{"MiB/s", BANDWIDTH, 1e9 / (1 << 20)},
	{"GiB/s", BANDWIDTH, 1e9 / (1 << 30)},
	{"B/cycle", BYTES, 1},
	{"flop", FLOPS, 1},
	{"flop/s", FLOP_RATE, 1e9},
	{"MFLOP/s", FLOP_RATE, 1e3},
	{"GFLOP/s", FLOP_RATE, 1},
	{"flop/cycle", FLOPS, 1},
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
	const struct rs_dimension time = TIME, count = COUNT;
	size_t length = strcspn(event, ":/");
	for (size_t i = 0; i < sizeof(of_time) / sizeof(of_time[0]); i++)
		if (strlen(of_time[i]) == length && strncmp(of_time[i], event, length) == 0)
			return time;
	return count;
}
