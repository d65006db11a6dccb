/* SPDX-License-Identifier: MIT */
/*
 * This file reads /proc/cpuinfo and sysfs and makes the words that describe the CPU.
 */
#include "plan/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan/core_pmus.h"

static void __attribute__((format(printf, 2, 3))) add(struct rs_cpu *cpu, const char *format, ...)
{
	va_list arguments;
	if (cpu->n == RS_CPU_MAX_WORDS)
		return;
	char *text = cpu->texts[cpu->n];
	va_start(arguments, format);
	vsnprintf(text, RS_CPU_WORD_BYTES, format, arguments);
	va_end(arguments);
	if (text[0])
		cpu->words[cpu->n++] = text;
}

void rs_cpu_find(struct rs_cpu *cpu, const struct rs_host *host)
{
	char vendor[RS_CPU_WORD_BYTES], family[RS_CPU_WORD_BYTES], model[RS_CPU_WORD_BYTES],
		midr[32];
	struct rs_core_pmus pmus;
	*cpu = (struct rs_cpu){.n = 0};
	rs_host_field(vendor, sizeof(vendor), "vendor_id", "%s/cpuinfo", host->proc);
	rs_host_field(family, sizeof(family), "cpu family", "%s/cpuinfo", host->proc);
	rs_host_field(model, sizeof(model), "model", "%s/cpuinfo", host->proc);
	if (vendor[0])
		add(cpu, "%.40s-%ld-%lX", vendor, strtol(family, NULL, 10),
			strtol(model, NULL, 10));
	rs_host_read(midr, sizeof(midr), "%s/devices/system/cpu/cpu0/regs/identification/midr_el1",
		host->sysfs);
	if (midr[0])
		add(cpu, "0x%08lx", strtoul(midr, NULL, 16) & 0xffffffffu);
	rs_core_pmus_find(&pmus, host);
	for (size_t i = 0; i < pmus.n; i++)
		add(cpu, "%s", pmus.items[i].name);
}
