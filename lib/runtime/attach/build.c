/* SPDX-License-Identifier: MIT */
/*
 * The state of the process. This file creates it for the first measurement, resets it after a
 * measurement, and fills it from the segment of the next one. The callers hold a lock.
 */
#include <linux/capability.h>
#include <string.h>
#include <sys/auxv.h>

#include "runtime/attach/attach.h"
#include "runtime/calls/labels.h"
#include "runtime/calls/trace.h"
#include "runtime/read/read.h"

/* Read a number from a file of /proc/sys. Return fallback if that fails. */
static uint64_t read_limit(const char *path, uint64_t fallback)
{
	char text[24];
	uint64_t value;
	if (!rs_sys_read_file(path, text, sizeof(text)))
		return fallback;
	return rs_parse_number(text, 10, &value) ? value : fallback;
}

/* Count the online CPUs, which the kernel lists as "0-3,5" (sysfs-devices-system-cpu). */
static uint64_t count_online(void)
{
	char text[256];
	const char *p = text;
	uint64_t n = 0, first, last;
	rs_sys_read_file("/sys/devices/system/cpu/online", text, sizeof(text));
	while ((p = rs_parse_number(p, 10, &first))) {
		last = first;
		if (*p == '-' && !(p = rs_parse_number(p + 1, 10, &last)))
			break;
		n += last >= first ? last - first + 1 : 0;
		if (*p++ != ',')
			break;
	}
	return n ? n : 1;
}

/* Return true if the process has CAP_IPC_LOCK, which lifts the limit on mapped events
 * (perf_event_open(2), perf_event_mlock_kb). */
static bool may_lock_memory(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	return RS_SYS(capget, &header, data) == 0 && data[0].effective >> CAP_IPC_LOCK & 1;
}

/* Limit the mapped event pages to a quarter of what the kernel permits, so that the program and
 * perf can map events too. */
static void init_allowances(struct rs_runtime *runtime)
{
	if (!runtime->shape.n_events)
		return;
	uint64_t maps = read_limit("/proc/sys/vm/max_map_count", 65530) / 4;
	uint64_t pages = read_limit("/proc/sys/kernel/perf_event_mlock_kb", 516) * 1024 /
			 getauxval(AT_PAGESZ) * count_online() / 4;
	if (may_lock_memory() || pages > maps)
		pages = maps;
	runtime->max_pages = (uint32_t)pages;
#ifdef RS_PMC_SYSCTL
	runtime->user_reads = read_limit(RS_PMC_SYSCTL, 0) != 0;
#else
	runtime->user_reads = true;
#endif
}

static void give_back(void *memory, uint64_t bytes)
{
	if (memory)
		RS_SYS(munmap, memory, bytes);
}

struct rs_runtime *rs_runtime_make(const char **reason)
{
	uint64_t bits = RS_SEGMENT_BYTES / RS_EXTENT_BYTES;
	uint64_t bytes = sizeof(struct rs_runtime) + 2 * bits / 8;
	struct rs_runtime *runtime = rs_sys_allocate(bytes);
	struct rs_thread *unmeasured = rs_sys_allocate(sizeof(*unmeasured));
	struct rs_live *live = NULL;
	*reason = "no memory for the runtime's own state";
	if (!runtime || !unmeasured)
		goto failed;
	*reason = "this kernel has no MADV_WIPEONFORK (Linux 4.14), or no memory for it";
	if (!(live = rs_process_make_live()))
		goto failed;
	*reason = "no address space or memory for the segment";
	if (!rs_memory_init(runtime))
		goto failed;
	*reason = "no thread-specific data key is free (PTHREAD_KEYS_MAX)";
	if (pthread_key_create(&runtime->thread_key, rs_thread_end))
		goto failed_later;
	runtime->has_rank = rs_rank_find(&runtime->rank);
	runtime->live = live;
	live->is_here = RS_HERE;
	runtime->unmeasured = unmeasured;
	unmeasured->runtime = runtime;
	unmeasured->busy = RS_BUSY_ALWAYS; /* markers with this state never take the fast path */
	runtime->is_detached = true;
	runtime->has_left = true;
	rs_interrupted_register();
	return runtime;
failed_later:
	if (runtime->keeps_window)
		give_back(runtime->base, runtime->window_bytes);
failed:
	give_back(live, RS_PAGE_BYTES);
	give_back(unmeasured, sizeof(*unmeasured));
	give_back(runtime, bytes);
	return NULL;
}

void rs_runtime_forget(struct rs_runtime *runtime)
{
	rs_threads_forget(runtime);
	runtime->is_own = false;
	runtime->first_request = 0;
	runtime->no_wait = false;
	runtime->point = (struct rs_clock_point){0};
	runtime->reading_ns = 0;
	runtime->tick_ns_q32 = runtime->marker_ticks = 0;
	runtime->forked = NULL;
	runtime->keeper = 0;
	runtime->has_guessed_wrong = 0;
	memset(runtime->has_cost, 0, sizeof(runtime->has_cost));
	memset(runtime->cost, 0, sizeof(runtime->cost));
	runtime->probe_ticks = runtime->overlap_ticks = 0;
}

bool rs_runtime_fill(
	struct rs_runtime *runtime, const struct rs_address *address, int fd, const char **reason)
{
	struct rs_segment_header header;
	struct stat status;
	*reason = "fstat of the segment failed";
	if (!rs_address_stat(fd, &status))
		return false;
	runtime->fd = fd;
	runtime->device = status.st_dev;
	runtime->inode = status.st_ino;
	runtime->launcher_pid = (int)address->launcher_pid;
	runtime->launcher_fd = (int)address->fd;
	*reason = "the segment's header is damaged";
	if (RS_SYS(pread64, fd, &header, sizeof(header), 0) != sizeof(header))
		return false;
	rs_store_flag(&runtime->is_attached, header.flags & RS_SEGMENT_ATTACHED);
	/* From now on the segment may be mapped. */
	atomic_store_explicit(&runtime->has_left, false, memory_order_relaxed);
	if (header.header_bytes != sizeof(header) || header.segment_bytes != RS_SEGMENT_BYTES ||
		header.clock > RS_CLOCK_COUNTER || !rs_plan_read(runtime, fd, &header) ||
		!rs_only_read(runtime, fd, &header) || !rs_slow_calls_read(runtime, fd))
		return false;
	*reason = "no address space or memory for the segment";
	if (!rs_memory_ensure(runtime, 0, sizeof(struct rs_segment_header)) ||
		!rs_memory_ensure(runtime, RS_BUCKETS_OFFSET, RS_REGION_BUCKETS * sizeof(uint32_t)))
		return false;
	runtime->header = rs_at(runtime, 0);
	runtime->clock = header.clock;
	if (!rs_regions_restore(runtime))
		return false;
	init_allowances(runtime);
	*reason = "no memory for the runtime's own state";
	runtime->no_accumulator = rs_chunk_allocate(
		runtime, &runtime->chunks, runtime->shape.accumulator_bytes, false);
	if (!runtime->no_accumulator)
		return false;
	runtime->raw = header.flags & RS_SEGMENT_RAW;
	rs_store_flag(&runtime->samples, header.flags & RS_SEGMENT_SAMPLES);
	/* The segment may be hostile, so limit the budget to the whole time. */
	runtime->budget_ppm = header.budget_ppm < 1000000 ? header.budget_ppm : 1000000;
	runtime->sample_calls = header.sample_calls ? header.sample_calls : 1;
	runtime->by_work = header.flags & RS_SEGMENT_BY_WORK;
	runtime->watches = header.flags & RS_SEGMENT_WATCHES;
	rs_store_flag(&runtime->traces, header.flags & RS_SEGMENT_TRACES);
	runtime->keeps_slots = header.flags & RS_SEGMENT_PER_THREAD;
	rs_read_begin(runtime);
	if (!rs_trace_init(runtime))
		return false;
	runtime->labels = NULL;
	if (header.flags & RS_SEGMENT_LABELS && !rs_labels_init(runtime))
		atomic_fetch_add_explicit(
			&runtime->header->diag[RS_SEGMENT_DIAG_LABELS], 1, memory_order_relaxed);
	rs_thread_find_place(runtime);
	*reason = NULL;
	return true;
}
