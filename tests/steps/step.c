/* SPDX-License-Identifier: MIT */
/*
 * step VICTIM RUNTIME CASE STATES: run a case of victim.c one instruction at a time, in a segment
 * like the launcher's. step EMULATOR PLUGIN CASE STATES STRIDE STATIC_VICTIM: the same in QEMU's
 * user mode (plugin.c). There are no context switches, and counters are simulated (counters.c), but
 * a step takes less than a hundredth of the time.
 *
 * After every instruction that changed the segment, a collector must read the same as before, or
 * one whole call more (oracle.h). The launcher would read the same if the program had been killed
 * there. After all other instructions, it would read the same as before. STATES is the least number
 * of changes to check.
 *
 * In QEMU, signals then come before every instruction of an iteration, whose handler marks; with a
 * STRIDE above 4, before every fourth. Another handler jumps out, and another one forks. Their
 * signals come before each STRIDE-th instruction of the program that an iteration comes to (forks:
 * fewer), once. If STRIDE is "always", they come
 * each time that an instruction is run, and a handler that marks interrupts traced markers as well.
 * At the end the calls in the segment are compared with those that the program counted itself. With
 * STRIDE 0 no signals are sent.
 *
 * If STATIC_VICTIM is victim-swapped, succeed if there are failures: two stores are in the wrong
 * order there.
 *
 * Exit status: 0 for success, 1 for a failure, 77 if this machine cannot run the case.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/listener.h"
#include "oracle.h"
#include "segment/segment.h"
#include "steps.h"
#include "traced.h"

#define MOST_TOLD 10 /* Failures that are printed. */
/* Jumps per fork, which takes longer. If jumps come at few instructions, most of them fork. */
#define FORK_STRIDE(stride) ((stride) > 1 ? 2 : 8)
/* Instructions per signal whose handler marks. */
#define MARK_STRIDE(stride) ((stride) > 4 ? 4 : 1)
#define MOST_FORKS 80 /* Forks per segment: each child has its accumulators there. */
#define MOST_JUMPS 400 /* Jumps per segment: each makes the later ones slower. */
#define MOST_JUMPS_OF_THREADS 150 /* The same: QEMU leaks memory of each ended thread. */
#define MOST_STATES 10000 /* States per segment: for the same reason. */
#define LOOK_STRIDE 8 /* Signals per signal after which each state is checked. */
/* The same for the next iteration after a jump, if it starts a thread. */
#define THREAD_STRIDE 64
#define MOST_KILLS 12 /* Kills per segment: each leaves a thread slot that no thread takes over. */
/* After so many iterations in a row that end before a signal is due, no more signals are due. A
 * later iteration may be longer. */
#define SHORT_IN_A_ROW 8
/* Instructions between two signals of an iteration whose handler marks. The first signal of
 * each iteration comes one instruction later than that of the one before, or one stride. So after
 * this many instructions, there was a signal at each place. */
#define SIGNAL_DISTANCE 149
#define MORE_THAN_COUNTERS 9 /* Events, each in its own group: more than a PMU has counters. */
#define MOST_STEPS (UINT64_C(1) << 26) /* More steps than any program needs: the program hangs. */

static const struct scene {
	const char *name;
	uint32_t warm; /* Iterations before the first step. */
	uint32_t sample_calls;
	bool is_multiplexed;
	/* The program is killed, and a thread of another process takes over its thread slot. */
	bool is_killed;
	bool listens; /* The program needs answers to PAUSE. */
	bool has_threads; /* Each iteration starts a thread. */
	/* One of the stepped calls is a probe, so there are about 1,008 calls before it. */
	bool is_probe;
} scenes[] = {
	{.name = "leaf", .warm = 5},
	{.name = "probe", .warm = 500, .is_probe = true},
	{.name = "outer", .warm = 5},
	{.name = "recursion", .warm = 5},
	{.name = "probe-recursion", .warm = 5, .is_probe = true},
	{.name = "growth", .warm = 4},
	{.name = "next", .warm = 5},
	{.name = "skipped", .warm = 20, .sample_calls = 3},
	{.name = "multiplexed", .warm = 5, .is_multiplexed = true},
	{.name = "start-stop", .warm = 5},
	{.name = "work", .warm = 5},
	{.name = "adoption", .warm = 1, .has_threads = true},
	{.name = "takeover", .warm = 1, .is_killed = true},
	{.name = "pause", .warm = 2, .listens = true},
};

/* How a case is run: in one segment after the other, until enough states were seen. */
struct play {
	const char *name;
	const struct scene *scene;
	const char *victim;
	uint32_t n_events;
	uint32_t flags; /* Flags of the segment. */
	enum steps_handler handler;
	/* States to check. With a handler, the run ends when a signal was sent at all instructions
	 * instead. */
	uint64_t states;
	/* Addresses of instructions per signal. 0: before all that are run. If the handler marks:
	 * instructions of an iteration per signal. */
	uint64_t stride;
};

struct run {
	const struct play *play;
	struct rs_segment segment;
	uint32_t n_groups;
	struct rs_sweep sweep;
	struct rs_listener listener;
	struct rs_totals no_totals;
	const char *base; /* The mapped segment, for comparison with the shadow. */
	char *shadow;
	struct rs_run collections[2]; /* The collection before, and the latest one. */
	struct steps_truth *truth;
	int truth_fd;
	pid_t pid;
	/* All but the last are stopped where they started the next one. The last one runs. */
	pid_t threads[4];
	int n_threads;
	uint32_t n_looks; /* Iterations whose states are still to be checked. */
	/* The next signal is sent before this instruction of an iteration, or this number of
	 * strides. */
	uint64_t place;
	uint32_t n_short; /* Iterations in a row that ended before that instruction. */
	uint32_t n_kills;
	uint64_t n_steps, n_states, n_signals;
	uint64_t n_probes; /* Probes that changed the overhead of a region's markers. */
	uint64_t n_records; /* of the trace, while each instruction was looked at */
	struct oracle oracle;
};

static struct run run;
static uint64_t n_told;
static const char *emulator,
	*plugin; /* QEMU and plugin.c, or NULL: programs run on this machine. */
static int control = -1; /* The socket to the plugin. */

static void __attribute__((noreturn)) give_up(const char *what)
{
	printf("cannot %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- the segment ---- */

static const uint64_t software_events[] = {
	PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES};

static void make_segment(void)
{
	const struct play *play = run.play;
	bool is_hardware = play->scene->is_multiplexed;
	struct rs_segment_event events[RS_MAX_EVENTS];
	struct rs_err err = {.text = ""};
	char text[96];
	memset(events, 0, sizeof(events));
	for (uint32_t e = 0; e < play->n_events; e++) {
		struct perf_event_attr attr = {
			.type = is_hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
			.size = sizeof(attr),
			.config = is_hardware ? PERF_COUNT_HW_INSTRUCTIONS : software_events[e],
			.exclude_kernel = is_hardware,
			.exclude_hv = is_hardware,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
		};
		memcpy(events[e].attr, &attr, sizeof(attr));
		events[e].group = is_hardware ? e : 0;
	}
	run.n_groups = is_hardware ? play->n_events : play->n_events > 0;
	struct rs_segment_config config = {.clock = rs_clock_choose(),
		.flags = play->flags,
		.n_events = play->n_events,
		.n_groups = run.n_groups,
		.events = events,
		.sample_calls = play->scene->sample_calls};
	if (!rs_segment_init(&run.segment, &config, &err))
		give_up(err.text);
	rs_sweep_init(&run.sweep, &run.segment);
	if (play->scene->listens) {
		rs_listener_init(&run.listener, &run.segment, 0);
		if (!rs_listener_start(&run.listener, &run.no_totals, &err))
			give_up(err.text);
	}
	rs_segment_env(&run.segment, text);
	setenv(RS_SEGMENT_ENV, text, 1);
	run.base = mmap(
		NULL, RS_SEGMENT_BYTES, PROT_READ, MAP_SHARED | MAP_NORESERVE, run.segment.fd, 0);
	if (run.base == MAP_FAILED)
		give_up("map the segment");
	memset(run.truth, 0, offsetof(struct steps_truth, signal_stride));
	run.n_kills = 0;
	run.oracle.n_rec = 0;
	traced_forget();
}

static void end_segment(void)
{
	if (run.play->scene->listens)
		rs_listener_finish(&run.listener);
	munmap((void *)(uintptr_t)run.base, RS_SEGMENT_BYTES);
	rs_segment_finish(&run.segment);
	for (int i = 0; i < 2; i++) {
		rs_run_finish(&run.collections[i]);
		memset(&run.collections[i], 0, sizeof(run.collections[i]));
	}
}

/* Return true if the program has changed any part of the segment since the last call, and copy it
 * to the shadow. */
static bool has_changed(void)
{
	const struct rs_segment_header *header = run.segment.header;
	const struct rs_slot *slots = (const void *)(run.base + RS_SLOTS_OFFSET);
	/* The end of all memory that thread slots have taken. */
	uint64_t data_end = RS_DATA_OFFSET;
	for (uint32_t i = 0; i < header->n_slots; i++)
		data_end = slots[i].piece_end > data_end ? slots[i].piece_end : data_end;
	const uint64_t data_bytes = data_end - RS_DATA_OFFSET;
	const struct {
		uint64_t offset, bytes;
	} parts[] = {{0, sizeof(*header)}, {RS_SLOTS_OFFSET, header->n_slots * sizeof(*slots)},
		{RS_PROCESSES_OFFSET, header->n_processes * sizeof(struct rs_process)},
		{RS_REGIONS_OFFSET, header->n_regions * sizeof(struct rs_region)},
		{RS_DATA_OFFSET, data_bytes}};
	static size_t capacity;
	bool changed = false;
	char *shadow = run.shadow;
	if (capacity < data_bytes + 65536) {
		capacity = data_bytes + 65536;
		shadow = run.shadow = realloc(run.shadow, capacity);
		memset(shadow, 0, capacity);
	}
	/* The collector does not read which system call a marker is in. */
	const struct rs_process *processes = (const void *)(run.base + RS_PROCESSES_OFFSET);
	struct rs_process *copies = (void *)(shadow + parts[0].bytes + parts[1].bytes);
	for (uint32_t i = 0; i < header->n_processes; i++) {
		copies[i].in_call = processes[i].in_call;
		copies[i].child_in_call = processes[i].child_in_call;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); shadow += parts[i++].bytes)
		if (memcmp(shadow, run.base + parts[i].offset, parts[i].bytes)) {
			memcpy(shadow, run.base + parts[i].offset, parts[i].bytes);
			changed = true;
		}
	return changed;
}

/* ---- the oracle ---- */

/* Return the address of the next instruction of a stopped thread. */
static uint64_t place_of(pid_t tid)
{
	struct user_regs_struct registers = {0};
	struct iovec io = {&registers, sizeof(registers)};
	if (emulator)
		return run.truth->place;
	ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io);
#if defined(__x86_64__)
	return registers.rip;
#else
	return registers.pc;
#endif
}

/* Print that address as object and offset, for addr2line(1). */
static void print_place(void)
{
	uint64_t start, end, offset, place = run.pid ? place_of(run.threads[run.n_threads - 1]) : 0;
	char path[64], line[512], name[256];
	snprintf(path, sizeof(path), "/proc/%d/maps", run.pid);
	FILE *maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %255s", &start,
			    &end, &offset, name) == 4 &&
			place - start < end - start)
			printf("  before %s+%#" PRIx64 "\n", name, place - start + offset);
	if (maps)
		fclose(maps);
}

static void tell(const char *text)
{
	if (n_told++ >= MOST_TOLD)
		return;
	printf("FAILED %s, %s, instruction %" PRIu64 ": %s\n", run.play->scene->name,
		run.play->name, run.n_steps, text);
	print_place();
}

static void __attribute__((format(printf, 2, 3))) check(bool holds, const char *format, ...)
{
	char text[300];
	va_list arguments;
	if (holds)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	run.oracle.n_failures++;
	tell(text);
}

static struct rs_run *collect(void)
{
	struct rs_err err = {.text = ""};
	struct rs_run *latest = &run.collections[1];
	rs_run_finish(&run.collections[0]);
	run.collections[0] = *latest;
	memset(latest, 0, sizeof(*latest));
	uint64_t now = rs_clock_point_now(run.segment.header->clock).ticks;
	const struct rs_clock_point begin = {0}, end = {.ticks = now, .monotonic_ns = now};
	if (!rs_collect(
		    latest, run.segment.fd, run.play->n_events, run.n_groups, &begin, &end, &err))
		give_up(err.text);
	return latest;
}

/* Check the trace. After a signal or a kill, a call may have no record. */
static void look_at_trace(const struct rs_run *latest)
{
	const struct play *play = run.play;
	if (play->flags & RS_SEGMENT_TRACES)
		run.n_records += traced_look(run.base, latest, play->n_events,
			!play->handler && !play->scene->is_killed, tell);
}

/* Return the overhead of a measured call of the last region. It is up to 0.5 ns from that of the
 * segment, since the sum is a whole number of ns. */
static double pair_ns(const struct rs_run *collection)
{
	const struct rs_result *result = &collection->results[collection->n_results - 1];
	uint64_t calls = result->measured > 0 ? result->measured : 1;
	return (double)result->overhead.measured_ns / (double)calls;
}

static void look(void)
{
	if (!has_changed()) {
		look_at_trace(&run.collections[1]);
		return;
	}
	const struct rs_run *latest = collect();
	look_at_trace(latest);
	run.n_states++;
	if (latest->n_results && run.collections[0].n_results == latest->n_results)
		run.n_probes += fabs(pair_ns(latest) - pair_ns(&run.collections[0])) > 1;
	oracle_compare(&run.oracle, &run.collections[0], latest);
}

/* ---- the stepped program ---- */

static void start_victim(void)
{
	const struct play *play = run.play;
	char warm[16], handler[16], fd[16];
	const char *words[] = {emulator, "-singlestep", "-plugin", plugin, play->victim,
		play->scene->name, warm, handler, NULL};
	int status, sockets[2] = {-1, -1};
	snprintf(warm, sizeof(warm), "%u", play->scene->warm);
	snprintf(handler, sizeof(handler), "%d", play->handler);
	snprintf(fd, sizeof(fd), "%d", run.truth_fd);
	setenv(STEPS_TRUTH_ENV, fd, 1);
	run.truth->is_ready = 0;
	run.truth->n_steps = run.truth->n_groups = 0;
	if (emulator && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		give_up("make sockets");
	run.pid = fork();
	if (!run.pid) {
		fcntl(run.segment.fd, F_SETFD, 0);
		if (emulator) {
			/* QEMU needs memory for each page that the program maps. A larger segment
			 * would make each fork slow. */
			const struct rlimit limit = {UINT64_C(1) << 29, UINT64_C(1) << 29};
			setrlimit(RLIMIT_AS, &limit);
			/* Otherwise QEMU's threads reserve 150 MB of it. */
			setenv("MALLOC_ARENA_MAX", "1", 1);
			close(sockets[0]);
			snprintf(fd, sizeof(fd), "%d", sockets[1]);
			setenv(STEPS_CONTROL_ENV, fd, 1);
		} else {
			ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		}
		execvp(words[emulator ? 0 : 4], (char **)(uintptr_t)&words[emulator ? 0 : 4]);
		_exit(127);
	}
	run.threads[0] = run.oracle.pid = run.pid;
	run.n_threads = 1;
	if (emulator) {
		close(sockets[1]);
		close(control);
		control = sockets[0];
	} else if (waitpid(run.pid, &status, 0) != run.pid || !WIFSTOPPED(status) ||
		   ptrace(PTRACE_SETOPTIONS, run.pid, NULL,
			   PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE)) {
		give_up("trace the program");
	}
}

/* A thread has started another one. Continue with the new one until it ends. */
static void follow_thread(pid_t parent)
{
	unsigned long tid;
	int status;
	if (run.n_threads == 4 || ptrace(PTRACE_GETEVENTMSG, parent, NULL, &tid) ||
		waitpid((pid_t)tid, &status, __WALL) != (pid_t)tid)
		give_up("follow a thread");
	run.threads[run.n_threads++] = (pid_t)tid;
}

enum stop {
	STOP_TRAP,
	STOP_OTHER, /* A new thread, or the end of one. */
	STOP_ENDED, /* The program has ended. */
};

/* Run one instruction (PTRACE_SINGLESTEP), or up to the next stop (PTRACE_CONT). */
static enum stop go_on(enum __ptrace_request request)
{
	pid_t tid = run.threads[run.n_threads - 1];
	int status;
	if (ptrace(request, tid, NULL, NULL) && errno != ESRCH)
		give_up("step");
	if (waitpid(tid, &status, __WALL) != tid)
		give_up("wait for the program");
	if (status >> 8 == (SIGTRAP | PTRACE_EVENT_CLONE << 8)) {
		follow_thread(tid);
		return STOP_OTHER;
	}
	if (WIFSTOPPED(status)) {
		if (WSTOPSIG(status) == SIGTRAP)
			return STOP_TRAP;
		check(false, "signal %d", WSTOPSIG(status));
		kill(run.pid, SIGKILL);
		while (waitpid(-1, NULL, __WALL) > 0)
			;
	} else if (tid != run.pid) {
		run.n_threads--;
		return STOP_OTHER;
	} else {
		check(WIFEXITED(status) && !WEXITSTATUS(status), "ended with %#x", status);
	}
	run.pid = 0;
	return STOP_ENDED;
}

static bool go_on_to_trap(void)
{
	enum stop stop;
	while ((stop = go_on(PTRACE_CONT)) == STOP_OTHER)
		;
	return stop == STOP_TRAP;
}

static void run_to_end(void)
{
	while (go_on(PTRACE_CONT) != STOP_ENDED)
		;
}

/* Kill the program with all its threads, wherever they are. */
static void kill_victim(void)
{
	kill(run.pid, SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	run.n_kills++;
	run.pid = 0;
}

/* Several signals may come in the same iteration. */
static bool is_spread(void)
{
	return run.play->handler == STEPS_HANDLER_MARKS;
}

static bool had_all_signals(void)
{
	return run.n_short >= SHORT_IN_A_ROW ||
	       (is_spread() && run.place * run.play->stride >= SIGNAL_DISTANCE);
}

static void end_iteration(void)
{
	if (run.n_looks)
		run.n_looks--;
	else
		run.n_short++;
	if (run.play->handler && had_all_signals())
		run.truth->stop = 1;
}

static uint64_t next_place(void)
{
	const struct play *play = run.play;
	if (!play->handler || run.n_looks)
		return STEPS_NO_PLACE;
	if (is_spread())
		return run.place * play->stride;
	return play->stride ? STEPS_NEW_PLACE : run.place;
}

static bool is_followed_by_looks(void)
{
	return run.n_looks && run.place % LOOK_STRIDE == 0;
}

/* The plugin sends a signal before the next instruction. */
static void expect_signal(void)
{
	run.n_signals++;
	if (!run.n_looks)
		run.place++;
	run.n_short = 0;
	/* After a jump, the next iteration is checked as well. */
	const struct play *play = run.play;
	bool is_next = !play->scene->has_threads || run.place % THREAD_STRIDE == 0;
	run.n_looks = play->handler == STEPS_HANDLER_JUMPS && is_next ? 2 : 1;
	if (is_followed_by_looks()) {
		has_changed();
		collect();
	}
}

/* Return true if the program must be killed. Tell it to end if enough was seen. */
static bool is_to_be_killed(uint64_t last_state, uint64_t last_signal)
{
	const struct play *play = run.play;
	if (play->handler && !is_spread() && run.n_signals == last_signal)
		run.truth->stop = 1;
	bool is_last = run.n_states == last_state, is_killed = play->scene->is_killed;
	if (!play->handler && (run.n_states >= play->states || (is_last && !is_killed)))
		run.truth->stop = 1;
	return n_told > MOST_TOLD || (is_killed && is_last);
}

/* Step a program from its first step to its end, or until enough states were seen. */
static void step_victim(uint64_t last_state, uint64_t last_signal)
{
	uint64_t last_step = run.n_steps + MOST_STEPS;
	for (enum stop stop = STOP_TRAP; stop != STOP_ENDED;) {
		stop = go_on(PTRACE_SINGLESTEP);
		run.n_steps++;
		if (stop != STOP_ENDED)
			look();
		check(run.n_steps < last_step, "hangs");
		if (is_to_be_killed(last_state, last_signal) || run.n_steps == last_step) {
			kill_victim();
			return;
		}
		if (run.truth->stop && stop == STOP_TRAP && !run.play->scene->is_killed)
			run_to_end();
		if (!run.pid)
			return;
	}
}

/* Return when the plugin waits, or when the program has ended. */
static enum steps_event wait_for_plugin(void)
{
	char event;
	return read(control, &event, 1) == 1 ? (enum steps_event)event : STEPS_EVENT_NONE;
}

/* The same for a program in QEMU. */
static void step_emulated(uint64_t last_state, uint64_t last_signal)
{
	struct steps_truth *truth = run.truth;
	uint64_t n_steps_before = run.n_steps;
	enum steps_event event = STEPS_EVENT_READY;
	const bool has_handler = run.play->handler;
	int status;
	truth->signal_place = next_place();
	while (event != STEPS_EVENT_NONE) {
		truth->is_watched = !truth->stop && (!has_handler || is_followed_by_looks());
		if (write(control, "", 1) != 1)
			break;
		event = wait_for_plugin();
		run.n_steps = n_steps_before + truth->n_steps;
		if (event == STEPS_EVENT_STORED)
			look();
		if (event == STEPS_EVENT_SIGNAL) {
			expect_signal();
			truth->signal_place = is_spread() ? truth->signal_place + SIGNAL_DISTANCE
							  : STEPS_NO_PLACE;
		}
		if (event == STEPS_EVENT_ITERATED) {
			end_iteration();
			truth->signal_place = next_place();
		}
		if (is_to_be_killed(last_state, last_signal)) {
			kill_victim();
			return;
		}
	}
	waitpid(run.pid, &status, 0);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "ended with %#x", status);
	run.pid = 0;
}

/* ---- at the end ---- */

/* Return the calls of a region, measured and skipped. */
static uint64_t calls_of(const struct rs_run *collection, enum steps_region region)
{
	static const char *const names[] = STEPS_NAMES;
	uint64_t calls = 0;
	for (size_t i = 0; i < collection->n_results; i++) {
		const struct rs_result *cell = &collection->results[i];
		if (!strcmp(collection->regions[cell->region].name, names[region]))
			calls += cell->calls;
	}
	return calls;
}

/* The segment contains the calls that the program has counted. Exceptions are calls that a kill or
 * a jump interrupted, and markers that diagnostics count as skipped. */
static void check_truth(void)
{
	static const char *const names[] = STEPS_NAMES;
	const struct rs_run *collection = collect();
	bool jumps = run.play->handler == STEPS_HANDLER_JUMPS;
	uint64_t n_cut = jumps ? run.truth->n_handled : run.n_kills, n_skipped = 0;
	uint64_t n_expected_skips = 0;
	for (size_t i = 0; i < collection->n_processes; i++)
		n_skipped += collection->processes[i].diag[RS_PROCESS_DIAG_HANDLER];
	for (size_t i = 0; i < collection->n_results; i++) {
		const struct rs_result *cell = &collection->results[i];
		/* No call ends without its WORK, unless that marker was skipped. */
		check(cell->work_calls <= cell->calls &&
				(!cell->work_calls ||
					cell->calls <= cell->work_calls + n_skipped) &&
				cell->work_bytes == STEPS_WORK_BYTES * cell->work_calls &&
				cell->work_flops == STEPS_WORK_FLOPS * cell->work_calls,
			"%" PRIu64 " calls, work of %" PRIu64 ": %" PRIu64 " bytes, %" PRIu64
			" operations",
			cell->calls, cell->work_calls, cell->work_bytes, cell->work_flops);
	}
	for (enum steps_region r = 0; r < STEPS_N_REGIONS; r++) {
		uint64_t calls = calls_of(collection, r), ended = run.truth->ended[r];
		if (r == STEPS_HANDLER || r == STEPS_CHILD) {
			check(calls <= ended, "%s: %" PRIu64 " calls of %" PRIu64, names[r], calls,
				ended);
			n_expected_skips += 2 * (ended - calls); /* Both markers of each call. */
			continue;
		}
		check(calls <= ended + n_cut && calls + (jumps ? n_skipped : 0) >= ended,
			"%s: %" PRIu64 " calls, the program counted %" PRIu64, names[r], calls,
			ended);
		check(r != STEPS_AFTER || calls == ended, "after: %" PRIu64 " calls", calls);
	}
	/* While counting is paused, markers do nothing. */
	check(jumps || run.play->scene->listens || n_skipped == n_expected_skips,
		"%" PRIu64 " markers skipped, expected %" PRIu64, n_skipped, n_expected_skips);
}

/* Run one segment, from its first program to its last. */
static void play_round(void)
{
	const bool forks = run.play->handler == STEPS_HANDLER_FORKS;
	const uint64_t most_jumps = run.play->scene->has_threads ? MOST_JUMPS_OF_THREADS
								 : MOST_JUMPS;
	make_segment();
	do {
		start_victim();
		if (emulator ? wait_for_plugin() == STEPS_EVENT_NONE : !go_on_to_trap()) {
			check(false, "the program does not start");
			break;
		}
		/* The first thread has its slot. A later thread takes over the swept one. */
		if (run.n_kills)
			check(rs_sweep_run(&run.sweep), "the dead program is not found");
		has_changed();
		collect();
		(emulator ? step_emulated : step_victim)(
			run.n_states + (run.play->scene->is_killed ? 30 + run.n_kills * 37 % 400
								   : MOST_STATES),
			run.n_signals + (forks ? MOST_FORKS : most_jumps));
	} while (run.play->scene->is_killed && run.n_kills < MOST_KILLS &&
		 run.n_states < run.play->states && !n_told);
	if (run.pid)
		kill_victim();
	/* Each process adds one thread slot, of its first thread. All other threads share one
	 * more. */
	check(!run.n_kills || run.segment.header->n_slots <= run.n_kills + 1, "%u slots",
		run.segment.header->n_slots);
	check_truth();
	end_segment();
}

static bool is_over(void)
{
	if (n_told)
		return true;
	if (run.play->handler)
		return had_all_signals();
	return run.n_states >= run.play->states;
}

/* Run a case. Return false if it failed. */
static bool play(const struct play *play)
{
	struct steps_truth *truth = run.truth;
	int truth_fd = run.truth_fd;
	char *shadow = run.shadow;
	memset(&run, 0, sizeof(run));
	run.play = play;
	run.truth = truth;
	run.truth_fd = truth_fd;
	run.shadow = shadow;
	memset(truth, 0, sizeof(*truth));
	truth->signal_stride = play->stride;
	run.oracle = (struct oracle){.is_sampled = play->scene->sample_calls > 1,
		.rec_works = play->scene->has_threads || !strcmp(play->scene->name, "work"),
		.is_raw = play->flags & RS_SEGMENT_RAW,
		.adds_up = !play->handler && !play->scene->is_killed,
		.tell = tell};
	uint64_t n_rounds = 0;
	n_told = 0;
	for (; !is_over(); n_rounds++)
		play_round();
	printf("%s, %s: %" PRIu64 " states, %" PRIu64 " instructions, %" PRIu64 " calls, %" PRIu64
	       " signals, %" PRIu64 " segments: %" PRIu64 " failures\n",
		play->scene->name, play->name, run.n_states, run.n_steps, run.oracle.n_calls,
		run.n_signals, n_rounds, run.oracle.n_failures);
	fflush(stdout);
	check(!play->scene->is_multiplexed || play->handler || run.oracle.n_uncounted,
		"all events were on the PMU all the time");
	check(run.oracle.n_calls > 0, "no calls");
	check(!(play->flags & RS_SEGMENT_TRACES) || play->handler || play->scene->is_killed ||
			run.n_records > 0,
		"no records of calls");
	/* There are no probes if markers measure themselves, or if each step is a context
	 * switch. */
	check(!play->scene->is_probe || play->handler || play->n_events ||
			play->flags & RS_SEGMENT_WATCHES || run.n_probes,
		"no probe");
	return n_told == 0;
}

static bool counts_instructions(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	return fd >= 0 && !close(fd);
}

/* Run tracer and program on one CPU: a step then takes half the time. */
static void stay_here(void)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET((unsigned)sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	const struct scene *scene = NULL;
	for (size_t i = 0; argc > 4 && i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (!strcmp(argv[3], scenes[i].name))
			scene = &scenes[i];
	if (!scene || (argc != 5 && argc != 7))
		return printf("usage: step VICTIM RUNTIME CASE STATES\n"
			      "       step EMULATOR PLUGIN CASE STATES STRIDE STATIC_VICTIM\n"),
		       2;
	if (argc == 7) {
		emulator = argv[1];
		plugin = argv[2];
	} else if (scene->is_multiplexed && !counts_instructions()) {
		return printf("no hardware counters here: nothing is multiplexed\n"), 77;
	}
	const char *victim = argv[emulator ? 6 : 1];
	const bool is_swapped = strstr(victim, "victim-swapped");
	const uint64_t states = strtoull(argv[4], NULL, 10);
	const bool is_always = emulator && !strcmp(argv[5], "always");
	const uint64_t stride = emulator ? strtoull(argv[5], NULL, 10) : 0;
	const uint32_t n = scene->is_multiplexed ? MORE_THAN_COUNTERS : 0;
	/* With RAW no overhead is subtracted, so that sums are exact. There are no probes then. */
	const uint32_t flags = scene->is_probe ? 0 : RS_SEGMENT_RAW;
	/* If each step is a context switch, there are 500 steps between two states. */
	const struct play native[] = {
		{"events", scene, victim, n ? n : 2, RS_SEGMENT_RAW, 0, states, 0},
		{"switched out", scene, victim, n, flags | RS_SEGMENT_WATCHES, 0, states / 2, 0},
	};
	const struct play emulated[] = {
		{"time", scene, victim, n, flags, 0, states / 5 * 3, 0},
		{"traced", scene, victim, n, flags | RS_SEGMENT_TRACES, 0, states / 5, 0},
		{"events", scene, victim, n ? n : 2, RS_SEGMENT_RAW, 0, states / 10, 0},
		{"traced events", scene, victim, n ? n : 2, RS_SEGMENT_RAW | RS_SEGMENT_TRACES, 0,
			states / 10, 0},
		{"marks", scene, victim, n, flags, STEPS_HANDLER_MARKS, 0, MARK_STRIDE(stride)},
		{"jumps", scene, victim, n, flags, STEPS_HANDLER_JUMPS, 0, stride},
		{"forks", scene, victim, n, flags, STEPS_HANDLER_FORKS, 0,
			stride * FORK_STRIDE(stride)},
		{"traced marks", scene, victim, n, flags | RS_SEGMENT_TRACES, STEPS_HANDLER_MARKS,
			0, MARK_STRIDE(stride)},
	};
	const struct play *plays = emulator ? emulated : native;
	const size_t n_emulated = sizeof(emulated) / sizeof(emulated[0]) - !is_always;
	const size_t n_plays = emulator ? n_emulated : sizeof(native) / sizeof(native[0]);
	/* Each collection needs the same memory, so keep it. */
	mallopt(M_TRIM_THRESHOLD, 1 << 28);
	mallopt(M_MMAP_THRESHOLD, 1 << 28);
	mallopt(M_TOP_PAD, 1 << 24);
	stay_here();
	setenv(RS_RUNTIME_ENV, argv[2], 1);
	run.truth_fd = memfd_create("truth", 0);
	if (run.truth_fd < 0 || ftruncate(run.truth_fd, sizeof(*run.truth)))
		give_up("make the truth");
	run.truth = mmap(
		NULL, sizeof(*run.truth), PROT_READ | PROT_WRITE, MAP_SHARED, run.truth_fd, 0);
	if (run.truth == MAP_FAILED)
		give_up("make the truth");
	bool is_good = true;
	for (size_t i = 0; i < (is_swapped ? 1 : n_plays); i++)
		if (!plays[i].handler || ((stride || is_always) && !scene->is_killed))
			is_good &= play(&plays[i]);
	return is_good == is_swapped;
}
