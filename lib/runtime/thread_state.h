/* SPDX-License-Identifier: MIT */
/* A thread's state: its counters, its snapshots, and the memory that its markers use. */
#ifndef RS_RUNTIME_THREAD_STATE_H
#define RS_RUNTIME_THREAD_STATE_H

#include "base/rseq.h"
#include "runtime/arch/system.h"
#include "runtime/frame_state.h"
#include "runtime/process_state.h"
#include "segment/trace.h"

struct rs_locals; /* defined in process/self.h */

/* A snapshot has two bits for each group. The bit in the low half means that the group has no
 * value. The bit in the high half means that it is off the PMU. */
#define RS_GROUP_NOT_COUNTED(group) (1u << (group))
#define RS_GROUP_OFF(group) (1u << (16 + (group)))

/* One counter group of a thread. */
enum rs_group_mode {
	RS_GROUP_NONE, /* not counted */
	RS_GROUP_READ, /* read with read() of the leader */
	RS_GROUP_USER, /* read in user space, from the pages of its events */
};
struct rs_thread_group {
	uint32_t mode; /* enum rs_group_mode */
	int fd; /* descriptor of the leader, or -1 */
	uint32_t bytes; /* size of the result of read() */
	bool pinned;
	/* Only one of several core types counts it; on other cores, the group is off the PMU. */
	bool is_of_core_type;
	bool is_rusage; /* read with getrusage(2), so it has no descriptor; mode is RS_GROUP_READ */
	long got_bytes; /* the latest result of read() that was not `bytes` */
};

/* The thread's CPU times from getrusage(2), and the overhead of markers in them (usage.c), in ns.
 * enum rs_rusage indexes the arrays. */
struct rs_usage {
	bool is_open;
	uint64_t kernel_ns[2]; /* the kernel's times at the latest reading */
	uint64_t less_ns[2]; /* kernel_ns without the overhead of markers */
	int64_t owed_ns[2]; /* overhead that must still be subtracted */
	uint64_t charged; /* ticks charged to the thread's calls until the latest reading */
	uint64_t in_kernel; /* ticks in which markers made system calls */
};

/* An event that is read in user space; see count/snapshot.h. */
struct rs_user_event {
	const volatile struct perf_event_mmap_page *page;
	uint64_t offset; /* the page's offset when it was last read, minus `beyond` */
	uint64_t less; /* by how much the offset was less before that */
	uint64_t beyond; /* what the counter had above its pmc_width bits then */
	uint64_t sign; /* the highest bit of the counter */
	uint64_t mask; /* all bits of the counter */
	uint32_t off; /* RS_GROUP_* bits if its page has no counter */
	uint32_t counter; /* 1 + the event: the index of its value in a snapshot */
};

/* Memory for the marker in progress. It is not on the stack, because a program's alternate signal
 * stack may be as small as the kernel allows. The event plan determines the sizes
 * (thread_memory.c). Arrays of groups have n_groups elements; other arrays have 1 + n_events, or as
 * stated. */
struct rs_scratch {
	uint64_t *words; /* the result of one read(), or a struct rusage */
	struct rs_group_time *times; /* for snapshots whose times are not needed */
	/* For slow paths. The charged overhead becomes the last snapshot minus `target`. `late` is
	 * how much later than that snapshot a call begins. */
	uint64_t *target, *late;
	uint64_t prepared, ended; /* the clock before and after the last snapshot of a slow path */
	uint64_t *charged; /* a sum of the charges of calls */
	/* [2 + n_events]: time and events of the call that ends, and its on-CPU time if recorded */
	uint64_t *deltas;
	uint64_t *counts; /* [2 + n_events]: the values of a call that --slow reports */
	struct rs_group_time *groups; /* the groups' times during this call */
	uint64_t *used; /* time and events of calls, for several short uses */
	uint64_t *again; /* the last snapshot of a slow path, of groups with read() */
	uint64_t *nowhere; /* for a snapshot that belongs to no call */
	uint64_t call[8]; /* the words of an asynchronous call that ends */
	int *fds; /* [n_events]: descriptors of a group's events while it is opened */
	char text[64]; /* contents of the thread's schedstat file */
};

/* The kernel's counts of the thread's context switches, and clocks, at one moment (switches.c). */
struct rs_look {
	uint64_t ticks;
	uint64_t counting; /* the counting clock (struct rs_segment_header) */
	uint64_t wall_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns; /* CLOCK_THREAD_CPUTIME_ID */
	uint64_t voluntary, involuntary; /* how many context switches of each kind */
	uint64_t delay_ns; /* total time that the thread has waited for a CPU, if it was read */
	bool has_delay;
	bool is_torn; /* a context switch happened while these values were read */
};
struct rs_switches {
	struct rs_look latest;
	int fd; /* descriptor of the thread's schedstat, or -1 */
	/* a descriptor of schedstat that another thread opened, until it is needed; or -1 */
	int prepared_fd;
	uint32_t n_opened;
	uint64_t delay_ns; /* delay_ns when schedstat was last read */
	/* off-CPU time since that read, in intervals without a voluntary switch */
	uint64_t preempted_ns;
	uint64_t other_ns; /* off-CPU time since that read, in all other intervals */
	uint64_t pending_ns; /* time of waiting that must still be counted as preempted */
	uint32_t n_often; /* for how many of the next intervals schedstat is read */
	bool is_booked; /* The marker in progress has found a context switch. */
	/* true if a switch that this marker found may have been in the marker itself */
	bool may_be_in_marker;
	uint64_t booked[RS_OFF_N]; /* the off-CPU time that this marker found, in ticks */
	uint64_t us_ticks; /* ticks in 1 us, from the latest interval with off-CPU time */
};

/* Measurements of the overhead of markers in the program (probe.h). */
struct rs_probe {
	/* ticket of the latest call whose BEGIN was measured; 0 if the thread lost the CPU */
	uint64_t ticket;
	uint64_t begin_ticks; /* duration of that call's BEGIN */
	/* The stack frame of a probe's marker while it runs the usual marker, otherwise 0. If a
	 * handler has jumped out of a probe, it may be an old one. */
	uintptr_t stack;
	bool ends_by_name; /* an END by site ends this call, not an END by ticket */
	bool is_calibrating; /* Calibration is running; only it uses the probes' results. */
	bool lacks_frames; /* A call of the calibration got no frame. */
	uint64_t latest; /* ticks of the latest BEGIN and END, with the probe's own overhead */
	/* n_probes and pair_q8 of struct rs_region_more, but for the probes of all regions */
	uint32_t n, pair_q8;
};

/* With --by-work: calls of `region` with this work are recorded in the region by_work. */
#define RS_KNOWN_WORKS 8u
#define RS_KNOWN_NAMES 8u
struct rs_known_work {
	uint32_t region; /* 0 if the element is empty */
	uint32_t by_work;
	uint64_t bytes;
	uint64_t flops;
};

/* A thread's counter groups. */
struct rs_counters {
	struct rs_thread_group *groups; /* `groups` and `times` have n_groups elements */
	/* times that were read from the pages when the sum of their locks was thread->sequence */
	struct rs_group_time *times;
	uint32_t n_users; /* how many events are read in user space */
	uint32_t n_reads; /* how many groups need read() */
	uint32_t not_counted; /* RS_GROUP_NOT_COUNTED bits of groups that are not counted */
	bool reads_hardware; /* A group that needs read() counts hardware events. */
	bool checks_always; /* Each snapshot checks the descriptors. */
	/* `pages`, `members` and `ids` have n_events elements */
	/* mapped pages; markers read them, or they keep an event counting that has no descriptor */
	void **pages;
	int *members; /* descriptors that keep events open, or -1 */
	uint64_t *ids; /* the kernel's ids of these events */
	uint64_t checked; /* when it was last checked that the descriptors belong to events */
};

/* The snapshot of an END, or of the start of a slow path. */
struct rs_thread_snapshot {
	uint64_t values[1 + RS_MAX_EVENTS];
	uint64_t entered; /* the clock when the snapshot was taken */
	uint64_t lost_ticks; /* off-CPU ticks since `entered`, in a slow path */
	uint64_t waited; /* when the thread last got the process's lock after a wait for it, or 0 */
	uint32_t off; /* RS_GROUP_* bits */
	uint64_t locks; /* the sum of the pages' locks, if the fast path took the snapshot */
	/* the overhead between the two snapshots of the call; it points to a member of `cost` */
	const uint64_t *inside;
	struct rs_group_time *times; /* [n_groups]: times of groups with read() */
};

/* The thread's slot in the segment, and the slot's memory. */
struct rs_slot_part {
	struct rs_slot *slot;
	uint32_t pid; /* the process that owns the slot */
	uint32_t tid;
	/* free rest of the slot's latest piece of memory; a thread that adopts the slot uses it */
	uint64_t piece_next;
	uint64_t piece_end;
	struct rs_accumulator *last_accumulator; /* the last accumulator in the slot's list */
	char *tables_next; /* the free rest of the latest memory for tables and copies of regions */
	char *tables_end;
};

/* Asynchronous calls. */
struct rs_asyncs {
	/* head of the ring of open asynchronous calls, the oldest first; the head has no region */
	struct rs_frame *ring;
	/* the free frames for such calls, linked by `next`; the last one links to `ring` */
	struct rs_frame *free;
	/* how many calls in the ring were stopped by other threads; their frames remain */
	_Atomic uint32_t n_stopped_elsewhere;
	/* how many calls are open although another call has taken their frame */
	_Atomic uint32_t n_forgotten;
};

/* State that changes when a thread attaches, detaches or ends. */
struct rs_life {
	struct rs_thread *next_free, *next_made;
	/* the next element of live->attached, and the pointer to this element */
	struct rs_thread *next_attached;
	struct rs_thread **attached_link;
	/* Earlier states of this thread, each of which it left in the middle of a marker. */
	struct rs_thread *given_up;
	/* a state whose counters another thread has opened for this one */
	struct rs_thread *prepared;
	bool is_given_up; /* This state is in such a list, or another kernel task has used it. */
	bool is_of_process; /* The thread belongs to the process of runtime->process. */
	bool is_late; /* the thread had ended, and uses markers in later destructors */
	_Atomic bool is_changing; /* the thread is making or ending its state without the lock */
	uint32_t n_attach; /* runtime->n_attach of the measurement for which the state was made */
	bool is_blank; /* the memory after the struct is all zero, so the state must be made anew */
	struct rs_chunk *chunks; /* if the process is attached: memory for more frames and tables */
	/* the name that the program gave the thread, or ""; under the lock */
	char name[RS_THREAD_NAME_BYTES];
	/* For detaching, under the lock. is_claimed: the detaching thread has made this state busy
	 * for ever. is_over: the state's own thread has ended since. claimed_leaf is the previous
	 * `busy`. */
	bool is_claimed;
	bool is_over;
	uintptr_t claimed_leaf;
};

/* The restartable sequence through which the kernel reports that the thread was switched out. */
struct rs_rseq {
	struct rs_rseq_way_out way_out; /* where the kernel continues in the section */
	/* True if the C library has no area, so the runtime has registered own_area. While the
	 * thread lives, only it changes this: it may end while another thread detaches it. */
	bool has_own_area;
	struct rs_rseq_area own_area;
};

/* Where a thread writes its calls for --trace (calls/trace.h). A thread without rings writes to
 * memory that no process reads. */
struct rs_tracer {
	uint64_t *recent; /* the first cell of each ring */
	uint64_t *kept;
	struct rs_trace *shared;
	const struct rs_trace_rules *rules;
	uint64_t recent_mask;
	uint64_t next_sample; /* the number of the cell whose call is kept as a sample */
	/* the frame whose call must be kept, because a kept call was within it */
	struct rs_frame *around;
	uint64_t end; /* the clock of the latest END */
	uint64_t looked; /* the clock when a marker last found off-CPU time */
	/* by how many ticks a probe (probe.c) has moved the begin of the call that ends */
	uint64_t moved;
	uint64_t random;
	uint32_t cell_words;
	uint32_t not_counted; /* a bit for each group that missed a part of the latest slow call */
	uint32_t started_by; /* the thread that started the call of a STOP; 0: unknown */
	bool samples; /* false if next_sample only says when to read the rules again */
	bool is_used; /* The thread has rings. */
};

/* how many totals of calls with a context switch are remembered, as read last (read/read.c) */
#define RS_KNOWN_SUMS 8u

/* `busy` of a state that never measures. */
#define RS_BUSY_ALWAYS (UINTPTR_MAX - 1)

#define RS_MOVED_REGION(word) ((uint32_t)((word) >> 32))
#define RS_MOVED_CALLS(word) ((uint32_t)(word))
#define RS_MOVED(region, calls) ((uint64_t)(region) << 32 | (calls))

struct rs_thread {
	/* Every marker uses the members up to user_pages. Their order saves instructions on arm64:
	 * `busy` is first, and some members are in pairs. */

	/* The stack address of the marker in progress, or 0. Bit 0 or 1 is set if a skipped call
	 * without a frame is open (calls/sample.h). */
	uintptr_t busy;
	/* The word that this points to equals `expected` until a context switch or a fork. */
	volatile uint64_t *watched;
	const _Atomic uint64_t *control; /* the control word in the segment */
	uint64_t expected;
	/* while the thread is watched, the kernel has this section's address (switches.h) */
	struct rs_rseq_section section;
	const _Atomic uint64_t *is_here; /* the word in struct rs_live */
	uint64_t control_seen; /* value of the control word when the free frames were prepared */
	/* Markers may take the fast path while rs_state_now() equals this; or RS_FAST_NEVER. */
	uint64_t fast_state;
	char *marked; /* the address to which a site's mark is added: `regions` minus one element */
	/* The open frame that began last, or ground. Its `next` is the first free frame. */
	struct rs_frame *innermost;
	struct rs_locals *locals; /* the thread's thread-local variables (process/self.h) */
	/* stack frame of the latest BEGIN of a skipped call without a frame */
	uintptr_t leaf_stack;
	const struct rs_cost *cost;
	uint64_t sequence; /* the sum of the pages' locks when the pages were last read */
	/* The arguments of rs_pmc() for the events in `users`, and the events' pages. While an
	 * event has no counter, the first element of user_pmcs is RS_PMC_NONE. */
	uint32_t user_pmcs[RS_MAX_EVENTS];
	const volatile struct perf_event_mmap_page *user_pages[RS_MAX_EVENTS];

	char *base;
	struct rs_frame *ground; /* a frame below all others and below itself; it is not a call */
	struct rs_thread_region *regions; /* RS_THREAD_REGIONS elements */
	uint32_t clock;
	uint32_t n_events;
	uint32_t n_groups;
	const struct rs_shape *shape;
	uint64_t random;
	struct rs_counters counters;
	struct rs_thread_snapshot snapshot;

	struct rs_runtime *runtime;
	struct rs_rseq rseq;
	struct rs_switches switches;
	struct rs_asyncs asyncs;
	struct rs_slot_part part;
	struct rs_life life;
	/* for markers that are interrupted by others or left in the middle (interrupted.c) */
	struct {
		/* The region that the slow path recorded last, and its region for calls with the
		 * same work: a marker may be writing there. */
		struct rs_thread_region *region, *of_work;
		/* the region of the skipped call that is getting a frame (calls/sample.h) */
		struct rs_thread_region *framed;
		/* how many markers, one after the other, were skipped because of `busy` */
		uint32_t n_skipped;
		uintptr_t skipped_busy; /* thread->busy when the first of them was skipped */
	} interrupted;
	/* RS_MOVED(region, calls): how many skipped calls of the region ended on other threads, as
	 * scopes, and are not yet counted by this thread. Only the latest region with such calls is
	 * kept. */
	_Atomic uint64_t moved_skipped;
	/* the frames of calls, and calls that have none */
	struct {
		uint32_t n; /* how many frames are allocated */
		uint32_t overflow; /* how many BEGINs got no frame and have had no END yet */
		bool lacks_regions; /* a marker got no memory for its region, so its call is lost */
		/* how many searches for calls that never end were skipped since a search found
		 * none */
		uint32_t n_spared;
		uintptr_t stack; /* the stack frame of the search that found none, or 0 */
		uint64_t levels; /* the deepest nesting of regions so far; only set with a budget */
		uint64_t n_passes; /* how many ENDs passed other open calls */
		bool has_short; /* Sampling skips calls that are not long (sample.c). */
	} frames;
	struct rs_usage usage;
	struct rs_probe probe;
	struct rs_tracer tracer;
	struct rs_scratch scratch;
	struct {
		/* regions of the latest names; a hash of the name's address is the index */
		uint32_t names[RS_KNOWN_NAMES];
		struct rs_known_work works[RS_KNOWN_WORKS]; /* the latest calls with work */
		/* A total is valid while the accumulator of its key has this calls_word. */
		struct {
			uint64_t keys[RS_KNOWN_SUMS]; /* made by key_of(); 0: no key */
			uint64_t words[RS_KNOWN_SUMS], totals[RS_KNOWN_SUMS];
		} sums;
		uintptr_t is_changing; /* 1 while an element of sums changes */
		uint64_t plain_values; /* as in struct rs_runtime */
	} known;
	struct rs_user_event users[RS_MAX_EVENTS]; /* the events that are read in user space */
};

#endif
