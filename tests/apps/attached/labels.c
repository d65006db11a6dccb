/* SPDX-License-Identifier: MIT */
/*
 * Programs that look at their own labels, as other profilers do:
 *
 *   labels           threads that stay in the region "work" meanwhile. A line of standard input
 *                    that begins with b or e lets each thread begin or end it first. Each line is
 *                    answered by two numbers: how many threads have a label, and how many labels
 *                    are "work"
 *   labels turns N   calls of "leaf" in "a" and in "b", N times in turn; prints how many of 4 N
 *                    labels, one after each marker, were right
 */
#include <dlfcn.h>
#include <stdatomic.h>

#include <regionstat.h>

#include "../check.h"

#define N 4
/* offsets in a record of OTEP 4947 */
#define VALID 24
#define BYTES 29
#define VALUE 30

static pthread_barrier_t begin, end;
static char line[16];
static _Atomic int n_labels, n_right;

/* Count the label of this thread, if it has one, and whether it is this name. */
static void look(const char *name)
{
	void *library = dlopen("libregionstat.so.1", RTLD_NOW | RTLD_NOLOAD);
	const char *const *label = library ? dlsym(library, "otel_thread_ctx_v1") : NULL;
	size_t bytes = strlen(name);
	if (!label || !*label)
		return;
	n_labels++;
	n_right += (*label)[VALID] == 1 && (size_t)(*label)[BYTES] == bytes &&
		   memcmp(*label + VALUE, name, bytes) == 0;
}

static void leaf(void)
{
	REGIONSTAT_BEGIN("leaf");
	look("leaf");
	REGIONSTAT_END("leaf");
}

static void turns(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("a");
		leaf();
		look("a");
		REGIONSTAT_NEXT("a", "b");
		leaf();
		look("b");
		REGIONSTAT_END("b");
	}
	printf("%d\n", n_right);
}

static void *work(void *nothing)
{
	for (;;) {
		pthread_barrier_wait(&begin);
		if (line[0] == 'b')
			REGIONSTAT_BEGIN("work");
		if (line[0] == 'e')
			REGIONSTAT_END("work");
		look("work");
		pthread_barrier_wait(&end);
	}
	return nothing;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc == 3) {
		turns(strtoul(argv[2], NULL, 10));
		return 0;
	}
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
