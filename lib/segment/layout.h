/* SPDX-License-Identifier: MIT */
/*
 * This file defines the ABI of the segment: a memfd that the launcher creates, the program's
 * runtime writes and the launcher reads. Programs that were built at different times share it. So
 * every field has a fixed width, every gap is explicit, and every size and offset is asserted.
 * Locations are offsets from the segment's start, never pointers.
 *
 * The segment is sparse. Its size is fixed and sealed, and memory is allocated in extents when it
 * is needed. Writers of its parts:
 *
 *   header, event plan      the launcher, before the program starts; then as each field says
 *   region table            any process; it only grows, and an entry that is ready never changes
 *   process entries, slots  the process that owns them; the launcher frees those of dead processes
 *   accumulators            only the thread that owns the slot
 *
 * The other files of segment/ describe accumulators, slow calls, traces, adapters and regions by
 * address.
 *
 * Any process with the descriptor can write anything at any time, even if it has fewer rights than
 * the reader. So the launcher checks all that it reads (lib/stats/collect.h), and the runtime does
 * the same. For each part that the runtime reads, this list says how it is checked. The worst
 * effect of a wrong value follows the colon:
 *
 *   header up to n_only, events,      read once into private memory and checked: the runtime
 *   globs                             measures nothing, or the wrong events or regions
 *   rules of slow calls               read once and checked: the wrong calls are slow
 *   control                           compared: calls are cut, or not measured
 *   counting_clock                    used for lifetimes only: they are wrong
 *   request, acknowledged             compared: the next PAUSE or RESUME takes one second
 *   n_regions, n_processes, n_slots   an index, checked: calls count for "(other)", or are not
 *                                     measured
 *   n_swept                           a hint: the runtime searches for free slots in vain
 *   data_end                          alignment and range are checked: memory is refused, or two
 *                                     users share an extent
 *   buckets, regions                  an index, a name to compare, a sampling rate: a call counts
 *                                     for another region, or is not measured
 *   process entries                   a state and counts: a process is not measured, or the whole
 *                                     run stays paused
 *   first_accumulator, next,          read once, when a thread takes over the slot of a dead one:
 *   `switched`, work, region,         checked to be aligned, in used memory and mapped, else the
 *   piece_next, _end                  slot is not used; then kept as private pointers
 *   blocks and their links            checked in the same way, and again on each slow path: values
 *                                     of an invalid block are not counted
 *   objects, chosen functions         compared: the wrong functions are measured
 *   n_calls of slow calls             an index, checked: a call is lost
 *   trace of a slot                   checked to be an extent in used memory, else not used
 *   rules and counts of traces        compared, or a masked index: the wrong calls are kept
 *   other words of accumulators       added and compared; one bit selects one of two copies
 *
 * So the runtime follows only private pointers, and a wrong number can only lead to a wrong result.
 */
#ifndef RS_SEGMENT_LAYOUT_H
#define RS_SEGMENT_LAYOUT_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The marker header's loader uses some of these values, so it defines them. */
#ifndef REGIONSTAT_H
#define REGIONSTAT_RUNTIME_ONLY_
#include "regionstat.h"
#endif
#include "segment/accumulator.h"

#define RS_SEGMENT_MAGIC REGIONSTAT_MAGIC_
#define RS_SEGMENT_ABI 1u

/* Capacities. If one is exceeded, calls count for the region "(other)", or a diagnostic counts the
 * failures. */
#define RS_MAX_EVENTS 32u /* events of regions, without time */
#define RS_MAX_COUNTERS (2 + RS_MAX_EVENTS) /* events, time and on-CPU time */
#define RS_MAX_GROUPS 16u /* perf groups of these events */
#define RS_MAX_REGIONS 4096u /* index 0 is "(other)" */
/* kinds of work of one region with --by-work; all further kinds share one region */
#define RS_MAX_WORKS 256u
#define RS_REGION_BUCKETS 16384u /* buckets of the hash table of names; a power of two */
#define RS_MAX_PROCESSES 16384u /* processes that are alive, or dead and not yet swept */
#define RS_MAX_SLOTS 65536u /* threads alive at once, over all processes */
#define RS_NAME_BYTES 128u /* longest name of a region, with its NUL */
#define RS_MAX_ONLY 64u /* globs of --only */
#define RS_GLOB_BYTES 256u /* longest glob, with its NUL */
#define RS_ATTR_BYTES 192u /* enough for struct perf_event_attr of any version */

/* Offsets of the segment's parts. Processes map and allocate memory in extents. */
#define RS_EXTENT_BYTES UINT64_C(0x10000)
#define RS_SEGMENT_BYTES (UINT64_C(1) << 36)
#define RS_EVENTS_OFFSET UINT64_C(0x1000)
#define RS_ONLY_OFFSET UINT64_C(0x8000)
#define RS_BUCKETS_OFFSET UINT64_C(0x10000)
#define RS_REGIONS_OFFSET UINT64_C(0x20000)
#define RS_PROCESSES_OFFSET UINT64_C(0x200000)
#define RS_SLOTS_OFFSET UINT64_C(0x800000)
#define RS_DATA_OFFSET UINT64_C(0x2000000)

/* The launcher allocates the memory before this offset; processes allocate the memory after it. */
#define RS_FIRST_BYTES (RS_REGIONS_OFFSET + RS_EXTENT_BYTES)

/* The environment variable that names the segment: "ABI:FD:LAUNCHER_PID:NONCE". The nonce has 16
 * hexadecimal digits, the other numbers are decimal. */
#define RS_SEGMENT_ENV "REGIONSTAT_SEGMENT"
/* The environment variable with the runtime's path. Programs that link the runtime ignore it. */
#define RS_RUNTIME_ENV "REGIONSTAT_RUNTIME"

/* The attr.type of events that the runtime reads from getrusage(2): a thread's CPU times, in ns.
 * They form their own group. */
#define RS_TYPE_RUSAGE UINT32_C(0xffff0001)
enum rs_rusage { /* values of attr.config */
	RS_RUSAGE_USER,
	RS_RUSAGE_SYSTEM,
};

enum rs_clock {
	RS_CLOCK_MONOTONIC = 0, /* ticks are ns of clock_gettime(CLOCK_MONOTONIC) */
	RS_CLOCK_COUNTER = 1, /* ticks of rdtsc, or of cntvct_el0 << RS_COUNTER_SHIFT */
};

/* One moment on two clocks: the clock of markers and CLOCK_MONOTONIC. */
struct rs_clock_point {
	uint64_t ticks;
	uint64_t monotonic_ns;
};

/* The counter of arm64 advances every 40 ns on some machines. Ticks are finer. Otherwise an average
 * of many readings, such as a marker's overhead, would be rounded to a multiple of 40 ns. */
#if defined(__aarch64__)
#define RS_COUNTER_SHIFT 5
#else
#define RS_COUNTER_SHIFT 0
#endif

enum rs_segment_flag {
	RS_SEGMENT_PER_PROCESS = 1u << 0, /* a slot is used by one process only */
	RS_SEGMENT_RAW = 1u << 1, /* do not subtract the markers' overhead */
	RS_SEGMENT_SAMPLES = 1u << 2, /* sampling: not every call is measured */
	RS_SEGMENT_PER_THREAD = 1u << 3, /* a slot is used by one thread only */
	RS_SEGMENT_WATCHES = 1u << 4, /* this kernel reports context switches through rseq */
	/* calls of a region with different work are separate regions */
	RS_SEGMENT_BY_WORK = 1u << 8,
	RS_SEGMENT_TRACES = 1u << 9, /* threads write their calls into rings (segment/trace.h) */
	RS_SEGMENT_LABELS = 1u << 10, /* threads show their region to other profilers */
	/* the program was started without regionstat, and continues after the measurement */
	RS_SEGMENT_ATTACHED = 1u << 11,
};

/* Counts of failures in the whole segment. Processes add to them with relaxed atomics. */
enum rs_segment_diag {
	RS_SEGMENT_DIAG_REGIONS, /* names that did not fit into the table; counted as "(other)" */
	RS_SEGMENT_DIAG_PROCESSES, /* processes without a process entry; they are not measured */
	RS_SEGMENT_DIAG_SLOTS, /* threads without a slot; they are not measured */
	RS_SEGMENT_DIAG_MEMORY, /* refused requests for memory for results or frames */
	RS_SEGMENT_DIAG_LABELS, /* processes that could not show their regions (--labels) */
	/* entries and slots of ended processes that later processes took over; not a failure */
	RS_SEGMENT_DIAG_REUSED,
	RS_SEGMENT_DIAG_N = 8,
};

enum rs_launcher_pause {
	RS_LAUNCHER_PAUSE_NONE = 0,
	RS_LAUNCHER_PAUSE_TIMED = 1, /* the launcher pauses until a point in time */
	RS_LAUNCHER_PAUSE_WAITS = 2, /* the launcher pauses until a process resumes */
};

/*
 * The header, at offset 0.
 *
 * Bit 0 of the control word means paused. The other bits are a generation, which changes at every
 * pause and resume. To pause, a process first sets its own pause_depth. It then sets bit 0 with a
 * new generation, even if bit 0 was already set. To clear bit 0, a process reads the word, then
 * every pause_depth and launcher_pause, and then does a compare-and-swap. So no pause is lost.
 * Usually the launcher clears bit 0. If it does not answer in time, the resuming process does.
 */
struct rs_segment_header {
	uint64_t magic;
	uint32_t abi;
	uint32_t header_bytes; /* sizeof(struct rs_segment_header) */
	uint64_t segment_bytes;
	uint64_t nonce;
	uint32_t launcher_pid;
	uint32_t clock; /* enum rs_clock */
	uint32_t flags; /* enum rs_segment_flag */
	uint32_t n_events; /* events of regions, without time: 0 to RS_MAX_EVENTS */
	uint32_t n_groups; /* 0 to RS_MAX_GROUPS */
	uint32_t sample_calls; /* measure about every Nth call of a region; 0 and 1: all calls */
	/* The share of a thread's time that markers may use at most, in millionths; 0: no limit. It
	 * decides how a region is sampled, unless the region has its own sample_calls. */
	uint32_t budget_ppm;
	/* How many globs are at RS_ONLY_OFFSET, RS_GLOB_BYTES each. A region that matches none of
	 * them is filtered (lib/base/glob.h). 0: no region is filtered. */
	uint32_t n_only;

	/* Offset 64. Every marker reads this cache line; only pause and resume write it. */
	_Atomic uint64_t control;
	uint64_t reserved1[7];

	/* Offset 128: requests to the launcher. A process adds 1 to `request` and wakes its futex.
	 * The launcher stores the request that it has served in `acknowledged`, and wakes that
	 * futex. */
	_Atomic uint32_t request;
	_Atomic uint32_t acknowledged;
	_Atomic uint32_t launcher_pause; /* enum rs_launcher_pause */
	/* 1: the processes must detach. The launcher stores this and wakes the futex. */
	_Atomic uint32_t detach;
	/* CPU time of an attached program when the measurement began, in us. A launcher that takes
	 * over needs it. */
	uint64_t begin_user_us;
	uint64_t begin_system_us;
	_Atomic uint64_t counting_clock; /* see rs_counting_ticks() */
	uint64_t reserved2[3];

	/* Offset 192: how many entries were taken so far. The counts never decrease. Only n_regions
	 * can exceed the capacity. */
	_Atomic uint32_t n_regions; /* including "(other)" */
	_Atomic uint32_t n_processes;
	_Atomic uint32_t n_slots;
	/* a hint: how many slots and process entries were swept, and are possibly still free */
	_Atomic uint32_t n_swept;
	_Atomic uint64_t data_end; /* offset of the first byte that no extent uses yet */
	/* The program's start on both clocks, and its pid, for viewers (lib/live); 0: not
	 * started. */
	uint64_t begin_ticks;
	uint64_t begin_ns;
	uint32_t program_pid;
	/* 1: the attached program keeps the segment open, and is still measured if the launcher
	 * ends. */
	_Atomic uint32_t is_kept;
	/* When launcher_pid started: field 22 of its /proc/PID/stat; 0: unknown. */
	uint64_t launcher_start_time;
	/* If RS_SEGMENT_ATTACHED is set: the signals_ of struct regionstat_request_1_, without the
	 * signals that some thread always blocks. The launcher stores them before the request. */
	uint64_t handler_signals;

	_Atomic uint64_t diag[RS_SEGMENT_DIAG_N]; /* Offset 256. */

	/* Offset 320: why a runtime could not be loaded. The text ends with NUL; the marker header
	 * writes it with pwrite(2). The code of a finding and ": " may be before the reason. */
	char load_error[REGIONSTAT_REASON_BYTES_];
};
static_assert(sizeof(struct rs_segment_header) == 832, "ABI");
static_assert(offsetof(struct rs_segment_header, control) == 64, "ABI");
static_assert(offsetof(struct rs_segment_header, request) == 128, "ABI");
static_assert(offsetof(struct rs_segment_header, n_regions) == 192, "ABI");
static_assert(offsetof(struct rs_segment_header, diag) == 256, "ABI");
static_assert(offsetof(struct rs_segment_header, magic) == REGIONSTAT_MAGIC_OFFSET_, "ABI");
static_assert(offsetof(struct rs_segment_header, nonce) == REGIONSTAT_NONCE_OFFSET_, "ABI");
static_assert(offsetof(struct rs_segment_header, load_error) == REGIONSTAT_REASON_OFFSET_, "ABI");

#define RS_CONTROL_PAUSED UINT64_C(1)
#define RS_CONTROL_GENERATION UINT64_C(2) /* the step between generations */

/*
 * The counting clock stands still while counting is paused. Lifetimes of threads are differences of
 * its values. While it runs, the word counting_clock of the header is the ticks of all pauses so
 * far. While it stands still, that word is the clock's value with RS_CLOCK_STANDS.
 */
#define RS_CLOCK_STANDS (UINT64_C(1) << 63)

/* Return the value of the counting clock at a time in ticks. For a time before the latest pause or
 * resume, the value is a guess. `word` is the counting_clock of the header. */
static inline uint64_t rs_counting_ticks(uint64_t word, uint64_t ticks)
{
	if (word & RS_CLOCK_STANDS)
		return word & ~RS_CLOCK_STANDS;
	return ticks > word ? ticks - word : 0;
}

/* Start or stop the counting clock as the control word says. A process that has changed that word
 * calls this function with the current ticks until it returns true. If several processes do so at
 * the same time, the last one leaves the right state. */
static inline bool rs_counting_follow(struct rs_segment_header *header, uint64_t now_ticks)
{
	uint64_t control = atomic_load(&header->control);
	uint64_t word = atomic_load(&header->counting_clock), value = word & ~RS_CLOCK_STANDS;
	bool stands = word & RS_CLOCK_STANDS, must_stand = control & RS_CONTROL_PAUSED;
	/* Another process may have changed the clock after now_ticks was read. */
	uint64_t other = now_ticks > value ? now_ticks - value : 0;
	uint64_t changed = other | (stands ? 0 : RS_CLOCK_STANDS);
	bool is_done = stands == must_stand ||
		       atomic_compare_exchange_strong(&header->counting_clock, &word, changed);
	return is_done && atomic_load(&header->control) == control;
}

/* One event of regions. Events of a group are adjacent, with the leader first. */
struct rs_segment_event {
	uint32_t group; /* 0 to n_groups - 1, in ascending order */
	/* on hybrid CPUs: the core type that counts this event, from 1; 0: every CPU counts it */
	uint32_t core_pmu;
	uint8_t attr[RS_ATTR_BYTES]; /* struct perf_event_attr, ready for perf_event_open(2) */
	char name[56]; /* name in reports, possibly truncated; viewers (lib/live) use it */
};
static_assert(sizeof(struct rs_segment_event) == 256, "ABI");

enum rs_region_state {
	RS_REGION_EMPTY = 0,
	RS_REGION_READY = 1,
};
enum rs_region_flag {
	/* the name was too long: it was cut and ends in '~' and a hash */
	RS_REGION_TRUNCATED = 1u << 0,
	/* Some calls are ended by the region's name. If such an END skips open calls of other
	 * regions, the skipped calls are lost. */
	RS_REGION_BY_NAME = 1u << 1,
	/* no glob of --only matches; messages use the entry to suggest similar names */
	RS_REGION_IS_FILTERED = 1u << 2,
	RS_REGION_IS_ADDRESS = 1u << 3, /* the name is a code address (segment/objects.h) */
	RS_REGION_OTHER_WORK = 1u << 8, /* the region of calls beyond RS_MAX_WORKS kinds of work */
};

/* A region. Regions are in the order of their first calls. A hash table with linear probing maps
 * names to regions; the search for a name starts at bucket rs_name_hash() modulo RS_REGION_BUCKETS.
 * A bucket is a uint32_t: the region's index + 1, or 0 if the bucket is empty. If two threads fill
 * a bucket at the same time, one of them fails, and its region entry never becomes READY. */
struct rs_region {
	_Atomic uint32_t state;
	uint32_t flags;
	uint32_t hash;
	uint32_t name_bytes; /* 1 to 127, without the NUL */
	char name[RS_NAME_BYTES];
	uint32_t sample_calls; /* as in the header, for this region; 0: use the header's value */
	/* 0: this is a marked region. Otherwise 1 + the index of a marked region: its calls with
	 * this work are counted here, because RS_SEGMENT_BY_WORK is set. */
	uint32_t work_of;
	uint64_t work_bytes;
	uint64_t work_flops;
	_Atomic uint32_t n_works; /* how many regions have this one as work_of */
	uint32_t reserved0;
	uint64_t reserved[2];
};
static_assert(sizeof(struct rs_region) == 192, "ABI");

/* The region that was open when a call began: 1 + its index. */
enum rs_parent {
	RS_PARENT_FREE = 0, /* an unused entry */
	RS_PARENT_FIRST = 1, /* the region with index 0 */
	RS_PARENT_NONE = RS_MAX_REGIONS + 2, /* no region was open */
};

/* Return the 32-bit FNV-1a hash of a name: http://www.isthe.com/chongo/tech/comp/fnv/ */
static inline uint32_t rs_name_hash(const char *name, uint32_t name_bytes)
{
	uint32_t hash = 2166136261u;
	for (uint32_t i = 0; i < name_bytes; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	return hash;
}

/* The region with index 0, for calls after the region table is full. */
#define RS_REGION_OTHER_NAME "(other)"

enum rs_process_state {
	RS_PROCESS_FREE = 0, /* never used, or swept */
	RS_PROCESS_CLAIMED = 1, /* the entry is being initialized; only `state` is valid */
	RS_PROCESS_ALIVE = 2,
	RS_PROCESS_EXITED = 3, /* the process runs its exit handlers, which may still use markers */
	/* the process executed another program with markers, or has detached; the launcher sweeps
	 * the entry */
	RS_PROCESS_REPLACED = 4,
};

/* Why a process measured less than requested. */
enum rs_process_diag {
	RS_PROCESS_DIAG_TIME_ONLY, /* threads whose counters could not be opened */
	RS_PROCESS_DIAG_HANDLER, /* markers skipped in a signal handler that interrupted a marker */
	RS_PROCESS_DIAG_DEPTH, /* calls skipped: too many calls open on one thread */
	RS_PROCESS_DIAG_READ, /* failed reads of a group */
	RS_PROCESS_DIAG_UNSLOTTED, /* threads without a slot */
	RS_PROCESS_DIAG_PAUSE_TIMEOUT, /* pauses and resumes without the launcher's answer */
	/* pinned groups that lost their counter and were opened again without pinning */
	RS_PROCESS_DIAG_REOPENED,
	RS_PROCESS_DIAG_COST_UNKNOWN, /* threads without a calibration of marker overhead */
	RS_PROCESS_DIAG_INACTIVE, /* groups that were opened and enabled but did not count */
	RS_PROCESS_DIAG_UNWATCHED, /* threads whose context switches cannot be seen */
	/* threads not measured, because another thread uses the same thread-local memory */
	RS_PROCESS_DIAG_SHARED,
	RS_PROCESS_DIAG_NO_CALL, /* STOPs with a value that no START returned */
	RS_PROCESS_DIAG_N = 12,
};

/* One program in one process, from the process's start or an exec until the next exec or the
 * end. */
struct rs_process {
	_Atomic uint32_t state; /* enum rs_process_state */
	uint32_t pid;
	/* 1: the program holds a lock on the first byte of this entry (F_OFD_SETLK, fcntl(2)). The
	 * kernel releases it when the program ends or executes another one. 0: it holds none. */
	uint64_t has_lock;
	uint64_t image; /* first 8 bytes of AT_RANDOM: exec changes them, fork does not */
	_Atomic uint32_t pause_depth; /* PAUSEs without a RESUME so far */
	_Atomic uint32_t open_errno; /* errno of the first failed perf_event_open(2), or 0 */
	_Atomic uint32_t open_event; /* which event failed to open, 0 to n_events - 1 */
	/* 1 + the first event that was opened but did not count; 0: none */
	_Atomic uint32_t inactive_event;
	_Atomic uint64_t diag[RS_PROCESS_DIAG_N];
	char name[16]; /* from /proc/PID/comm, with a NUL */
	/* Inode of /proc/self/ns/pid; 0: unknown. A pid of another namespace may mean another
	 * process to the launcher. */
	uint64_t pid_namespace;
	_Atomic uint64_t exit_ticks; /* when the process ended, if known; 0 while it runs */
	uint64_t inside_ticks; /* overhead between the two clock readings of an empty call */
	/* CPU time that threads spend in their first markers and when they end */
	_Atomic uint64_t setup_ns;
	/* A random number, never 0. It identifies the process if pids repeat or come from several
	 * namespaces. */
	uint64_t id;
	/* the MPI rank from the environment (base/rank.h); a child has its parent's rank */
	uint32_t has_rank;
	uint32_t rank;
	/* 1 + the number of the system call that one of the process's markers is in; 0: none. If
	 * the process is dead, the kernel killed it there, or another process did. */
	_Atomic uint32_t in_call;
	_Atomic uint32_t child_in_call; /* the same of a forked child, until it has an entry */
	uint64_t reserved[6];
};
static_assert(sizeof(struct rs_process) == 256, "ABI");

enum rs_slot_state {
	RS_SLOT_FREE = 0, /* never used */
	/* a process owns the slot: a running thread uses it, or it is on the process's list of
	 * ended threads */
	RS_SLOT_OWNED = 1,
	/* the process is dead; another process may take over the slot and its contents */
	RS_SLOT_SWEPT = 2,
	RS_SLOT_ADOPTING = 3, /* a process is taking over a swept slot; the next state is OWNED */
};

/* One thread at a time uses a slot; if RS_SEGMENT_PER_THREAD is set, only one thread ever uses it.
 * The slot's accumulators keep the results of previous threads. */
struct rs_slot {
	_Atomic uint32_t state; /* enum rs_slot_state */
	_Atomic uint32_t process; /* index of the process entry */
	_Atomic uint32_t tid; /* the current thread, or the last one */
	_Atomic uint32_t n_threads; /* how many threads have used the slot */
	_Atomic uint64_t first_accumulator; /* offset of the first struct rs_accumulator; 0: none */
	/* the counting clock at the current thread's first marker; 0: the thread ended */
	_Atomic uint64_t attached_ticks;
	/* sum of the lifetimes of ended threads, each from its first marker to its end */
	_Atomic uint64_t lifetime_ticks;
	_Atomic uint64_t piece_next; /* start of the free bytes in the slot's latest piece */
	_Atomic uint64_t piece_end; /* end of these bytes */
	char name[16]; /* thread name from /proc/PID/comm, at the first marker or the end */
	/* off-CPU time of the slot's threads, by enum rs_off_kind, up to the latest look-up */
	_Atomic uint64_t off_ticks[RS_OFF_N];
	_Atomic uint64_t trace; /* offset of the slot's struct rs_trace; 0: none */
	/* when a marker last looked up the current thread's off-CPU time; the thread ran then */
	_Atomic uint64_t seen_ticks;
	_Atomic uint64_t seen_cpu_ns; /* CPU time of the thread at seen_ticks */
	_Atomic uint64_t exit_cpu_ns; /* CPU time when the thread's process exited; 0: unknown */
	/* 1: the end of a thread is not known, because its process ended by a signal or _exit(2) */
	_Atomic uint32_t lacks_end;
	/* how many voluntary context switches the thread had at seen_ticks */
	_Atomic uint32_t seen_voluntary;
};
static_assert(sizeof(struct rs_slot) == 128, "ABI");

/* Return how long a thread has lived until a time in ticks, without pauses. Return 0 if
 * lifetime_ticks includes this already. `word` is the counting_clock of the header. */
static inline uint64_t rs_slot_lifetime(uint64_t word, uint64_t attached_ticks, uint64_t end_ticks)
{
	uint64_t end = rs_counting_ticks(word, end_ticks);
	return attached_ticks != 0 && attached_ticks < end ? end - attached_ticks : 0;
}

static_assert(RS_EVENTS_OFFSET + RS_MAX_EVENTS * sizeof(struct rs_segment_event) <= RS_ONLY_OFFSET,
	"events fit");
static_assert(RS_ONLY_OFFSET + RS_MAX_ONLY * RS_GLOB_BYTES <= RS_BUCKETS_OFFSET, "globs fit");
static_assert(RS_BUCKETS_OFFSET + RS_REGION_BUCKETS * 4 <= RS_REGIONS_OFFSET, "buckets fit");
static_assert(RS_REGIONS_OFFSET + RS_MAX_REGIONS * sizeof(struct rs_region) <= RS_PROCESSES_OFFSET,
	"regions fit");
static_assert(RS_PROCESSES_OFFSET + RS_MAX_PROCESSES * sizeof(struct rs_process) <= RS_SLOTS_OFFSET,
	"processes fit");
static_assert(
	RS_SLOTS_OFFSET + RS_MAX_SLOTS * sizeof(struct rs_slot) <= RS_DATA_OFFSET, "slots fit");
static_assert(RS_SEGMENT_BYTES / RS_OFFSET_UNIT <= UINT64_C(1) << 32, "block offsets fit");

#endif
