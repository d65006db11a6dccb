/* SPDX-License-Identifier: MIT */
/*
 * forked: a child that is forked while its parent loads the runtime. The first marker after regionstat has
 * attached starts the load, which stops in dlopen(3) until the child has ended. The child makes 100 calls
 * in this object and in a library. It says whether its markers are off, and whether it has started a thread
 * that loads. Then the parent makes calls for 200 ms.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <regionstat.h>

static _Atomic int is_loading, goes_on, n_threads;

void second_work(void);

/* The marker headers of both objects call these functions instead of those of libc. The names are other
 * ones in C, because a compiler compares the header's declarations with definitions of the same name. */
void *load(const char *path, int flags) __asm__("dlopen");
int start(void *thread, const void *attributes, void *(*run)(void *), void *argument) __asm__(
	"pthread_create");

void *load(const char *path, int flags)
{
	void *(*next)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
	is_loading = 1;
	while (!goes_on)
		usleep(100);
	return next(path, flags);
}

int start(void *thread, const void *attributes, void *(*run)(void *), void *argument)
{
	int (*next)(void *, const void *, void *(*)(void *), void *) = dlsym(
		RTLD_NEXT, "pthread_create");
	n_threads++;
	return next(thread, attributes, run, argument);
}

int main(void)
{
	int status = 1;
	puts("ready");
	fflush(stdout);
	while (!is_loading) {
		REGIONSTAT_BEGIN("parent");
		REGIONSTAT_END("parent");
		usleep(100);
	}
	int n_before = n_threads;
	pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 100; i++) {
			second_work();
			REGIONSTAT_BEGIN("child");
			REGIONSTAT_END("child");
		}
		_exit(regionstat_table_1_ || regionstat_request_1_.taken_by_ ||
			n_threads != n_before);
	}
	waitpid(child, &status, 0);
	puts(status == 0 ? "off" : "on");
	fflush(stdout);
	goes_on = 1;
	for (int i = 0; i < 200; i++) {
		REGIONSTAT_BEGIN("parent");
		REGIONSTAT_END("parent");
		usleep(1000);
	}
	return 0;
}
