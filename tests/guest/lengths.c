/* SPDX-License-Identifier: MIT */
/*
 * lengths counts the instructions of markers and of reading a result, one at a time, by a counter
 * of its own. It prints `KIND FEWEST MOST` for calls that are certainly measured, and then
 * `later KIND FEWEST` for later calls, most of which --sample skips. FEWEST is without the slow
 * paths that some markers take. MOST is without the longest call, because an interrupt makes one
 * call read a counter twice.
 */
#include <linux/perf_event.h>
#include <regionstat.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A thread measures at least so many first calls of each region. */
#define MEASURED 32
#define WARM 8
#define CALLS 128

static int fd;

static uint64_t count(void)
{
	uint64_t value = 0;
	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

static __attribute__((noinline)) void do_nothing(void)
{
	__asm__ volatile("");
}

static __attribute__((noinline)) void do_pair(void)
{
	REGIONSTAT_BEGIN("pair");
	REGIONSTAT_END("pair");
}

static __attribute__((noinline)) void do_scope(void)
{
	REGIONSTAT_SCOPE("scope");
	__asm__ volatile("");
}

static __attribute__((noinline)) void do_nested(void)
{
	REGIONSTAT_BEGIN("outer");
	REGIONSTAT_BEGIN("inner");
	REGIONSTAT_END("inner");
	REGIONSTAT_END("outer");
}

static __attribute__((noinline)) void do_next(void)
{
	REGIONSTAT_BEGIN("first");
	REGIONSTAT_NEXT("first", "second");
	REGIONSTAT_END("second");
}

static __attribute__((noinline)) void do_work(void)
{
	REGIONSTAT_BEGIN("work");
	REGIONSTAT_WORK("work", 8, 1);
	REGIONSTAT_END("work");
}

static struct regionstat_values values;
static int event;

static __attribute__((noinline)) void read_time(void)
{
	REGIONSTAT_READ("pair", REGIONSTAT_TIME, REGIONSTAT_THREAD, &values);
}

static __attribute__((noinline)) void read_event(void)
{
	REGIONSTAT_READ("pair", event, REGIONSTAT_THREAD, &values);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"pair", do_pair},
	{"scope", do_scope},
	{"nested", do_nested},
	{"next", do_next},
	{"work", do_work},
	{"read-time", read_time},
	{"read-event", read_event},
};

static uint64_t count_once(void (*run)(void))
{
	uint64_t before = count();
	run();
	return count() - before;
}

int main(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.pinned = 1};
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		perror("lengths: cannot count instructions");
		return 1;
	}
	event = regionstat_event("instructions:u");
	do_pair();
	uint64_t nothing = UINT64_MAX;
	for (int i = 0; i < CALLS; i++) {
		uint64_t n = count_once(do_nothing);
		nothing = n < nothing ? n : nothing;
	}
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		uint64_t fewest = UINT64_MAX, most = 0, longest = 0, later = UINT64_MAX;
		for (int i = 0; i < CALLS; i++) {
			if (kinds[k].run == read_time || kinds[k].run == read_event)
				do_pair(); /* so that the result is a new one */
			uint64_t n = count_once(kinds[k].run) - nothing;
			if (i >= MEASURED) {
				later = n < later ? n : later;
			} else if (i >= WARM) {
				fewest = n < fewest ? n : fewest;
				most = n > longest ? longest : n > most ? n : most;
				longest = n > longest ? n : longest;
			}
		}
		printf("%s %ju %ju\nlater %s %ju\n", kinds[k].name, (uintmax_t)fewest,
			(uintmax_t)most, kinds[k].name, (uintmax_t)later);
	}
	return 0;
}
