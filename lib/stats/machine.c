/* SPDX-License-Identifier: MIT */
/*
 * This file finds facts about the machine: those of uname(2), how many CPUs are online, and the
 * model of the processor. /proc/cpuinfo contains the model under a name that depends on the
 * architecture.
 */
#include "stats/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TEXT(out, ...) snprintf((out), RS_MACHINE_TEXT_BYTES, __VA_ARGS__)

/* Keys of the lines with the model. On arm64, the kernel shows only a number there. */
static const char *const model_keys[] = {"model name", "CPU part", "uarch"};

/* Copy the value of a line "key : value" to out. Return false if the line has another key. */
static bool take_value(char *out, const char *line, const char *key)
{
	size_t length = strlen(key);
	const char *colon = strchr(line, ':');
	if (strncmp(line, key, length) != 0 || !colon ||
		strspn(line + length, " \t") != (size_t)(colon - line) - length)
		return false;
	colon += 1 + strspn(colon + 1, " \t");
	TEXT(out, "%.*s", (int)strcspn(colon, "\n"), colon);
	return true;
}

static void find_processor(char *out)
{
	char line[512];
	FILE *file = fopen("/proc/cpuinfo", "re");
	bool found = false;
	while (file && !found && fgets(line, sizeof(line), file))
		for (size_t i = 0; i < sizeof(model_keys) / sizeof(model_keys[0]) && !found; i++)
			found = take_value(out, line, model_keys[i]);
	if (file)
		fclose(file);
}

void rs_machine_find(struct rs_machine *machine)
{
	struct utsname name;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	*machine = (struct rs_machine){.cpus = cpus > 0 ? (uint32_t)cpus : 0};
	if (uname(&name) == 0) {
		TEXT(machine->host, "%s", name.nodename);
		TEXT(machine->kernel, "%.60s %.60s", name.sysname, name.release);
		TEXT(machine->architecture, "%s", name.machine);
	}
	find_processor(machine->processor);
}
