/* SPDX-License-Identifier: MIT */
/*
 * Words of perf-stat(1) that people know and regionstat has no use for, or not yet. In goes an
 * option that the command does not have; out comes what is done about it here.
 */
#include "options_perf.h"

#include <stddef.h>
#include <string.h>

struct perf_option {
	char letter; /* '\0': none */
	const char *words; /* its long forms, each between two spaces */
	const char *why;
	const char *remedy;
};

#define ONE_PROGRAM "one program is measured, with what it starts, not whole CPUs"
#define NO_ATTACH "attaching to what runs already is to come"
#define NO_INTERVALS "reports while the program runs are to come; there is one, at its end"
#define TRY_WITHOUT "without it: regionstat COMMAND"

static const struct perf_option table[] = {
	{'a', " all-cpus ", ONE_PROGRAM, TRY_WITHOUT ", or perf stat -a"},
	{'A', " no-aggr no-merge hybrid-merge ", "nothing is counted per CPU",
		"--per-thread, for a row each thread; -v shows types of cores apart"},
	{'b', " bpf-prog bpf-counters ", "BPF programs are not measured", "perf stat -b"},
	{'B', " big-num ", "digits in tables are grouped already, those in CSV never",
		"without it, or -x ,"},
	{'\0', " scale ", "totals of events that took turns are scaled always, and marked with ~",
		"without it; field running of -x , tells by how much"},
	{'C', " cpu ", ONE_PROGRAM, "taskset -c CPUS regionstat COMMAND"},
	{'d', " detailed ", "there are no ready-made sets of events",
		"-e L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses"},
	{'g', " group ", "groups are written with their events", "-e '{cycles,instructions}'"},
	{'G', " cgroup for-each-cgroup ", "one program is measured, not a cgroup",
		TRY_WITHOUT ", or perf stat -a -G"},
	{'I', " interval-print interval-count interval-clear ", NO_INTERVALS,
		"perf stat -I, for the totals of the program"},
	{'\0', " json ", "it is called otherwise here", "-j, or -o FILE.json"},
	{'\0', " metric-only metric-no-group metric-no-merge metric-no-threshold ",
		"metrics are shown beside what they are made from",
		"-M IPC, and kind metric of -x ,"},
	{'n', " null ", "without events it is called time", "-e time"},
	{'p', " pid ", NO_ATTACH, "regionstat COMMAND, or perf stat -p PID for its totals"},
	{'r', " repeat table ", "repeating runs is to come",
		"a loop in the shell, with -x , --append -o FILE for all runs in one file"},
	{'S', " sync ", "nothing is done before a run", "sync; regionstat COMMAND"},
	{'t', " tid ", NO_ATTACH, "regionstat --per-thread COMMAND, or perf stat -t TID"},
	{'T', " transaction ", "there are no ready-made sets of events",
		"-e with events of regionstat list '*tx*'"},
	{'\0', " all-user ", "that is written with each event", "-e cycles:u"},
	{'\0', " all-kernel ", "that is written with each event", "-e cycles:k"},
	{'\0', " control ", "when to count is the program's to say",
		"-D -1, with REGIONSTAT_RESUME() and REGIONSTAT_PAUSE() in the program"},
	{'\0', " cputype ", "a type of cores is written with each event", "-e cpu_core/cycles/"},
	{'\0', " filter ", "tracepoints are counted whenever they are passed",
		"perf stat --filter, for the totals of the program"},
	{'\0', " log-fd ", "descriptors have names", "-o /dev/fd/3, for descriptor 3"},
	{'\0', " per-cache per-cluster per-core per-die per-node per-socket percore-show-thread ",
		ONE_PROGRAM, "--per-thread or --per-process, for a row each"},
	{'\0', " post pre ", "nothing is run but COMMAND",
		"sh -c 'BEFORE; regionstat COMMAND; AFTER'"},
	{'\0', " summary no-csv-summary ", "there is one report, of the whole run", TRY_WITHOUT},
	{'\0', " iostat smi-cost td-level topdown ", ONE_PROGRAM, "perf stat -a"},
};

/* Whether words has this one, or what it negates. */
static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = words; length > 0 && (at = strstr(at, word)); at++)
		if (at > words && at[-1] == ' ' && at[length] == ' ')
			return true;
	return strncmp(word, "no-", 3) == 0 && has_word(words, word + 3);
}

static bool is_it(const struct perf_option *option, const char *name)
{
	if (name[0] == '-' && name[1] == '-')
		return has_word(option->words, name + 2);
	return option->letter && name[1] == option->letter && name[2] == '\0';
}

bool rs_options_explain_perf(const char *name, struct rs_err *err)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!is_it(&table[i], name))
			continue;
		rs_err_set(err, "%s of perf stat is not taken: %s", name, table[i].why);
		rs_err_add_line(err, "try: %s", table[i].remedy);
		return true;
	}
	return false;
}
