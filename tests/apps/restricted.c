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
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <regionstat.h>

#define MOST_THREADS 200
#define LOWERED 64
#define LOWERED_THREADS 60
#define LOWERED_FILES 30
#define SENT_BYTES 100

static int give_up(const char *what)
{
	fprintf(stderr, "restricted: %s: %s\n", what, strerror(errno));
	return 1;
}

static void mark(int n)
{
	for (int i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("marked");
		REGIONSTAT_END("marked");
	}
}

static int be_robbed(void)
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
		if (write(ends[n][0], bytes, SENT_BYTES) != SENT_BYTES ||
			write(ends[n][1], bytes, SENT_BYTES) != SENT_BYTES)
			return give_up("write");
	mark(10);
	for (int i = 0; i < 2 * n; i++)
		if (recv(ends[i / 2][i % 2], bytes, sizeof(bytes), MSG_DONTWAIT) != SENT_BYTES)
			return give_up("somebody has read from a socket");
	return 0;
}

static pthread_barrier_t all_marked;

static void *mark_and_wait(void *unused)
{
	mark(3);
	pthread_barrier_wait(&all_marked);
	pthread_barrier_wait(&all_marked);
	return unused;
}

static int be_lowered(void)
{
	static pthread_t threads[LOWERED_THREADS];
	struct rlimit limit = {LOWERED, LOWERED};
	mark(3);
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return give_up("setrlimit");
	pthread_barrier_init(&all_marked, NULL, LOWERED_THREADS + 1);
	for (int i = 0; i < LOWERED_THREADS; i++)
		if (pthread_create(&threads[i], NULL, mark_and_wait, NULL))
			return give_up("pthread_create");
	pthread_barrier_wait(&all_marked);
	for (int i = 0; i < LOWERED_FILES; i++)
		if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
			return give_up("open");
	pthread_barrier_wait(&all_marked);
	for (int i = 0; i < LOWERED_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int allocate(size_t bytes, int is_locked)
{
	mark(10);
	if (is_locked && mlockall(MCL_CURRENT | MCL_FUTURE))
		return give_up("mlockall");
	mark(10);
	char *memory = malloc(bytes);
	if (!memory)
		return give_up("malloc");
	if (is_locked)
		memset(memory, 1, bytes);
	free(memory);
	return 0;
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

static int grow(int n_threads)
{
	static pthread_t threads[MOST_THREADS];
	pthread_barrier_init(&all_marked, NULL, (unsigned int)n_threads);
	for (int i = 0; i < n_threads; i++)
		if (pthread_create(&threads[i], NULL, mark_regions, NULL))
			return give_up("pthread_create");
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int run(int argc, char **argv)
{
	size_t bytes = argc > 2 ? (size_t)atol(argv[2]) << 20 : 0;
	if (argc == 2 && strcmp(argv[1], "stolen") == 0)
		return be_robbed();
	if (argc == 2 && strcmp(argv[1], "lowered") == 0)
		return be_lowered();
	if (argc == 3 && strcmp(argv[1], "addresses") == 0)
		return allocate(bytes, 0);
	if (argc == 3 && strcmp(argv[1], "locked") == 0)
		return allocate(bytes, 1);
	if (argc == 4 && strcmp(argv[1], "grown") == 0) {
		n_regions = atoi(argv[3]);
		return grow(atoi(argv[2]));
	}
	return 2;
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);
	if (!status)
		puts("fine");
	return status;
}
