/* SPDX-License-Identifier: MIT */
/* Tests of a new segment: its seals and its limits. Every command test needs its contents. */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "segment/segment.h"

static struct rs_segment segment;
static struct rs_err err;

static bool make(void)
{
	struct rs_segment_config config = {.clock = RS_CLOCK_COUNTER};
	return rs_segment_init(&segment, &config, &err);
}

static void finish(void)
{
	rs_segment_finish(&segment);
}

/* Test vectors from the FNV reference, draft-eastlake-fnv, appendix C. */
Test(segment, name_hash_is_fnv_1a)
{
	cr_assert_eq(rs_name_hash("", 0), 0x811c9dc5u);
	cr_assert_eq(rs_name_hash("a", 1), 0xe40c292cu);
	cr_assert_eq(rs_name_hash("foobar", 6), 0xbf9cf968u);
}

Test(segment, size_is_fixed_and_sparse, .fini = finish)
{
	struct stat status;
	cr_assert(make(), "%s", err.text);
	cr_assert_eq(fstat(segment.fd, &status), 0);
	cr_assert_eq((uint64_t)status.st_size, RS_SEGMENT_BYTES);
	cr_assert_eq((uint64_t)status.st_blocks * 512, RS_REGIONS_OFFSET + RS_EXTENT_BYTES);
	cr_assert_eq(ftruncate(segment.fd, 0), -1);
	cr_assert_eq(errno, EPERM);
	cr_assert_eq(ftruncate(segment.fd, (off_t)RS_SEGMENT_BYTES * 2), -1);
	cr_assert_eq(errno, EPERM);
	cr_assert_eq(fcntl(segment.fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	cr_assert_eq(errno, EPERM);
}

Test(segment, descriptor_is_high_and_cloexec, .fini = finish)
{
	cr_assert(make(), "%s", err.text);
	cr_assert_geq(segment.fd, 100);
	cr_assert_eq(fcntl(segment.fd, F_GETFD), FD_CLOEXEC);
}

Test(segment, descriptor_is_highest_free_below_a_low_limit, .fini = finish)
{
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 64;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_assert_eq(dup2(0, 63), 63);
	cr_assert(make(), "%s", err.text);
	cr_assert_eq(segment.fd, 62);
}

Test(segment, nonces_differ, .fini = finish)
{
	cr_assert(make(), "%s", err.text);
	uint64_t first = segment.nonce;
	rs_segment_finish(&segment);
	cr_assert(make(), "%s", err.text);
	cr_assert_neq(segment.nonce, first);
}

Test(segment, soft_file_size_limit_is_lifted_and_put_back, .fini = finish)
{
	struct rlimit limit;
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 4096;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	cr_assert(make(), "%s", err.text);
	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	cr_assert_eq(limit.rlim_cur, 4096);
}

/* The test uses a child without privileges, because root may raise a hard limit. */
Test(segment, hard_file_size_limit_is_a_clear_error)
{
	pid_t child = fork();
	if (child == 0) {
		struct rlimit limit = {4096, 4096};
		if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || (getuid() == 0 && setuid(65534) != 0))
			_exit(2);
		_exit(!make() && strstr(err.text, "RLIMIT_FSIZE") && strstr(err.text, "try: ") ? 0
											       : 1);
	}
	int status;
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status), "killed by signal %d", WTERMSIG(status));
	cr_assert_eq(WEXITSTATUS(status), 0);
}

Test(segment, no_descriptor_is_a_clear_error)
{
	struct rlimit limit, none;
	getrlimit(RLIMIT_NOFILE, &limit);
	none = (struct rlimit){0, limit.rlim_max};
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	bool made = make();
	setrlimit(RLIMIT_NOFILE, &limit);
	cr_assert_not(made);
	cr_assert(strstr(err.text, "EMFILE"), "%s", err.text);
	cr_assert_eq(segment.fd, -1);
	rs_segment_finish(&segment);
}

Test(segment, finish_of_a_zeroed_one_closes_nothing)
{
	struct rs_segment zeroed = {0};
	rs_segment_finish(&zeroed);
	cr_assert_geq(fcntl(0, F_GETFD), 0);
}
