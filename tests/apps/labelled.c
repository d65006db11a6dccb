/* SPDX-License-Identifier: MIT */
/*
 * A program that knows its region at every instruction, for label_reader.c. Around each marker it
 * stores the region before and after it; both are equal outside of markers. It runs until it is
 * killed. Usage: labelled all|threads|attached
 *
 * all: every kind of marker, with a signal handler, forks, execs and fibers. threads: three
 * threads. attached: the same, after regionstat has attached.
 */
#include <limits.h>
#include <pthread.h>
#include <regionstat.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "labelled.h"

#define THREADS 3
#define DEEPEST 64

enum { NONE, OUTER, INNER, NEXT1, NEXT2, NAMED, AGAIN, WORKED, HANDLED, FIBER1, FIBER2, LONG, N };

static char names[N][LABEL_NAME_BYTES] = {"", "outer", "inner", "next one", "next two", "named",
	"again", "worked", "in a handler", "fiber 1", "fiber 2",
	("a name of 127 bytes, the longest that a region can have: "
	 "0123456789012345678901234567890123456789012345678901234567890123456789")};

static struct label_truth truths[LABEL_THREADS];
static __thread struct label_truth *self = truths;
static __thread volatile int is_quiet; /* in a marker */
static __thread volatile unsigned open_regions[DEEPEST], n_open;

static unsigned innermost(void)
{
	return n_open ? open_regions[n_open - 1] : NONE;
}

static void opens(unsigned region)
{
	is_quiet = 1;
	open_regions[n_open] = region;
	n_open++;
	self->to = region;
}

static void closes(unsigned region)
{
	unsigned i = n_open;
	is_quiet = 1;
	while (open_regions[--i] != region)
		;
	for (; i + 1 < n_open; i++)
		open_regions[i] = open_regions[i + 1];
	n_open--;
	self->between = self->to = innermost();
}

static void done(void)
{
	self->from = self->between = self->to;
	self->n++;
	is_quiet = 0;
}

#define ENTER(region, marker)  \
	do {                   \
		opens(region); \
		marker;        \
		done();        \
	} while (0)
#define LEAVE(region, marker)   \
	do {                    \
		closes(region); \
		marker;         \
		done();         \
	} while (0)

static void spin(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

static void inner(void)
{
	opens(INNER);
	{
		REGIONSTAT_SCOPE("inner");
		done();
		spin(20);
		closes(INNER);
	}
	done();
}

static void again(int depth)
{
	ENTER(AGAIN, REGIONSTAT_BEGIN("again"));
	spin(5);
	inner();
	if (depth)
		again(depth - 1);
	spin(5);
	LEAVE(AGAIN, REGIONSTAT_END("again"));
}

static void named(unsigned region)
{
	ENTER(region, regionstat_begin(names[region]));
	spin(5);
	LEAVE(region, regionstat_end(names[region]));
}

/* One round of markers. `inner` has several parents, and calls in the opposite order overlap. */
static void markers(void)
{
	struct regionstat_call call;
	is_quiet = 1;
	call = REGIONSTAT_START("asynchronous");
	is_quiet = 0;
	ENTER(OUTER, REGIONSTAT_BEGIN("outer"));
	for (int i = 0; i < 3; i++)
		inner();
	LEAVE(OUTER, REGIONSTAT_END("outer"));
	inner();
	ENTER(NEXT1, REGIONSTAT_BEGIN("next one"));
	for (int i = 0; i < 3; i++) {
		closes(NEXT1);
		ENTER(NEXT2, REGIONSTAT_NEXT("next one", "next two"));
		inner();
		closes(NEXT2);
		ENTER(NEXT1, REGIONSTAT_NEXT("next two", "next one"));
	}
	ENTER(WORKED, REGIONSTAT_BEGIN("worked"));
	is_quiet = 1;
	REGIONSTAT_WORK("worked", 64, 2);
	is_quiet = 0;
	LEAVE(NEXT1, REGIONSTAT_END("next one"));
	spin(20);
	LEAVE(WORKED, REGIONSTAT_END("worked"));
	named(NAMED);
	named(LONG);
	again(3);
	is_quiet = 1;
	regionstat_stop(call);
	is_quiet = 0;
}

/* A handler that interrupts a marker marks nothing: its markers would be skipped. */
static void handle(int signal)
{
	(void)signal;
	if (is_quiet)
		return;
	ENTER(HANDLED, REGIONSTAT_BEGIN("in a handler"));
	spin(10);
	LEAVE(HANDLED, REGIONSTAT_END("in a handler"));
}

static ucontext_t main_context, fibers[2];

static void fiber(int which)
{
	unsigned region = which ? FIBER2 : FIBER1;
	ENTER(region, regionstat_begin(names[region]));
	spin(10);
	swapcontext(&fibers[which], which ? &main_context : &fibers[1]);
	inner();
	LEAVE(region, regionstat_end(names[region]));
	spin(10);
}

/* Two fibers whose calls overlap: the label is that of the open call that began last. */
static void run_fibers(void)
{
	static char stacks[2][65536];
	for (int i = 0; i < 2; i++) {
		getcontext(&fibers[i]);
		fibers[i].uc_stack.ss_sp = stacks[i];
		fibers[i].uc_stack.ss_size = sizeof(stacks[i]);
		fibers[i].uc_link = &main_context;
		makecontext(&fibers[i], (void (*)(void))fiber, 1, i);
	}
	swapcontext(&main_context, &fibers[0]);
	swapcontext(&main_context, &fibers[0]);
	swapcontext(&main_context, &fibers[1]);
}

/* Tell the reader where the truth is, and wait until it has seen it. */
static void meet_reader(void)
{
	struct label_message message = {getpid(), truths, names, N};
	char answer;
	int fd = atoi(getenv("LABEL_READER"));
	if (write(fd, &message, sizeof(message)) != sizeof(message) || read(fd, &answer, 1) != 1)
		exit(3);
}

static void fork_once(void)
{
	ENTER(OUTER, REGIONSTAT_BEGIN("outer"));
	truths[0].tid = 0;
	pid_t pid = fork();
	if (!pid) {
		/* The child's first marker publishes its context. */
		inner();
		truths[0].tid = getpid();
		for (int i = 0; i < 20; i++)
			inner();
		_exit(0);
	}
	truths[0].tid = getpid();
	while (waitpid(pid, NULL, 0) < 0)
		;
	LEAVE(OUTER, REGIONSTAT_END("outer"));
}

static void *run_thread(void *truth)
{
	self = truth;
	self->tid = (int)syscall(SYS_gettid);
	for (;;)
		markers();
	return NULL;
}

static void wait_until_attached(void)
{
	static struct regionstat_site_ site = {"wait", 0, 1};
	regionstat_ticket_ ticket = 0, ended;
	while (!ticket) {
		ended = ticket = regionstat_scope_begin_(&site);
		regionstat_scope_end_(&ended);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	char path[PATH_MAX];
	bool is_attached = argc > 1 && !strcmp(argv[1], "attached");
	bool has_threads = is_attached || (argc > 1 && !strcmp(argv[1], "threads"));
	if (is_attached)
		wait_until_attached();
	markers(); /* The reader need not see the calibration. */
	truths[0].tid = getpid();
	meet_reader();
	for (int i = 1; has_threads && i < THREADS; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, run_thread, &truths[i]);
	}
	if (has_threads)
		run_thread(truths);
	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < 40; i++) {
		/* One signal in each round: a stopped program would get nothing but signals. */
		setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 1 + i}}, NULL);
		markers();
		run_fibers();
		if (i % 10 == 5)
			fork_once();
	}
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
	if (realpath("/proc/self/exe", path))
		execv(path, argv);
	return 3;
}
