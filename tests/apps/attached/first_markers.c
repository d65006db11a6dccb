/* SPDX-License-Identifier: MIT */
/*
 * first_markers THREADS: each thread calls "first" until standard input ends. For each line of
 * standard input it prints two numbers. The first is the number of threads with measured calls
 * since the line before. The second is the number of page faults in their first BEGINs.
 */
#include <stdatomic.h>
#include <sys/resource.h>

#include <regionstat.h>

#include "../check.h"

static _Atomic long n_measured, n_faults;

static long faults(void)
{
	struct rusage usage;
	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt;
}

static void *work(void *nothing)
{
	static struct regionstat_site_ site = {"first", 0, 1};
	volatile char room[8192]; /* the stack of a marker */
	for (size_t i = 0; i < sizeof(room); i += 1024)
		room[i] = 0;
	for (int was_measured = 0;; usleep(1000)) {
		long before = faults();
		regionstat_ticket_ ticket = regionstat_scope_begin_(&site);
		int is_measured = ticket != 0;
		if (is_measured && !was_measured) {
			atomic_fetch_add(&n_faults, faults() - before);
			atomic_fetch_add(&n_measured, 1);
		}
		was_measured = is_measured;
		regionstat_scope_end_(&ticket);
	}
	return nothing;
}

int main(int argc, char **argv)
{
	char line[16];
	pthread_t thread;
	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++)
		CHECK(!pthread_create(&thread, NULL, work, NULL));
	for (puts("ready"); fflush(stdout), fgets(line, sizeof(line), stdin);)
		printf("%ld %ld\n", atomic_exchange(&n_measured, 0), atomic_exchange(&n_faults, 0));
	return 0;
}
