/* SPDX-License-Identifier: MIT */
/*
 * A program that is compiled with -fxray-instrument. Each function counts its own calls, and the
 * program prints lines with names and sums at the end.
 *
 * Its arguments select threads, recursion, tail calls, and longjmp(), also into the same function.
 * Signal handlers run at any time, and some jump out of the interrupted code. Others select a
 * forked child, arguments and results in vector registers, and an XRay handler that the program
 * sets.
 */
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
#include <time.h>
#include <unistd.h>

int __xray_set_handler(void (*handler)(int32_t function, int type));

#define PLAIN __attribute__((xray_never_instrument))
#define MEASURED __attribute__((noinline, xray_always_instrument))
#define N_THREADS 4

#define NAMES(name)                                                                         \
	name(leaf), name(middle), name(recursive), name(jumps), name(leaps), name(catches), \
		name(retries), name(handler), name(add), name(arguments)
#define INDEX(name) AT_##name
#define TEXT(name) #name
enum { NAMES(INDEX), N_NAMES };
static const char *const names[] = {NAMES(TEXT)};
static _Atomic long counts[N_NAMES];
static atomic_int sum; /* keeps the compiler from removing or merging calls */

#define COUNT(name) atomic_fetch_add_explicit(&counts[AT_##name], 1, memory_order_relaxed)

MEASURED int leaf(int n)
{
	COUNT(leaf);
	return n ^ atomic_load_explicit(&sum, memory_order_relaxed);
}

MEASURED int middle(int n)
{
	COUNT(middle);
	int result = leaf(n) + leaf(n + 1);
	return atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed) + result;
}

MEASURED int recursive(int n)
{
	COUNT(recursive);
	int result = n < 2 ? n : recursive(n - 1) + recursive(n - 2);
	return atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed) ^ result;
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
	COUNT(leaps);
	if (depth == 0)
		longjmp(back, 1);
	return leaps(depth - 1) + atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed);
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
MEASURED int retries(int depth, long long *ns)
{
	struct timespec begin, end;
	COUNT(retries);
	if (depth == 0)
		longjmp(back, 1);
	if (depth < 2)
		return retries(depth - 1, ns) +
		       atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &end);
		*ns = (end.tv_sec - begin.tv_sec) * 1000000000LL + end.tv_nsec - begin.tv_nsec;
	} while (*ns < 2000000);
	if (setjmp(back) == 0)
		retries(depth - 1, ns);
	return atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed);
}

MEASURED void handler(int number)
{
	COUNT(handler);
	leaf(number);
}

/* A function whose arguments the XRay runtime can log, for other handlers than regionstat's. */
__attribute__((noinline, xray_always_instrument, xray_log_args(1))) int arguments(int n)
{
	COUNT(arguments);
	return n + atomic_load_explicit(&sum, memory_order_relaxed);
}

#ifdef __AVX__
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
	long long total = 0, ns = 0;
	for (int i = 0; i < n; i++) {
		retries(2, &ns);
		total += ns;
	}
	printf("ns %lld\n", total);
}

static PLAIN void run(const char *what, int n)
{
	if (strcmp(what, "threads") == 0)
		run_threads(n);
	else if (strcmp(what, "recursive") == 0)
		recursive(n);
	else if (strcmp(what, "escapes") == 0)
		run_escapes(n);
	else if (strcmp(what, "own") == 0)
		__xray_set_handler(own_handler);
	else if (strcmp(what, "retries") == 0)
		run_retries(n);
	else if (strcmp(what, "signals") == 0)
		run_signals(n);
	else if (strcmp(what, "vectors") == 0)
		run_vectors(n);
	else
		for (int i = 0; i < n; i++)
			strcmp(what, "jumps") == 0    ? jumps(i)
			: strcmp(what, "leaps") == 0  ? catches(i)
			: strcmp(what, "logged") == 0 ? arguments(i)
						      : middle(i);
}

PLAIN int main(int argc, char **argv)
{
	int i = 1;
	pid_t child = 0;
	if (argc > 1 && strcmp(argv[1], "fork") == 0) {
		child = fork();
		i++;
	}
	for (; i + 1 < argc; i += 2)
		run(argv[i], (int)strtol(argv[i + 1], NULL, 10));
	if (child > 0)
		waitpid(child, NULL, 0);
	for (int name = 0; name < N_NAMES; name++)
		if (counts[name] > 0)
			printf("%s %ld\n", names[name], counts[name]);
	return 0;
}
