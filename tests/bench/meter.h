/* SPDX-License-Identifier: MIT */
/*
 * The meter of a benchmark: the clock, or the calling thread's CPU time, page faults, or
 * instructions in user and kernel mode. An emulated machine counts instructions without noise.
 */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <stdbool.h>
#include <stdint.h>

/* A meter of the calling thread. */
struct meter {
	int fd; /* descriptor of the counter, or -1 */
	enum meter_kind { METER_NS, METER_CPU_NS, METER_FAULTS, METER_INSTRUCTIONS } kind;
};

/* Open a meter. kind: "ns", "cpu_ns", "faults" or "instructions". Return false, with a message on
 * stderr, if the machine does not have it. */
bool meter_open(struct meter *meter, const char *kind);

/* Return the nanoseconds, page faults or instructions so far. */
uint64_t meter_now(const struct meter *meter);

void meter_close(struct meter *meter);

#endif
