/* SPDX-License-Identifier: MIT */
/*
 * This file reads /proc/cpuinfo and sysfs and makes the words that describe the CPU.
 */
#include "plan/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void rs_cpu_value(char *value, size_t bytes, const char *key, const struct rs_host *host)
{
	char text[4096];
	size_t length = strlen(key);
	value[0] = '\0';
	rs_host_read(text, sizeof(text), "%s/cpuinfo", host->proc);
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		const char *after = line + length;
		if (strncmp(line, key, length) != 0)
			continue;
		after += strspn(after, " \t");
		if (*after != ':')
			continue;
		after += 1 + strspn(after + 1, " \t");
		snprintf(value, bytes, "%.*s", (int)strcspn(after, "\n"), after);
		return;
	}
}

void rs_cpu_find(struct rs_cpu *cpu, const struct rs_host *host)
{
	char vendor[RS_CPU_WORD_BYTES], family[RS_CPU_WORD_BYTES], model[RS_CPU_WORD_BYTES],
		midr[32];
	struct rs_core_pmus pmus;
	*cpu = (struct rs_cpu){.n = 0};
	rs_cpu_value(vendor, sizeof(vendor), "vendor_id", host);
	rs_cpu_value(family, sizeof(family), "cpu family", host);
	rs_cpu_value(model, sizeof(model), "model", host);
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
