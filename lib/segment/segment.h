/* SPDX-License-Identifier: MIT */
/*
 * How the launcher uses the segment. It creates and seals the segment before the program starts.
 * After the run lib/stats/collect.h copies the results to private memory.
 */
#ifndef RS_SEGMENT_SEGMENT_H
#define RS_SEGMENT_SEGMENT_H

#include "base/err.h"
#include "segment/layout.h"
#include "segment/slow_calls.h"

struct rs_segment {
	int fd; /* the memfd, with CLOEXEC; -1 if there is none */
	struct rs_segment_header *header; /* the first extent, mapped shared */
	uint64_t nonce;
};

/* How many regions the launcher can add before the program starts. */
#define RS_MAX_NAMED_REGIONS 256u

/* A region that the launcher adds before the program starts. Reports show it only if it was
 * called. */
struct rs_segment_region {
	const char *name; /* 1 to RS_NAME_BYTES - 1 bytes, unique */
	uint32_t sample_calls; /* see struct rs_region */
};

/* A rule of --slow: report calls of regions that match glob when they exceed a limit. */
struct rs_segment_slow {
	const char *glob; /* 1 to RS_GLOB_BYTES - 1 bytes */
	uint64_t counters; /* this member and `above` are those of struct rs_slow_rule */
	uint64_t above;
};

/* Contents of a new segment. The caller keeps to the limits. All pointers need to be valid during
 * rs_segment_init() only. */
struct rs_segment_config {
	enum rs_clock clock;
	uint32_t flags; /* enum rs_segment_flag; rs_segment_init() adds RS_SEGMENT_SAMPLES */
	uint32_t n_groups; /* 0 to RS_MAX_GROUPS */
	uint32_t n_events; /* 0 to RS_MAX_EVENTS */
	const struct rs_segment_event *events; /* array of n_events */
	/* sampling of regions that are not in `regions`; 0 and 1: measure all calls */
	uint32_t sample_calls;
	uint32_t budget_ppm; /* see struct rs_segment_header */
	const struct rs_segment_region *regions; /* array of n_regions */
	size_t n_regions; /* 0 to RS_MAX_NAMED_REGIONS */
	const char *const *only; /* the globs of --only, each of 1 to RS_GLOB_BYTES - 1 bytes */
	size_t n_only; /* 0: every region is measured; at most RS_MAX_ONLY */
	const struct rs_segment_slow *slow; /* array of n_slow */
	size_t n_slow; /* 0 to RS_MAX_SLOW_RULES */
};

/*
 * Create a segment: a sealed memfd of fixed size with header, event plan, the region "(other)" and
 * the regions of config. The descriptor is 100 or higher if one is free, and has CLOEXEC, which
 * lib/launch clears in the child only.
 *
 * Fill segment; the caller releases it with rs_segment_finish(). Return false and set err if the
 * memfd or its memory is refused, or RLIMIT_FSIZE is too low.
 */
bool rs_segment_init(
	struct rs_segment *segment, const struct rs_segment_config *config, struct rs_err *err);

/* Take over the segment fd of a run whose launcher has ended. start_time is when this process
 * started, as in /proc/PID/stat. Fill segment, which owns fd from now on. Return false and set err
 * if another process came first, or fd cannot be mapped for writing. */
bool rs_segment_adopt(struct rs_segment *segment, int fd, uint32_t launcher, uint64_t start_time,
	struct rs_err *err);

/* Store which functions are measured, before the program starts. hashes[n] are those of struct
 * rs_objects; n is at most RS_MAX_CHOSEN. Return false and set err if memory runs out. */
bool rs_segment_choose(
	const struct rs_segment *segment, const uint64_t *hashes, size_t n, struct rs_err *err);

/* Unmap and close a segment. It may be zeroed with fd -1. */
void rs_segment_finish(struct rs_segment *segment);

/* Fill text[96] with the value of RS_SEGMENT_ENV for the program. */
void rs_segment_env(const struct rs_segment *segment, char text[96]);

/* Return the cheapest reliable clock of this machine: RS_CLOCK_COUNTER on x86-64 and arm64 if the
 * kernel itself keeps time with that counter, else RS_CLOCK_MONOTONIC. */
enum rs_clock rs_clock_choose(void);

/* Return the length of a tick in ns, with an error of at most 1 in 50,000. This takes 5 ms. */
double rs_clock_tick_ns(enum rs_clock clock);

/* Read both clocks at the same moment. Do this several times, and return the fastest reading. */
struct rs_clock_point rs_clock_point_now(enum rs_clock clock);

#endif
