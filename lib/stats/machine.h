/* SPDX-License-Identifier: MIT */
/*
 * Facts about the machine on which a run was measured. They can explain why its results differ from
 * those of other machines.
 */
#ifndef RS_STATS_MACHINE_H
#define RS_STATS_MACHINE_H

#include <stdint.h>

#define RS_MACHINE_TEXT_BYTES 128

struct rs_machine {
	/* These texts may contain any bytes, and are "" if unknown. */
	char host[RS_MACHINE_TEXT_BYTES];
	char kernel[RS_MACHINE_TEXT_BYTES]; /* "Linux 6.1.0" */
	char architecture[RS_MACHINE_TEXT_BYTES];
	char processor[RS_MACHINE_TEXT_BYTES]; /* the model in /proc/cpuinfo */
	uint32_t cpus; /* CPUs that the command may use; 0: unknown */
};

/* Return how many CPUs the calling thread may use, as nproc(1) counts them, or 0 if the number is
 * unknown. */
uint32_t rs_machine_cpus(void);

/* Fill machine with the facts of this machine. */
void rs_machine_find(struct rs_machine *machine);

#endif
