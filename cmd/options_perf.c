/* SPDX-License-Identifier: MIT */
/*
 * This file explains options of perf-stat(1) that regionstat does not accept. The message tells the
 * reason and the option to use instead.
 */
#include "options_table.h"

#include <stddef.h>
#include <string.h>

struct perf_option {
	char letter; /* '\0': the option has no letter */
	const char *words; /* the option's long names, with a space before and after each */
	const char *why;
	const char *remedy;
};

#define ONE_PROGRAM "regionstat measures one program with its children, not whole CPUs"
#define NO_SETS "there are no ready-made sets of events"
#define TRY_WITHOUT "without it: regionstat COMMAND"

static const struct perf_option table[] = {
	{'a', " all-cpus ", ONE_PROGRAM, TRY_WITHOUT ", or perf stat -a"},
	{'A', " no-aggr no-merge hybrid-merge ", "regionstat counts nothing per CPU",
		"--per-thread, for a row each thread; -v shows types of cores apart"},
	{'b', " bpf-prog bpf-counters ", "regionstat does not measure BPF programs",
		"perf stat -b"},
	{'B', " big-num ", "tables group digits, CSV never does", "without it, or -x ,"},
	{'\0', " scale ", "totals of multiplexed events are always scaled, and marked with ~",
		"without it; field running of -x , has the factor"},
	{'C', " cpu ", ONE_PROGRAM, "taskset -c CPUS regionstat COMMAND"},
	{'d', " detailed ", NO_SETS,
		"-e L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses"},
	{'g', " group ", "braces make a group of events", "-e '{cycles,instructions}'"},
	{'G', " cgroup for-each-cgroup ", "regionstat measures one program, not a cgroup",
		TRY_WITHOUT ", or perf stat -a -G"},
	{'\0', " interval-clear ", "intervals are printed one below the other",
		"--live, which redraws the screen"},
	{'\0', " json ", "its name here is -j", "-j, or -o FILE.json"},
	{'\0', " metric-only metric-no-group metric-no-merge metric-no-threshold ",
		"regionstat shows metrics beside their events", "-M IPC, and kind metric of -x ,"},
	{'n', " null ", "the event time means no counters", "-e time"},
	{'\0', " table ", "the report of -r is a table anyway", TRY_WITHOUT},
	{'S', " sync ", "regionstat does nothing before a run", "sync; regionstat COMMAND"},
	{'t', " tid ", "regionstat measures all threads of a process",
		"regionstat attach --per-thread PID, or perf stat -t TID"},
	{'T', " transaction ", NO_SETS, "-e with events of regionstat list '*tx*'"},
	{'\0', " all-user ", "each event has its own modifiers", "-e cycles:u"},
	{'\0', " all-kernel ", "each event has its own modifiers", "-e cycles:k"},
	{'\0', " control ", "the program itself says when to count",
		"-D -1, with REGIONSTAT_RESUME() and REGIONSTAT_PAUSE() in the program"},
	{'\0', " cputype ", "each event names its type of cores", "-e cpu_core/cycles/"},
	{'\0', " filter ", "regionstat counts every hit of a tracepoint",
		"perf stat --filter, for the totals of the program"},
	{'\0', " log-fd ", "a descriptor has a file name", "-o /dev/fd/3, for descriptor 3"},
	{'\0', " per-cache per-cluster per-core per-die per-node per-socket percore-show-thread ",
		ONE_PROGRAM, "--per-thread or --per-process, for a row each"},
	{'\0', " post pre ", "regionstat runs nothing but COMMAND",
		"sh -c 'BEFORE; regionstat COMMAND; AFTER'"},
	{'\0', " summary no-csv-summary ", "the report is the summary of -I",
		"-I without -x and -j, or with -o FILE"},
	{'\0', " td-level topdown ", "it is a set of metrics here", "-M 'topdown-*'"},
	{'\0', " iostat smi-cost ", ONE_PROGRAM, "perf stat -a"},
};

/* Return true if words contains `word`, or if `word` is "no-X" and words contains X. */
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
		rs_err_set(err, "%s of perf stat is not supported: %s", name, table[i].why);
		rs_err_add_line(err, "try: %s", table[i].remedy);
		return true;
	}
	return false;
}
