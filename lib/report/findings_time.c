/* SPDX-License-Identifier: MIT */
/*
 * This file makes the findings about where the time goes: on-CPU time, waiting, rare long calls,
 * and threads. A finding reports a difference only if it is larger than its error.
 */
#include "report/finder.h"
#include "report/format.h"
#include "segment/adapters.h"

#define LEAST_CPU 0.005
#define LEAST_BLOCKED 0.02
#define LEAST_PREEMPTED 0.03
/* While a CPU limit stops a CPU, the kernel counts this time only once, however many threads wait
 * for the CPU. With short periods, Linux 6.18 counts less than half of it. Therefore the limit is
 * the reason if throttled time is more than this small part of the preempted time. */
#define LEAST_THROTTLED 0.1
#define LEAST_TAIL_CALLS 100u
#define LEAST_TAIL_SHARE 0.01 /* self time of the region as a share of all threads' time */
#define LEAST_TAIL 0.3 /* least time of the long calls, as a share of the region's time */
#define LEAST_IPC_CYCLES 0.02
#define MOST_IPC 0.5 /* a region has low IPC if it is below this fraction of the run's IPC */
#define LEAST_THREAD 1.15 /* a finding reports a thread above this multiple of the average */
#define LEAST_THREAD_OF_RUN 0.01
#define LEAST_UNMARKED 0.2
#define LEAST_UNMARKED_CPU_NS 100e6 /* the start of a program is no finding */
/* A finding reports imbalance if a thread has at least 1.25 times the average time of a region. The
 * excess must also be at least 5% of the elapsed time. */
#define LEAST_IMBALANCE 1.25
#define LEAST_IMBALANCE_OF_RUN 0.05
/* A finding reports a sampled total if its error is at least 20% of the total and 1% of the elapsed
 * time. The longest measured call must also be at least 10 times p90. Otherwise the user could
 * reduce the error by measuring more calls. */
#define LEAST_RARE_ERROR 0.2
#define LEAST_RARE_OF_RUN 0.01
#define LEAST_RARE_RATIO 10
#define LISTED 3u

/* ---- regions sorted by a time ---- */

struct place {
	const struct rs_summary_region *region;
	double value;
};

/* Return an array of regions with calls and a self value above 0, largest first, without
 * asynchronous regions. It is allocated from the arena. Set n to its length. */
static struct place *most_of(struct rs_finder *finder, enum rs_event_index event, size_t *n)
{
	const struct rs_summary *summary = finder->summary;
	size_t n_regions = summary->n_merged;
	struct place *places = rs_arena_array(finder->arena, n_regions, sizeof(*places));
	size_t *order = rs_arena_array(finder->arena, n_regions, sizeof(*order));
	rs_sort_make(order, summary->merged, n_regions, event,
		RS_SORT_STATISTIC + RS_STATISTIC_SELF, finder->arena);
	*n = 0;
	for (size_t i = 0; i < n_regions; i++) {
		const struct rs_summary_region *region = &summary->merged[order[i]];
		double self = rs_region_self(region, event);
		if (!region->is_apart && region->calls > 0 && self > 0)
			places[(*n)++] = (struct place){region, self};
	}
	return places;
}

/* ---- on-CPU time ---- */

/* Return two standard errors of a region's on-CPU self time, as a share of all threads' time. */
static double cpu_error(const struct rs_finder *finder, const struct place *place)
{
	return rs_finder_share(
		finder, rs_value_self_error(&place->region->values[RS_EVENT_CPU_TIME]));
}

static struct rs_names list_shares(
	struct rs_finder *finder, const struct place *places, size_t n, bool has_errors)
{
	struct rs_names names = {0};
	for (size_t i = 0; i < n; i++) {
		double error = has_errors ? cpu_error(finder, &places[i]) : 0;
		const char *share = rs_finder_percent(
			finder, rs_finder_share(finder, places[i].value));
		rs_names_add_plain(&names, finder, places[i].region->name,
			error > 0 ? rs_text(finder, "%s \xc2\xb1%.1f", share, 100 * error) : share);
	}
	return names;
}

static size_t listed(
	const struct rs_finder *finder, const struct place *places, size_t n, double least)
{
	size_t k = 0;
	while (k < n && k < LISTED && rs_finder_share(finder, places[k].value) >= least)
		k++;
	return k;
}

enum cpu { CPU_CLEAR, CPU_CLOSE };

/* Report the regions with the most on-CPU time. Or report that the first one and another differ by
 * less than their error. arg: enum cpu. */
static void find_cpu(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	size_t n, k;
	struct place *places = most_of(finder, RS_EVENT_CPU_TIME, &n);
	k = listed(finder, places, n, LEAST_CPU);
	if (k < 2)
		return;
	size_t i = 1;
	double error = cpu_error(finder, &places[0]);
	while (i < n && rs_finder_share(finder, places[0].value - places[i].value) >
				hypot(error, cpu_error(finder, &places[i])))
		i++;
	enum cpu cpu = i == n ? CPU_CLEAR : CPU_CLOSE;
	if (i < n)
		places[1] = places[i];
	const struct rs_names names = list_shares(
		finder, places, cpu == CPU_CLEAR ? k : 2, cpu == CPU_CLOSE);
	if (cpu == kind->arg)
		rs_finder_add(finder, kind, RS_FOUND(.list = &names));
}

/* Return the reason why on-CPU time is unknown, or the possible reasons if the counts do not show
 * it. */
static const char *why_unknown(const struct rs_finder *finder)
{
	return finder->how->no_cpu_time ? "--no-cpu-time was given"
	       : finder->counts->process_diag[RS_PROCESS_DIAG_UNWATCHED] > 0
		       ? "the program uses rseq itself, has it switched off "
			 "(glibc.pthread.rseq=0), or forbids clock_gettime(2) or getrusage(2)"
		       : "no rseq (emulator, valgrind, strace), or calls ended on another thread";
}

/* Report the regions with the most time if on-CPU time is unknown for all regions. */
static void find_cpu_unknown(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary *summary = finder->summary;
	size_t n;
	for (size_t i = 0; i < summary->n_merged; i++)
		if (rs_value_has_total(&summary->merged[i].values[RS_EVENT_CPU_TIME]))
			return;
	struct place *places = most_of(finder, RS_EVENT_TIME, &n);
	const struct rs_names names = list_shares(finder, places, n < LISTED ? n : LISTED, false);
	if (n > 1)
		rs_finder_add(finder, kind, RS_FOUND(.list = &names, .text = why_unknown(finder)));
}

static void find_unknown_regions(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	struct rs_names names = {0};
	for (size_t i = 0; i < finder->summary->n_merged; i++) {
		const struct rs_summary_region *region = &finder->summary->merged[i];
		if (!rs_value_has_total(&region->values[RS_EVENT_CPU_TIME]) && region->calls > 0)
			rs_names_add(&names, finder, region->name, 0);
	}
	rs_finder_add(finder, kind, RS_FOUND(.list = &names, .text = why_unknown(finder)));
}

/* ---- waiting ---- */

static void find_blocked(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	size_t n;
	struct place *places = most_of(finder, RS_EVENT_BLOCKED, &n);
	size_t k = listed(finder, places, n, LEAST_BLOCKED);
	const struct rs_names names = list_shares(finder, places, k, false);
	rs_finder_add(finder, kind, RS_FOUND(.list = &names));
}

static bool is_throttled(const struct rs_finder *finder)
{
	double preempted_ns = (double)finder->summary->whole.off_ns[RS_OFF_PREEMPTED];
	return (double)finder->outcome->throttled_ns > LEAST_THROTTLED * preempted_ns;
}

/* Return a text that says why threads were preempted: a CPU limit, on average more threads than
 * CPUs, or how much of the CPUs the program used. If these numbers are unknown, the text only says
 * that threads had no CPU. */
static const char *why_preempted(struct rs_finder *finder)
{
	if (is_throttled(finder))
		return "a cgroup of the program reached its CPU limit";
	const struct rs_summary *summary = finder->summary;
	uint32_t cpus = finder->run->machine.cpus;
	const char *s = cpus == 1 ? "" : "s";
	double elapsed_ns = (double)summary->elapsed_ns;
	double used = (double)(summary->user_ns + summary->system_ns) / elapsed_ns;
	double wanted = used + (double)summary->whole.off_ns[RS_OFF_PREEMPTED] / elapsed_ns;
	if (cpus == 0 || summary->elapsed_ns == 0 || rs_run_n_merged(finder->run) > 1)
		return "threads could run but had no CPU";
	if (wanted > cpus)
		return rs_text(finder, "on average %.1f threads on %u CPU%s", wanted, cpus, s);
	return rs_text(finder, "the program used %.2f of %u CPU%s", used, cpus, s);
}

static void find_preempted(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary_whole *whole = &finder->summary->whole;
	double share = rs_finder_share(finder, (double)whole->off_ns[RS_OFF_PREEMPTED]);
	size_t n;
	struct place *places = most_of(finder, RS_EVENT_PREEMPTED, &n);
	const struct rs_summary_region *most = n > 0 ? places[0].region : NULL;
	if (most && rs_region_self(most, RS_EVENT_PREEMPTED) <
			    (double)whole->unmarked_off_ns[RS_OFF_PREEMPTED])
		most = NULL;
	if (share < LEAST_PREEMPTED)
		return;
	rs_finder_add(finder, kind,
		RS_FOUND(.number = share * 100, .event = rs_finder_percent(finder, share),
			.names = most ? rs_arena_name(finder->arena, most->name) : "no region",
			.region = most ? most->name : NULL, .text = why_preempted(finder),
			.remedy = is_throttled(finder)
					  ? "raise cpu.max of the cgroup, or use fewer threads"
					  : NULL));
}

/* ---- few long calls ---- */

static bool has_children(const struct rs_summary *summary, const struct rs_summary_region *region)
{
	for (size_t i = 0; i < summary->n_merged; i++)
		if (summary->merged[i].parent_row == (size_t)(region - summary->merged))
			return true;
	return false;
}

/* With fewer long calls than FEW_CALLS, or a share of all calls below SMALL_SHARE, the text says
 * how many there are. Otherwise it says their share. */
#define FEW_CALLS 10
#define SMALL_SHARE 0.001

static const char *describe_tail(struct rs_finder *finder, const struct rs_summary_region *region)
{
	double share = region->long_calls.calls, n = round(share * (double)region->calls);
	if (n < FEW_CALLS || share < SMALL_SHARE)
		return rs_text(finder, "%s of its %s", rs_finder_count(finder, (uint64_t)n),
			rs_finder_count(finder, region->calls));
	return rs_text(finder, "%s of its", rs_finder_percent(finder, share));
}

static void find_tail(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary *summary = finder->summary;
	const struct rs_summary_region *found = NULL;
	double most = 0;
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_summary_region *region = &summary->merged[i];
		double time = region->long_calls.time * rs_region_total(region, RS_EVENT_TIME);
		double share = rs_finder_share(finder, rs_region_self(region, RS_EVENT_TIME));
		if (region->calls < LEAST_TAIL_CALLS || share < LEAST_TAIL_SHARE ||
			region->long_calls.time_of_part < LEAST_TAIL || time <= most ||
			region->bound_ns > 0 || has_children(summary, region) ||
			region->diag[RS_ACCUMULATOR_DIAG_RECURSIVE] > 0)
			continue;
		most = time;
		found = region;
	}
	/* Long calls on a CPU may have done more work than others. */
	bool has_work = found && found->work.calls > 0 && summary->n_works == 0 &&
			!found->long_calls.is_off_cpu;
	if (found && has_work == kind->arg)
		rs_finder_add(finder, kind,
			RS_FOUND(.number = found->long_calls.time * 100,
				.names = rs_arena_name(finder->arena, found->name),
				.event = describe_tail(finder, found),
				.time_ns = (double)found->long_calls.bound_ns,
				.share = found->long_calls.time,
				.text = found->long_calls.is_off_cpu ? ", off-CPU" : "",
				.region = found->name));
}

static void find_rare_calls(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary *summary = finder->summary;
	double least_ns = LEAST_RARE_OF_RUN * (double)summary->elapsed_ns;
	struct rs_names names = {0};
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_summary_region *region = &summary->merged[i];
		/* Sampling does not affect off-CPU time. So look for long calls in on-CPU time, if
		 * it is known. */
		enum rs_event_index of = rs_value_has_total(&region->values[RS_EVENT_CPU_TIME])
						 ? RS_EVENT_CPU_TIME
						 : RS_EVENT_TIME;
		const struct rs_value *value = &region->values[of],
				      *time = &region->values[RS_EVENT_TIME];
		double least = LEAST_RARE_ERROR * rs_region_total(region, RS_EVENT_TIME);
		/* The error of the time in markers says nothing about long calls. */
		double error = rs_value_has_error(time) ? 2 * sqrt(time->variance) : 0;
		if (error <= 0 || !rs_value_has_quantiles(value) || error < fmax(least, least_ns) ||
			value->max / LEAST_RARE_RATIO < rs_value_quantile(value, RS_P90))
			continue;
		rs_names_add_plain(&names, finder, region->name,
			rs_text(finder, "\xc2\xb1%s", rs_cell_error(time).text));
	}
	rs_finder_add(finder, kind, RS_FOUND(.list = &names));
}

/* ---- instructions per cycle ---- */

static size_t find_cycles(const struct rs_summary *summary)
{
	for (size_t c = RS_EVENT_FIRST; c < summary->n_columns; c++)
		if (!strcmp(summary->columns[c].name, "cycles") && !summary->columns[c].is_part)
			return c;
	return 0;
}

static void find_low_ipc(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary *summary = finder->summary;
	double run = rs_region_ipc(&summary->total);
	size_t cycles = run > 0 ? find_cycles(summary) : 0, n;
	struct rs_names names = {0};
	if (cycles == 0)
		return;
	struct place *places = most_of(finder, RS_EVENT_CPU_TIME, &n);
	double least = LEAST_IPC_CYCLES * (double)summary->total.values[cycles].total;
	for (size_t i = 0; i < n && names.n < LISTED; i++) {
		const struct rs_summary_region *region = places[i].region;
		double ipc = rs_region_ipc(region);
		if (!(ipc > 0) || ipc >= MOST_IPC * run ||
			(double)rs_value_self(&region->values[cycles]) < least ||
			rs_region_self(region, RS_EVENT_BLOCKED) >=
				rs_region_self(region, RS_EVENT_TIME) / 2)
			continue;
		rs_names_add_plain(&names, finder, region->name, rs_text(finder, "%.2f", ipc));
	}
	rs_finder_add(finder, kind, RS_FOUND(.list = &names, .text = rs_text(finder, "%.2f", run)));
}

/* ---- threads ---- */

static void find_threads(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_balance *cpu = &finder->counts->cpu;
	double least = LEAST_THREAD_OF_RUN * (double)finder->summary->elapsed_ns;
	if (!cpu->is_known || cpu->n_threads < 2 || cpu->most <= LEAST_THREAD * cpu->average ||
		cpu->most - cpu->average < least || !(cpu->most - cpu->average > cpu->error))
		return;
	rs_finder_add(finder, kind,
		RS_FOUND(.number = cpu->most / cpu->average,
			.names = rs_text(finder, "%u", cpu->tid),
			.text = rs_text(finder, "%.2f", cpu->most / cpu->average),
			.event = rs_text(finder, "%llu threads that are busiest in %s",
				(unsigned long long)cpu->n_threads,
				rs_arena_name(finder->arena,
					finder->run->regions[finder->counts->cpu_region].name)),
			/* the report already shows the threads */
			.remedy = finder->summary->n_threads > 0 ? "divide the work more evenly"
								 : NULL));
}

static void find_imbalance(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	double least = LEAST_IMBALANCE_OF_RUN * (double)finder->summary->elapsed_ns, most = 0;
	size_t n = 0, found = 0;
	for (size_t i = 0; i < finder->run->n_regions; i++) {
		const struct rs_balance *self = &finder->counts->regions[i].self;
		double excess = self->most - self->average;
		if (!self->is_known || self->n_threads < 2 || excess < least ||
			self->most < LEAST_IMBALANCE * self->average || !(excess > self->error))
			continue;
		n++;
		if (excess <= most)
			continue;
		most = excess;
		found = i;
	}
	if (n == 0)
		return;
	const struct rs_balance *self = &finder->counts->regions[found].self;
	const char *name = finder->run->regions[found].name;
	rs_finder_add(finder, kind,
		RS_FOUND(.n = n, .region = name, .names = rs_arena_name(finder->arena, name),
			.time_ns = self->most, .event = rs_text(finder, "%u", self->tid),
			.text = rs_text(finder, "average of %llu threads %s",
				(unsigned long long)self->n_threads,
				rs_finder_time(finder, self->average)),
			.remedy = finder->summary->n_threads > 0 ? "divide the work more evenly"
								 : NULL));
}

static void find_unmarked(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary_whole *whole = &finder->summary->whole;
	double share = rs_finder_share(finder, (double)whole->unmarked_ns);
	int off = RS_OFF_N; /* why the threads did not run for most of this time */
	for (int k = 0; k < RS_OFF_N; k++)
		if (whole->unmarked_off_ns[k] > whole->unmarked_ns / 2)
			off = k;
	/* asynchronous calls belong to no thread, so they are not in the threads' time in
	 * regions */
	bool nests = finder->summary->n_merged == 0, has_apart = false;
	for (size_t i = 0; i < finder->summary->n_merged; i++) {
		nests |= !finder->summary->merged[i].is_apart;
		has_apart |= finder->summary->merged[i].is_apart;
	}
	/* with --only, most of this time is in regions that the user excluded */
	if (nests && finder->how->n_only == 0 && share >= LEAST_UNMARKED && off == (int)kind->arg)
		rs_finder_add(finder, kind,
			RS_FOUND(.number = share * 100, .share = share,
				.text = has_apart ? " (not counting asynchronous calls)" : "",
				/* most of it is on threads with calls that had not ended */
				.remedy = finder->counts->unended_ns > whole->unmarked_ns / 2
						  ? "part of it may be in calls that had not ended"
					  : off != RS_OFF_N ? NULL
					  : rs_finder_has_python(finder->run)
						  ? "mark more, or use regionstat.profile()"
					  : rs_finder_has_adapter(
						    finder, rs_adapter_word(RS_ADAPTER_FUNCTIONS))
						  ? "mark more, instrument more functions, or "
						    "choose more with --functions"
					  : rs_finder_has_skipped(finder)
						  ? "mark more, or measure more calls: rare long "
						    "ones may have been skipped"
						  : NULL));
}

/* Report CPU time that is outside the lifetimes of threads, so that no row of the table has it. */
static void find_unmarked_cpu(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary *summary = finder->summary;
	const struct rs_summary_whole *whole = &summary->whole;
	double cpu_ns = (double)summary->user_ns + (double)summary->system_ns;
	double rest_ns = cpu_ns - (double)whole->cpu_ns - (double)summary->overhead_setup_ns;
	const struct rs_run *run = finder->run;
	/* the user excluded the rest, or another finding says why it is not measured */
	if (finder->how->delay_ms != 0 || finder->how->n_only > 0 || run->load_error[0] ||
		run->diag[RS_SEGMENT_DIAG_SLOTS] > 0 || run->diag[RS_SEGMENT_DIAG_PROCESSES] > 0 ||
		finder->counts->process_diag[RS_PROCESS_DIAG_UNSLOTTED] > 0 ||
		finder->outcome->executed)
		return;
	if (whole->has_cpu && whole->cpu_ns > 0 && rest_ns >= LEAST_UNMARKED_CPU_NS &&
		rest_ns >= LEAST_UNMARKED * cpu_ns)
		rs_finder_add(finder, kind,
			RS_FOUND(.number = rest_ns / cpu_ns * 100, .share = rest_ns / cpu_ns,
				.remedy = finder->how->attached
						  ? "mark this work too; attach does not measure "
						    "programs that children execute"
						  : NULL));
}

const struct rs_finding_kind rs_findings_time[] = {
	{"cpu", RS_NOTE, find_cpu, CPU_CLEAR, 0, "most CPU time: {names} of the threads' time",
		NULL},
	{"cpu", RS_NOTE, find_cpu, CPU_CLOSE, 0,
		"most CPU time: {names} of the threads' time (too close to tell which)", NULL},
	{"cpu", RS_NOTE, find_cpu_unknown, 0, 0,
		"most time: {names}; on-CPU time is unknown: {text}", NULL},
	{"blocked", RS_NOTE, find_blocked, 0, 0, "blocked (sleep, lock, I/O): {names}",
		"perf trace -s names the system calls"},
	{"preempted", RS_NOTE, find_preempted, 0, 0, "preempted {event}, most in {names}: {text}",
		NULL},
	{"tail", RS_NOTE, find_tail, false, 0,
		"{names}: {share} of its time is in {event} calls (over {time}){text}", NULL},
	{"tail", RS_NOTE, find_tail, true, 0,
		"{names}: {share} of its time is in {event} calls (over {time})",
		"--by-work shows calls with different work in separate rows"},
	{"low-ipc", RS_NOTE, find_low_ipc, 0, 0, "few instructions per cycle: {names}, run {text}",
		"count LLC-misses and dTLB-load-misses"},
	{"threads", RS_NOTE, find_threads, 0, 0,
		"thread {names} has {text} times the CPU time of the average of {event}",
		"--per-thread shows all"},
	{"unmarked", RS_NOTE, find_unmarked, RS_OFF_N, 0,
		"{share} of the threads' time is in no region{text}",
		"mark more, or build with -finstrument-functions; plugins also need --markers "
		"functions"},
	{"unmarked", RS_NOTE, find_unmarked, RS_OFF_BLOCKED, 0,
		"{share} of the threads' time is in no region{text}, most of it blocked",
		"perf trace -s names the system calls"},
	{"unmarked", RS_NOTE, find_unmarked, RS_OFF_PREEMPTED, 0,
		"{share} of the threads' time is in no region{text}, most of it preempted", NULL},
	{"unmarked-cpu", RS_NOTE, find_unmarked_cpu, 0, 0,
		"{share} of the CPU time is in processes and threads without markers, before a "
		"thread's first marker, or in pauses",
		"mark this work too"},
	{"imbalance", RS_NOTE, find_imbalance, 0, 0,
		"{names}: thread {event} has {time} of it, the {text}, without preempted time",
		"divide the work more evenly; --per-thread shows each"},
	{"rare-calls", RS_NOTE, find_rare_calls, 0, 0,
		"a few long calls make up much of the total, and sampling may have missed others: "
		"{names}",
		"use --sample REGION:N with a smaller N, or no sampling"},
	{"cpu-time-unknown", RS_DETAIL, find_unknown_regions, 0, 0,
		"on-CPU time is unknown: {names}; {text}", NULL},
	{0},
};
