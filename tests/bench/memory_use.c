/* SPDX-License-Identifier: MIT */
/*
 * memory_use prints the memory that measuring uses. It executes calls of REGIONS regions on each of
 * THREADS threads, and then 100 times as many. After each step it prints
 * `allocated,accumulators,octaves,threads`: bytes of the segment allocated since the program's
 * start, its accumulators, and octaves of histograms. A region has one accumulator on a thread, and
 * another one for calls with a context switch. With the argument papi_hl it prints `calls,bytes`:
 * how PAPI's memory grows with the calls.
 */
#include <inttypes.h>
#include <sys/stat.h>

#include <regionstat.h>

#include "../apps/check.h"
#include "papi_peer.h"
#include "segment/layout.h"

#define REGIONS 64
#define THREADS 8
#define CALLS 20
#define PAPI_CALLS 20000

static pthread_barrier_t barrier;
static int segment = -1;

static uint64_t allocated_bytes(void)
{
	struct stat status;
	return fstat(segment, &status) == 0 ? (uint64_t)status.st_blocks * 512 : 0;
}

static void fetch(void *to, size_t bytes, uint64_t offset)
{
	CHECK(pread(segment, to, bytes, (off_t)offset) == (ssize_t)bytes);
}

/* Count the octaves that contain values. The latest call is not in the counts. */
static uint64_t count_octaves(uint64_t at, uint32_t n_events)
{
	static uint64_t latest[2 + RS_MAX_EVENTS];
	static uint64_t first[2 + RS_MAX_EVENTS];
	struct rs_accumulator accumulator;
	struct rs_block block;
	uint64_t n_octaves = 0;
	fetch(&accumulator, sizeof(accumulator), at);
	latest[0] = accumulator.latest_time;
	fetch(&latest[1], n_events * sizeof(latest[0]), at + rs_accumulator_latest_offset());
	fetch(first, (1 + n_events) * sizeof(first[0]),
		at + rs_accumulator_blocks_offset(n_events));
	for (uint32_t m = 0; m <= n_events; m++) {
		for (uint64_t next = first[m]; next; next = rs_block_next(block.link)) {
			fetch(&block, sizeof(block), next);
			bool has_any = rs_bucket_of_w(latest[m]) / RS_BLOCK_BUCKETS ==
				       rs_block_octave(block.link);
			for (uint32_t i = 0; i < RS_BLOCK_BUCKETS; i++)
				has_any |= block.counts[i] > 0;
			n_octaves += has_any;
		}
	}
	return n_octaves;
}

static void print_use(uint64_t allocated_before)
{
	struct rs_segment_header header;
	uint64_t n_accumulators = 0, n_octaves = 0;
	fetch(&header, sizeof(header), 0);
	for (uint32_t s = 0; s < header.n_slots; s++) {
		struct rs_slot slot;
		struct rs_accumulator accumulator;
		fetch(&slot, sizeof(slot), RS_SLOTS_OFFSET + s * sizeof(slot));
		for (uint64_t at = slot.first_accumulator; at; at = accumulator.next) {
			fetch(&accumulator, sizeof(accumulator), at);
			n_octaves += count_octaves(at, header.n_events);
			n_accumulators++;
			if (!accumulator.switched)
				continue;
			/* also the octaves of on-CPU time */
			n_octaves += count_octaves((uint64_t)accumulator.switched * RS_OFFSET_UNIT,
				header.n_events + 1);
			n_accumulators++;
		}
	}
	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d\n", allocated_bytes() - allocated_before,
		n_accumulators, n_octaves, THREADS);
}

static void mark_all(int n_calls)
{
	for (int region = 0; region < REGIONS; region++) {
		char name[32];
		snprintf(name, sizeof(name), "region %d", region);
		for (int i = 0; i < n_calls; i++) {
			regionstat_begin(name);
			regionstat_end(name);
		}
	}
}

static void *work(void *argument)
{
	(void)argument;
	mark_all(CALLS);
	pthread_barrier_wait(&barrier);
	/* the main thread looks now */
	pthread_barrier_wait(&barrier);
	mark_all(100 * CALLS);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static uint64_t resident_bytes(void)
{
	unsigned long total = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	CHECK(file && fscanf(file, "%lu %lu", &total, &resident) == 2);
	fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int use_papi(void)
{
	if (!papi_regions_start("software3"))
		return 1;
	papi_regions_run(100);
	uint64_t before = resident_bytes();
	papi_regions_run(PAPI_CALLS);
	printf("%d,%" PRIu64 "\n", PAPI_CALLS, resident_bytes() - before);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "papi_hl") == 0)
		return use_papi();
	const char *where = getenv("REGIONSTAT_SEGMENT");
	if (!where || sscanf(where, "%*u:%d", &segment) != 1) {
		fputs("usage: regionstat memory_use | memory_use papi_hl\n", stderr);
		return 2;
	}
	uint64_t before = allocated_bytes();
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	pthread_t *threads = start_threads(THREADS, work, NULL, 0);
	for (int phase = 0; phase < 2; phase++) {
		pthread_barrier_wait(&barrier);
		print_use(before);
		pthread_barrier_wait(&barrier);
	}
	join_threads(THREADS, threads);
	return 0;
}
