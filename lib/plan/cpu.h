/* SPDX-License-Identifier: MIT */
/*
 * Words that describe the machine's CPU: vendor, model and PMUs. A metric uses these words to name
 * the CPUs to which it applies.
 */
#ifndef RS_PLAN_CPU_H
#define RS_PLAN_CPU_H

#include "plan/host.h"

#define RS_CPU_MAX_WORDS 16u
#define RS_CPU_WORD_BYTES 64u

struct rs_cpu {
	char texts[RS_CPU_MAX_WORDS][RS_CPU_WORD_BYTES];
	const char *words[RS_CPU_MAX_WORDS]; /* each points into texts */
	size_t n;
};

/*
 * Fill cpu with the words of this machine. On x86: VENDOR-FAMILY-MODEL as in perf's event tables,
 * "GenuineIntel-6-9A", with a decimal family and a hexadecimal model. On arm64: the register
 * MIDR_EL1, "0x413fd0c1". On both: the names of the core PMUs. Sources: /proc/cpuinfo;
 * arch/arm64/kernel/cpuinfo.c, regs/identification/midr_el1.
 */
void rs_cpu_find(struct rs_cpu *cpu, const struct rs_host *host);

#endif
