/* SPDX-License-Identifier: MIT */
/*
 * Programs that limit themselves before they use markers: no descriptors, no lockable memory, or
 * not dumpable. Markers may then measure less, but must neither fail nor disturb the program.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "rules.h"

static void set_limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit limit;
	CHECK(getrlimit(resource, &limit) == 0);
	limit.rlim_cur = value;
	CHECK(setrlimit(resource, &limit) == 0);
}

static void close_all(void)
{
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
}

static void limit_none(void)
{
}

static void limit_descriptors(void)
{
	set_limit(RLIMIT_NOFILE, 3);
}

static void limit_file_size(void)
{
	set_limit(RLIMIT_FSIZE, 0);
}

static void limit_locked_memory(void)
{
	set_limit(RLIMIT_MEMLOCK, 0);
}

static void lock_all_memory(void)
{
	/* Refused without privilege, and then there is nothing to test. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
		fprintf(stderr, "rules: mlockall: %s\n", strerror(errno));
}

static void hide(void)
{
	CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
}

static void close_and_hide(void)
{
	close_all();
	hide();
}

static const struct how limits[] = {
	{"none", limit_none},
	{"closed", close_all},
	{"descriptors", limit_descriptors},
	{"file-size", limit_file_size},
	{"locked-memory", limit_locked_memory},
	{"mlockall", lock_all_memory},
	{"hidden", hide},
	{"closed-hidden", close_and_hide},
};

static void call_many(unsigned long n, unsigned long n_regions)
{
	char name[32];
	for (unsigned long i = 0; i < n_regions; i++) {
		snprintf(name, sizeof(name), "region %lu", i);
		call_named(name, n);
	}
}

static void *call_in_thread(void *argument)
{
	call_many(*(unsigned long *)argument, 20);
	return NULL;
}

/* Set one of the limits. Then make n calls of each of 20 regions in the main thread, in a new
 * thread and in a forked child. No marker may change errno. */
static void run_limited(void)
{
	unsigned long n = number(1);
	FIND_HOW(limits, arguments[0])->run();
	errno = EXDEV;
	call_many(n, 20);
	CHECK(errno == EXDEV);
	on_thread(call_in_thread, &n);
	if (fork_and_wait()) {
		call_many(n, 20);
		_exit(errno == EXDEV ? 0 : 1);
	}
}

/* End the program while its child still makes calls. The child's calls until then count. */
static void run_outlived(void)
{
	unsigned long n = number(0);
	int done[2];
	char byte = 0;
	CHECK(pipe(done) == 0);
	pid_t child = fork_flushed();
	if (child == 0) {
		pid_t parent = getppid();
		call_many(n, 1);
		CHECK(write(done[1], &byte, 1) == 1);
		while (getppid() == parent)
			call_many(1, 1);
		call_many(100000, 1);
		_exit(0);
	}
	CHECK(read(done[0], &byte, 1) == 1);
}

const struct how limit_rules[] = {
	{"limited", run_limited},
	{"outlived", run_outlived},
	{0},
};
