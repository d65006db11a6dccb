/* SPDX-License-Identifier: MIT */
/*
 * This file creates the segment: a sealed memfd with header, events and the region "(other)". Only
 * the first extents get memory. The rest is a hole until the runtime needs it.
 */
#include "segment/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008u /* since Linux 6.3; vm.memfd_noexec=2 refuses memfds without it */
#endif

/* The segment's descriptor gets a high number, so that the program's own descriptors get the same
 * low numbers as without regionstat. */
#define LOWEST_FD 100

/* Create an empty memfd. Kernels before 6.3 refuse MFD_NOEXEC_SEAL with EINVAL. */
static int open_memfd(struct rs_err *err)
{
	const char *name = "regionstat";
	unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create(name, flags | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, flags);
	if (fd >= 0)
		return fd;
	int number = errno;
	rs_err_set_errno(err, number, "cannot make the segment: memfd_create");
	if (number == EMFILE)
		rs_err_add_line(err, "try: ulimit -n 256");
	else if (number == ENOSYS || number == EPERM)
		rs_err_add_line(err, "a seccomp filter, as of a container, may forbid the call");
	return -1;
}

/* Move fd to the lowest free number from LOWEST_FD on, or else to the highest free number below it.
 * C libraries define fcntl(2) under different names, so this uses syscall(2). */
static int raise_fd(int fd)
{
	int raised = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, LOWEST_FD);
	for (int lowest = LOWEST_FD - 1; raised < 0 && lowest > fd; lowest--)
		raised = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, lowest);
	if (raised < 0)
		return fd;
	close(fd);
	return raised;
}

/* Set the memfd's size. Beyond RLIMIT_FSIZE, SIGXFSZ would kill the process, so raise the limit for
 * this call only. */
static bool set_size(int fd, struct rs_err *err)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
		return rs_err_set_errno(err, errno, "cannot make the segment: RLIMIT_FSIZE");
	bool low = limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < RS_SEGMENT_BYTES;
	if (low) {
		struct rlimit lifted = limit;
		lifted.rlim_cur = RS_SEGMENT_BYTES;
		if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < RS_SEGMENT_BYTES)
			lifted.rlim_max = RS_SEGMENT_BYTES; /* needs CAP_SYS_RESOURCE */
		if (setrlimit(RLIMIT_FSIZE, &lifted) != 0) {
			rs_err_set_errno(err, EFBIG, "cannot make the segment");
			rs_err_add_line(err,
				"the hard limit of file sizes (RLIMIT_FSIZE) is %" PRIu64
				" bytes; a sparse segment of %" PRIu64 " is needed",
				(uint64_t)limit.rlim_max, RS_SEGMENT_BYTES);
			return rs_err_add_line(err,
				"try: start from a shell without the limit (ulimit -Hf unlimited)");
		}
	}
	int number = ftruncate(fd, (off_t)RS_SEGMENT_BYTES) == 0 ? 0 : errno;
	if (low)
		setrlimit(RLIMIT_FSIZE, &limit);
	if (number != 0)
		return rs_err_set_errno(err, number, "cannot make the segment: ftruncate");
	return true;
}

/* Allocate memory for the first extents and map them, so that accesses to them cannot fail. */
static void *map_first(int fd, struct rs_err *err)
{
	int number = posix_fallocate(fd, 0, (off_t)RS_FIRST_BYTES);
	void *memory = MAP_FAILED;
	if (number == 0) {
		memory = mmap(NULL, RS_FIRST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		number = memory == MAP_FAILED ? errno : 0;
	}
	if (number == 0)
		return memory;
	rs_err_set_errno(err, number, "cannot take memory for the segment");
	rs_err_add_line(err,
		"%" PRIu64 " KiB of shared memory were refused; a memory cgroup, RLIMIT_AS or "
		"overcommit may be at its limit",
		(uint64_t)RS_FIRST_BYTES / 1024);
	return NULL;
}

static_assert((1 + RS_MAX_NAMED_REGIONS) * sizeof(struct rs_region) <= RS_EXTENT_BYTES,
	"the regions named beforehand lie in the first extent of the table");

static void fill_region(
	char *memory, uint32_t index, const char *name, size_t name_bytes, uint32_t sample_calls)
{
	struct rs_region *region = (struct rs_region *)(memory + RS_REGIONS_OFFSET) + index;
	_Atomic uint32_t *buckets = (_Atomic uint32_t *)(memory + RS_BUCKETS_OFFSET);
	region->name_bytes = (uint32_t)name_bytes;
	memcpy(region->name, name, name_bytes);
	region->hash = rs_name_hash(region->name, region->name_bytes);
	region->sample_calls = sample_calls;
	atomic_store(&region->state, RS_REGION_READY);
	uint32_t bucket = region->hash;
	while (atomic_load(&buckets[bucket % RS_REGION_BUCKETS]) != 0)
		bucket++;
	atomic_store(&buckets[bucket % RS_REGION_BUCKETS], index + 1);
}

/* Add "(other)" and the regions that the launcher names to the table. */
static void fill_regions(char *memory, const struct rs_segment_config *config)
{
	struct rs_segment_header *header = (struct rs_segment_header *)memory;
	uint32_t n = 1;
	fill_region(memory, 0, RS_REGION_OTHER_NAME, sizeof(RS_REGION_OTHER_NAME) - 1, 0);
	for (size_t i = 0; i < config->n_regions; i++) {
		const struct rs_segment_region *region = &config->regions[i];
		struct rs_region *other = (struct rs_region *)(memory + RS_REGIONS_OFFSET);
		if (strcmp(region->name, RS_REGION_OTHER_NAME) == 0)
			other->sample_calls = region->sample_calls;
		else
			fill_region(memory, n++, region->name, strlen(region->name),
				region->sample_calls);
	}
	atomic_store(&header->n_regions, n);
}

static bool has_samples(const struct rs_segment_config *config)
{
	bool any = config->sample_calls > 1 || config->budget_ppm > 0;
	for (size_t i = 0; i < config->n_regions; i++)
		any |= config->regions[i].sample_calls > 1;
	return any;
}

static void fill_globs(char *memory, const struct rs_segment_config *config)
{
	for (size_t i = 0; i < config->n_only; i++)
		strcpy(memory + RS_ONLY_OFFSET + i * RS_GLOB_BYTES, config->only[i]);
}

static void fill_slow(char *memory, const struct rs_segment_config *config)
{
	struct rs_slow_calls *slow = (struct rs_slow_calls *)(memory + RS_SLOW_CALLS_OFFSET);
	slow->n_rules = (uint32_t)config->n_slow;
	for (size_t i = 0; i < config->n_slow; i++) {
		strcpy(slow->rules[i].glob, config->slow[i].glob);
		slow->rules[i].counters = config->slow[i].counters;
		slow->rules[i].above = config->slow[i].above;
	}
}

static void fill_header(
	struct rs_segment_header *header, uint64_t nonce, const struct rs_segment_config *config)
{
	header->magic = RS_SEGMENT_MAGIC;
	header->abi = RS_SEGMENT_ABI;
	header->header_bytes = sizeof(*header);
	header->segment_bytes = RS_SEGMENT_BYTES;
	header->nonce = nonce;
	header->launcher_pid = (uint32_t)getpid();
	header->clock = config->clock;
	header->flags = config->flags | (has_samples(config) ? RS_SEGMENT_SAMPLES : 0);
	header->sample_calls = config->sample_calls;
	header->budget_ppm = config->budget_ppm;
	header->n_only = (uint32_t)config->n_only;
	header->n_events = config->n_events;
	header->n_groups = config->n_groups;
	atomic_store(&header->data_end, RS_DATA_OFFSET);
}

bool rs_segment_init(
	struct rs_segment *segment, const struct rs_segment_config *config, struct rs_err *err)
{
	bool done = false;
	char *memory = NULL;
	uint64_t nonce = 0;
	*segment = (struct rs_segment){.fd = -1};
	int fd = open_memfd(err);
	if (fd < 0)
		goto out;
	fd = raise_fd(fd);
	if (!set_size(fd, err))
		goto out;
	if (syscall(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
		rs_err_set_errno(err, errno, "cannot seal the segment");
		goto out;
	}
	if (getrandom(&nonce, sizeof(nonce), 0) != (ssize_t)sizeof(nonce)) {
		rs_err_set_errno(err, errno, "cannot make the segment: getrandom");
		goto out;
	}
	memory = map_first(fd, err);
	if (!memory)
		goto out;
	fill_header((struct rs_segment_header *)memory, nonce, config);
	if (config->n_events > 0)
		memcpy(memory + RS_EVENTS_OFFSET, config->events,
			config->n_events * sizeof(*config->events));
	fill_regions(memory, config);
	fill_globs(memory, config);
	fill_slow(memory, config);
	munmap(memory + RS_EXTENT_BYTES, RS_FIRST_BYTES - RS_EXTENT_BYTES);

	*segment = (struct rs_segment){.fd = fd, .header = (void *)memory, .nonce = nonce};
	fd = -1;
	done = true;
out:
	if (fd >= 0)
		close(fd);
	return done;
}

bool rs_segment_adopt(struct rs_segment *segment, int fd, uint32_t launcher, uint64_t start_time,
	struct rs_err *err)
{
	struct rs_segment_header *header = mmap(
		NULL, RS_EXTENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*segment = (struct rs_segment){.fd = -1};
	if (header == MAP_FAILED)
		return rs_err_set_errno(err, errno, "cannot map the segment of the run");
	if (!__atomic_compare_exchange_n(&header->launcher_pid, &launcher, (uint32_t)getpid(),
		    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		munmap(header, RS_EXTENT_BYTES);
		return rs_err_set(err, "the run already continues under regionstat %u", launcher);
	}
	header->launcher_start_time = start_time;
	*segment = (struct rs_segment){.fd = fd, .header = header, .nonce = header->nonce};
	return true;
}

void rs_segment_finish(struct rs_segment *segment)
{
	if (segment->header) {
		munmap(segment->header, RS_EXTENT_BYTES);
		if (segment->fd >= 0)
			close(segment->fd);
	}
	*segment = (struct rs_segment){.fd = -1};
}

void rs_segment_env(const struct rs_segment *segment, char text[96])
{
	snprintf(text, 96, "%u:%d:%u:%016" PRIx64, RS_SEGMENT_ABI, segment->fd,
		segment->header->launcher_pid, segment->nonce);
}
