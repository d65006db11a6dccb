/* SPDX-License-Identifier: MIT */
/*
 * Context switches of a thread, see switches.h. The C library has registered an rseq area for every
 * thread, or the runtime registers its own. If the program itself uses the area, or if the area's
 * user is unknown, the runtime does not use it. From then on the off-CPU time of the thread's calls
 * is unknown, and their accumulators say so.
 *
 * A look asks the kernel for the thread's CPU time (CLOCK_THREAD_CPUTIME_ID) and its counts of
 * switches. Off-CPU time is the wall time since the previous look minus the CPU time since then.
 * Without a switch, off-CPU time is 0: only interrupts or a hypervisor took the CPU.
 *
 * Without a voluntary switch (getrusage(2)) all off-CPU time was preempted. After a voluntary
 * switch, /proc/thread-self/schedstat says how long the thread has waited for a CPU
 * (kernel/sched/stats.h, sched_info_arrive()). Reading this file takes as long as the rest of a
 * look. So a look reads it only after 1 ms of off-CPU time, in one interval or several. At first,
 * and after the thread has waited, it is read in each interval with at least 100 us of off-CPU
 * time. Off-CPU time after a voluntary switch counts as blocked until the file is read. If the
 * thread waited for a CPU in this time, that counts in the next blocked intervals. The file is
 * opened at a thread's first switch, because many threads end without one.
 */
#include "runtime/calls/switches.h"

#include <sys/resource.h>

#include "runtime/calls/frame.h"
#include "runtime/calls/off_cpu.h"

/* A look is tried at most this many times, if a switch happens during each. Under strace(1) or a
 * debugger that single-steps, each system call is a switch. So after a look that failed, the next
 * look is tried once. */
#define MOST_TRIES 3

/* Read schedstat after this off-CPU time since the previous read. The read takes 1 to 2 us. */
#define SELDOM_NS 1000000u
/* At first, and after the thread has waited for a CPU, schedstat is read in so many of the next
 * intervals with at least OFTEN_NS of off-CPU time. */
#define N_OFTEN 64
#define OFTEN_NS 100000u
/* Waiting for less than 1 / SMALL_SHARE of the off-CPU time does not matter. */
#define SMALL_SHARE 8

/* A thread may open schedstat this many times. It must be opened again if the program has closed
 * the descriptor. */
#define MOST_OPENED 4

/* Return the value that the watched word has until the thread is switched out. */
static uint64_t section_of(const struct rs_thread *thread)
{
	return (uintptr_t)&thread->section;
}

void rs_switches_close(struct rs_thread *thread)
{
	if (thread->switches.fd >= 0)
		rs_descriptor_close(thread->runtime, thread->switches.fd);
	if (thread->switches.prepared_fd >= 0)
		rs_descriptor_close(thread->runtime, thread->switches.prepared_fd);
	thread->switches = (struct rs_switches){.fd = -1, .prepared_fd = -1};
}

/* Detect forks only. */
static void watch_forks(struct rs_thread *thread)
{
	thread->watched = (volatile uint64_t *)(uintptr_t)thread->is_here;
	thread->expected = RS_HERE;
	rs_frames_expect(thread);
}

void rs_switches_init(struct rs_thread *thread)
{
	rs_rseq_describe(&thread->section, &thread->rseq.way_out);
	thread->switches.fd = thread->switches.prepared_fd = -1;
	rs_switches_forget(thread);
}

void rs_switches_forget(struct rs_thread *thread)
{
	watch_forks(thread);
	rs_switches_close(thread);
}

/* ---- the kernel's values ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t middle(uint64_t begin, uint64_t end)
{
	return begin + (end - begin) / 2;
}

/* The wall clock is read before and after the CPU time. If these readings are further apart than
 * this, an interrupt or a hypervisor came in between. The readings are then repeated. */
#define LONG_NS 8000u
static bool read_clocks(
	const struct rs_thread *thread, clockid_t cpu_clock, int most_tries, struct rs_look *look)
{
	bool is_long = true;
	for (int tries = 0; is_long && tries < most_tries; tries++) {
		uint64_t wall_ns = rs_clock_monotonic(), ticks = rs_ticks(thread->clock);
		look->cpu_ns = rs_clock_read(cpu_clock);
		look->ticks = middle(ticks, rs_ticks(thread->clock));
		uint64_t end_ns = rs_clock_monotonic();
		look->wall_ns = middle(wall_ns, end_ns);
		look->counting = rs_counting_at(thread->runtime, look->ticks);
		is_long = end_ns - wall_ns > LONG_NS;
	}
	return look->cpu_ns;
}

static bool read_usage(struct rs_thread *thread, struct rs_look *look)
{
	struct rusage *usage = (void *)thread->scratch.words;
	bool is_read = RS_SYS(getrusage, RUSAGE_THREAD, usage) == 0;
	look->voluntary = (uint64_t)usage->ru_nvcsw;
	look->involuntary = (uint64_t)usage->ru_nivcsw;
	return is_read;
}

/* Parse "CPU_NS DELAY_NS RUNS\n". Return false if the text has another form. */
static bool parse_schedstat(const char *text, long n, uint64_t *numbers)
{
	long i = 0;
	for (int k = 0; k < 3; k++, i++) {
		long begin = i;
		for (numbers[k] = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
			numbers[k] = numbers[k] * 10 + (uint64_t)(text[i] - '0');
		if (i == begin || i == n || text[i] != (k < 2 ? ' ' : '\n'))
			return false;
	}
	return true;
}

/* Read how long the thread has waited for a CPU in total. Return false if that is unknown. The
 * kernel updates the file's CPU time when the clock is read, and afterwards only at ticks. So this
 * time equals the clock's time or is a little later. If not, the descriptor now belongs to another
 * file. */
#define MOST_LATER_NS UINT64_C(1000000000)
static bool read_delay(struct rs_thread *thread, uint64_t cpu_ns, uint64_t *delay_ns)
{
	struct rs_switches *switches = &thread->switches;
	uint64_t numbers[3];
	char *text = thread->scratch.text;
	if (switches->fd < 0)
		return false;
	long n = RS_SYS(pread64, switches->fd, text, sizeof(thread->scratch.text), 0);
	if (n <= 0 || !parse_schedstat(text, n, numbers) || numbers[0] - cpu_ns > MOST_LATER_NS) {
		rs_descriptor_lose(thread->runtime);
		switches->fd = -1;
		return false;
	}
	*delay_ns = numbers[1];
	return true;
}

/* Return the off-CPU time between two looks. */
static uint64_t off_ns_of(const struct rs_look *before, const struct rs_look *now)
{
	uint64_t wall_ns = now->wall_ns - before->wall_ns, cpu_ns = now->cpu_ns - before->cpu_ns;
	return wall_ns >> 63 || cpu_ns >= wall_ns ? 0 : wall_ns - cpu_ns;
}

static bool needs_delay(const struct rs_switches *switches, const struct rs_look *now)
{
	uint64_t off_ns = off_ns_of(&switches->latest, now);
	return off_ns + switches->other_ns >= SELDOM_NS ||
	       (switches->n_often && off_ns >= OFTEN_NS);
}

/* Stop watching because the program uses the area itself, or a filter of system calls forbids the
 * readings. From now on, off-CPU time is unknown. */
static RS_COLD void give_up(struct rs_thread *thread)
{
	watch_forks(thread);
	atomic_store_explicit(&thread->part.slot->seen_ticks, 0, memory_order_relaxed);
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_UNWATCHED);
	for (uint32_t r = 0; r < RS_MAX_REGIONS; r++)
		if (thread->regions[r].weight)
			rs_accumulator_set_unwatched(thread->regions[r].accumulator);
}

/* Read the kernel's values. If they cannot be read, stop watching and return false. */
static bool take_look(struct rs_thread *thread, struct rs_look *look)
{
	bool is_read = true;
	int most_tries = thread->switches.latest.is_torn ? 1 : MOST_TRIES;
	look->is_torn = true;
	for (int tries = 0; look->is_torn && tries < most_tries; tries++) {
		/* Set the word before the readings. A switch during them then clears it again and
		 * is noticed. */
		*thread->watched = section_of(thread);
		atomic_signal_fence(memory_order_seq_cst);
		/* The CPU time comes last: a thread's first marker ends its overhead with it. */
		is_read = read_usage(thread, look) &&
			  read_clocks(thread, CLOCK_THREAD_CPUTIME_ID, most_tries, look);
		look->has_delay = needs_delay(&thread->switches, look) &&
				  read_delay(thread, look->cpu_ns, &look->delay_ns);
		atomic_signal_fence(memory_order_seq_cst);
		look->is_torn = *thread->watched != section_of(thread);
	}
	if (!is_read) {
		*thread->watched = 0;
		give_up(thread);
	}
	return is_read;
}

/* Copy the result of the latest look to the slot, from which the collector reads it. */
static void show_look(const struct rs_thread *thread)
{
	const struct rs_look *look = &thread->switches.latest;
	struct rs_slot *slot = thread->part.slot;
	atomic_store_explicit(&slot->seen_cpu_ns, look->cpu_ns, memory_order_relaxed);
	atomic_store_explicit(
		&slot->seen_voluntary, (uint32_t)look->voluntary, memory_order_relaxed);
	atomic_store_explicit(&slot->seen_ticks, look->ticks, memory_order_relaxed);
}

/* Begin an interval. Off-CPU time before this look is not counted. */
static void begin_interval(struct rs_thread *thread)
{
	if (take_look(thread, &thread->switches.latest))
		show_look(thread);
}

static int open_file(struct rs_thread *thread, const char *path)
{
	long fd = RS_SYS(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -1 : rs_descriptor_keep(thread->runtime, (int)fd);
}

void rs_switches_prepare(struct rs_thread *prepared, const char *path)
{
	prepared->switches.fd = -1;
	prepared->switches.prepared_fd = prepared->runtime->watches ? open_file(prepared, path)
								    : -1;
}

void rs_switches_take(struct rs_thread *thread, struct rs_thread *prepared)
{
	thread->switches.prepared_fd = prepared->switches.prepared_fd;
	prepared->switches.prepared_fd = -1;
}

static void open_schedstat(struct rs_thread *thread)
{
	struct rs_switches *switches = &thread->switches;
	if (switches->fd >= 0 || switches->n_opened == MOST_OPENED || !thread->runtime->has_room)
		return;
	switches->n_opened++;
	switches->fd = switches->prepared_fd >= 0
			       ? switches->prepared_fd
			       : open_file(thread, "/proc/thread-self/schedstat");
	switches->prepared_fd = -1;
	if (switches->fd < 0)
		return;
	read_delay(thread, switches->latest.cpu_ns, &switches->delay_ns);
	switches->n_often = N_OFTEN;
	switches->pending_ns = 0;
	switches->preempted_ns = switches->other_ns = 0;
}

/* Return the part of an interval's off-CPU time during which the thread waited for a CPU. schedstat
 * may show such a wait only after its interval. It then counts in the next intervals in which the
 * thread blocked, up to their off-CPU time. */
static uint64_t find_preempted(struct rs_thread *thread, const struct rs_look *now, uint64_t off_ns)
{
	struct rs_switches *switches = &thread->switches;
	bool has_blocked = now->voluntary != switches->latest.voluntary;
	if (now->has_delay) {
		uint64_t all_ns = off_ns + switches->other_ns;
		uint64_t waited_ns = now->delay_ns - switches->delay_ns;
		waited_ns -= least(switches->preempted_ns, waited_ns);
		waited_ns = least(waited_ns, all_ns);
		if (waited_ns >= all_ns / SMALL_SHARE)
			switches->n_often = N_OFTEN;
		else
			switches->n_often -= switches->n_often > 0;
		switches->pending_ns += has_blocked ? waited_ns
						    : waited_ns - least(waited_ns, off_ns);
		switches->delay_ns = now->delay_ns;
		switches->preempted_ns = switches->other_ns = 0;
	} else {
		*(has_blocked ? &switches->other_ns : &switches->preempted_ns) += off_ns;
	}
	if (!has_blocked)
		return off_ns;
	uint64_t preempted_ns = least(switches->pending_ns, off_ns);
	switches->pending_ns -= preempted_ns;
	return preempted_ns;
}

static bool is_switched(const struct rs_look *before, const struct rs_look *now)
{
	/* If a switch happens during a look, the clocks may include it while the counts do not. */
	return before->is_torn || now->is_torn || now->voluntary != before->voluntary ||
	       now->involuntary != before->involuntary;
}

/* Fill off[RS_OFF_N] with the off-CPU time between the latest look and this one, in ticks, and make
 * this look the latest. Return false if there was none. To convert ns to ticks, compare the
 * lengths of this interval on both clocks. So neither a long sleep nor much work adds an error. If
 * counting was paused for a part of the interval, off is reduced by the same part. */
static bool find_off(struct rs_thread *thread, const struct rs_look *now, uint64_t *off)
{
	struct rs_look *before = &thread->switches.latest;
	uint64_t wall_ns = now->wall_ns - before->wall_ns, ticks = now->ticks - before->ticks;
	/* A PAUSE can stop the counting clock a little before a look. */
	uint64_t counted = now->counting > before->counting
				   ? least(now->counting - before->counting, ticks)
				   : 0;
	uint64_t off_ns = is_switched(before, now) ? off_ns_of(before, now) : 0;
	bool is_any = off_ns && !(ticks >> 63);
	if (is_any) {
		uint64_t preempted_ns = find_preempted(thread, now, off_ns);
		uint64_t all = (uint64_t)((unsigned __int128)counted * off_ns / wall_ns);
		off[RS_OFF_PREEMPTED] =
			(uint64_t)((unsigned __int128)counted * preempted_ns / wall_ns);
		off[RS_OFF_BLOCKED] = all - off[RS_OFF_PREEMPTED];
		thread->switches.us_ticks = (uint64_t)((unsigned __int128)ticks * 1000 / wall_ns);
		thread->switches.may_be_in_marker = before->is_torn || now->is_torn ||
						    now->involuntary != before->involuntary;
	}
	*before = *now;
	return is_any;
}

/* ---- start and stop watching ---- */

/* Register the runtime's own area for the calling thread. Return NULL if the kernel has another
 * area for the thread. EBUSY: a forked child has inherited this area. */
static struct rs_rseq_area *register_own(struct rs_thread *thread)
{
	struct rs_rseq_area *area = &thread->rseq.own_area;
	long result = RS_SYS(rseq, area, sizeof(*area), 0, RS_RSEQ_SIGNATURE);
	thread->rseq.has_own_area = !result || result == -(long)EBUSY;
	return thread->rseq.has_own_area ? area : NULL;
}

/* Return true if the section in an area belongs to the runtime. In a forked child, it can be in the
 * thread's earlier memory. It can also be in memory that the thread has given up. */
static bool is_ours(struct rs_thread *thread, uint64_t section)
{
	struct rs_runtime *runtime = thread->runtime;
	uint64_t mask;
	bool is_one = section == section_of(thread) ||
		      (runtime->forked && section == section_of(runtime->forked));
	rs_lock(runtime, &mask);
	for (const struct rs_thread *t = runtime->live->attached; t && !is_one;
		t = t->life.next_attached)
		is_one = section == section_of(t);
	rs_unlock(runtime, &mask);
	return is_one;
}

void rs_switches_attach(struct rs_thread *thread)
{
	struct rs_rseq_area *area = NULL;
	if (!thread->runtime->watches)
		return;
	if (rs_rseq_is_libcs())
		area = rs_rseq_of_libc();
	else
		area = register_own(thread);
	volatile uint64_t *section = area ? &area->rseq_cs : NULL;
	if (!section || (*section && !is_ours(thread, *section))) {
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_UNWATCHED);
		return;
	}
	*section = section_of(thread);
	thread->watched = section;
	thread->expected = section_of(thread);
	rs_frames_expect(thread);
	begin_interval(thread);
}

void rs_switches_leave(struct rs_thread *thread)
{
	bool has_own = thread->rseq.has_own_area;
	struct rs_rseq_area *area = has_own		 ? &thread->rseq.own_area
				    : rs_rseq_is_libcs() ? rs_rseq_of_libc()
							 : NULL;
	volatile uint64_t *section = area ? &area->rseq_cs : NULL;
	if (section && *section == section_of(thread))
		*section = 0;
	if (has_own)
		RS_SYS(rseq, area, sizeof(*area), RS_RSEQ_UNREGISTER, RS_RSEQ_SIGNATURE);
	thread->rseq.has_own_area = false;
}

/* ---- looking for a switch ---- */

void rs_switches_look(struct rs_thread *thread, struct rs_frame *around)
{
	struct rs_switches *switches = &thread->switches;
	uint64_t section = *thread->watched;
	switches->is_booked = false;
	if (section == thread->expected || !rs_switches_are_watched(thread))
		return;
	if (section) {
		give_up(thread);
		return;
	}
	struct rs_look now;
	if (!take_look(thread, &now))
		return;
	switches->is_booked = find_off(thread, &now, switches->booked);
	show_look(thread);
	if (!switches->is_booked)
		return;
	open_schedstat(thread);
	if (around)
		rs_off_cpu_book(thread, around, switches->booked);
	else
		rs_off_cpu_book_slot(thread, switches->booked);
}

/* Return the clock of another thread's CPU time (include/linux/posix-timers.h). */
static clockid_t cpu_clock_of(const struct rs_thread *thread)
{
	return (clockid_t)(~thread->part.tid << 3 | 6);
}

void rs_switches_look_at_other(struct rs_thread *thread)
{
	struct rs_look now = thread->switches.latest;
	uint64_t off[RS_OFF_N];
	if (!rs_switches_are_watched(thread) ||
		!read_clocks(thread, cpu_clock_of(thread), MOST_TRIES, &now))
		return;
	now.voluntary++; /* as if blocked: only schedstat says why the thread lost its CPU */
	now.has_delay = read_delay(thread, now.cpu_ns, &now.delay_ns);
	if (find_off(thread, &now, off))
		rs_off_cpu_book_slot(thread, off);
}

void rs_switches_show_cpu_time(const struct rs_thread *thread)
{
	struct rs_look now;
	/* If the thread is not watched, the slot has no look, and this time is not used. */
	if (read_clocks(thread, cpu_clock_of(thread), MOST_TRIES, &now))
		atomic_store_explicit(
			&thread->part.slot->exit_cpu_ns, now.cpu_ns, memory_order_relaxed);
}

void rs_switches_expire(struct rs_thread *thread)
{
	if (rs_switches_are_watched(thread) && *thread->watched == thread->expected)
		*thread->watched = 0;
}

void rs_switches_return(struct rs_thread *thread)
{
	if (rs_switches_are_watched(thread))
		begin_interval(thread);
}
