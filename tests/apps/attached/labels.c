/* SPDX-License-Identifier: MIT */
/*
 * labels: threads that stay in the region "work" while other profilers look. A line of standard input
 * that begins with b or e lets each thread begin or end it first. Each line is answered by two numbers:
 * how many threads have a label, and how many labels are "work".
 */
#include <dlfcn.h>
#include <stdatomic.h>

#include <regionstat.h>

#include "../check.h"

#define N 4
/* offsets in a record of OTEP 4947 */
#define VALID 24
#define VALUE 30

static pthread_barrier_t begin, end;
static char line[16];
static _Atomic int n_labels, n_right;

static void look(void)
{
	void *library = dlopen("libregionstat.so.1", RTLD_NOW | RTLD_NOLOAD);
	const char *const *label = library ? dlsym(library, "otel_thread_ctx_v1") : NULL;
	if (!label || !*label)
		return;
	n_labels++;
	n_right += (*label)[VALID] == 1 && strncmp(*label + VALUE, "work", 4) == 0;
}

static void *work(void *nothing)
{
	for (;;) {
		pthread_barrier_wait(&begin);
		if (line[0] == 'b')
			REGIONSTAT_BEGIN("work");
		if (line[0] == 'e')
			REGIONSTAT_END("work");
		look();
		pthread_barrier_wait(&end);
	}
	return nothing;
}

int main(void)
{
	pthread_t thread;
	pthread_barrier_init(&begin, NULL, N + 1);
	pthread_barrier_init(&end, NULL, N + 1);
	for (int i = 0; i < N; i++)
		CHECK(!pthread_create(&thread, NULL, work, NULL));
	while (fgets(line, sizeof(line), stdin)) {
		n_labels = n_right = 0;
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
		printf("%d %d\n", n_labels, n_right);
		fflush(stdout);
	}
	return 0;
}
