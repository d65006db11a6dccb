/* SPDX-License-Identifier: MIT */
/*
 * A program whose functions the compiler instruments, by -finstrument-functions or by
 * -fxray-instrument. Each function counts its own calls, and the program prints lines with names
 * and sums at the end.
 *
 * Its arguments are pairs of a word and a number. They select threads, recursion, tail calls,
 * alloca(), and longjmp(), also into the same function. Signal handlers run at any time, and some
 * jump out of the interrupted code. Others select arguments and results in vector registers, and an
 * XRay handler that the program sets. After `fork`, a child does the same first. After `again`, the
 * child starts the program again, as one more process of the same program.
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../clock.h"

/* The XRay runtime is in programs that are instrumented for it. */
__attribute__((weak)) int __xray_set_handler(void (*handler)(int32_t function, int type));

#ifdef __clang__
#define PLAIN __attribute__((no_instrument_function, xray_never_instrument))
#define MEASURED __attribute__((noinline, xray_always_instrument))
#define LOGGED __attribute__((noinline, xray_always_instrument, xray_log_args(1)))
#else
#define PLAIN __attribute__((no_instrument_function))
#define MEASURED __attribute__((noinline))
#define LOGGED MEASURED
#endif
#define N_THREADS 4

#define NAMES(name)                                                                      \
	name(same), name(grows), name(leaf), name(middle), name(fibonacci), name(jumps), \
		name(leaps), name(catches), name(retries), name(handler), name(add),     \
		name(arguments)
#define INDEX(name) AT_##name
#define TEXT(name) #name
enum { NAMES(INDEX), N_NAMES };
static const char *const names[] = {NAMES(TEXT)};
static _Atomic long counts[N_NAMES];
static atomic_int sum; /* keeps the compiler from removing or merging calls */

#define COUNT(name) atomic_fetch_add_explicit(&counts[AT_##name], 1, memory_order_relaxed)
#define ADD_ONE() atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed)

int other(int n);

/* other.c has a function of the same name. */
static MEASURED int same(int n)
{
	COUNT(same);
	return n + 1;
}

/* The stack frame grows before the inner call, and again before the end. */
MEASURED int grows(int depth)
{
	char *room = alloca((size_t)depth * 64 + 1);
	COUNT(grows);
	memset(room, depth, (size_t)depth * 64 + 1);
	return depth > 0 ? grows(depth - 1) + room[0] : room[0];
}

MEASURED int leaf(int n)
{
	COUNT(leaf);
	return n ^ atomic_load_explicit(&sum, memory_order_relaxed);
}

MEASURED int middle(int n)
{
	COUNT(middle);
	int result = leaf(n) + leaf(n + 1);
	return ADD_ONE() + result;
}

MEASURED int fibonacci(int n)
{
	COUNT(fibonacci);
	int result = n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
	return ADD_ONE() ^ result;
}

/* If the compiler optimizes, the last call is a tail call, so leaf() is not within. */
MEASURED int jumps(int n)
{
	COUNT(jumps);
	return leaf(n);
}

static jmp_buf back;

MEASURED int leaps(int depth)
{
	long n = COUNT(leaps);
	if (depth > 0)
		return leaps(depth - 1) + ADD_ONE();
	if (n >= 0) /* always */
		longjmp(back, 1);
	return depth;
}

MEASURED int catches(int n)
{
	COUNT(catches);
	volatile int caught = n;
	if (setjmp(back) == 0)
		leaps(2);
	else
		caught++;
	return caught;
}

/* Inner calls jump to the outermost call, which is the only one that ends. It lasts some ms before
 * they begin. */
MEASURED int retries(int depth, uint64_t *ns)
{
	COUNT(retries);
	if (depth == 0)
		longjmp(back, 1);
	if (depth < 2)
		return retries(depth - 1, ns) + ADD_ONE();
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	do
		*ns = clock_ns(CLOCK_MONOTONIC) - begin;
	while (*ns < 2000000);
	if (setjmp(back) == 0)
		retries(depth - 1, ns);
	return ADD_ONE();
}

MEASURED void handler(int number)
{
	COUNT(handler);
	leaf(number);
}

/* A function whose arguments the XRay runtime can log, for other handlers than regionstat's. */
LOGGED int arguments(int n)
{
	COUNT(arguments);
	return n + atomic_load_explicit(&sum, memory_order_relaxed);
}

#ifdef VECTOR_BYTES
typedef double vector __attribute__((vector_size(VECTOR_BYTES)));

MEASURED vector add(vector a, vector b)
{
	COUNT(add);
	return a + b;
}

static PLAIN void run_vectors(int n)
{
	const size_t lanes = VECTOR_BYTES / sizeof(double);
	vector left, right;
	for (size_t i = 0; i < lanes; i++) {
		left[i] = (double)(i + 1);
		right[i] = 1;
	}
	for (int k = 0; k < n; k++)
		left = add(left, right);
	for (size_t i = 0; i < lanes; i++)
		if (left[i] != (double)(i + 1) + n) {
			fprintf(stderr, "lane %zu is %g\n", i, left[i]);
			exit(3);
		}
}
#else
static PLAIN void run_vectors(int n)
{
	fprintf(stderr, "no vectors for %d calls\n", n);
	exit(4);
}
#endif

static PLAIN void *run_thread(void *n)
{
	for (int i = 0; i < *(int *)n; i++)
		middle(jumps(i));
	return NULL;
}

static PLAIN void run_threads(int n)
{
	pthread_t threads[N_THREADS];
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, run_thread, &n);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Handle signals until n have come. */
static PLAIN void run_signals(int n)
{
	struct sigaction action = {.sa_handler = handler};
	struct itimerval timer = {{0, 200}, {0, 200}}, none = {{0, 0}, {0, 0}};
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (atomic_load(&counts[AT_handler]) < n)
		middle(n);
	setitimer(ITIMER_REAL, &none, NULL);
}

static PLAIN void own_handler(int32_t function, int type)
{
	(void)function;
	(void)type;
}

static PLAIN void set_own_handler(int n)
{
	(void)n;
	__xray_set_handler(own_handler);
}

static sigjmp_buf out;
static atomic_int is_out;

static PLAIN void jump_out(int number)
{
	(void)number;
	atomic_store(&is_out, 1);
	siglongjmp(out, 1);
}

/* Let a signal's handler jump out of the interrupted code n times. */
static PLAIN void run_escapes(int n)
{
	struct sigaction action = {.sa_handler = jump_out};
	volatile int left = n;
	sigaction(SIGALRM, &action, NULL);
	while (left > 0) {
		atomic_store(&is_out, 0);
		if (sigsetjmp(out, 1) == 0) {
			struct itimerval timer = {{0, 0}, {0, 300}};
			setitimer(ITIMER_REAL, &timer, NULL);
			while (!atomic_load(&is_out))
				middle(left);
		}
		left--;
	}
}

static PLAIN void run_retries(int n)
{
	uint64_t total = 0, ns = 0;
	for (int i = 0; i < n; i++) {
		retries(2, &ns);
		total += ns;
	}
	printf("ns %llu\n", (unsigned long long)total);
}

static PLAIN void run_fibonacci(int n)
{
	fibonacci(n);
}

static PLAIN void run_grows(int n)
{
	grows(n);
}

static PLAIN int call_same(int i)
{
	return same(other(i));
}

static PLAIN void run(const char *what, int n)
{
	static const struct {
		const char *name;
		void (*run)(int n);
	} hows[] = {{"threads", run_threads}, {"escapes", run_escapes}, {"own", set_own_handler},
		{"retries", run_retries}, {"signals", run_signals}, {"vectors", run_vectors},
		{"fibonacci", run_fibonacci}, {"grows", run_grows}};
	/* Each call has its number as argument. */
	static const struct {
		const char *name;
		int (*call)(int i);
	} repeated[] = {{"same", call_same}, {"jumps", jumps}, {"leaps", catches},
		{"logged", arguments}, {"middle", middle}};
	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++)
		if (strcmp(what, hows[i].name) == 0) {
			hows[i].run(n);
			return;
		}
	for (size_t k = 0; k < sizeof(repeated) / sizeof(repeated[0]); k++)
		if (strcmp(what, repeated[k].name) == 0) {
			for (int i = 0; i < n; i++)
				repeated[k].call(i);
			return;
		}
	fprintf(stderr, "no such argument: %s\n", what);
	exit(3);
}

PLAIN int main(int argc, char **argv)
{
	while (argc > 2 && (strcmp(argv[1], "fork") == 0 || strcmp(argv[1], "again") == 0)) {
		int is_again = strcmp(argv[1], "again") == 0;
		pid_t child = fork();
		argv[1] = argv[0];
		argc--, argv++;
		if (child == 0 && is_again)
			execv("/proc/self/exe", argv);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
	for (int i = 1; i + 1 < argc; i += 2)
		run(argv[i], (int)strtol(argv[i + 1], NULL, 10));
	for (int name = 0; name < N_NAMES; name++)
		if (counts[name] > 0)
			printf("%s %ld\n", names[name], counts[name]);
	return 0;
}
