/* SPDX-License-Identifier: MIT */
/*
 * Programs that limit themselves before they use markers: no descriptors, no lockable memory, or
 * not dumpable. Markers may then measure less, but must neither fail nor disturb the program.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "rules.h"

static void lower(__rlimit_resource_t resource, rlim_t value)
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

static void lock_all_memory(void)
{
	/* Refused without privilege, and then there is nothing to test. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
		fprintf(stderr, "rules: mlockall: %s\n", strerror(errno));
}

static void restrict_itself(const char *how)
{
	if (!strcmp(how, "descriptors"))
		lower(RLIMIT_NOFILE, 3);
	else if (!strcmp(how, "file-size"))
		lower(RLIMIT_FSIZE, 0);
	else if (!strcmp(how, "locked-memory"))
		lower(RLIMIT_MEMLOCK, 0);
	else if (!strcmp(how, "mlockall"))
		lock_all_memory();
	else if (!strncmp(how, "closed", 6))
		close_all();
	else
		CHECK(!strcmp(how, "hidden") || !strcmp(how, "none"));
	if (strstr(how, "dropped"))
		CHECK(setresuid(65534, 65534, 65534) == 0);
	if (strstr(how, "hidden"))
		CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
}

static void *call_in_thread(void *argument)
{
	call_many(20, *(unsigned long *)argument);
	return NULL;
}

/* Set a limit, or none. Then make n calls of each of 20 regions in the main thread, in a new
 * thread and in a forked child. No marker may change errno. */
static void run_limited(void)
{
	unsigned long n = number(1);
	restrict_itself(arguments[0]);
	errno = EXDEV;
	call_many(20, n);
	CHECK(errno == EXDEV);
	on_thread(call_in_thread, &n);
	if (fork_and_wait()) {
		errno = EXDEV;
		call_many(20, n);
		_exit(errno == EXDEV ? 0 : 1);
	}
}

const struct how limit_rules[] = {
	{"limited", run_limited},
	{0},
};
