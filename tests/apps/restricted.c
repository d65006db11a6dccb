/* SPDX-License-Identifier: MIT */
/*
 * restricted MODE: a program with few resources, which it needs for itself. MODE:
 *
 * - stolen: it closes all descriptors, opens others with the same numbers, fills them with bytes,
 *   and uses markers.
 * - lowered: it lowers RLIMIT_NOFILE to 64, starts 60 threads with markers, and opens 30 files.
 * - addresses MB: it uses markers, and allocates MB, which is all that RLIMIT_AS leaves.
 * - locked MB: the same after mlockall(), and it touches the memory.
 * - grown THREADS REGIONS: THREADS threads at once use REGIONS regions each.
 *
 * If it got all that it needs, it prints "fine" and exits 0.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <regionstat.h>

#include "check.h"

#define LOWERED 64
#define LOWERED_THREADS 60
#define LOWERED_FILES 30
#define SENT_BYTES 100

static void mark(int n)
{
	for (int i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("marked");
		REGIONSTAT_END("marked");
	}
}

static void be_robbed(void)
{
	static int ends[1024][2];
	char bytes[2 * SENT_BYTES];
	int n = 0;
	struct rlimit limit;
	mark(10);
	memset(bytes, 'x', sizeof(bytes));
	getrlimit(RLIMIT_NOFILE, &limit);
	for (int fd = 3; fd < (int)limit.rlim_cur; fd++)
		close(fd);
	for (; n < 1024 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends[n]) == 0; n++)
		CHECK(write(ends[n][0], bytes, SENT_BYTES) == SENT_BYTES &&
			write(ends[n][1], bytes, SENT_BYTES) == SENT_BYTES);
	mark(10);
	for (int i = 0; i < 2 * n; i++)
		CHECK(recv(ends[i / 2][i % 2], bytes, sizeof(bytes), MSG_DONTWAIT) == SENT_BYTES);
}

static pthread_barrier_t all_marked;

static void *mark_and_wait(void *unused)
{
	mark(3);
	pthread_barrier_wait(&all_marked);
	pthread_barrier_wait(&all_marked);
	return unused;
}

static void be_lowered(void)
{
	struct rlimit limit = {LOWERED, LOWERED};
	mark(3);
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
	pthread_barrier_init(&all_marked, NULL, LOWERED_THREADS + 1);
	pthread_t *threads = start_threads(LOWERED_THREADS, mark_and_wait, NULL, 0);
	pthread_barrier_wait(&all_marked);
	for (int i = 0; i < LOWERED_FILES; i++)
		CHECK(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0);
	pthread_barrier_wait(&all_marked);
	join_threads(LOWERED_THREADS, threads);
}

static void allocate(size_t bytes, int is_locked)
{
	mark(10);
	CHECK(!is_locked || !mlockall(MCL_CURRENT | MCL_FUTURE));
	mark(10);
	char *memory = malloc(bytes);
	CHECK(memory);
	if (is_locked)
		memset(memory, 1, bytes);
	free(memory);
}

static int n_regions;

static void *mark_regions(void *unused)
{
	char name[32];
	for (int region = 0; region < n_regions; region++) {
		snprintf(name, sizeof(name), "region %d", region);
		for (int i = 0; i < 20; i++) {
			regionstat_begin(name);
			for (volatile int j = 0; j < 1 << i % 10;)
				j = j + 1;
			regionstat_end(name);
		}
	}
	pthread_barrier_wait(&all_marked);
	return unused;
}

static void grow(size_t n_threads)
{
	pthread_barrier_init(&all_marked, NULL, (unsigned int)n_threads);
	on_threads(n_threads, mark_regions, NULL, 0);
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? (size_t)atol(argv[2]) : 0;
	n_regions = argc > 3 ? atoi(argv[3]) : 0;
	if (strcmp(argv[1], "stolen") == 0)
		be_robbed();
	else if (strcmp(argv[1], "lowered") == 0)
		be_lowered();
	else if (strcmp(argv[1], "grown") == 0)
		grow(n);
	else
		allocate(n << 20, strcmp(argv[1], "locked") == 0);
	puts("fine");
	return 0;
}
