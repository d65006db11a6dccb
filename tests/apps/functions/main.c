/* SPDX-License-Identifier: MIT */
/*
 * A program that is compiled with -finstrument-functions. It counts the calls of its functions
 * itself, and prints them at the end.
 *
 * Its arguments select recursion, alloca() and longjmp(), threads, and a forked child. They also
 * select plugins, which are loaded, called and closed, so that another one follows at the same
 * address. If the program starts itself again, that is one more process of the same program.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_instrument_function))

int other(int n);

static atomic_int counts[2];

/* other.c has a function of the same name. */
static __attribute__((noinline)) int same(int n)
{
	atomic_fetch_add_explicit(&counts[0], 1, memory_order_relaxed);
	return n + 1;
}

__attribute__((noinline)) int fibonacci(int n)
{
	atomic_fetch_add_explicit(&counts[1], 1, memory_order_relaxed);
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static jmp_buf back;

/* The stack frame grows before the inner call, and again before the end. */
__attribute__((noinline)) int grows(int depth)
{
	char *room = alloca((size_t)depth * 64 + 1);
	memset(room, depth, (size_t)depth * 64 + 1);
	return depth > 0 ? grows(depth - 1) + room[0] : room[0];
}

__attribute__((noinline)) void leaps(int depth)
{
	if (depth > 0)
		leaps(depth - 1);
	else if (counts[0] >= 0)
		longjmp(back, 1);
}

__attribute__((noinline)) int catches(int n)
{
	volatile int caught = n;
	if (setjmp(back) == 0)
		leaps(2);
	else
		caught++;
	return caught;
}

static UNSEEN void *run_thread(void *n)
{
	for (int i = 0; i < *(int *)n; i++)
		same(other(i));
	return NULL;
}

static UNSEEN void run_threads(int n)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run_thread, &n);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static UNSEEN void run_plugin(const char *path, int n)
{
	void *plugin = dlopen(path, RTLD_NOW);
	void (*work)(void) = NULL;
	void *symbol = plugin ? dlsym(plugin, "work") : NULL;
	memcpy(&work, &symbol, sizeof(work));
	if (!work) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	printf("plugin at %p\n", symbol);
	for (int i = 0; i < n; i++)
		work();
	dlclose(plugin);
}

static UNSEEN void run(char **argv)
{
	const char *what = argv[0];
	int n = (int)strtol(argv[1], NULL, 10);
	if (strcmp(what, "same") == 0)
		for (int i = 0; i < n; i++)
			same(other(i));
	else if (strcmp(what, "fibonacci") == 0)
		fibonacci(n);
	else if (strcmp(what, "grows") == 0)
		grows(n);
	else if (strcmp(what, "leaps") == 0)
		for (int i = 0; i < n; i++)
			catches(i);
	else if (strcmp(what, "threads") == 0)
		run_threads(n);
	else
		run_plugin(what, n);
}

UNSEEN int main(int argc, char **argv)
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
		run(argv + i);
	printf("same %d fibonacci %d\n", counts[0], counts[1]);
	return 0;
}
