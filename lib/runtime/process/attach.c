/* SPDX-License-Identifier: MIT */
/*
 * The way in: called by the marker header's constructor in every DSO, or by the thread that loads
 * the runtime into a running program. Finds the segment, refuses what does not fit, joins a copy of
 * the runtime that this process already has, or builds the process's state. What goes wrong is
 * written where the launcher reads it.
 */
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/runtime.h"

struct rs_runtime *rs_state;

/* As headers up to ABI 2 call it. */
__attribute__((visibility("default"))) const void *regionstat_attach(unsigned int abi);

/* The value of RS_SEGMENT_ENV. */
struct address {
	uint64_t abi;
	uint64_t fd;
	uint64_t launcher_pid;
	uint64_t nonce;
};

static const char *parse_number(const char *text, unsigned int base, uint64_t *number)
{
	const char *begin = text;
	*number = 0;
	for (;; text++) {
		unsigned int digit = 99;
		if (*text >= '0' && *text <= '9')
			digit = (unsigned int)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			digit = (unsigned int)(*text - 'a') + 10;
		if (digit >= base)
			break;
		*number = *number * base + digit;
	}
	return text == begin ? NULL : text;
}

static bool parse_address(const char *text, struct address *address)
{
	return text && (text = parse_number(text, 10, &address->abi)) && *text == ':' &&
	       (text = parse_number(text + 1, 10, &address->fd)) && *text == ':' &&
	       (text = parse_number(text + 1, 10, &address->launcher_pid)) && *text == ':' &&
	       (text = parse_number(text + 1, 16, &address->nonce)) && !*text;
}

/* The first bytes of a segment of any ABI never move: magic to nonce, and load_error. */
static bool is_segment(int fd, uint64_t nonce)
{
	struct rs_segment_header start;
	size_t bytes = offsetof(struct rs_segment_header, launcher_pid);
	return RS_SYS(pread64, fd, &start, bytes, 0) == (long)bytes &&
	       start.magic == RS_SEGMENT_MAGIC && start.nonce == nonce;
}

static void report(int fd, const char *reason)
{
	RS_SYS(pwrite64, fd, reason, strlen(reason) + 1,
		offsetof(struct rs_segment_header, load_error));
}

/* Append a number in decimal; text has room. */
static void append_number(char *text, uint64_t number)
{
	char digits[24], *digit = digits + sizeof(digits) - 1;
	*digit = '\0';
	do
		*--digit = (char)('0' + number % 10);
	while (number /= 10);
	strcat(text, digit);
}

static void report_versions(int fd, const char *one, uint64_t its, const char *other, uint64_t abi)
{
	char text[192];
	text[0] = '\0';
	append_number(strcat(strcat(text, one), " is of ABI "), its);
	append_number(strcat(strcat(strcat(text, ", "), other), " of ABI "), abi);
	report(fd, text);
}

static void init_shape(struct rs_runtime *runtime)
{
	struct rs_shape *shape = &runtime->shape;
	const struct rs_segment_header *header = runtime->header;
	const struct rs_segment_event *events = rs_at(runtime, RS_EVENTS_OFFSET);
	uint32_t n_events = header->n_events, n_groups = header->n_groups;
	shape->n_events = n_events;
	shape->n_groups = n_groups;
	shape->rare_offset = rs_cell_rare_offset(n_events, n_groups, 0);
	shape->rare_bytes = rs_rare_bytes(n_events, n_groups);
	shape->blocks_offset = rs_cell_blocks_offset(n_events, n_groups);
	shape->cell_bytes = rs_cell_bytes(n_events, n_groups);
	for (uint32_t e = 0; e < n_events; e++) {
		uint32_t group = events[e].group;
		if (!e || group != events[e - 1].group)
			shape->group_first[group] = (uint16_t)e;
		shape->group_events[group]++;
		shape->event_group[e] = (uint16_t)group;
	}
	shape->times_offset = rs_entry_times_offset(n_events);
	shape->entry_bytes = rs_entry_bytes(n_events, n_groups);
}

static bool is_plan_sound(struct rs_runtime *runtime)
{
	const struct rs_segment_header *header = runtime->header;
	const struct rs_segment_event *events = rs_at(runtime, RS_EVENTS_OFFSET);
	if (header->n_events > RS_MAX_EVENTS || header->n_groups > RS_MAX_GROUPS ||
		header->header_bytes != sizeof(*header) ||
		header->segment_bytes != RS_SEGMENT_BYTES)
		return false;
	for (uint32_t e = 0, next = 0; e < header->n_events; e++) {
		if (events[e].group == next)
			next++;
		else if (!next || events[e].group != next - 1)
			return false;
		if (next > header->n_groups)
			return false;
	}
	return true;
}

/* A number out of a file of /proc/sys; fallback without it. */
static uint64_t read_limit(const char *path, uint64_t fallback)
{
	char text[24];
	uint64_t value;
	if (!rs_process_read_file(path, text, sizeof(text)))
		return fallback;
	return parse_number(text, 10, &value) ? value : fallback;
}

/* CAP_IPC_LOCK lifts the limit on mapped events: perf_event_open(2), perf_event_mlock_kb. */
static bool may_lock_memory(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	return RS_SYS(capget, &header, data) == 0 && data[0].effective >> CAP_IPC_LOCK & 1;
}

/* Allowances: at most a quarter of the descriptors, and those out of the program's way but not so
 * high that the kernel's table of them grows large; a quarter of what may be mapped. Time alone
 * needs none. */
static void init_allowances(struct rs_runtime *runtime)
{
	if (!runtime->shape.n_events)
		return;
	struct rlimit limit = {.rlim_cur = 1024};
	RS_SYS(prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	uint64_t soft = limit.rlim_cur;
	runtime->max_descriptors = (uint32_t)(soft / 4 < UINT32_MAX ? soft / 4 : UINT32_MAX);
	uint64_t first = soft / 4 * 3 < 3072 ? soft / 4 * 3 : 3072;
	runtime->first_descriptor = (uint32_t)first;
	uint64_t maps = read_limit("/proc/sys/vm/max_map_count", 65530) / 4;
	uint64_t pages = read_limit("/proc/sys/kernel/perf_event_mlock_kb", 516) * 1024 /
			 (uint64_t)sysconf(_SC_PAGESIZE) * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) /
			 4;
	if (may_lock_memory() || pages > maps)
		pages = maps;
	runtime->max_pages = (uint32_t)pages;
#ifdef RS_PMC_SYSCTL
	runtime->user_reads = read_limit(RS_PMC_SYSCTL, 0) != 0;
#else
	runtime->user_reads = true;
#endif
}

/* Map the segment and build the state; NULL, with *reason set, when that cannot be. */
static struct rs_runtime *build(const struct address *address, int fd, const char **reason)
{
	uint64_t bits = RS_SEGMENT_BYTES / RS_EXTENT_BYTES;
	struct rs_runtime *runtime = rs_sys_allocate(sizeof(*runtime) + bits / 8);
	struct rs_thread *unmeasured = rs_sys_allocate(sizeof(*unmeasured));
	struct stat status;
	*reason = "no memory for the runtime's own state";
	if (!runtime || !unmeasured)
		return NULL;
	*reason = "this kernel has no MADV_WIPEONFORK (Linux 4.14), or no memory for it";
	runtime->live = rs_process_make_live();
	if (!runtime->live)
		return NULL;
	*reason = "fstat of the segment failed";
	if (fstat(fd, &status))
		return NULL;
	runtime->fd = fd;
	runtime->device = status.st_dev;
	runtime->inode = status.st_ino;
	runtime->launcher_pid = (int)address->launcher_pid;
	runtime->launcher_fd = (int)address->fd;
	runtime->unmeasured = unmeasured;
	unmeasured->runtime = runtime;
	unmeasured->busy = UINTPTR_MAX; /* never the plain path */
	*reason = "no address space or memory for the segment";
	if (!rs_memory_init(runtime) ||
		!rs_memory_ensure(runtime, 0, sizeof(struct rs_segment_header)) ||
		!rs_memory_ensure(runtime, RS_BUCKETS_OFFSET, RS_REGION_BUCKETS * sizeof(uint32_t)))
		return NULL;
	runtime->header = rs_at(runtime, 0);
	runtime->clock = runtime->header->clock;
	*reason = "the segment's header is damaged";
	if (!is_plan_sound(runtime))
		return NULL;
	init_shape(runtime);
	init_allowances(runtime);
	*reason = "no memory for the runtime's own state";
	runtime->no_cell = rs_sys_allocate(runtime->shape.cell_bytes);
	if (!runtime->no_cell)
		return NULL;
	runtime->raw = runtime->header->flags & RS_SEGMENT_RAW;
	runtime->samples = runtime->header->flags & RS_SEGMENT_SAMPLES;
	runtime->budget_ppm = runtime->header->budget_ppm;
	runtime->most_ticks = UINT64_MAX;
	runtime->keeps_slots = runtime->header->flags & RS_SEGMENT_PER_THREAD;
	rs_markers_choose(runtime);
	*reason = NULL;
	return runtime;
}

static const struct regionstat_table_12_ *start(const struct address *address, int fd)
{
	const struct regionstat_table_12_ *table = rs_copies_find_table();
	if (table && table->abi == REGIONSTAT_ABI)
		return table;
	if (table) {
		report_versions(fd, "the marker header", REGIONSTAT_ABI,
			"the runtime that the process already has", table->abi);
		return NULL;
	}
	const char *reason;
	struct rs_runtime *runtime = build(address, fd, &reason);
	if (!runtime) {
		report(fd, reason);
		return NULL;
	}
	if (pthread_key_create(&runtime->thread_key, rs_thread_end)) {
		report(fd, "no thread-specific data key is free (PTHREAD_KEYS_MAX)");
		return NULL;
	}
	struct rs_identity identity;
	rs_process_identify(&identity);
	rs_process_replace(runtime, &identity);
	if (!rs_process_enter(runtime, &identity, 0))
		return NULL;
	runtime->live->is_here = 1;
	rs_state = runtime;
	rs_copies_show_table(runtime->table);
	return runtime->table;
}

/* Objects that are woken by markers may come here at once, each on a thread of its own. */
static const struct regionstat_table_12_ *start_once(const struct address *address, int fd)
{
	static _Atomic uint32_t lock;
	rs_futex_lock(&lock);
	const struct regionstat_table_12_ *table = rs_state ? rs_state->table : start(address, fd);
	rs_futex_unlock(&lock);
	return table;
}

/* A header of an ABI that this runtime does not serve. */
static void refuse_header(int fd, unsigned int abi)
{
	report_versions(fd, "the program's marker header", abi, "the runtime", REGIONSTAT_ABI);
}

const struct regionstat_table_12_ *regionstat_join(unsigned int abi, const char *segment)
{
	struct address address;
	const struct regionstat_table_12_ *table = NULL;
	if (!parse_address(segment ? segment : secure_getenv(RS_SEGMENT_ENV), &address))
		return NULL;
	int fd = (int)address.fd, opened = -1;
	if (!is_segment(fd, address.nonce)) {
		fd = opened = rs_memory_open_launcher((int)address.launcher_pid, (int)address.fd);
		if (fd < 0 || !is_segment(fd, address.nonce))
			goto out;
	}
	if (abi != REGIONSTAT_ABI)
		refuse_header(fd, abi);
	else if (address.abi != RS_SEGMENT_ABI)
		report_versions(
			fd, "the regionstat command", address.abi, "the runtime", RS_SEGMENT_ABI);
	else
		table = start_once(&address, fd);
	if (table) {
		atomic_store_explicit(&rs_functions_table, table, memory_order_release);
		rs_copies_wake(table);
	}
out:
	if (opened >= 0)
		RS_SYS(close, opened);
	return table;
}

const void *regionstat_attach(unsigned int abi)
{
	regionstat_join(abi, NULL);
	return NULL;
}

/* The process has reached its exit handlers: others of them may still mark. */
__attribute__((destructor)) static void note_exit(void)
{
	struct rs_runtime *runtime = rs_state;
	if (!runtime || !runtime->live->is_here || !runtime->process)
		return;
	atomic_store_explicit(
		&runtime->process->exit_ticks, rs_ticks(runtime->clock), memory_order_relaxed);
	atomic_store_explicit(&runtime->process->state, RS_PROCESS_EXITED, memory_order_release);
}
