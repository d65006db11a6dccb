/* SPDX-License-Identifier: MIT */
/*
 * same_tid: ends a thread without markers once a runtime is loaded. Then a thread with its tid
 * touches 64 new pages in a call of "later". Prints "ready", and "same" or why there is no such
 * thread. It must be alone in its pid namespace, so that no other task takes the tid.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <regionstat.h>

#include "../touch.h"

#define PAGES 64
#define TRIES 10000

static int ends[2], wanted;

static void *wait_for_end(void *nothing)
{
	char byte;
	wanted = (int)syscall(SYS_gettid);
	return read(ends[0], &byte, 1) == 1 ? nothing : NULL;
}

/* Return the argument if this is the wanted thread. */
static void *touch_if_wanted(void *pages)
{
	if ((int)syscall(SYS_gettid) != wanted)
		return NULL;
	REGIONSTAT_BEGIN("earlier");
	REGIONSTAT_END("earlier");
	REGIONSTAT_BEGIN("later");
	touch(pages, PAGES, (size_t)sysconf(_SC_PAGESIZE));
	REGIONSTAT_END("later");
	return pages;
}

/* Let the next task get a pid. Return false if this may not be done. */
static int set_next(int pid)
{
	FILE *file = fopen("/proc/sys/kernel/ns_last_pid", "w");
	int done = file && fprintf(file, "%d", pid - 1) > 0;
	return (!file || fclose(file) == 0) && done;
}

int main(void)
{
	static struct regionstat_site_ site = {"main", 0, 1};
	void *pages = (void *)fresh_pages(PAGES * (size_t)sysconf(_SC_PAGESIZE)), *touched = NULL;
	pthread_t thread;
	if (pipe(ends) || pthread_create(&thread, NULL, wait_for_end, NULL))
		return 1;
	puts("ready");
	fflush(stdout);
	for (regionstat_ticket_ ticket = 0; !ticket; usleep(100)) {
		ticket = regionstat_scope_begin_(&site);
		regionstat_scope_end_(&ticket);
	}
	if (write(ends[1], "", 1) != 1)
		return 1;
	pthread_join(thread, NULL);
	/* The kernel gives a tid back soon after the thread has been joined. */
	for (int i = 0; i < TRIES && !touched; i++) {
		if (!set_next(wanted)) {
			puts(strerror(errno));
			return 0;
		}
		if (pthread_create(&thread, NULL, touch_if_wanted, pages))
			return 1;
		pthread_join(thread, &touched);
	}
	puts(touched ? "same" : "no thread got the tid");
	return 0;
}
