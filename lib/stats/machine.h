/* SPDX-License-Identifier: MIT */
/*
 * The machine that a run was measured on, by facts that differ between machines: numbers of one
 * are not those of another.
 */
#ifndef RS_STATS_MACHINE_H
#define RS_STATS_MACHINE_H

#include <stdint.h>

#define RS_MACHINE_TEXT_BYTES 128

struct rs_machine {
	/* any bytes, NUL-terminated; "" where unknown */
	char host[RS_MACHINE_TEXT_BYTES];
	char kernel[RS_MACHINE_TEXT_BYTES]; /* "Linux 6.1.0" */
	char architecture[RS_MACHINE_TEXT_BYTES]; /* "x86_64" */
	char processor[RS_MACHINE_TEXT_BYTES]; /* its model, as /proc/cpuinfo names it */
	uint32_t cpus; /* online; 0: unknown */
};

/* This one. machine: filled. */
void rs_machine_find(struct rs_machine *machine);

#endif
