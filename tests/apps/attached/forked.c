/* SPDX-License-Identifier: MIT */
/*
 * forked HALFWAY: a child that is forked while its parent loads the runtime. The first marker after
 * regionstat has attached starts the load, which stops in dlopen(3) until the child has ended. The
 * child makes 100 calls in this object and in a library. The library finds HALFWAY, a runtime that
 * is not ready. The program prints whether the markers of this object are off in the child, and the
 * thread that loads gets no signals. Then the parent makes calls for 200 ms.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <regionstat.h>

static const char *halfway;
static pid_t parent;
static _Atomic int is_loading, is_child_loading, goes_on;
static sigset_t blocked; /* by the thread that loads */

void second_work(void);
int second_is_asked(void);

/* The marker headers of both objects call this function instead of libc's. Its name is another one
 * in C, because a compiler compares the header's declaration with a definition of the same name. */
void *load(const char *path, int flags) __asm__("dlopen");

void *load(const char *path, int flags)
{
	void *(*next)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
	if (getpid() != parent) {
		is_child_loading = 1;
		return next(halfway, flags);
	}
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	is_loading = 1;
	while (!goes_on)
		usleep(100);
	return next(path, flags);
}

static int be_child(void)
{
	while (!is_child_loading) {
		second_work();
		usleep(100);
	}
	for (int i = 0; i < 100; i++) {
		second_work();
		REGIONSTAT_BEGIN("child");
		REGIONSTAT_END("child");
		usleep(100);
	}
	return regionstat_table_1_ || regionstat_request_1_.taken_by_;
}

int main(int argc, char **argv)
{
	int status = 1;
	halfway = argv[argc - 1];
	parent = getpid();
	puts("ready");
	fflush(stdout);
	/* regionstat asks one object after the other, and the child waits for its library to load */
	while (!is_loading || !second_is_asked()) {
		REGIONSTAT_BEGIN("parent");
		REGIONSTAT_END("parent");
		usleep(100);
	}
	pid_t child = fork();
	if (child == 0)
		_exit(be_child());
	waitpid(child, &status, 0);
	puts(status == 0 ? "off" : "on");
	puts(sigismember(&blocked, SIGTERM) ? "without signals" : "with signals");
	fflush(stdout);
	goes_on = 1;
	for (int i = 0; i < 200; i++) {
		REGIONSTAT_BEGIN("parent");
		REGIONSTAT_END("parent");
		usleep(1000);
	}
	return 0;
}
