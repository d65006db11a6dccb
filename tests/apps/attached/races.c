/* SPDX-License-Identifier: MIT */
/*
 * races: threads that do at every moment what a detaching runtime must cope with, until standard
 * input ends. They start and end threads, fork, execute programs, begin regions with new names,
 * leave calls open, and get signals whose handlers mark.
 *
 * Each line of standard input is answered by a line with three numbers: how many calls of "scope",
 * "handler" and "child" a runtime has begun so far. These are the calls with a ticket.
 */
#include <setjmp.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include <regionstat.h>

#include "../check.h"

#define N_SHORT 8
#define N_CHILD 300 /* so that some children still run when they are to detach */
#define N_NAMES 300
#define SIGNAL_US 300

enum { SCOPE, HANDLER, CHILD, N_SITES };
static struct regionstat_site_ sites[N_SITES] = {
	[SCOPE] = {"scope", 0, 1}, [HANDLER] = {"handler", 0, 1}, [CHILD] = {"child", 0, 1}};
static _Atomic unsigned long *begun; /* N_SITES of them; forked children add to them, too */
static _Atomic int stops;
static char *program;

static void mark(int site)
{
	regionstat_ticket_ ticket = regionstat_scope_begin_(&sites[site]);
	if (ticket)
		atomic_fetch_add_explicit(&begun[site], 1, memory_order_relaxed);
	for (volatile int i = 0; i < 100; i++)
		;
	regionstat_scope_end_(&ticket);
}

static void handle(int number)
{
	(void)number;
	mark(HANDLER);
}

static void *live_shortly(void *nothing)
{
	for (int i = 0; i < N_SHORT; i++)
		mark(SCOPE);
	REGIONSTAT_BEGIN("open in a thread that ends");
	return nothing;
}

static void fork_child(int executes)
{
#ifdef REGIONSTAT_THREAD_SANITIZER_ /* It ends a child that starts a thread, as a measured child does. */
	return;
#endif
	char *const argv[] = {program, "child", NULL};
	pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < N_CHILD; i++)
			mark(CHILD);
		REGIONSTAT_BEGIN("open in a child that ends");
		if (executes)
			execv(program, argv);
		_exit(executes);
	}
	wait_for(pid);
}

static void use_names(unsigned n)
{
	char name[32], next[32];
	snprintf(name, sizeof(name), "name %u", n % N_NAMES);
	snprintf(next, sizeof(next), "name %u", (n + 1) % N_NAMES);
	regionstat_begin(name);
	mark(SCOPE);
	regionstat_work(name, 64, 1);
	regionstat_next(name, next);
	regionstat_end(next);
}

static void leave_by_jump(void)
{
	static _Thread_local jmp_buf there;
	if (setjmp(there) == 0) {
		REGIONSTAT_BEGIN("left by a jump");
		mark(SCOPE);
		longjmp(there, 1);
	}
}

static void *work(void *kind)
{
	struct regionstat_call call = REGIONSTAT_START("started");
	for (unsigned n = 0; !atomic_load(&stops); n++) {
		REGIONSTAT_BEGIN("open for long");
		for (int i = 0; i < 20; i++)
			mark(SCOPE);
		switch (*(int *)kind) {
		case 0:
			on_threads(2, live_shortly, NULL, 0);
			break;
		case 1:
			fork_child(n % 2 == 0);
			break;
		case 2:
			use_names(n);
			break;
		case 3:
			leave_by_jump();
			break;
		default:
			usleep(1000);
		}
		REGIONSTAT_END("open for long");
		usleep(200);
	}
	regionstat_stop(call);
	return NULL;
}

int main(int argc, char **argv)
{
	static int kinds[] = {0, 1, 2, 3, 4, 5};
	enum { N = sizeof(kinds) / sizeof(kinds[0]) };
	char line[16];
	program = argv[0];
	begun = mmap(NULL, N_SITES * sizeof(*begun), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(begun != MAP_FAILED);
	if (argc > 1) { /* executed by a child: nobody measures it */
		mark(SCOPE);
		return begun[SCOPE] != 0;
	}
	interrupt_every_us(SIGNAL_US, handle, SA_RESTART);
	pthread_t *threads = start_threads(N, work, kinds, sizeof(kinds[0]));
	puts("ready");
	for (;;) {
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			break;
		printf("%lu %lu %lu\n", begun[SCOPE], begun[HANDLER], begun[CHILD]);
	}
	interrupt_no_more(); /* nothing is measured any more */
	atomic_store(&stops, 1);
	join_threads(N, threads);
	puts("done");
	return 0;
}
