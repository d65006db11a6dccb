/* SPDX-License-Identifier: MIT */
/*
 * The launcher's side of the segment: made and sealed before the program starts, mapped only where
 * the launcher itself works while the program runs (header, process entries). After the run its
 * values are read into the launcher's own memory (lib/stats/collect.h).
 */
#ifndef RS_SEGMENT_SEGMENT_H
#define RS_SEGMENT_SEGMENT_H

#include "base/err.h"
#include "segment/layout.h"
#include "segment/slow_calls.h"

struct rs_segment {
	int fd; /* the memfd, CLOEXEC, -1 when none */
	struct rs_segment_header *header; /* the first extent, mapped shared */
	uint64_t nonce;
};

/* How many regions the launcher can name beforehand. */
#define RS_MAX_NAMED_REGIONS 256u

/* A region that the launcher names before any program does. Without calls no report shows it. */
struct rs_segment_region {
	const char *name; /* 1 to RS_NAME_BYTES - 1 bytes; two entries never have the same */
	uint32_t sample_calls; /* as of struct rs_region */
};

/* Slow calls that are reported as they happen: of which regions, and when a call is slow. */
struct rs_segment_slow {
	const char *glob; /* 1 to RS_GLOB_BYTES - 1 bytes */
	uint64_t quantities; /* as of struct rs_slow_rule */
	uint64_t above;
};

/* The contents of a new segment. */
struct rs_segment_config {
	enum rs_clock clock;
	uint32_t flags; /* enum rs_segment_flag; RS_SEGMENT_SAMPLES comes from what follows */
	uint32_t n_groups;
	uint32_t n_events;
	const struct rs_segment_event *events; /* n_events of them; borrowed for the call */
	uint32_t sample_calls; /* of regions that are not named here; 0 or 1: all */
	uint32_t budget_ppm; /* as of struct rs_segment_header */
	const struct rs_segment_region *regions; /* n_regions of them; borrowed for the call */
	size_t n_regions; /* 0 to RS_MAX_NAMED_REGIONS */
	/* globs of the regions that are wanted, each of 1 to RS_GLOB_BYTES - 1 bytes; borrowed for
	 * the call */
	const char *const *only;
	size_t n_only; /* 0: all are; at most RS_MAX_ONLY */
	const struct rs_segment_slow *slow; /* n_slow of them; borrowed for the call */
	size_t n_slow; /* 0 to RS_MAX_SLOW_RULES */
};

/*
 * Make a segment: memfd, fixed size, seals, header, event plan, region "(other)" and those named.
 * The descriptor is CLOEXEC and 100 or higher, or the highest free one; launch clears CLOEXEC in
 * the child only. segment: filled on success; release with rs_segment_finish().
 * False, with err filled: no memfd, no memory, RLIMIT_FSIZE too low.
 */
bool rs_segment_init(
	struct rs_segment *segment, const struct rs_segment_config *config, struct rs_err *err);

/* Say which functions are wanted: hashes[n], as of struct rs_objects, n up to RS_MAX_CHOSEN; before the
 * program starts. False, with err filled: no memory. */
bool rs_segment_choose(
	const struct rs_segment *segment, const uint64_t *hashes, size_t n, struct rs_err *err);

/* Unmap and close. segment: filled, zeroed with fd -1, or NULL. */
void rs_segment_finish(struct rs_segment *segment);

/* The value of RS_SEGMENT_ENV for the program. text[96]: filled. */
void rs_segment_env(const struct rs_segment *segment, char text[96]);

/* The cheapest clock that can be trusted on this machine: RS_CLOCK_COUNTER when the kernel itself
 * keeps time by it, on x86-64 and arm64, else RS_CLOCK_MONOTONIC. */
enum rs_clock rs_clock_choose(void);

/* How long a tick of a clock is, in ns: within 1 in 50,000, for which this takes 5 ms. */
double rs_clock_tick_ns(enum rs_clock clock);

/* One point of the two-point calibration: the same moment in both clocks. */
struct rs_clock_point {
	uint64_t ticks;
	uint64_t monotonic_ns;
};

/* Read both clocks together; of several tries the tightest. */
struct rs_clock_point rs_clock_point_now(enum rs_clock clock);

#endif
