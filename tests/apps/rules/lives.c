/* SPDX-License-Identifier: MIT */
/*
 * Processes and threads under the test's control. Some print their numbers, and some continue until
 * the test closes their standard input.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#include "../check.h"
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
	require(pthread_setname_np(pthread_self(), name) == 0, "pthread_setname_np");
	printf("thread %ld %s\n", syscall(SYS_gettid), (const char *)name);
	return NULL;
}

/* Run t named threads in turn, without any measured call. */
static int threads_named(char **arguments)
{
	unsigned long n_threads = number_of(arguments[0]);
	for (unsigned long i = 0; i < n_threads; i++) {
		char name[40];
		snprintf(name, sizeof(name), "worker %lu", i);
		name[15] = '\0'; /* as long as a thread's name can be */
		on_thread(make_a_call_that_is_cut, name);
	}
	return 0;
}

/* Make n calls, print a line, and make n more calls after standard input has ended. */
static int call_at_a_gate(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	call_named("gate", n);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	wait_for_end(STDIN_FILENO);
	call_named("gate", n);
	return 0;
}

/* Print a line, and make n calls after standard input has ended, the first ones of the process. */
static int call_late(char **arguments)
{
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	wait_for_end(STDIN_FILENO);
	call_named("late", number_of(arguments[0]));
	return 0;
}

static void make_pipe(int ends[2])
{
	require(pipe(ends) == 0, "pipe");
}

/* In the daemon: make the remaining calls after the program has ended, when standard input ends. */
static int live_on(unsigned long n, int ready_fd, int program_fd)
{
	call_named("daemon work", n);
	REGIONSTAT_BEGIN("daemon open");
	require(write(ready_fd, "r", 1) == 1, "write");
	wait_for_end(program_fd);
	printf("alone %d\n", (int)getpid());
	fflush(stdout);
	wait_for_end(STDIN_FILENO);
	REGIONSTAT_END("daemon open");
	call_named("daemon work", n);
	return 0;
}

/* End the program with status 3, after a daemon has made n calls and begun one. */
static int leave_daemon(char **arguments)
{
	int ready[2], program[2];
	char byte;
	make_pipe(ready);
	make_pipe(program);
	pid_t child = fork_flushed();
	if (child == 0) {
		close(ready[0]);
		close(program[1]);
		require(setsid() >= 0, "setsid");
		pid_t daemon = fork();
		require(daemon >= 0, "fork");
		if (daemon > 0)
			_exit(0);
		return live_on(number_of(arguments[0]), ready[1], program[0]);
	}
	close(ready[1]);
	close(program[0]);
	wait_for(child);
	require(read(ready[0], &byte, 1) == 1, "a daemon");
	return 3;
}

/* End the program after its child has made n calls, begun one, and executed cat. That program has
 * no markers, and runs until its standard input ends. */
static int leave_another(char **arguments)
{
	int executed[2];
	char byte;
	require(pipe2(executed, O_CLOEXEC) == 0, "pipe2");
	pid_t child = fork_flushed();
	if (child == 0) {
		call_named("before exec", number_of(arguments[0]));
		REGIONSTAT_BEGIN("left by exec");
		execlp("cat", "cat", (char *)NULL);
		_exit(1);
	}
	close(executed[1]);
	require(read(executed[0], &byte, 1) == 0, "a read");
	printf("executed %d\n", (int)child);
	return 0;
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
static int leave_thread(char **arguments)
{
	static pthread_barrier_t at_work;
	pthread_t thread;
	(void)arguments;
	pthread_barrier_init(&at_work, NULL, 2);
	require(pthread_create(&thread, NULL, work_for_ever, &at_work) == 0, "a thread");
	pthread_detach(thread);
	pthread_barrier_wait(&at_work);
	return 0;
}

static void *forget_an_end(void *argument)
{
	REGIONSTAT_BEGIN("forgotten");
	return argument;
}

static int forget_in_thread(char **arguments)
{
	(void)arguments;
	on_thread(forget_an_end, NULL);
	return 0;
}

const struct rule life_rules[] = {
	{"daemon", "N", 1, leave_daemon},
	{"daemon-exec", "N", 1, leave_another},
	{"detached", "", 0, leave_thread},
	{"forgetful-thread", "", 0, forget_in_thread},
	{"threads-named", "THREADS", 1, threads_named},
	{"gate", "N", 1, call_at_a_gate},
	{"late", "N", 1, call_late},
	{0},
};
