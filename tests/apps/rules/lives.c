/* SPDX-License-Identifier: MIT */
/*
 * Processes and threads under the test's control. Some print their numbers, and some continue until
 * the test closes their standard input.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#include "rules.h"

/* Wait until the other end is closed. */
static void wait_for_end(int fd)
{
	char byte;
	while (read(fd, &byte, 1) > 0)
		;
}

static void *make_a_call_that_is_cut(void *name)
{
	REGIONSTAT_BEGIN("cut");
	REGIONSTAT_PAUSE();
	REGIONSTAT_RESUME();
	REGIONSTAT_END("cut");
	CHECK(pthread_setname_np(pthread_self(), name) == 0);
	printf("thread %ld %s\n", syscall(SYS_gettid), (const char *)name);
	return NULL;
}

/* Run t named threads in turn, without any measured call. */
static void threads_named(void)
{
	unsigned long n_threads = number(0);
	for (unsigned long i = 0; i < n_threads; i++) {
		char name[40];
		snprintf(name, sizeof(name), "worker %lu", i);
		name[15] = '\0'; /* as long as a thread's name can be */
		on_thread(make_a_call_that_is_cut, name);
	}
}

/* Make n calls unless there is another argument, print a line, and make n calls after standard
 * input has ended. */
static void call_at_a_gate(void)
{
	unsigned long n = number(0);
	call_named("gate", arguments[1] ? 0 : n);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	wait_for_end(STDIN_FILENO);
	call_named("gate", n);
}

/* In the daemon: make the remaining calls after the program has ended, when standard input ends. */
static void live_on(unsigned long n, int ready_fd, int program_fd)
{
	call_named("daemon work", n);
	REGIONSTAT_BEGIN("daemon open");
	CHECK(write(ready_fd, "r", 1) == 1);
	wait_for_end(program_fd);
	printf("alone %d\n", (int)getpid());
	fflush(stdout);
	wait_for_end(STDIN_FILENO);
	REGIONSTAT_END("daemon open");
	call_named("daemon work", n);
}

/* End the program with status 3, after a daemon has made n calls and begun one. */
static void leave_daemon(void)
{
	int ready[2], program[2];
	char byte;
	CHECK(pipe(ready) == 0 && pipe(program) == 0);
	pid_t child = fork_flushed();
	if (child == 0) {
		close(ready[0]);
		close(program[1]);
		CHECK(setsid() >= 0);
		pid_t daemon = fork();
		CHECK(daemon >= 0);
		if (daemon > 0)
			_exit(0);
		live_on(number(0), ready[1], program[0]);
		return;
	}
	close(ready[1]);
	close(program[0]);
	wait_for(child);
	CHECK(read(ready[0], &byte, 1) == 1);
	exit(3);
}

/* End the program after its child has made n calls, begun one, and executed cat. That program has
 * no markers, and runs until its standard input ends. */
static void leave_another(void)
{
	int executed[2];
	char byte;
	CHECK(pipe2(executed, O_CLOEXEC) == 0);
	pid_t child = fork_flushed();
	if (child == 0) {
		call_named("before exec", number(0));
		REGIONSTAT_BEGIN("left by exec");
		execlp("cat", "cat", (char *)NULL);
		_exit(1);
	}
	close(executed[1]);
	CHECK(read(executed[0], &byte, 1) == 0);
	printf("executed %d\n", (int)child);
}

static void *work_for_ever(void *barrier)
{
	REGIONSTAT_SCOPE("detached work");
	pthread_barrier_wait(barrier);
	for (;;)
		pause();
	return NULL;
}

/* Return from main() while a detached thread is working. */
static void leave_thread(void)
{
	static pthread_barrier_t at_work;
	pthread_t thread;
	pthread_barrier_init(&at_work, NULL, 2);
	CHECK(pthread_create(&thread, NULL, work_for_ever, &at_work) == 0);
	pthread_detach(thread);
	pthread_barrier_wait(&at_work);
}

const struct how life_rules[] = {
	{"daemon", leave_daemon},
	{"daemon-exec", leave_another},
	{"detached", leave_thread},
	{"threads-named", threads_named},
	{"gate", call_at_a_gate},
	{0},
};
