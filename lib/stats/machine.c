/* SPDX-License-Identifier: MIT */
/*
 * This file finds facts about the machine: the facts that uname(2) returns, the number of CPUs that
 * the command may use, and the model of the processor. The model is in /proc/cpuinfo, in a line
 * whose key depends on the architecture.
 */
#include "stats/machine.h"

#include <sched.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "plan/host.h"

#define TEXT(out, ...) snprintf((out), RS_MACHINE_TEXT_BYTES, __VA_ARGS__)

/* Keys of the lines with the model in /proc/cpuinfo. On arm64, the line contains only a number. */
static const char *const model_keys[] = {"model name", "CPU part", "uarch"};

uint32_t rs_machine_cpus(void)
{
	cpu_set_t allowed;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		return (uint32_t)CPU_COUNT(&allowed);
	/* sched_getaffinity() has failed: the machine has more CPUs than the set can hold */
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (uint32_t)online : 0;
}

void rs_machine_find(struct rs_machine *machine)
{
	struct utsname name;
	*machine = (struct rs_machine){.cpus = rs_machine_cpus()};
	if (uname(&name) == 0) {
		TEXT(machine->host, "%s", name.nodename);
		TEXT(machine->kernel, "%.60s %.60s", name.sysname, name.release);
		TEXT(machine->architecture, "%s", name.machine);
	}
	for (size_t i = 0; i < sizeof(model_keys) / sizeof(model_keys[0]) && !*machine->processor;
		i++)
		rs_host_field(machine->processor, sizeof(machine->processor), model_keys[i],
			"/proc/cpuinfo");
}
