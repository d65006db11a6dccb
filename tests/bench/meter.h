/* SPDX-License-Identifier: MIT */
/*
 * The meter of a benchmark: the clock, or the calling thread's instructions in user and kernel
 * mode, which an emulated machine counts without noise.
 */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <stdbool.h>
#include <stdint.h>

/* A meter of the calling thread. */
struct meter {
	int fd; /* of the counter; -1: the clock */
};

/* kind: "ns" or "instructions". False, with a message on stderr: it cannot be had here. */
bool meter_open(struct meter *meter, const char *kind);

/* Nanoseconds or instructions so far. */
uint64_t meter_now(const struct meter *meter);

void meter_close(struct meter *meter);

#endif
