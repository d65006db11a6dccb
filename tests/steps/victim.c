/* SPDX-License-Identifier: MIT */
/*
 * victim CASE WARM HANDLER: run the markers of CASE, WARM times, then signal the tracer (SIGTRAP).
 * Continue until the tracer's page says to stop, or the case has ended. The program counts its own
 * calls on that page. HANDLER is what the handler of SIGUSR1 does (enum steps_handler).
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <regionstat.h>

#include "steps.h"

#define GROWTH_CALLS 4 /* Calls of each new region. */
#define GROWTH_REGIONS 16
#define GROWTH_REGIONS_OF_JUMPS 64 /* After a jump, few states are checked. */

static struct steps_truth *truth;
static enum steps_handler handler;
static bool makes_probes;
static __thread sigjmp_buf before;
static sigjmp_buf within;
static volatile bool is_within; /* A handler jumps to `within`, and not to `before`. */

static void count(enum steps_region region)
{
	truth->ended[region]++;
}

/* In the cases of probes, make the next call one. */
static void make_probe(void)
{
#ifdef REGIONSTAT_STATIC
	if (makes_probes)
		steps_make_probe();
#endif
}

static void spin(unsigned n)
{
	for (volatile unsigned i = 0; i < n; i++)
		;
}

/* ---- cases: each function is one iteration ---- */

static void leaf_scope(unsigned i)
{
	REGIONSTAT_SCOPE("leaf");
	spin(i * 7 % 13);
}

static void leaf(unsigned i)
{
	make_probe();
	leaf_scope(i);
	count(STEPS_LEAF);
	make_probe();
	REGIONSTAT_BEGIN("leaf");
	spin(i % 5);
	REGIONSTAT_END("leaf");
	count(STEPS_LEAF);
}

/* In these cases, all calls are probes if the runtime is static. */
static void inner_scope(void)
{
	REGIONSTAT_SCOPE("inner");
}

static void outer(unsigned i)
{
	REGIONSTAT_BEGIN("outer");
	REGIONSTAT_BEGIN("inner");
	spin(i * 7 % 13);
	REGIONSTAT_END("inner");
	count(STEPS_INNER);
	inner_scope();
	count(STEPS_INNER);
	REGIONSTAT_END("outer");
	count(STEPS_OUTER);
}

static void recurse_scope(unsigned depth)
{
	make_probe();
	REGIONSTAT_SCOPE("rec");
	if (depth > 1) {
		recurse_scope(depth - 1);
		count(STEPS_REC);
	}
}

static void recurse_by_name(unsigned depth)
{
	make_probe();
	REGIONSTAT_BEGIN("rec");
	if (depth > 1)
		recurse_by_name(depth - 1);
	REGIONSTAT_END("rec");
	count(STEPS_REC);
}

static void recursion(unsigned i)
{
	if (i % 2) {
		recurse_scope(STEPS_REC_DEPTH);
		count(STEPS_REC);
	} else {
		recurse_by_name(STEPS_REC_DEPTH);
	}
}

/* New regions, whose calls take longer and longer and have more and more page faults. */
static void growth(unsigned i)
{
	char name[16];
	const size_t bytes = 256 * 4096;
	const struct timespec pause = {.tv_nsec = (1 << i % GROWTH_CALLS) * 200000};
	snprintf(name, sizeof(name), "new %u", i / GROWTH_CALLS);
	regionstat_begin(name);
	if (i % GROWTH_CALLS) {
		char *memory = mmap(
			NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (size_t n = 0; memory != MAP_FAILED && n < bytes >> 2 * (i / GROWTH_CALLS % 4);
			n += 4096)
			memory[n] = 1;
		munmap(memory, bytes);
		nanosleep(&pause, NULL);
	}
	regionstat_end(name);
	if (i + 1 == GROWTH_CALLS * (handler == STEPS_HANDLER_JUMPS ? GROWTH_REGIONS_OF_JUMPS
								    : GROWTH_REGIONS))
		truth->stop = 1;
}

static void next(unsigned i)
{
	REGIONSTAT_BEGIN("outer");
	REGIONSTAT_BEGIN("first");
	spin(i % 5);
	REGIONSTAT_NEXT("first", "second");
	count(STEPS_FIRST);
	spin(i * 7 % 13);
	REGIONSTAT_NEXT("second", "first");
	count(STEPS_SECOND);
	REGIONSTAT_NEXT("first", "first");
	count(STEPS_FIRST);
	REGIONSTAT_END("first");
	count(STEPS_FIRST);
	REGIONSTAT_END("outer");
	count(STEPS_OUTER);
}

static void skipped(unsigned i)
{
	leaf(i);
	outer(i);
	recursion(i);
	REGIONSTAT_BEGIN("work"); /* the slow path of a WORK gives it a frame */
	REGIONSTAT_WORK("work", STEPS_WORK_BYTES, STEPS_WORK_FLOPS);
	REGIONSTAT_END("work");
	count(STEPS_WORK);
}

static void start_stop(unsigned i)
{
	struct regionstat_call one = REGIONSTAT_START("async"), other = REGIONSTAT_START("async");
	spin(i % 5);
	regionstat_stop(one);
	count(STEPS_ASYNC);
	REGIONSTAT_BEGIN("leaf");
	regionstat_stop(other);
	count(STEPS_ASYNC);
	REGIONSTAT_END("leaf");
	count(STEPS_LEAF);
}

/* The WORK of an inner call moves the outermost call's work to its frame. If a handler jumps out of
 * an inner call, the outermost call still has its work. */
static void recurse_working(unsigned depth)
{
	REGIONSTAT_BEGIN("rec");
	REGIONSTAT_WORK("rec", STEPS_WORK_BYTES, STEPS_WORK_FLOPS);
	if (depth == STEPS_REC_DEPTH) {
		if (!sigsetjmp(within, 1)) {
			is_within = true;
			recurse_working(depth - 1);
		}
		is_within = false;
	} else if (depth > 1) {
		recurse_working(depth - 1);
	}
	REGIONSTAT_END("rec");
	count(STEPS_REC);
}

static void work(unsigned i)
{
	REGIONSTAT_BEGIN("outer");
	REGIONSTAT_BEGIN("work");
	REGIONSTAT_WORK("work", STEPS_WORK_BYTES, STEPS_WORK_FLOPS);
	spin(i % 5);
	REGIONSTAT_END("work");
	count(STEPS_WORK);
	REGIONSTAT_BEGIN("work");
	REGIONSTAT_BEGIN("inner");
	REGIONSTAT_WORK("work", STEPS_WORK_BYTES, 0);
	REGIONSTAT_END("inner");
	count(STEPS_INNER);
	REGIONSTAT_WORK("work", 0, STEPS_WORK_FLOPS);
	REGIONSTAT_END("work");
	count(STEPS_WORK);
	recurse_working(STEPS_REC_DEPTH);
	REGIONSTAT_END("outer");
	count(STEPS_OUTER);
}

static void *be_thread(void *unused)
{
	(void)unused;
	if (!sigsetjmp(before, 1)) {
		truth->is_armed = 1;
		outer(1);
		leaf(2);
		outer(3);
		/* No earlier call of this thread was left by a jump. */
		if (handler == STEPS_HANDLER_JUMPS)
			recurse_working(STEPS_REC_DEPTH);
	}
	truth->is_armed = 0;
	/* These calls do not count. The next thread finds their work in its free frames. */
	for (int n = 0; handler == STEPS_HANDLER_JUMPS && n < STEPS_REC_DEPTH; n++) {
		REGIONSTAT_BEGIN("rec");
		REGIONSTAT_WORK("rec", STEPS_WORK_BYTES, 0);
	}
	return NULL;
}

/* Each thread takes over the thread slot of the thread before. */
static void adoption(unsigned i)
{
	pthread_t thread;
	(void)i;
	if (pthread_create(&thread, NULL, be_thread, NULL))
		exit(2);
	pthread_join(thread, NULL);
}

/* The second thread takes over what another process has left, since the first thread has a slot. */
static void takeover(unsigned i)
{
	if (i == 0)
		leaf(i);
	else
		adoption(i);
}

static void pause_and_resume(unsigned i)
{
	REGIONSTAT_BEGIN("leaf");
	spin(i % 5);
	REGIONSTAT_END("leaf");
	count(STEPS_LEAF);
	REGIONSTAT_BEGIN("cut");
	REGIONSTAT_PAUSE();
	REGIONSTAT_END("cut");
	REGIONSTAT_BEGIN("cut");
	REGIONSTAT_END("cut");
	REGIONSTAT_BEGIN("cut");
	REGIONSTAT_RESUME();
	REGIONSTAT_END("cut");
	outer(i);
}

static const struct {
	const char *name;
	void (*iterate)(unsigned i);
} cases[] = {
	{"leaf", leaf},
	{"probe", leaf},
	{"outer", outer},
	{"recursion", recursion},
	{"probe-recursion", recursion},
	{"growth", growth},
	{"next", next},
	{"skipped", skipped},
	{"multiplexed", outer},
	{"start-stop", start_stop},
	{"work", work},
	{"adoption", adoption},
	{"takeover", takeover},
	{"pause", pause_and_resume},
};

/* ---- handlers ---- */

/* QEMU 7.2 calls handlers with a stack that is not aligned. */
#if defined(__x86_64__)
#define ALIGNS_STACK __attribute__((force_align_arg_pointer))
#else
#define ALIGNS_STACK
#endif

static void ALIGNS_STACK handle(int number)
{
	truth->n_handled++;
	truth->is_armed = 2;
	if (handler == STEPS_HANDLER_JUMPS)
		siglongjmp(is_within ? within : before, number);
	if (handler == STEPS_HANDLER_MARKS) {
		REGIONSTAT_BEGIN("handler");
		REGIONSTAT_END("handler");
		count(STEPS_HANDLER);
	} else {
		int status;
		pid_t pid = fork();
		if (!pid) {
			REGIONSTAT_BEGIN("child");
			REGIONSTAT_END("child");
			count(STEPS_CHILD);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			_exit(3);
	}
	truth->is_armed = 1;
}

static void call_afterwards(void)
{
	for (int i = 0; i < STEPS_MOST_SKIPPED; i++) {
		REGIONSTAT_BEGIN("leaf");
		REGIONSTAT_END("leaf");
		count(STEPS_LEAF);
	}
	for (int i = 0; i < STEPS_AFTERWARDS; i++) {
		REGIONSTAT_BEGIN("after");
		REGIONSTAT_END("after");
		count(STEPS_AFTER);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = handle};
	const char *fd = getenv(STEPS_TRUTH_ENV);
	/* Static, so that they keep their values when a handler jumps. */
	static void (*iterate)(unsigned i);
	static unsigned warm, i;
	for (size_t n = 0; argc == 4 && n < sizeof(cases) / sizeof(cases[0]); n++)
		if (!strcmp(argv[1], cases[n].name))
			iterate = cases[n].iterate;
	if (!fd || !iterate)
		return 2;
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0);
	if (truth == MAP_FAILED || !regionstat_table_())
		return 2;
	handler = (enum steps_handler)atoi(argv[3]);
	makes_probes = !strncmp(argv[1], "probe", 5);
	sigaction(SIGUSR1, &action, NULL);
#ifdef REGIONSTAT_STATIC
	if (getenv(STEPS_CONTROL_ENV)) {
		REGIONSTAT_BEGIN("first marker"); /* The thread now has counter groups. */
		REGIONSTAT_END("first marker");
		if (!steps_simulate_counters(truth))
			return 2;
	}
#endif
	for (warm = (unsigned)atoi(argv[2]); i < warm && !truth->stop; i++)
		iterate(i);
	truth->is_ready = 1;
	signal(SIGTRAP, SIG_IGN); /* Only a tracer sees it. */
	raise(SIGTRAP);
	for (; !truth->stop; i++) {
		/* The END of this call detects which calls a jump has left open. */
		if (handler == STEPS_HANDLER_JUMPS)
			REGIONSTAT_BEGIN("around");
		if (!sigsetjmp(before, 1)) {
			/* A handler that jumps must not leave pthread_create(). */
			truth->is_armed = iterate != adoption;
			iterate(i);
		} else if (iterate == pause_and_resume) {
			REGIONSTAT_RESUME();
		}
		truth->is_armed = 0;
		if (handler == STEPS_HANDLER_JUMPS)
			REGIONSTAT_END("around");
	}
	call_afterwards();
	return 0;
}
