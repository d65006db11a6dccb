/* SPDX-License-Identifier: MIT */
/*
 * Reading a segment back. It uses pread and SEEK_DATA into the launcher's own memory, so that
 * holes are not allocated. It checks every index, length and offset, since a program may have
 * scribbled over all of it. It makes data that later stages may believe, in ns and as counted:
 * ticks, weights of the latest call and overhead inside of calls end here.
 */
#ifndef RS_STATS_COLLECT_H
#define RS_STATS_COLLECT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "segment/layout.h"
#include "stats/ticks.h"
#include "stats/value.h"

/* The calls of one region on a thread slot whose times lie in one octave of the accumulator's clock. */
struct rs_octave {
	uint64_t low_ns; /* so long each of them took at least, overhead included */
	uint64_t weight; /* of these calls, as the histogram has them */
	uint64_t *sums; /* n_events: of what they used, by weight, as far as they were counted */
};

/* More calls than any thread makes: at 10 ns each they would take two weeks. */
#define RS_MAX_CALLS (UINT64_C(1) << 47)

/* No region: where calls began that are in none. */
#define RS_NO_REGION UINT16_MAX
static_assert(RS_MAX_REGIONS < RS_NO_REGION, "an index has 16 bits");

/* One region on one slot, validated: a consistent copy. */
struct rs_cell_copy {
	uint32_t region;
	uint32_t slot; /* as rs_slot_copy.index */
	uint32_t process; /* as rs_process_copy.index; that entry may be missing */
	bool is_owned; /* as of rs_slot_copy */
	/* its calls are those of a region that did the same work: what their markers charged
	 * themselves is in the region's own cell */
	bool is_of_work;
	uint32_t n_threads;
	/* all less than RS_MAX_CALLS, so that their sums over all slots fit 64 bits */
	uint64_t calls; /* measured */
	uint64_t weights; /* calls that those represent: so many at least */
	uint64_t skipped; /* by sampling */
	uint64_t diag[RS_CELL_DIAG_N]; /* OPEN holds all that never ended, EXIT and open too */
	uint64_t open; /* of threads that had not ended by themselves when this was read */
	uint64_t pending; /* these four as of struct rs_cell, whose ticks are ns here */
	double pair_ns;
	double skip_ns;
	double own_ns;
	uint64_t clamped_quantities; /* a bit for each with calls below the markers' overhead */
	/* as of struct rs_work: calls with work, their work, and the work outside of calls */
	uint64_t work_calls;
	uint64_t work_bytes;
	uint64_t work_flops;
	uint64_t work_unmatched;
	uint16_t parents[RS_PARENTS]; /* regions in which calls began, or RS_NO_REGION */
	uint32_t n_parents;
	struct rs_value *values; /* RS_EVENT_FIRST + n_events */
	struct rs_octave *octaves; /* the longest times first; none where there are no events */
	uint32_t n_octaves;
	uint64_t slowest_start_ns; /* after the run's begin */
	uint32_t slowest_tid;
	uint32_t slowest_pid;
	uint64_t *slowest; /* time and each event of it, UINT64_MAX where not counted */
};

/* How a region by address came to its name. */
enum rs_region_place {
	RS_REGION_PLACE_NONE, /* it has one of its own */
	RS_REGION_PLACE_FOUND,
	RS_REGION_PLACE_NO_SYMBOL, /* the file has no symbol for it */
	RS_REGION_PLACE_MISSING, /* the file cannot be read */
	RS_REGION_PLACE_REPLACED, /* the file is another one by now */
	RS_REGION_PLACE_UNKNOWN, /* its object is unknown, or finding names took too long */
	RS_REGION_PLACE_N,
};

struct rs_region_copy {
	char name[RS_NAME_BYTES]; /* NUL-terminated; any bytes: reports escape what they must */
	uint32_t flags;
	bool ready; /* false: an entry without a name, in no cell */
	uint32_t work_of; /* these three as of struct rs_region: see rs_collection_work_of() */
	uint64_t work_bytes;
	uint64_t work_flops;
	/* of a region by address, whose name was found out or made up when this was read */
	enum rs_region_place place;
	const char *object; /* path of the program or library that it is in; NULL: not known */
	const char *source; /* file and line where it begins, "a.c:12"; NULL: not known */
};

/* The counts of an adapter of another marker API, over all processes; any numbers, as of enum
 * rs_adapter_count. */
struct rs_adapter_copy {
	char word[16];
	uint64_t loaded;
	uint64_t regions;
	uint64_t ignored;
	uint64_t unmatched;
	uint64_t refused;
	uint64_t memory;
	uint64_t chained;
};

struct rs_process_copy {
	uint32_t index; /* of the process entry */
	uint32_t pid;
	uint32_t open_errno;
	uint32_t open_quantity; /* these two: of which event, 0: none is known */
	uint32_t inactive_quantity;
	uint64_t diag[RS_PROCESS_DIAG_N];
	double inside_ns; /* these two as of struct rs_process, whose ticks are ns here */
	uint64_t setup_ns;
	char name[16];
	bool has_rank; /* these two as of struct rs_process */
	uint32_t rank;
};

struct rs_slot_copy {
	uint32_t index;
	uint32_t process;
	bool is_owned; /* false: its process has ended; another one may have that entry now */
	uint32_t tid; /* of the thread that has it, or had it last */
	char name[16]; /* of that thread */
	uint32_t n_threads; /* that ever had it */
	uint64_t lifetime_ns; /* a thread still attached is counted until the run's end */
	uint64_t unmarked_off_ns[RS_OFF_N]; /* as of struct rs_slot; together at most that */
};

struct rs_collection {
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t quantity_group[1 + RS_MAX_EVENTS]; /* of time, 0: none, and of each event */
	struct rs_region_copy *regions; /* by index; regions[0] is "(other)" */
	size_t n_regions;
	bool is_naming_cut; /* the search for names and lines of places ended too early */
	struct rs_adapter_copy *adapters; /* those that left any count; in the arena */
	size_t n_adapters;
	struct rs_process_copy *processes; /* ascending by index */
	size_t n_processes;
	struct rs_slot_copy *slots; /* ascending by index */
	size_t n_slots;
	struct rs_cell_copy *cells; /* ordered by slot, then as created */
	size_t n_cells;
	uint64_t diag[RS_SEGMENT_DIAG_N];
	char load_error[512];
	size_t n_damaged; /* cells, slots and entries that made no sense */
	char damage[256]; /* the first of them, in words */
	void *arena; /* owns the arrays that the cells point to */
};

/* The base of a region that has the calls of one work; RS_NO_REGION where the region is one of the
 * program's. */
static inline uint32_t rs_collection_work_of(
	const struct rs_collection *collection, uint32_t region)
{
	uint32_t base = collection->regions[region].work_of - 1;
	bool is_one = base < collection->n_regions && base != region &&
		      collection->regions[base].ready && collection->regions[base].work_of == 0;
	return is_one ? base : RS_NO_REGION;
}

/* The region of the program whose calls those of a region are: messages name no other. */
static inline uint32_t rs_collection_owner(const struct rs_collection *collection, uint32_t region)
{
	uint32_t base = rs_collection_work_of(collection, region);
	return base != RS_NO_REGION ? base : region;
}

/* How many values a cell has. */
static inline uint32_t rs_collection_n_values(const struct rs_collection *collection)
{
	return RS_EVENT_FIRST + collection->n_events;
}

/* Convert the segment's number of a value: 0 is time, the others are events of the plan. */
static inline uint32_t rs_event_of_quantity(uint32_t quantity)
{
	return quantity > 0 ? RS_EVENT_FIRST + quantity - 1 : RS_EVENT_TIME;
}

/*
 * Read all that a segment holds. It works while the program is alive as well: a cell that is being
 * written is read again. fd: the segment's memfd. n_events, n_groups: as the launcher made it;
 * what the segment says now is only compared. begin, end: of the run; from them follows how long a
 * tick is. collection: filled on success; release with rs_collection_finish(). False, with err
 * filled: the header is not ours any more, or no memory. Single damaged parts are excluded and
 * counted instead.
 */
bool rs_collect(struct rs_collection *collection, int fd, uint32_t n_events, uint32_t n_groups,
	const struct rs_clock_point *begin, const struct rs_clock_point *end, struct rs_err *err);

/* Release what the collection owns. collection: filled, zeroed, or NULL. */
void rs_collection_finish(struct rs_collection *collection);

#endif
