/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing slow calls: arbitrary data in the ring, which a program may write there. The launcher
 * prints this data as lines, or not at all. The input has a number of calls and changes of the
 * ring. Records whose checksum is corrected are parsed to their end.
 */
#include "fuzz_target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "builder.h"
#include "fuzz_require.h"
#include "launch/slow_log.h"
#include "plan_example.h"

#define N_EVENTS 3u
#define N_PLACES 16u
#define MOST_LINES 40u

static struct builder builder;
static struct plan_example plan;
static int file = -1;

static struct rs_slow_call *place(uint64_t n)
{
	return (void *)(builder.base + rs_slow_call_offset(n, rs_slow_call_bytes(N_EVENTS)));
}

static void prepare(void)
{
	static const uint32_t event_group[] = {0, 0, 1};
	if (builder.base)
		return;
	builder_init(&builder, N_EVENTS, event_group);
	plan_example_init(&plan);
	builder_region(&builder, "render");
	builder_region(&builder, "\x1b[31m\"a b\\\n\xc3\xa9\xff");
	file = memfd_create("lines", MFD_CLOEXEC);
	REQUIRE(file >= 0);
}

/* Set the record's number, and a checksum that is right for its data. */
static void finish(uint64_t n)
{
	struct rs_slow_call *call = place(n);
	call->check = rs_slow_call_check_all(call, n, N_EVENTS);
	call->number = n + 1;
}

/* Apply one change: kind, place, word, -, -, -, -, -, value (8 bytes). */
static void apply(const uint8_t *change, struct rs_slow_calls *shared)
{
	uint64_t value, n = change[1] % N_PLACES;
	uint64_t *words = (uint64_t *)(void *)place(n);
	uint32_t n_words = sizeof(struct rs_slow_call) / sizeof(uint64_t) + 1 + N_EVENTS;
	memcpy(&value, change + 8, sizeof(value));
	if (change[0] % 4 == 0)
		atomic_store(&shared->n_calls, value);
	else if (change[0] % 4 == 1)
		finish(n);
	else if (change[0] % 4 == 2)
		words[change[2] % n_words] = value;
	else
		memset(words + 2, (int)value, (n_words - 2) * sizeof(*words));
}

/* The output has whole, printable lines, as many as the counts say. */
static void check_lines(const struct rs_slow_counts *counts)
{
	static char text[(MOST_LINES + 2) * RS_LINE_BYTES + 1];
	ssize_t bytes = pread(file, text, sizeof(text) - 1, 0);
	uint64_t n_lines = 0;
	REQUIRE(bytes >= 0 && (size_t)bytes < sizeof(text) - 1);
	text[bytes] = '\0';
	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		REQUIRE(end && end - line < (ptrdiff_t)RS_LINE_BYTES);
		*end = '\0';
		REQUIRE(rs_text_is_plain(line));
		n_lines += strstr(line, " slow region=") != NULL;
	}
	REQUIRE(counts->n_unwritten == 0 && n_lines == counts->n_lines);
	REQUIRE(n_lines <= MOST_LINES);
}

void fuzz_run(const uint8_t *data, size_t bytes)
{
	struct rs_slow_log log;
	struct rs_slow_counts counts;
	struct rs_err err = {0};
	char path[40];
	prepare();
	struct rs_slow_calls *shared = (void *)(builder.base + RS_SLOW_CALLS_OFFSET);
	memset(shared, 0, sizeof(*shared));
	memset(place(0), 0, N_PLACES * (size_t)rs_slow_call_bytes(N_EVENTS));
	REQUIRE(ftruncate(file, 0) == 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (!rs_slow_log_init(&log, &builder.segment, &plan.plan, path, MOST_LINES, &err))
		fuzz_fail(err.text);
	for (size_t i = 0; i + 16 <= bytes; i += 16) {
		apply(data + i, shared);
		if (i % 5 == 0)
			rs_slow_log_tick(&log, NULL);
	}
	uint64_t end = log.ring.end, now = atomic_load(&shared->n_calls);
	end = now > end ? now : end;
	rs_slow_log_finish(&log, &counts);
	REQUIRE(counts.n_lines + counts.n_over_limit + counts.n_lost == end);
	check_lines(&counts);
}
