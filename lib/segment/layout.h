/* SPDX-License-Identifier: MIT */
/*
 * The ABI of the segment: the one memfd that the launcher makes, the program's runtime writes and
 * the launcher reads back. Everything here is shared between processes that may have been built at
 * different times. So every field has a fixed width, every gap is explicit, and every size and
 * offset is asserted. Places are offsets from the segment's start, never pointers.
 *
 * The segment is sparse: its size is fixed and sealed, and memory appears in extents as it is
 * needed. Writers and readers:
 *   header, event plan      the launcher, before the program starts; then as each field says
 *   region table            any process, append only; entries are immutable once they are ready
 *   process entries, slots  the process that owns them; the launcher sweeps those of dead ones
 *   cells                   one writer, the thread that owns the slot
 * Cells are described in segment/cell.h, slow calls in segment/slow_calls.h, adapters in
 * segment/adapters.h, regions by address in segment/objects.h.
 *
 * The launcher checks all that it reads here (lib/stats/collect.h), and so must the runtime. Any
 * process with the descriptor may write anything, at any time, also with fewer rights. What the
 * runtime reads back, and the worst effect of a value:
 *   header up to n_only, events,      once, into private memory, checked: no markers; or other events
 *   globs                             of those that the process may count; or other regions
 *   rules of slow calls               the same; or other calls are slow
 *   control                           compared: calls are cut, or not measured
 *   request, acknowledged             compared: the next PAUSE or RESUME waits a second
 *   n_regions, n_processes, n_slots   an index, within capacities: "(other)", or not measured
 *   n_swept                           a hint: capacities are searched in vain
 *   data_end                          a multiple of extents within the window: memory is refused, or
 *                                     shared with another user of that extent
 *   buckets, regions                  an index, a name to compare, a number of calls: a call is
 *                                     another region's, or not measured
 *   process entries                   a state, numbers: not measured, or paused for good
 *   first_cell, next, `twin`, work,   read once, when a dead thread's slot is taken over: each
 *   region, piece_next, _end          aligned, within the data that are in use, and mapped, or the
 *                                     slot is left alone; from then on they are pointers in private
 *                                     memory
 *   blocks and their links            the same, and again on the slow path: a place that is not so
 *                                     has no counts
 *   objects, chosen functions         compared: an object has two entries, or another is measured
 *   n_calls of slow calls             an index, within its capacity: a call is lost
 *   the rest of cells                 numbers, added to and compared; a bit chooses one of two copies
 * So only places in private memory are followed. A wrong number gives a wrong result.
 */
#ifndef RS_SEGMENT_LAYOUT_H
#define RS_SEGMENT_LAYOUT_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Values that the marker header's loader reads and writes. */
#ifndef REGIONSTAT_H
#define REGIONSTAT_RUNTIME_ONLY_
#include "regionstat.h"
#endif
#include "segment/cell.h"

#define RS_SEGMENT_MAGIC REGIONSTAT_MAGIC_
#define RS_SEGMENT_ABI 1u

/* Capacities. Beyond a capacity, calls go to the region "(other)", or a diagnostic counts them. */
#define RS_MAX_EVENTS 32u /* events in region groups, time not included */
#define RS_MAX_QUANTITIES (2 + RS_MAX_EVENTS) /* with time and on-CPU time */
#define RS_MAX_GROUPS 16u /* region groups */
#define RS_MAX_REGIONS 4096u /* index 0 is "(other)" */
#define RS_MAX_WORKS 256u /* of a region, kept apart; then they go together */
#define RS_REGION_BUCKETS 16384u /* of the hash index of names: a power of two */
#define RS_MAX_PROCESSES 16384u /* alive at once, and dead ones not yet swept */
#define RS_MAX_SLOTS 65536u /* threads alive at once, over all processes */
#define RS_NAME_BYTES 128u /* of a region's name, with its NUL */
#define RS_MAX_ONLY 64u /* globs of regions that are wanted */
#define RS_GLOB_BYTES 256u /* of one, with its NUL */
#define RS_ATTR_BYTES 192u /* room for a struct perf_event_attr of any version */

/* Where things lie. An extent is what one process maps and allocates at a time. */
#define RS_EXTENT_BYTES UINT64_C(0x10000)
#define RS_SEGMENT_BYTES (UINT64_C(1) << 36)
#define RS_EVENTS_OFFSET UINT64_C(0x1000)
#define RS_ONLY_OFFSET UINT64_C(0x8000)
#define RS_BUCKETS_OFFSET UINT64_C(0x10000)
#define RS_REGIONS_OFFSET UINT64_C(0x20000)
#define RS_PROCESSES_OFFSET UINT64_C(0x200000)
#define RS_SLOTS_OFFSET UINT64_C(0x800000)
#define RS_DATA_OFFSET UINT64_C(0x2000000)

/* The launcher takes memory for what lies before this. The first process that needs the rest takes
 * it. */
#define RS_FIRST_BYTES (RS_REGIONS_OFFSET + RS_EXTENT_BYTES)

/* The program finds the segment by this variable: "ABI:FD:LAUNCHER_PID:NONCE", numbers in decimal,
 * the nonce in 16 hexadecimal digits. */
#define RS_SEGMENT_ENV "REGIONSTAT_SEGMENT"
/* And the runtime by this one, a path; a program that has the runtime linked in ignores it. */
#define RS_RUNTIME_ENV "REGIONSTAT_RUNTIME"

/* attr.type of events that are none of perf's: what getrusage(2) accounts for a thread, in ns. They
 * are a group of their own. */
#define RS_TYPE_RUSAGE UINT32_C(0xffff0001)
enum rs_rusage { /* attr.config */
	RS_RUSAGE_USER,
	RS_RUSAGE_SYSTEM,
};

enum rs_clock {
	RS_CLOCK_MONOTONIC = 0, /* ticks are clock_gettime(CLOCK_MONOTONIC) nanoseconds */
	RS_CLOCK_COUNTER = 1, /* ticks are of rdtsc or cntvct_el0; see rs_clock_choose() */
};

enum rs_segment_flag {
	RS_SEGMENT_PER_PROCESS = 1u << 0, /* slots never pass from one process to another */
	RS_SEGMENT_RAW = 1u << 1, /* values include the markers' overhead */
	RS_SEGMENT_SAMPLES = 1u << 2, /* not every call of every region is measured */
	RS_SEGMENT_PER_THREAD = 1u << 3, /* slots never pass from one thread to another */
	RS_SEGMENT_WATCHES = 1u << 4, /* this kernel shows that a thread was switched out */
	RS_SEGMENT_BY_WORK = 1u << 8, /* calls of different work are kept apart */
};

/* Things that happen to the whole segment, counted with relaxed atomic additions. */
enum rs_segment_diag {
	RS_SEGMENT_DIAG_REGIONS, /* names that found the region table full: in "(other)" */
	RS_SEGMENT_DIAG_PROCESSES, /* processes that found no process entry: not measured */
	RS_SEGMENT_DIAG_SLOTS, /* threads that found no slot: not measured */
	RS_SEGMENT_DIAG_MEMORY, /* times that memory for a cell or a histogram was refused */
	RS_SEGMENT_DIAG_N = 8,
};

/*
 * Offset 0. The control word: bit 0 says paused, the rest is a generation that changes whenever
 * anybody pauses or resumes. A process pauses by setting first its own pause_depth and then bit 0
 * (with a new generation, even if bit 0 was set). To clear bit 0, a process reads the word, then
 * every pause_depth and launcher_pause, and then does a compare-and-swap. So a pause is never lost.
 * The launcher clears it, also when a process that paused has died. A process that resumes and gets
 * no answer in time clears it as well.
 */
enum rs_launcher_pause {
	RS_LAUNCHER_PAUSE_NONE = 0,
	RS_LAUNCHER_PAUSE_TIMED = 1, /* until a time comes */
	RS_LAUNCHER_PAUSE_WAITS = 2, /* until a process resumes */
};

struct rs_segment_header {
	uint64_t magic;
	uint32_t abi;
	uint32_t header_bytes; /* sizeof(struct rs_segment_header) */
	uint64_t segment_bytes;
	uint64_t nonce;
	uint32_t launcher_pid;
	uint32_t clock; /* enum rs_clock */
	uint32_t flags; /* enum rs_segment_flag */
	uint32_t n_events; /* in region groups, without time: 0 to RS_MAX_EVENTS */
	uint32_t n_groups; /* 0 to RS_MAX_GROUPS */
	uint32_t sample_calls; /* about every so many-th call of a region is measured; 0, 1: all */
	/* markers may take this share of a thread's time, in millionths; 0: no such limit. Each
	 * region of a thread without a sample_calls of its own sets it by that */
	uint32_t budget_ppm;
	/* globs at RS_ONLY_OFFSET, RS_GLOB_BYTES each: a region that none of them matches is
	 * filtered (lib/base/glob.h); 0: no region is */
	uint32_t n_only;

	/* offset 64: read at every marker, written at pause and resume only */
	_Atomic uint64_t control;
	uint64_t reserved1[7];

	/* offset 128: the doorbell. A process adds 1 to request and wakes its futex; the launcher
	 * stores the request that it has served in acknowledged and wakes that futex. */
	_Atomic uint32_t request;
	_Atomic uint32_t acknowledged;
	_Atomic uint32_t launcher_pause; /* enum rs_launcher_pause */
	uint32_t reserved4;
	uint64_t reserved2[6];

	/* offset 192: allocation, by fetch-and-add; may run past the capacity, never back */
	_Atomic uint32_t n_regions; /* entries taken, "(other)" included */
	_Atomic uint32_t n_processes; /* entries ever taken */
	_Atomic uint32_t n_slots; /* slots ever taken */
	_Atomic uint32_t n_swept; /* hint: slots and process entries swept and perhaps free */
	_Atomic uint64_t data_end; /* offset of the first byte of no extent yet */
	uint64_t reserved3[5];

	/* offset 256 */
	_Atomic uint64_t diag[RS_SEGMENT_DIAG_N];

	/* offset 320: why a runtime could not be loaded, NUL-terminated; pwrite()n by the header */
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
#define RS_CONTROL_GENERATION UINT64_C(2) /* what a change adds */

/* One event of the region groups; events of one group are neighbours, its leader first. */
struct rs_segment_event {
	uint32_t group; /* 0 to n_groups - 1, ascending */
	/* where cores are of several types, the number of the only type that counts it, from 1; 0:
	 * every CPU does */
	uint32_t core_pmu;
	uint8_t attr[RS_ATTR_BYTES]; /* struct perf_event_attr, ready for perf_event_open(2) */
	uint64_t reserved[7];
};
static_assert(sizeof(struct rs_segment_event) == 256, "ABI");

enum rs_region_state {
	RS_REGION_EMPTY = 0,
	RS_REGION_READY = 1,
};
enum rs_region_flag {
	RS_REGION_TRUNCATED = 1u << 0, /* the name was too long: its head, '~' and a hash */
	RS_REGION_BY_NAME = 1u << 1, /* some of its calls are ended by name: what is lost of others
					was jumped over */
	RS_REGION_IS_LEFT_OUT = 1u << 2, /* no glob matches it; kept for near names in messages */
	RS_REGION_IS_ADDRESS = 1u << 3, /* its name is a place in code (segment/objects.h) */
	RS_REGION_OTHER_WORK = 1u << 8, /* of calls of a region for whose work there was no place */
};

/* One region. Index order is first-seen order. The hash index maps rs_name_hash() of the name,
 * modulo RS_REGION_BUCKETS, linear probing, to index + 1 (uint32_t each, 0: empty). An entry that
 * lost a race for its bucket is never READY. */
struct rs_region {
	_Atomic uint32_t state;
	uint32_t flags;
	uint32_t hash;
	uint32_t name_bytes; /* without the NUL: 1 to 127 */
	char name[RS_NAME_BYTES];
	uint32_t sample_calls; /* as in the header, for this region; 0: the header's */
	/* with RS_SEGMENT_BY_WORK: 1 + the index of the region whose calls with this work it has;
	 * 0: it is a region of the program */
	uint32_t work_of;
	uint64_t work_bytes;
	uint64_t work_flops;
	_Atomic uint32_t n_works; /* regions by work of this one */
	uint32_t reserved0;
	uint64_t reserved[2];
};
static_assert(sizeof(struct rs_region) == 192, "ABI");

/* In which region a call began: 1 + the index of that region. */
enum rs_parent {
	RS_PARENT_FREE = 0, /* a place without any */
	RS_PARENT_FIRST = 1, /* the region with index 0 */
	RS_PARENT_NONE = RS_MAX_REGIONS + 2, /* no region was open */
};

/* FNV-1a, 32 bits, of the bytes of a name: http://www.isthe.com/chongo/tech/comp/fnv/ */
static inline uint32_t rs_name_hash(const char *name, uint32_t name_bytes)
{
	uint32_t hash = 2166136261u;
	for (uint32_t i = 0; i < name_bytes; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	return hash;
}

/* The region that takes what finds the table full: index 0, ready from the start, in the index. */
#define RS_REGION_OTHER_NAME "(other)"

enum rs_process_state {
	RS_PROCESS_FREE = 0, /* never used, or swept */
	RS_PROCESS_CLAIMED = 1, /* being filled in; nothing but state may be believed */
	RS_PROCESS_ALIVE = 2,
	RS_PROCESS_EXITED = 3, /* reached its exit handlers; may still mark */
	RS_PROCESS_REPLACED = 4, /* the same process has executed another program: to be swept */
};

/* Why threads of a process measured less than they were asked to. */
enum rs_process_diag {
	RS_PROCESS_DIAG_TIME_ONLY, /* threads whose counters could not be opened */
	RS_PROCESS_DIAG_HANDLER, /* markers skipped in a signal handler that ran within a marker */
	RS_PROCESS_DIAG_DEPTH, /* calls skipped: too many open at once on one thread */
	RS_PROCESS_DIAG_READ, /* group reads that failed */
	RS_PROCESS_DIAG_UNSLOTTED, /* threads without a slot */
	RS_PROCESS_DIAG_PAUSE_TIMEOUT, /* pauses or resumes that the launcher did not answer */
	RS_PROCESS_DIAG_REOPENED, /* pinned groups that lost their counter, opened again flexible */
	RS_PROCESS_DIAG_COST_UNKNOWN, /* threads without a calibration of marker overhead */
	RS_PROCESS_DIAG_INACTIVE, /* groups that were opened and enabled, and did not count */
	RS_PROCESS_DIAG_UNWATCHED, /* threads that may be switched out unseen */
	RS_PROCESS_DIAG_SHARED, /* threads that share their thread-local memory: given up */
	RS_PROCESS_DIAG_NO_CALL, /* STOPs of what START never gave */
	RS_PROCESS_DIAG_N = 12,
};

/* One program image: a process from its start or exec to its end or next exec. */
struct rs_process {
	_Atomic uint32_t state; /* enum rs_process_state */
	uint32_t pid;
	uint64_t start_time; /* field 22 of /proc/PID/stat, 0 when unknown */
	uint64_t image; /* first 8 bytes of AT_RANDOM: changes with exec, kept by fork */
	_Atomic uint32_t pause_depth; /* open REGIONSTAT_PAUSE()s */
	_Atomic uint32_t open_errno; /* of the first perf_event_open(2) that failed, or 0 */
	_Atomic uint32_t open_event; /* its event, 0 to n_events - 1 */
	/* 1 + the first event that was found open and not counting, 0: none */
	_Atomic uint32_t inactive_event;
	_Atomic uint64_t diag[RS_PROCESS_DIAG_N];
	char name[16]; /* as in /proc/PID/comm, NUL-terminated */
	/* inode of /proc/self/ns/pid, 0 when unknown: but in the launcher's namespace pid means
	 * nothing to the launcher, so such a process is never taken for dead */
	uint64_t pid_namespace;
	_Atomic uint64_t exit_ticks; /* when it ended, as far as known; 0 while it runs */
	uint64_t
		/* the part of a BEGIN and END between the two readings of the clock */
		inside_ticks;
	_Atomic uint64_t setup_ns; /* CPU time in first markers of threads, and at their ends */
	/* drawn at random by the image itself, never 0: identifies it where pids repeat, in time or
	 * in several namespaces, and start times are unknown */
	uint64_t id;
	/* of an MPI program, as its launcher set it (base/rank.h); a forked child has its
	 * parent's */
	uint32_t has_rank;
	uint32_t rank;
	uint64_t reserved[7];
};
static_assert(sizeof(struct rs_process) == 256, "ABI");

enum rs_slot_state {
	RS_SLOT_FREE = 0, /* never used */
	RS_SLOT_OWNED = 1, /* by a process: in use, or on its list of ended threads */
	RS_SLOT_SWEPT = 2, /* its process is dead; another may adopt it with what it holds */
	RS_SLOT_ADOPTING = 3, /* taken from SWEPT; becomes OWNED */
};

/* One thread at a time, or one alone (RS_SEGMENT_PER_THREAD); what its predecessors measured stays
 * in its cells. */
struct rs_slot {
	_Atomic uint32_t state; /* enum rs_slot_state */
	_Atomic uint32_t process; /* index of the process entry */
	_Atomic uint32_t tid; /* of the thread that has it, or had it last */
	_Atomic uint32_t n_threads; /* that ever had it */
	_Atomic uint64_t first_cell; /* offset of a struct rs_cell, 0 when none */
	_Atomic uint64_t attached_ticks; /* first marker of the thread that has it; 0: it ended */
	_Atomic uint64_t lifetime_ticks; /* sum over ended threads: first marker to end */
	_Atomic uint64_t piece_next; /* free bytes of the slot's latest piece of an extent ... */
	_Atomic uint64_t piece_end; /* ... and their end */
	char name[16]; /* of that thread, at its first marker or its end, as in /proc/PID/comm */
	/* off-CPU time of its threads while none of their calls was open, by enum rs_off_kind */
	_Atomic uint64_t unmarked_off_ticks[RS_OFF_N];
	uint64_t reserved[5];
};
static_assert(sizeof(struct rs_slot) == 128, "ABI");

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
