/* SPDX-License-Identifier: MIT */
/*
 * reads: two threads call "read" and read its calls all the time, until standard input ends. Then
 * it prints how many values were equal to the thread's own count since markers were turned on, and
 * how many were not. If regionstat detaches within a call, its END does nothing. So a difference
 * counts only if the next call has it too.
 */
#include <stdatomic.h>

#include <regionstat.h>

#include "../check.h"

static _Atomic unsigned long n_equal, n_others;
static _Atomic int stops;

static void *work(void *nothing)
{
	static struct regionstat_site_ site = {"read", 0, 1};
	struct regionstat_values values;
	unsigned long long n = 0, differed = -1ULL; /* calls; what was read instead just before */
	while (!stops) {
		regionstat_ticket_ ticket = regionstat_scope_begin_(&site);
		n = ticket ? n + 1 : 0;
		regionstat_scope_end_(&ticket);
		if (!REGIONSTAT_READ("read", REGIONSTAT_TIME, REGIONSTAT_THREAD, &values) ||
			n == 0) {
			differed = -1ULL;
			continue;
		}
		if (values.calls_ <= 1) /* the first call of another measurement */
			n = values.calls_;
		if (values.calls_ == n)
			n_equal++;
		else if (values.calls_ == differed + 1)
			n_others++;
		differed = values.calls_ == n ? -1ULL : values.calls_;
	}
	return nothing;
}

int main(void)
{
	pthread_t *threads = start_threads(2, work, NULL, 0);
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	stops = 1;
	join_threads(2, threads);
	printf("%lu %lu\n", n_equal, n_others);
	return 0;
}
