/* SPDX-License-Identifier: MIT */
/* Tests of a new segment: its contents, its seals and its limits. */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "segment/segment.h"

static struct rs_segment segment;
static struct rs_segment_event events[2];
static struct rs_err err;

static bool make(void)
{
	events[0].group = 0;
	events[1].group = 1;
	events[0].attr[0] = 17;
	events[1].attr[RS_ATTR_BYTES - 1] = 18;
	struct rs_segment_config config = {.clock = RS_CLOCK_COUNTER,
		.flags = RS_SEGMENT_PER_PROCESS,
		.n_groups = 2,
		.n_events = 2,
		.events = events};
	return rs_segment_init(&segment, &config, &err);
}

static bool make_only(const char *const *only, size_t n_only)
{
	struct rs_segment_config config = {.only = only, .n_only = n_only};
	return rs_segment_init(&segment, &config, &err);
}

static void finish(void)
{
	rs_segment_finish(&segment);
}

static void read_at(uint64_t offset, void *bytes, size_t n)
{
	cr_assert_eq(pread(segment.fd, bytes, n, (off_t)offset), (ssize_t)n);
}

Test(segment, header_says_what_was_asked, .fini = finish)
{
	cr_assert(make(), "%s", err.text);
	struct rs_segment_header *header = segment.header;
	cr_assert_eq(header->magic, RS_SEGMENT_MAGIC);
	cr_assert_eq(header->abi, RS_SEGMENT_ABI);
	cr_assert_eq(header->header_bytes, 832);
	cr_assert_eq(header->segment_bytes, UINT64_C(1) << 36);
	cr_assert_eq(header->nonce, segment.nonce);
	cr_assert_eq(header->launcher_pid, (uint32_t)getpid());
	cr_assert_eq(header->clock, RS_CLOCK_COUNTER);
	cr_assert_eq(header->flags, RS_SEGMENT_PER_PROCESS);
	cr_assert_eq(header->n_events, 2);
	cr_assert_eq(header->n_groups, 2);
	cr_assert_eq(header->control, 0);
	cr_assert_eq(header->n_regions, 1);
	cr_assert_eq(header->n_slots, 0);
	cr_assert_eq(header->n_processes, 0);
	cr_assert_eq(header->data_end, RS_DATA_OFFSET);
	char magic[8];
	read_at(0, magic, sizeof(magic));
	cr_assert(memcmp(magic, "regnstat", 8) == 0);
}

Test(segment, events_are_there, .fini = finish)
{
	struct rs_segment_event read[2];
	cr_assert(make(), "%s", err.text);
	read_at(RS_EVENTS_OFFSET, read, sizeof(read));
	cr_assert(memcmp(read, events, sizeof(read)) == 0);
}

Test(segment, other_is_region_0_and_found_by_name, .fini = finish)
{
	struct rs_region region;
	uint32_t bucket;
	cr_assert(make(), "%s", err.text);
	read_at(RS_REGIONS_OFFSET, &region, sizeof(region));
	cr_assert_eq(region.state, RS_REGION_READY);
	cr_assert_str_eq(region.name, "(other)");
	cr_assert_eq(region.name_bytes, 7);
	cr_assert_eq(region.hash, rs_name_hash("(other)", 7));
	read_at(RS_BUCKETS_OFFSET + region.hash % RS_REGION_BUCKETS * sizeof(bucket), &bucket,
		sizeof(bucket));
	cr_assert_eq(bucket, 1);
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

Test(segment, environment_names_it, .fini = finish)
{
	char text[96], expected[96];
	cr_assert(make(), "%s", err.text);
	rs_segment_env(&segment, text);
	snprintf(expected, sizeof(expected), "%u:%d:%d:%016" PRIx64, RS_SEGMENT_ABI, segment.fd,
		getpid(), segment.header->nonce);
	cr_assert_str_eq(text, expected);
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

Test(segment, finish_takes_zeroed_and_null)
{
	struct rs_segment zeroed = {0};
	rs_segment_finish(&zeroed);
	rs_segment_finish(NULL);
	cr_assert_geq(fcntl(0, F_GETFD), 0);
}

/* Return the region that the hash table has for a name, as the runtime looks it up, or NULL. */
static const struct rs_region *look_up(const char *memory, const char *name)
{
	const uint32_t *buckets = (const uint32_t *)(memory + RS_BUCKETS_OFFSET);
	const struct rs_region *regions = (const struct rs_region *)(memory + RS_REGIONS_OFFSET);
	uint32_t length = (uint32_t)strlen(name), bucket = rs_name_hash(name, length);
	for (;; bucket++) {
		uint32_t value = buckets[bucket % RS_REGION_BUCKETS];
		if (value == 0)
			return NULL;
		if (strcmp(regions[value - 1].name, name) == 0)
			return &regions[value - 1];
	}
}

Test(segment, regions_named_beforehand)
{
	struct rs_segment_region regions[RS_MAX_NAMED_REGIONS];
	char names[RS_MAX_NAMED_REGIONS][8];
	for (uint32_t i = 0; i < RS_MAX_NAMED_REGIONS; i++) {
		snprintf(names[i], sizeof(names[i]), "r%u", i);
		regions[i] = (struct rs_segment_region){names[i], i + 1};
	}
	regions[7].name = "(other)";
	struct rs_segment_config config = {
		.clock = RS_CLOCK_MONOTONIC, .regions = regions, .n_regions = RS_MAX_NAMED_REGIONS};
	cr_assert(rs_segment_init(&segment, &config, &err), "%s", err.text);
	cr_expect_eq(segment.header->n_regions, RS_MAX_NAMED_REGIONS);
	cr_expect_eq(segment.header->flags, RS_SEGMENT_SAMPLES);
	cr_expect_eq(segment.header->sample_calls, 0);
	char *memory = mmap(NULL, RS_PROCESSES_OFFSET, PROT_READ, MAP_SHARED, segment.fd, 0);
	cr_assert_neq(memory, MAP_FAILED);
	for (uint32_t i = 0; i < RS_MAX_NAMED_REGIONS; i++) {
		const struct rs_region *region = look_up(memory, regions[i].name);
		cr_assert_not_null(region, "%s", regions[i].name);
		cr_expect_eq(region->sample_calls, i + 1);
		cr_expect_eq(region->state, RS_REGION_READY);
		cr_expect_eq(region->name_bytes, strlen(regions[i].name));
	}
	cr_expect_null(look_up(memory, "r7"));
	munmap(memory, RS_PROCESSES_OFFSET);
	rs_segment_finish(&segment);
}

Test(segment, sampling_of_all_regions)
{
	struct rs_segment_config config = {
		.clock = RS_CLOCK_MONOTONIC, .flags = RS_SEGMENT_RAW, .sample_calls = 4};
	cr_assert(rs_segment_init(&segment, &config, &err), "%s", err.text);
	cr_expect_eq(segment.header->flags, RS_SEGMENT_RAW | RS_SEGMENT_SAMPLES);
	cr_expect_eq(segment.header->sample_calls, 4);
	cr_expect_eq(segment.header->budget_ppm, 0);
	rs_segment_finish(&segment);
	config.sample_calls = 1;
	cr_assert(rs_segment_init(&segment, &config, &err), "%s", err.text);
	cr_expect_eq(segment.header->flags, RS_SEGMENT_RAW);
	rs_segment_finish(&segment);
}

/* Every region selects its own sampling, except one that an option sets to measure every call. */
Test(segment, budget)
{
	struct rs_segment_region region = {"all", 1};
	struct rs_segment_config config = {.clock = RS_CLOCK_MONOTONIC,
		.budget_ppm = 5000,
		.regions = &region,
		.n_regions = 1};
	cr_assert(rs_segment_init(&segment, &config, &err), "%s", err.text);
	cr_expect_eq(segment.header->flags, RS_SEGMENT_SAMPLES);
	cr_expect_eq(segment.header->budget_ppm, 5000);
	cr_expect_eq(segment.header->sample_calls, 0);
	rs_segment_finish(&segment);
}

Test(segment, bad_regions_are_refused)
{
	static char longest[RS_NAME_BYTES + 1];
	struct rs_segment_region region = {"", 1};
	struct rs_segment_config config = {
		.clock = RS_CLOCK_MONOTONIC, .regions = &region, .n_regions = 1};
	cr_expect_not(rs_segment_init(&segment, &config, &err));
	memset(longest, 'x', RS_NAME_BYTES);
	region.name = longest;
	cr_expect_not(rs_segment_init(&segment, &config, &err));
	longest[RS_NAME_BYTES - 1] = '\0';
	cr_assert(rs_segment_init(&segment, &config, &err), "%s", err.text);
	rs_segment_finish(&segment);
	config.n_regions = RS_MAX_NAMED_REGIONS + 1;
	cr_expect_not(rs_segment_init(&segment, &config, &err));
}

Test(segment, globs_of_wanted_regions, .fini = finish)
{
	static const char *const only[] = {"a*", "[b]?"};
	char globs[3][RS_GLOB_BYTES], empty[RS_GLOB_BYTES] = {0};
	cr_assert(make(), "%s", err.text);
	cr_assert_eq(segment.header->n_only, 0);
	rs_segment_finish(&segment);
	cr_assert(make_only(only, 2), "%s", err.text);
	cr_assert_eq(segment.header->n_only, 2);
	read_at(RS_ONLY_OFFSET, globs, sizeof(globs));
	cr_assert_str_eq(globs[0], "a*");
	cr_assert_str_eq(globs[1], "[b]?");
	cr_assert_arr_eq(globs[2], empty, sizeof(empty));
}

Test(segment, globs_that_do_not_fit, .fini = finish)
{
	static char longest[RS_GLOB_BYTES + 1];
	const char *only[RS_MAX_ONLY + 1];
	for (size_t i = 0; i <= RS_MAX_ONLY; i++)
		only[i] = "x";
	cr_assert_not(make_only(only, RS_MAX_ONLY + 1));
	cr_assert(strstr(err.text, "at most 64 globs of 1 to 255 bytes"), "%s", err.text);
	cr_assert(make_only(only, RS_MAX_ONLY), "%s", err.text);
	rs_segment_finish(&segment);
	memset(longest, 'x', RS_GLOB_BYTES);
	only[0] = longest;
	cr_assert_not(make_only(only, 1));
	longest[RS_GLOB_BYTES - 1] = '\0';
	cr_assert(make_only(only, 1), "%s", err.text);
	rs_segment_finish(&segment);
	only[0] = "";
	cr_assert_not(make_only(only, 1));
}
