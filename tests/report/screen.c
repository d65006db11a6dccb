/* SPDX-License-Identifier: MIT */
/* This file makes screens by hand. Values follow simple rules; lib/stats computes shares and
 * judgements. */
#include "screen.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/builder.h"

#define LIFETIME_NS 200000000u

static const struct rs_run run = {.machine = {.cpus = 2}};
static char *argv[] = {"./program", "-n", "50", NULL};

static const char *const events[] = {"task-clock", "instructions", "cycles", "branches",
	"branch-misses", "L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses",
	"dTLB-loads", "dTLB-load-misses", "page-faults"};

void screen_init(struct screen *screen, size_t n_events)
{
	memset(screen, 0, sizeof(*screen));
	for (size_t c = 0; c < RS_EVENT_FIRST; c++)
		screen->columns[c] = (struct rs_summary_column){
			rs_event_names[c], "ns", true, c == 0, NULL, false, true};
	screen->run_values[RS_EVENT_TIME] = (struct rs_value){
		.total = LIFETIME_NS, .lacks_self = true};
	for (size_t e = 0; e < n_events; e++) {
		screen->columns[RS_EVENT_FIRST + e] = (struct rs_summary_column){
			events[e], e < 1 ? "ns" : "count", true, true, NULL, false, e < 1};
		screen->run_values[RS_EVENT_FIRST + e] = (struct rs_value){
			.total = e < 1 ? LIFETIME_NS : e * (LIFETIME_NS + 1000000),
			.lacks_self = true};
	}
	screen->summary = (struct rs_summary){
		.argv = argv,
		.columns = screen->columns,
		.n_columns = RS_EVENT_FIRST + n_events,
		.elapsed_ns = 201234567,
		.user_ns = 180000000,
		.system_ns = 12000000,
		.total.values = screen->run_values,
		.regions = screen->regions,
		.merged = screen->regions,
		.whole = {.lifetimes_ns = LIFETIME_NS, .n_threads = 4, .has_cpu = true},
		.run = &run,
	};
}

void screen_finish(struct screen *screen)
{
	rs_arena_finish(&screen->arena);
}

/* Return the value of calls with this total. Of 1,000 calls, 500 are at most p50, 400 more at most
 * p90, and so on. */
static struct rs_value value_of(
	struct screen *screen, uint64_t calls, uint64_t total, uint64_t self)
{
	uint64_t avg = calls > 0 ? total / calls : 0;
	const uint64_t values[] = {avg * 9 / 10, avg * 6 / 5, avg * 3 / 2, avg * 2};
	const uint64_t counts[] = {500, 400, 90, 10};
	struct rs_bucket *buckets = rs_arena_array(&screen->arena, 4, sizeof(*buckets));
	cr_assert(buckets);
	for (int i = 0; i < 4; i++)
		buckets[i] = (struct rs_bucket){values[i], values[i] + 1, counts[i]};
	return (struct rs_value){.counted = calls,
		.weight = calls,
		.sum = avg * calls,
		.square = (double)avg / 10 * ((double)avg / 10) * (double)calls,
		.min = avg / 2,
		.max = avg * 2,
		.total = total,
		.self = (int64_t)self,
		.histogram = {buckets, 4, false}};
}

/* Put nine tenths of the time near the average, and one tenth a decade above it. */
static const double *shape_of(struct screen *screen, uint64_t avg_ns)
{
	double *shape = rs_arena_array(&screen->arena, RS_SHAPE_STEPS, sizeof(*shape));
	size_t step = (size_t)(2 * log10((double)avg_ns + 1));
	cr_assert(shape && step + 2 < RS_SHAPE_STEPS);
	shape[step] = 0.9;
	shape[step + 2] = 0.1;
	return shape;
}

struct rs_summary_region *screen_add(struct screen *screen, const char *name, size_t parent,
	uint64_t calls, uint64_t total_us, uint64_t self_us, unsigned cpu_percent)
{
	size_t index = screen->summary.n_regions++;
	struct rs_value *values = screen->values[index];
	screen->summary.n_merged++;
	values[0] = value_of(screen, calls, total_us * 1000, self_us * 1000);
	uint64_t cpu_ns = total_us * 10 * cpu_percent, self_cpu_ns = self_us * 10 * cpu_percent;
	values[RS_EVENT_CPU_TIME] = value_of(screen, calls, cpu_ns, self_cpu_ns);
	values[RS_EVENT_BLOCKED] = value_of(screen, calls, total_us * 10 * (100 - cpu_percent),
		self_us * 10 * (100 - cpu_percent));
	values[RS_EVENT_PREEMPTED] = value_of(screen, calls, 0, 0);
	/* of these two, the calls that had any; 0 of weight: only the totals are known */
	values[RS_EVENT_PREEMPTED].counted = values[RS_EVENT_PREEMPTED].weight = 0;
	if (cpu_percent == 100)
		values[RS_EVENT_BLOCKED].counted = 0;
	values[RS_EVENT_BLOCKED].weight = 0;
	values[SCREEN_EVENT(1)] = value_of(screen, calls, cpu_ns, self_cpu_ns);
	for (size_t e = 1; e < SCREEN_MOST_COLUMNS - RS_EVENT_FIRST; e++)
		values[RS_EVENT_FIRST + e] = value_of(
			screen, calls, total_us * e * 1000, self_us * e * 1000);
	screen->regions[index] = (struct rs_summary_region){.name = name,
		.parent = parent == RS_NO_ROW ? NULL : screen->regions[parent].name,
		.parent_row = parent,
		.calls = calls,
		.n_threads = 1,
		.n_parents = 1,
		.values = values};
	struct rs_summary_region *region = &screen->regions[index];
	if (total_us > 0 && calls > 0)
		region->shape = shape_of(screen, total_us * 1000 / calls);
	return region;
}

void screen_preempt(struct rs_summary_region *region, uint64_t us)
{
	struct rs_value *preempted = &region->values[RS_EVENT_PREEMPTED];
	preempted->total = us * 1000;
	preempted->self = (int64_t)us * 1000;
	region->values[RS_EVENT_CPU_TIME].total -= us * 1000;
	region->values[RS_EVENT_CPU_TIME].self -= (int64_t)us * 1000;
}

/* Make time in no region, half or all of which was blocked. */
static void make_whole(struct screen *screen)
{
	struct rs_summary_whole *whole = &screen->summary.whole;
	uint64_t selves = 0;
	whole->cpu_ns = whole->off_ns[RS_OFF_BLOCKED] = whole->off_ns[RS_OFF_PREEMPTED] = 0;
	for (size_t i = 0; i < screen->summary.n_merged; i++) {
		const struct rs_summary_region *region = &screen->summary.merged[i];
		if (region->is_apart)
			continue;
		selves += rs_value_self(&region->values[0]);
		for (int k = 0; k < RS_OFF_N; k++)
			whole->off_ns[k] += rs_value_self(&region->values[RS_EVENT_BLOCKED + k]);
	}
	if (selves > whole->lifetimes_ns)
		return;
	if (whole->overhead_ns > whole->lifetimes_ns - selves)
		whole->overhead_ns = whole->lifetimes_ns - selves;
	whole->unmarked_ns = whole->lifetimes_ns - selves - whole->overhead_ns;
	uint64_t blocked_ns = whole->unmarked_ns / (screen->waits_unmarked ? 1 : 2);
	whole->unmarked_off_ns[RS_OFF_BLOCKED] = blocked_ns;
	whole->off_ns[RS_OFF_BLOCKED] += blocked_ns;
}

void screen_set_running(struct rs_value *value, uint64_t running, uint64_t enabled)
{
	value->running_ns = running;
	value->enabled_ns = enabled;
	value->variance = NAN;
}

void screen_sum(struct screen *screen)
{
	make_whole(screen);
	rs_glance_make(&screen->summary, &screen->arena);
}

char *screen_report(
	struct screen *screen, rs_write_report *write, const struct rs_report_options *options)
{
	char *text = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);
	cr_assert(stream);
	screen_sum(screen);
	cr_assert(rs_report_write(write, &screen->summary, options, stream));
	cr_assert_eq(fclose(stream), 0);
	return text;
}

void screen_check_golden(const char *name, const char *text)
{
	static char expected[65536];
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", RS_GOLDEN_DIRECTORY, name);
	if (getenv("REGIONSTAT_RENEW")) {
		FILE *file = fopen(path, "w");
		cr_assert_not_null(file, "%s cannot be written", path);
		fputs(text, file);
		cr_assert_eq(fclose(file), 0);
	}
	FILE *file = fopen(path, "r");
	cr_assert_not_null(file, "%s cannot be opened", path);
	size_t length = fread(expected, 1, sizeof(expected) - 1, file);
	expected[length] = '\0';
	fclose(file);
	cr_expect_str_eq(text, expected, "not as %s has it:\n%s", name, text);
}

void screen_check(
	struct screen *screen, const struct rs_report_options *options, const char *golden)
{
	char *text = screen_report(screen, rs_report_table, options);
	screen_check_golden(golden, text);
	free(text);
}
