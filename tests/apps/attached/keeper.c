/* SPDX-License-Identifier: MIT */
/*
 * The runtime's own thread keeps the segment open. A child is forked before that thread exists,
 * while the thread that loads the runtime still keeps the segment open. The loading thread waits in
 * pthread_create(3) until the child has been forked. The child reads a line of standard input,
 * calls "child" 100 times in 100 ms or more, and prints how many of these calls were measured. The
 * parent calls "scope" all the time. Both end when standard input ends.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <regionstat.h>

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static _Atomic int n_created, is_forked;

/* The marker header and the runtime call this function instead of libc's. */
create create_thread __asm__("pthread_create");

int create_thread(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
	create *next = (create *)dlsym(RTLD_NEXT, "pthread_create");
	n_created++;
	while (n_created == 2 && !is_forked) /* the first thread has loaded the runtime */
		usleep(100);
	return next(thread, attributes, run, argument);
}

static int mark(const char *name)
{
	struct regionstat_site_ site = {name, 0, 1};
	regionstat_ticket_ ticket = regionstat_scope_begin_(&site);
	int is_measured = ticket != 0;
	regionstat_scope_end_(&ticket);
	return is_measured;
}

static void be_child(void)
{
	int n = 0;
	getchar();
	for (int i = 0; i < 100; i++) {
		n += mark("child");
		usleep(1000);
	}
	printf("%d\n", n);
	fflush(stdout);
	while (getchar() >= 0)
		;
	_exit(0);
}

int main(void)
{
	puts("ready");
	fflush(stdout);
	while (n_created < 2) {
		mark("scope");
		usleep(100);
	}
	pid_t child = fork();
	if (child == 0)
		be_child();
	is_forked = 1;
	puts("forked");
	fflush(stdout);
	while (waitpid(child, NULL, WNOHANG) == 0) {
		mark("scope");
		usleep(1000);
	}
	return 0;
}
