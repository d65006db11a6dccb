/* SPDX-License-Identifier: MIT */
/*
 * This file makes the findings about the whole run and its processes. The findings say what was not
 * measured, why, and what to do.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>

#include "base/err.h"
#include "report/format.h"
#include "report/finder.h"
#include "segment/adapters.h"

/* A note reports the steal time of all CPUs if it is at least 5% of the elapsed time. A smaller
 * value is not accurate, because the kernel counts steal time in ticks, which often last 10 ms. */
#define LEAST_STEAL_OF_RUN 0.05

/* Return a remedy for a signal that killed the program, or NULL. Most signals that dump core
 * (signal(7)) come from the program's faults. Other signals were sent to it. */
static const char *remedy_of_signal(int number)
{
	static const int faults[] = {
		SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGXCPU, SIGXFSZ};
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (faults[i] == number)
			return "coredumpctl or dmesg says why";
	return number == SIGKILL  ? "dmesg says whether memory ran out"
	       : number == SIGSYS ? "regionstat(3), CAVEATS, lists the system calls that a seccomp "
				    "filter must permit"
				  : NULL;
}

static void find_killed(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary *summary = finder->summary;
	const char *name = rs_signal_name(summary->term_signal);
	if (summary->term_signal != 0 && !summary->timed_out)
		rs_finder_add(finder, kind,
			RS_FOUND(.n = (uint64_t)summary->term_signal,
				.text = name ? rs_text(finder, ", SIG%s", name) : "",
				.remedy = remedy_of_signal(summary->term_signal)));
}

/* ---- counting that never began ---- */

enum delay { DELAY_OF_UPROF, DELAY_UNTIL_RESUME, DELAY_OF_TIME };

/* Return true if uProf's markers pause and resume all counting. */
static bool is_controlled(const struct rs_run_how *how)
{
	bool is = false;
	for (size_t i = 0; i < how->n_markers; i++)
		is |= !strcmp(how->markers[i].environment, "REGIONSTAT_UPROF=control");
	return is;
}

static enum delay delay_of(const struct rs_run_how *how)
{
	return how->delay_ms >= 0   ? DELAY_OF_TIME
	       : is_controlled(how) ? DELAY_OF_UPROF
				    : DELAY_UNTIL_RESUME;
}

static void find_never_began(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	if (finder->outcome->never_began && delay_of(finder->how) == kind->arg)
		rs_finder_add(finder, kind,
			RS_FOUND(.time_ns = (double)finder->summary->elapsed_ns,
				.text = rs_text(finder, "%" PRId64, finder->how->delay_ms)));
}

/* The last line of a message starts with this text and contains the remedy. */
static const char try_line[] = "\n  try: ";

/* Report a message of this kind. If a code and ": " are before the message, it is of the kind with
 * this code, which has no function. */
static void add_message(
	struct rs_finder *finder, const struct rs_finding_kind *kind, const char *message)
{
	for (const struct rs_finding_kind *other = rs_findings_run; other->code; other++) {
		size_t bytes = strlen(other->code);
		if (other->find || strncmp(message, other->code, bytes) != 0 ||
			strncmp(message + bytes, ": ", 2) != 0)
			continue;
		kind = other;
		message += bytes + 2;
		break;
	}
	const char *remedy = strstr(message, try_line);
	if (remedy)
		message = rs_text(finder, "%.*s", (int)(remedy - message), message);
	rs_finder_add(finder, kind,
		RS_FOUND(.text = rs_finder_lines(finder, message),
			.remedy = remedy ? rs_finder_lines(finder, remedy + strlen(try_line))
					 : NULL));
}

/* Report warnings of the launcher. Each line is one warning, but an indented line continues the
 * line before it. */
static void find_launch(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const char *text = finder->outcome->warnings;
	while (text && *text) {
		const char *end = strchr(text, '\n');
		while (end && (end[1] == ' ' || end[1] == '\t'))
			end = strchr(end + 1, '\n');
		size_t bytes = end ? (size_t)(end - text) : strlen(text);
		add_message(finder, kind, rs_text(finder, "%.*s", (int)bytes, text));
		text = end ? end + 1 : NULL;
	}
}

static void find_executed(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	if (finder->outcome->executed)
		rs_finder_add(finder, kind,
			RS_FOUND(.text = rs_text(finder, "%d", (int)finder->outcome->pid)));
}

/* ---- no regions ---- */

/* How messages without a code begin in older documents and in programs with an older header. */
static const struct {
	const char *begin, *code;
} old_errors[] = {
	{"the program's marker header is of ABI ", "header-abi: "},
	{"the marker header is of ABI ", "runtime-abi: "},
	{"the regionstat command is of ABI ", "runtime-abi: "},
	{"there is no runtime for ", "no-runtime: "},
	{"a child process was forked ", "child-not-loaded: "},
	{"no thread can be started ", "thread-refused: "},
};

static void find_not_loaded(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const char *error = rs_shown(finder, finder->run->load_error), *code = "";
	for (size_t i = 0; i < sizeof(old_errors) / sizeof(old_errors[0]); i++)
		if (strncmp(error, old_errors[i].begin, strlen(old_errors[i].begin)) == 0)
			code = old_errors[i].code;
	if (*error)
		add_message(finder, kind, rs_text(finder, "%s%s", code, error));
}

/* Return true if nothing was measured, and neither an option nor another message explains why. */
static bool has_nothing(const struct rs_finder *finder)
{
	const struct rs_run *run = finder->run;
	bool has = !finder->summary->counts || run->load_error[0] || finder->outcome->executed ||
		   run->n_results > 0 || run->n_damaged > 0 ||
		   run->diag[RS_SEGMENT_DIAG_PROCESSES] > 0 ||
		   finder->counts->process_diag[RS_PROCESS_DIAG_UNSLOTTED] > 0;
	for (size_t i = 0; !has && i < run->n_regions; i++)
		has = run->regions[i].flags & RS_REGION_IS_FILTERED;
	return !has;
}

/* If the command is a shell, an interpreter or a similar program, return its name, otherwise NULL.
 * Such a command starts or loads another program. Only that program may have markers, but the
 * launcher searched only the command for them. */
static const char *starter_of(const struct rs_finder *finder)
{
	static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh", "fish", "env",
		"make", "mpirun", "mpiexec", "srun", "timeout", "xargs"};
	static const char *const interpreters[] = {
		"python", "perl", "ruby", "lua", "node", "julia"};
	const char *name = rs_report_program(finder->summary->argv);
	if (finder->how->n_markers > 0)
		return NULL;
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (!strcmp(name, shells[i]))
			return name;
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++)
		if (!strncmp(name, interpreters[i], strlen(interpreters[i])))
			return name;
	return NULL;
}

/* Report that there are no regions, unless the program called markers that only control the
 * counting. arg: true if the program has markers. of: true if the command starts another
 * program. */
static void find_no_regions(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const char *starter = starter_of(finder);
	if (!has_nothing(finder) || (is_controlled(finder->how) && finder->run->n_adapters > 0) ||
		(finder->run->n_processes > 0 || finder->how->attached) != kind->arg ||
		(starter != NULL) != kind->of)
		return;
	bool is_python = starter && !strncmp(starter, "python", 6);
	rs_finder_add(finder, kind,
		RS_FOUND(.text = starter ? rs_text(finder, "%s %s", rs_shown(finder, starter),
						   is_python ? "loads" : "starts")
				 : finder->how->attached
					 ? "measure for a longer time, or check that the marked "
					   "code is reached, and not only in signal handlers; "
					   "for a child that was forked earlier, attach to the "
					   "child"
					 : "check that the marked code is reached",
			.names = is_python ? "\n  where Python has no module regionstat: pip "
					     "install lib/bindings/python, of regionstat's source"
				 : starter ? ""
				 : finder->how->attached ? "none was measured in this time"
							 : "called none"));
}

/* ---- counts of the processes and of the segment ---- */

/* Report a count of the processes if it is above 0. arg: enum rs_process_diag. */
static void find_process_count(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	uint64_t n = finder->counts->process_diag[kind->arg];
	if (n > 0)
		rs_finder_add(finder, kind, RS_FOUND(.n = n));
}

/* Report a count of the segment if it is above 0. arg: enum rs_segment_diag. */
static void find_segment_count(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	uint64_t n = finder->run->diag[kind->arg];
	if (n > 0)
		rs_finder_add(finder, kind, RS_FOUND(.n = n));
}

/* Return the name of an event of the run in quotes, or "an event" if no process recorded its
 * name. */
static const char *quote_event(struct rs_finder *finder, uint32_t event)
{
	const struct rs_event *events = finder->plan->events;
	return event != RS_NO_EVENT ? rs_finder_quote(finder, events[event - RS_EVENT_FIRST].name)
				    : "an event";
}

static const char *remedy_of(int number)
{
	static const struct {
		int number;
		const char *text;
	} remedies[] = {
		{EMFILE, "raise ulimit -n"},
		{ENFILE, "raise sysctl fs.file-max"},
		{EACCES, "run sudo sysctl kernel.perf_event_paranoid=1, or set 2 and count events "
			 "with :u"},
		{EPERM, "raise sysctl kernel.perf_event_mlock_kb; a container "
			"may also forbid perf_event_open by seccomp"},
		{ENOMEM, "raise sysctl kernel.perf_event_mlock_kb"},
		{ENOSPC, "count fewer events at once with -e"},
		{ENOSYS, "use -e time: this emulator or kernel cannot count events"},
		{EBUSY, "end what else uses the PMU exclusively, such as the NMI watchdog (sudo "
			"sysctl kernel.nmi_watchdog=0)"},
	};
	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
		if (remedies[i].number == number)
			return remedies[i].text;
	return "use fewer threads, or count fewer events with -e";
}

/* Report threads that measured only time, with the first reason that a process recorded. */
static void find_time_only(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	uint64_t n = finder->counts->process_diag[RS_PROCESS_DIAG_TIME_ONLY];
	const struct rs_run_process *first = NULL;
	struct rs_found found = {.n = n};
	if (n == 0)
		return;
	for (size_t i = 0; i < run->n_processes && !first; i++)
		if (run->processes[i].open_errno != 0)
			first = &run->processes[i];
	if (first && run->n_events > 0) {
		int number = first->open_errno <= 4095 ? (int)first->open_errno : EINVAL;
		found.text = rs_text(finder, "%s: cannot count %s: %s (%s)",
			run->n_groups > 1 ? ", or time and some events" : "",
			quote_event(finder, first->open_event), strerror(number),
			rs_errno_name(number));
		found.remedy = remedy_of(number);
	}
	rs_finder_add(finder, kind, &found);
}

/* Report groups of events that did not count although the kernel opened them. Threads with such a
 * group have no values for its events. */
static void find_inactive(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	uint64_t n = finder->counts->process_diag[RS_PROCESS_DIAG_INACTIVE];
	uint32_t event = RS_NO_EVENT;
	for (size_t i = 0; i < run->n_processes && event == RS_NO_EVENT; i++)
		event = run->processes[i].inactive_event;
	if (n > 0)
		rs_finder_add(finder, kind, RS_FOUND(.n = n, .event = quote_event(finder, event)));
}

/* Return true if each process or thread has its own rows. Then it cannot share a slot with
 * others. */
static bool is_split(const struct rs_finder *finder)
{
	return finder->how->per_process || finder->how->per_thread;
}

/* Report that rows mix processes or threads, because the run was measured without the option that
 * keeps them apart. arg: true if rows are split by threads. */
static void find_mixed_rows(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	bool by_thread = finder->summary->n_threads > 0;
	uint64_t n = run->diag[RS_SEGMENT_DIAG_REUSED];
	for (size_t i = 0; by_thread && i < run->n_threads; i++)
		n += run->threads[i].n_threads > 1;
	if (n > 0 && finder->summary->n_places > 0 && by_thread == kind->arg)
		rs_finder_add(finder, kind, RS_FOUND(.n = n));
}

/* Report threads that were not measured. Each process counts its own threads, and the segment
 * counts the threads of processes without an entry too. Use the larger count. arg: is_split(). */
static void find_unslotted(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	uint64_t n = finder->counts->process_diag[RS_PROCESS_DIAG_UNSLOTTED];
	if (finder->run->diag[RS_SEGMENT_DIAG_SLOTS] > n)
		n = finder->run->diag[RS_SEGMENT_DIAG_SLOTS];
	if (n > 0 && is_split(finder) == kind->arg)
		rs_finder_add(finder, kind, RS_FOUND(.n = n));
}

/* Report processes that were not measured. arg: is_split(). */
static void find_unmeasured_processes(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	uint64_t n = finder->run->diag[RS_SEGMENT_DIAG_PROCESSES];
	if (n > 0 && is_split(finder) == kind->arg)
		rs_finder_add(finder, kind, RS_FOUND(.n = n));
}

/* Report that the table of regions was full. If most regions are functions, the remedy is
 * different. */
static void find_regions_full(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	size_t n_addresses = 0;
	bool has_functions = rs_finder_has_adapter(finder, rs_adapter_word(RS_ADAPTER_FUNCTIONS));
	if (run->diag[RS_SEGMENT_DIAG_REGIONS] == 0)
		return;
	for (size_t i = 0; i < run->n_regions; i++)
		n_addresses += (run->regions[i].flags & RS_REGION_IS_ADDRESS) != 0;
	rs_finder_add(finder, kind,
		RS_FOUND(.n = finder->counts->regions[0].calls, /* region 0 is "(other)" */
			.remedy = has_functions && n_addresses > run->n_regions / 2
					  ? "--functions GLOB measures only the functions whose "
					    "names match"
					  : NULL));
}

static void find_damage(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	if (run->n_damaged > 0)
		rs_finder_add(finder, kind,
			RS_FOUND(.n = run->n_damaged, .text = rs_shown(finder, run->damage)));
}

static void find_running(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary *summary = finder->summary;
	bool waited = finder->how->wait_all,
	     goes_on = finder->outcome->goes_on || finder->how->attached;
	struct rs_names names = {0};
	for (size_t i = 0; i < summary->n_running; i++) {
		uint32_t pid = finder->run->processes[summary->running[i].index].pid;
		/* a program that makes this report itself knows that it runs */
		if (finder->outcome->own_report && pid == (uint32_t)finder->outcome->pid)
			continue;
		rs_names_add(&names, finder,
			rs_text(finder, "%s %s", summary->running[i].name,
				summary->running[i].label),
			0);
	}
	rs_finder_add(finder, kind,
		RS_FOUND(.list = &names, .event = names.n == 1 ? "" : "es",
			.text = goes_on ? "this report was made"
				: waited && finder->outcome->interrupted_by != 0
					? "the waiting for all was interrupted"
					: "the program had ended",
			.remedy = waited || goes_on ? NULL : "--wait-all waits for them"));
}

/* Report steal time. arg: true for at least LEAST_STEAL_OF_RUN, false for less. */
static void find_steal(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	double steal_ns = (double)finder->outcome->steal_ns;
	double least_ns = LEAST_STEAL_OF_RUN * (double)finder->summary->elapsed_ns;
	if (steal_ns > 0 && (steal_ns >= least_ns) == kind->arg)
		rs_finder_add(finder, kind, RS_FOUND(.number = steal_ns, .time_ns = steal_ns));
}

static void find_ranks(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary *summary = finder->summary;
	struct rs_names names = {0};
	for (size_t i = 0; i < summary->n_ranks; i++) {
		const struct rs_summary_process *process = &summary->ranks[i];
		rs_names_add_plain(&names, finder, rs_text(finder, "%" PRIu32, process->rank),
			rs_text(finder, "(%s %s)", rs_shown(finder, process->name),
				process->label));
	}
	rs_finder_add(finder, kind, RS_FOUND(.list = &names));
}

#define CLEARED                                                                          \
	"sudo, su - and env -i clear the environment that markers need: put regionstat " \
	"after them"

static_assert(RS_MAX_SLOTS == 65536 && RS_MAX_PROCESSES == 16384, "texts below have these numbers");

const struct rs_finding_kind rs_findings_run[] = {
	{"killed", RS_WARNING, find_killed, 0, 0,
		"the program was killed by signal {n}{text}; calls that were open then are not in "
		"the figures",
		NULL},
	{"never-began", RS_WARNING, find_never_began, DELAY_OF_UPROF, 0,
		"counting never began: --markers uprof=control waits for an amdProfileResume(), "
		"and none was reached",
		"call amdProfileResume() where counting shall begin, or use --markers uprof"},
	{"never-began", RS_WARNING, find_never_began, DELAY_UNTIL_RESUME, 0,
		"counting never began: -D -1 waits for a REGIONSTAT_RESUME(), and the program "
		"called none",
		"call REGIONSTAT_RESUME() where counting shall begin, or omit -D"},
	{"never-began", RS_WARNING, find_never_began, DELAY_OF_TIME, 0,
		"counting never began: the program took {time}, less than the {text} ms of -D",
		"use a shorter -D, or -D -1 and REGIONSTAT_RESUME()"},
	{"launch", RS_WARNING, find_launch, 0, 0, "{text}", NULL},
	{"totals-not-counted", RS_WARNING, NULL, 0, 0, "{text}", NULL},
	{"totals-incomplete", RS_WARNING, NULL, 0, 0, "{text}", NULL},
	{"continued", RS_WARNING, NULL, 0, 0, "{text}", NULL},
	{"ended-early", RS_WARNING, NULL, 0, 0, "{text}", NULL},
	{"killed-in-marker", RS_WARNING, NULL, 0, 0, "{text}", NULL},
	{"paused-at-end", RS_WARNING, NULL, 0, 0, "{text}", NULL},
	{"process-continues", RS_WARNING, NULL, 0, 0, "{text}", NULL},
	{"executed", RS_WARNING, find_executed, 0, 0,
		"process {text} has executed another program, whose regions are not measured",
		"use regionstat attach {text} again if it still runs, or regionstat COMMAND, which "
		"also measures programs that COMMAND executes"},
	{"header-abi", RS_WARNING, NULL, 0, 0,
		"the program's markers are of another version: {text}",
		"compile it again with the regionstat.h of this regionstat"},
	{"runtime-abi", RS_WARNING, NULL, 0, 0,
		"the program has the runtime of another regionstat: {text}",
		"link or load this regionstat's library, or use the regionstat of the program's "
		"library"},
	{"no-runtime", RS_WARNING, NULL, 0, 0, "the program's regions are not measured: {text}",
		"build it for one of these"},
	{"no-ctypes", RS_WARNING, NULL, 0, 0, "the program's regions are not measured: {text}",
		"use a Python with ctypes; in subinterpreters, use 3.13 or later"},
	{"child-not-loaded", RS_WARNING, NULL, 0, 0, "a process is not measured: {text}",
		"attach earlier or later; children that are forked after that are measured"},
	{"thread-refused", RS_WARNING, NULL, 0, 0,
		"regions are not measured, or only in part: {text}",
		"raise that limit; while regionstat is attached, the program has two more threads"},
	{"runtime-not-loaded", RS_WARNING, find_not_loaded, 0, 0,
		"the program could not load the runtime that measures regions: {text}",
		"install libregionstat.so.1 beside this regionstat, without noexec, and at the "
		"same path in a chroot or container; limits such as ulimit -v must leave it room"},
	{"no-calls", RS_WARNING, find_no_regions, true, false,
		"the program has markers but {names}", "{text}"},
	{"no-calls", RS_WARNING, find_no_regions, true, true,
		"the program has markers but called none: --markers NAME measures what {text} "
		"(likwid, itt, nvtx, kokkos, openmp, papi, caliper, functions, roctx); a program "
		"compiled with <regionstat.h> is found without it{names}",
		NULL},
	{"no-markers", RS_WARNING, find_no_regions, false, true,
		"the program has no markers: --markers NAME measures what {text} (likwid, itt, "
		"nvtx, kokkos, openmp, papi, caliper, functions, roctx); a program compiled with "
		"<regionstat.h> is found without it; " CLEARED "{names}",
		NULL},
	{"no-markers", RS_WARNING, find_no_regions, false, false,
		"the program has no markers: only the run's totals",
		"use --markers NAME if it has markers of another API (for --functions compile with "
		"-finstrument-functions), or add #include <regionstat.h> and "
		"REGIONSTAT_SCOPE(\"name\"); a static program also needs REGIONSTAT_STATIC and "
		"libregionstat.a; set-user-ID and 32-bit programs cannot be measured; " CLEARED},
	{"time-only", RS_WARNING, find_time_only, 0, 0, "{n} thread{s} measured time only{text}",
		"raise ulimit -n and sysctl kernel.perf_event_mlock_kb"},
	{"inactive-groups", RS_WARNING, find_inactive, 0, 0,
		"{n} group{s} of events not counted: {event} did not count, although the kernel "
		"had opened it",
		"use -e with each event in a {group} of its own"},
	{"rows-mixed", RS_WARNING, find_mixed_rows, false, 0,
		"some rows add up the calls of several processes: the run was measured or "
		"merged without --per-process",
		"use --per-process when you run the program or merge its runs"},
	{"rows-mixed", RS_NOTE, find_mixed_rows, true, 0,
		"some rows add up the calls of several threads: the run was measured or merged "
		"without --per-thread",
		"use --per-thread when you run the program or merge its runs"},
	{"threads-unmeasured", RS_WARNING, find_unslotted, false, 0,
		"{n} thread{s} not measured: no memory, or more than 65,536 alive at once",
		"allow more memory (cgroup, ulimit -v or -d), use fewer threads at once, or permit "
		"mmap(2) in a seccomp filter"},
	{"threads-unmeasured", RS_WARNING, find_unslotted, true, 0,
		"{n} thread{s} not measured: no memory, or more than 65,536 with markers",
		"run without --per-thread and --per-process"},
	{"processes-unmeasured", RS_WARNING, find_unmeasured_processes, false, 0,
		"{n} time{s} that a process was not measured: no memory, or more than 16,384 alive "
		"at once",
		"mark fewer of the program's processes"},
	{"processes-unmeasured", RS_WARNING, find_unmeasured_processes, true, 0,
		"{n} time{s} that a process was not measured: no memory, or more than 16,384 with "
		"markers",
		"run without --per-thread and --per-process"},
	{"markers-in-handlers", RS_WARNING, find_process_count, RS_PROCESS_DIAG_HANDLER, 0,
		"{n} marker{s} skipped in signal handlers that had interrupted a marker; the calls "
		"that they would have begun or ended are missing",
		"mark outside of signal handlers"},
	{"shared-thread", RS_WARNING, find_process_count, RS_PROCESS_DIAG_SHARED, 0,
		"{n} marker{s} of two threads at once that share their thread-local memory: "
		"from then on neither is measured, and their values so far may be wrong",
		"create threads with pthread_create(), or with CLONE_SETTLS of clone()"},
	{"stopped-no-call", RS_WARNING, find_process_count, RS_PROCESS_DIAG_NO_CALL, 0,
		"{n} regionstat_stop(){s} of a value that no START returned, ignored",
		"look for memory that is not initialized, or overwritten"},
	{"too-deep", RS_WARNING, find_process_count, RS_PROCESS_DIAG_DEPTH, 0,
		"{n} call{s} skipped: more than 16,384 open at once on one thread",
		"mark fewer levels of nesting, and end every call"},
	{"read-failed", RS_WARNING, find_process_count, RS_PROCESS_DIAG_READ, 0,
		"{n} reading{s} of counters failed: from then on, the thread no longer counts "
		"those events",
		"close only descriptors that the program opened, or use -e time"},
	{"reopened", RS_WARNING, find_process_count, RS_PROCESS_DIAG_REOPENED, 0,
		"{n} group{s} of events lost the PMU to another user, so some calls were only "
		"partly counted",
		"end other programs that count events, such as perf stat -a"},
	{"pause-timeout", RS_WARNING, find_process_count, RS_PROCESS_DIAG_PAUSE_TIMEOUT, 0,
		"{n} pause{s} or resumes not answered in time; totals of the run may be wrong, "
		"values of regions are right",
		"use fewer pauses, or leave a CPU free for regionstat"},
	{"overhead-unknown", RS_WARNING, find_process_count, RS_PROCESS_DIAG_COST_UNKNOWN, 0,
		"{n} thread{s} could not calibrate the overhead, so their values include it: "
		"memory was refused, or an event was not counted",
		"allow more memory (cgroup, ulimit -v or -d), and permit mmap(2) and munmap(2) in "
		"a seccomp filter"},
	{"regions-full", RS_WARNING, find_regions_full, 0, 0,
		"{n} call{s} counted for '(other)', because the table of 4,095 regions was full",
		"use fewer different names; numbers in names make many regions"},
	{"memory-refused", RS_WARNING, find_segment_count, RS_SEGMENT_DIAG_MEMORY, 0,
		"memory for results was refused {n} time{s}: some regions, percentiles or off-CPU "
		"times lack calls",
		"allow more memory (cgroup, ulimit -v, overcommit), or use fewer threads, regions "
		"and events; the program may also have closed descriptors that it did not open, or "
		"have a seccomp filter that forbids mmap(2)"},
	{"labels-refused", RS_WARNING, find_segment_count, RS_SEGMENT_DIAG_LABELS, 0,
		"{n} time{s} that a process got no labels: another part of the program publishes "
		"an OpenTelemetry context, or the kernel refused memory for one",
		"turn off the profiling of the program's OpenTelemetry SDK"},
	{"damaged", RS_WARNING, find_damage, 0, 0,
		"{n} part{s} of the results are invalid and ignored: {text}",
		"find stray writes of the program with valgrind or -fsanitize=address"},
	{"processes-running", RS_WARNING, find_running, 0, 0,
		"{n} process{event} with markers still ran when {text}, and later calls are not "
		"counted: {names}",
		NULL},
	{"steal", RS_NOTE, find_steal, true, 0,
		"a hypervisor took {time} of CPU time from this machine during the run (steal "
		"time)",
		"use a host with less load"},
	{"steal", RS_DETAIL, find_steal, false, 0,
		"a hypervisor took {time} of CPU time from this machine during the run (steal "
		"time)",
		NULL},
	{"ranks", RS_DETAIL, find_ranks, 0, 0, "rank{s} of an MPI program: {names}", NULL},
	{0},
};
