/* SPDX-License-Identifier: MIT */
/*
 * Tests of sweeping after processes: which ones are dead, and the states of their entries and
 * slots.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/sweep.h"
#include "tables.h"

/* Return the rest of /proc/PID/stat from a field on, in text[1024]. */
static const char *stat_field(pid_t pid, int wanted, char *text)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "r");
	cr_assert_not_null(file);
	size_t got = fread(text, 1, 1023, file);
	cr_assert_gt(got, 0);
	text[got] = '\0';
	fclose(file);
	const char *field = strrchr(text, ')');
	for (int number = 2; number < wanted; number++)
		field = strchr(field + 1, ' ');
	return field + 1;
}

static uint64_t start_time_of(pid_t pid)
{
	char text[1024];
	return strtoull(stat_field(pid, 22, text), NULL, 10);
}

static char state_of(pid_t pid)
{
	char text[1024];
	return *stat_field(pid, 3, text);
}

/* Create a zombie. */
static pid_t zombie(uint64_t *start_time)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	siginfo_t info;
	cr_assert_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	*start_time = start_time_of(pid);
	return pid;
}

static struct rs_sweep sweep;

static void start(uint32_t flags)
{
	tables_start(flags);
	rs_sweep_init(&sweep, &segment);
}

TestSuite(sweep, .fini = tables_finish);

/* Add the entry of a process, which holds the lock of the entry as long as it lives. */
static uint32_t add_process(pid_t pid)
{
	return tables_add(&(struct rs_process){.state = RS_PROCESS_ALIVE,
		.pid = (uint32_t)pid,
		.has_lock = 1,
		.pid_namespace = rs_process_namespace()});
}

static uint32_t add_dead_process(void)
{
	uint64_t start_time;
	pid_t pid = zombie(&start_time);
	waitpid(pid, NULL, 0);
	return add_process(pid);
}

static off_t place_of(uint32_t index)
{
	return (off_t)(RS_PROCESSES_OFFSET + index * sizeof(struct rs_process));
}

/* Lock an entry as the runtime does. Return the descriptor that has the lock. */
static int lock_entry(uint32_t index)
{
	char path[32];
	struct flock lock = {
		.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = place_of(index), .l_len = 1};
	snprintf(path, sizeof(path), "/proc/self/fd/%d", segment.fd);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert_geq(fd, 0);
	cr_assert_eq(fcntl(fd, F_OFD_SETLK, &lock), 0);
	return fd;
}

/* Add the entry of this process, which lives until the descriptor is closed. */
static uint32_t add_living_process(int *fd)
{
	uint32_t index = add_process(getpid());
	*fd = lock_entry(index);
	return index;
}

static struct rs_slot *add_slot(uint32_t process, enum rs_slot_state state)
{
	uint32_t index = atomic_fetch_add(&segment.header->n_slots, 1);
	slots[index] = (struct rs_slot){
		.state = state, .process = process, .tid = 1, .attached_ticks = 1};
	return &slots[index];
}

Test(process, is_dead_if_its_pid_and_start_time_are_gone)
{
	uint32_t own = (uint32_t)getpid();
	uint64_t started, own_start = start_time_of(getpid());
	cr_expect_not(rs_process_is_dead(own, own_start));
	cr_expect(rs_process_is_dead(own, own_start + 1), "another process had the pid");
	cr_expect_not(rs_process_is_dead(0, 5), "of an unknown process");
	cr_expect_not(rs_process_is_dead(own, 0), "of an unknown start");
	pid_t pid = zombie(&started);
	cr_expect(rs_process_is_dead((uint32_t)pid, started), "it waits to be reaped");
	waitpid(pid, NULL, 0);
	cr_expect(rs_process_is_dead((uint32_t)pid, started));
}

static void *wait_for_the_end(void *unused)
{
	for (;;)
		pause();
	return unused;
}

Test(process, whose_first_thread_ended_is_not_dead)
{
	pid_t pid = fork();
	if (pid == 0) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, wait_for_the_end, NULL) == 0)
			syscall(SYS_exit, 0); /* end this thread only */
		_exit(1);
	}
	uint64_t start_time = start_time_of(pid);
	while (state_of(pid) != 'Z')
		sched_yield();
	cr_assert_not(rs_process_is_dead((uint32_t)pid, start_time));
	kill(pid, SIGKILL);
	int status;
	waitpid(pid, &status, 0);
	cr_assert(WIFSIGNALED(status));
}

/* Start a child in a time namespace that booted 1,000 s earlier, and return its start time there.
 * Return 0 if such a namespace cannot be created. */
static pid_t start_in_another_time(uint64_t *start_time)
{
	int told[2];
	cr_assert_eq(pipe(told), 0);
	pid_t pid = fork();
	if (pid == 0) {
		FILE *offsets = unshare(CLONE_NEWTIME) == 0
					? fopen("/proc/self/timens_offsets", "w")
					: NULL;
		if (!offsets || fputs("boottime 1000 0\n", offsets) < 0 || fclose(offsets) != 0)
			_exit(1);
		pid_t inner = fork();
		if (inner == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			uint64_t numbers[2] = {(uint64_t)getpid(), start_time_of(getpid())};
			if (write(told[1], numbers, sizeof(numbers)) != sizeof(numbers))
				_exit(1);
			for (;;)
				pause();
		}
		close(told[1]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		waitpid(inner, NULL, 0);
		_exit(0);
	}
	uint64_t numbers[2] = {0};
	close(told[1]);
	ssize_t got = read(told[0], numbers, sizeof(numbers));
	close(told[0]);
	*start_time = numbers[1];
	return got == sizeof(numbers) ? (pid_t)numbers[0] : 0;
}

Test(process, of_another_time_namespace_is_not_dead)
{
	uint64_t start_time;
	pid_t pid = start_in_another_time(&start_time);
	if (pid == 0)
		cr_skip("no time namespace can be made here");
	cr_assert_neq(start_time, start_time_of(pid));
	cr_assert_not(rs_process_is_dead((uint32_t)pid, start_time));
	kill(pid, SIGKILL);
	wait(NULL);
	cr_assert(rs_process_is_dead((uint32_t)pid, start_time));
}

Test(sweep, frees_what_the_dead_had)
{
	start(0);
	int fd;
	uint32_t alive = add_living_process(&fd);
	uint32_t dead = add_dead_process();
	struct rs_slot *kept = add_slot(alive, RS_SLOT_OWNED);
	struct rs_slot *swept = add_slot(dead, RS_SLOT_OWNED);
	struct rs_slot *adopted = add_slot(dead, RS_SLOT_ADOPTING);

	swept->seen_ticks = 5000;
	cr_assert(rs_sweep_run(&sweep));

	cr_assert_eq(processes[alive].state, RS_PROCESS_ALIVE);
	cr_assert_eq(processes[dead].state, RS_PROCESS_FREE);
	cr_assert_eq(kept->state, RS_SLOT_OWNED);
	cr_assert_eq(kept->tid, 1);
	cr_assert_eq(adopted->state, RS_SLOT_ADOPTING);
	cr_assert_eq(swept->state, RS_SLOT_SWEPT);
	cr_assert_eq(swept->tid, 1);
	cr_assert_eq(swept->attached_ticks, 0);
	cr_assert_eq(swept->lifetime_ticks, 5000 - 1, "until it was seen");
	cr_assert_eq(swept->lacks_end, 1);
	cr_assert_eq(segment.header->n_swept, 2);
	cr_assert_not(rs_sweep_run(&sweep));
	cr_assert_eq(segment.header->n_swept, 2);
}

/* A process that an earlier sweep found alive lived at least until that sweep began. */
Test(sweep, a_process_lived_until_the_sweep_before)
{
	int fd;
	start(0);
	struct rs_slot *slot = add_slot(add_living_process(&fd), RS_SLOT_OWNED);
	uint64_t before = rs_clock_point_now(RS_CLOCK_MONOTONIC).ticks;
	cr_assert_not(rs_sweep_run(&sweep));
	uint64_t after = rs_clock_point_now(RS_CLOCK_MONOTONIC).ticks;
	close(fd);
	cr_assert(rs_sweep_run(&sweep));
	cr_assert_geq(slot->lifetime_ticks, before - 1);
	cr_assert_leq(slot->lifetime_ticks, after - 1);
	cr_assert_eq(slot->lacks_end, 1);
}

/* The last sweep frees nothing, and ends no lifetime of the process that ends with the run. */
Test(sweep, the_last_one_ends_lifetimes_only)
{
	start(0);
	uint32_t dead = add_dead_process(), program = add_dead_process();
	struct rs_slot *slot = add_slot(dead, RS_SLOT_OWNED),
		       *of_program = add_slot(program, RS_SLOT_OWNED);
	rs_sweep_last(&sweep, processes[program].pid, false);
	cr_assert_eq(processes[dead].state, RS_PROCESS_ALIVE);
	cr_assert_eq(slot->state, RS_SLOT_OWNED);
	cr_assert_eq(slot->attached_ticks, 0);
	cr_assert_eq(slot->lacks_end, 1);
	cr_assert_eq(of_program->attached_ticks, 1);
	cr_assert_eq(of_program->lacks_end, 0);
}

/* A filter of seccomp(2) may have killed a process whose marker was in a system call. The launcher
 * may know that no filter killed the program itself. */
Test(sweep, counts_the_dead_in_a_system_call)
{
	for (int may_be_filtered = 0; may_be_filtered < 2; may_be_filtered++) {
		int fd;
		start(0);
		uint32_t alive = add_living_process(&fd), dead = add_dead_process(),
			 exited = add_dead_process(), program = add_dead_process();
		processes[alive].in_call = processes[exited].in_call = 7;
		processes[exited].state = RS_PROCESS_EXITED;
		add_dead_process();
		processes[dead].in_call = 8;
		processes[program].in_call = 9;
		processes[exited].child_in_call = 10;
		rs_sweep_last(&sweep, processes[program].pid, may_be_filtered);
		cr_expect_eq(sweep.n_in_call, may_be_filtered ? 3 : 2);
		cr_expect_eq(sweep.in_call.in_call, 8);
		cr_expect_eq(sweep.in_call.pid, processes[dead].pid);
		close(fd);
		tables_finish();
	}
	start(0);
}

/* A program that was stopped in a system call of a marker still runs when regionstat detaches. */
Test(sweep, does_not_count_a_living_program)
{
	int fd;
	start(0);
	uint32_t program = add_living_process(&fd);
	processes[program].in_call = 7;
	rs_sweep_last(&sweep, processes[program].pid, true);
	cr_expect_eq(sweep.n_in_call, 0);
	close(fd);
}

/* A few of many killed processes are in a system call by chance. */
Test(sweep, warns_of_the_dead_in_a_system_call)
{
	static const struct {
		uint32_t n_killed, n_in_call;
		bool warns;
	} cases[] = {{0, 0, false}, {1, 0, false}, {1, 1, true}, {0, 1, true}, {15, 1, true},
		{100, 2, false}, {100, 7, true}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t bytes = 0;
		FILE *stream = open_memstream(&text, &bytes);
		sweep = (struct rs_sweep){.n_killed = cases[i].n_killed,
			.n_in_call = cases[i].n_in_call,
			.in_call = {.pid = 12, .in_call = 1 + SYS_getrusage, .name = "a\nb"}};
		rs_sweep_warn_of_calls(&sweep, stream);
		fclose(stream);
		cr_expect_eq(bytes > 0, cases[i].warns, "case %zu", i);
		if (cases[i].warns)
			cr_expect_not_null(
				strstr(text, "process 12 (a\\nb) died in getrusage(2), which"),
				"%s", text);
		free(text);
	}
}

static void check_that_the_dead_keep_theirs(uint32_t flags)
{
	start(flags);
	uint32_t dead = add_dead_process();
	struct rs_slot *slot = add_slot(dead, RS_SLOT_OWNED);
	cr_assert_not(rs_sweep_knows_dead(&sweep, dead));
	cr_assert(rs_sweep_run(&sweep));
	cr_assert(rs_sweep_knows_dead(&sweep, dead));
	cr_assert_eq(processes[dead].state, RS_PROCESS_ALIVE);
	cr_assert_eq(slot->state, RS_SLOT_OWNED);
	cr_assert_eq(slot->attached_ticks, 0);
	cr_assert_not(rs_sweep_run(&sweep), "found once");
}

Test(sweep, per_process_leaves_the_dead_what_they_had)
{
	check_that_the_dead_keep_theirs(RS_SEGMENT_PER_PROCESS);
}

Test(sweep, per_thread_leaves_the_dead_what_they_had)
{
	check_that_the_dead_keep_theirs(RS_SEGMENT_PER_THREAD);
}

/* Leave nothing open in this process: the lock is held by a mapping, as in the runtime. */
static void *keep_lock(uint32_t index)
{
	int fd = lock_entry(index);
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_SHARED, fd, 0);
	cr_assert_neq(page, MAP_FAILED);
	close(fd);
	return page;
}

Test(sweep, takes_a_program_that_executed_another_one_for_dead)
{
	start(0);
	int go[2];
	cr_assert_eq(pipe2(go, O_CLOEXEC), 0);
	uint32_t replaced = add_process(0);
	pid_t pid = fork();
	if (pid == 0) {
		char c;
		keep_lock(replaced);
		cr_assert_eq(read(go[0], &c, 1), 1);
		execlp("sleep", "sleep", "1000", (char *)NULL);
		_exit(1);
	}
	/* The child locks the entry, then executes. */
	while (rs_sweep_run(&sweep))
		processes[replaced].state = RS_PROCESS_ALIVE;
	cr_assert_eq(write(go[1], "", 1), 1);
	while (!rs_sweep_run(&sweep))
		sched_yield();
	cr_assert_eq(processes[replaced].state, RS_PROCESS_FREE);
	cr_assert_eq(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

Test(sweep, takes_a_program_that_has_detached_for_dead)
{
	start(0);
	int fd;
	uint32_t detached = add_living_process(&fd);
	processes[detached].exit_ticks = 1000;
	struct rs_slot *slot = add_slot(detached, RS_SLOT_OWNED);
	cr_assert_not(rs_sweep_run(&sweep));
	processes[detached].state = RS_PROCESS_REPLACED;
	cr_assert(rs_sweep_run(&sweep));
	cr_assert_eq(processes[detached].state, RS_PROCESS_FREE);
	cr_assert_eq(slot->state, RS_SLOT_SWEPT);
	cr_assert_eq(slot->lifetime_ticks, 1000 - 1);
}

/* Without a lock only the pid tells whether it is dead, and only in this pid namespace. */
Test(sweep, leaves_processes_without_a_lock)
{
	start(0);
	uint32_t dead = add_dead_process(), alive = add_process(getpid());
	processes[dead].has_lock = processes[alive].has_lock = 0;
	processes[dead].pid_namespace++;
	cr_assert_not(rs_sweep_run(&sweep));
	cr_assert_eq(processes[dead].state, RS_PROCESS_ALIVE);
	processes[dead].pid_namespace--;
	cr_assert(rs_sweep_run(&sweep));
	cr_assert_eq(processes[dead].state, RS_PROCESS_FREE);
	cr_assert_eq(processes[alive].state, RS_PROCESS_ALIVE);
}

Test(sweep, finds_the_dead_of_another_pid_namespace)
{
	start(0);
	uint32_t dead = add_dead_process();
	processes[dead].pid_namespace = rs_process_namespace() + 1;
	cr_assert(rs_sweep_run(&sweep));
	cr_assert_eq(processes[dead].state, RS_PROCESS_FREE);
}

Test(sweep, takes_no_harm_from_nonsense)
{
	start(0);
	memset((void *)processes, 0xff, RS_EXTENT_BYTES);
	memset((void *)slots, 0xff, RS_EXTENT_BYTES);
	uint32_t dead = add_dead_process();
	add_slot(UINT32_MAX, RS_SLOT_OWNED);
	segment.header->n_processes = UINT32_MAX;
	segment.header->n_slots = UINT32_MAX;
	cr_assert(rs_sweep_run(&sweep));
	cr_assert_eq(processes[dead].state, RS_PROCESS_FREE);
}

Test(sweep, takes_no_memory_for_tables_that_are_holes)
{
	start(0);
	struct stat before, after;
	add_dead_process();
	cr_assert_eq(fstat(segment.fd, &before), 0);
	segment.header->n_processes = RS_MAX_PROCESSES;
	segment.header->n_slots = RS_MAX_SLOTS;
	cr_assert(rs_sweep_run(&sweep));
	cr_assert_eq(fstat(segment.fd, &after), 0);
	cr_assert_eq(before.st_blocks, after.st_blocks);
}
