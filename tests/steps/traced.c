/* SPDX-License-Identifier: MIT */
/* Checks of the rings of a trace after each instruction, see traced.h. */
#include "traced.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "segment/trace.h"

#define MOST_SLOTS 64
#define MOST_WORDS (2 * (RS_TRACE_EVENTS + RS_MAX_EVENTS))

static struct ring {
	uint64_t n; /* cells so far */
	uint64_t newest[MOST_WORDS]; /* the cells of the newest record */
	uint64_t n_newest;
} rings[MOST_SLOTS][2];
static uint64_t n_records;
static int64_t first_gap; /* calls without a record at the first look */
static bool is_begun;

void traced_forget(void)
{
	memset(rings, 0, sizeof(rings));
	n_records = 0;
	is_begun = false;
}

static void copy_cells(uint64_t *to, const uint64_t *ring, uint64_t first, uint64_t n,
	uint64_t n_ring, uint32_t words)
{
	for (uint64_t i = 0; i < n; i++)
		memcpy(to + i * words, ring + ((first + i) & (n_ring - 1)) * words,
			words * sizeof(*to));
}

/* Return what is wrong with a new record, or NULL. */
static const char *check_record(
	const uint64_t *cell, uint64_t n_cells, uint64_t number, bool is_recent, uint32_t n_regions)
{
	uint32_t flags = rs_trace_flags(cell[RS_TRACE_IDS]);
	if (n_cells != (flags & RS_TRACE_MORE ? 2u : 1u))
		return "the number of cells is not that of one record";
	if (is_recent && cell[RS_TRACE_NUMBER] != number)
		return "the record has another number";
	if (cell[RS_TRACE_BEGIN] > cell[RS_TRACE_END] || !(cell[RS_TRACE_TIME] & 1))
		return "the record's times are wrong";
	if (!(flags & RS_TRACE_OFF) && rs_trace_region(cell[RS_TRACE_IDS]) >= n_regions)
		return "the record's region does not exist";
	return rs_trace_tid(cell[RS_TRACE_IDS]) == 0 ? "the record has no thread" : NULL;
}

/* Compare one ring. Return the number of new calls. */
static uint64_t look_at(struct ring *ring, const uint64_t *cells, uint64_t n, uint64_t n_ring,
	uint32_t words, uint32_t n_regions, bool exact, void (*tell)(const char *text))
{
	uint64_t now[MOST_WORDS], n_new = n - ring->n, first = ring->n;
	const char *wrong = NULL;
	if (n_new == 0) {
		copy_cells(now, cells, n - ring->n_newest, ring->n_newest, n_ring, words);
		if (memcmp(now, ring->newest, ring->n_newest * words * sizeof(*now)) != 0)
			tell("a record changed after it was written");
		return 0;
	}
	if (!is_begun || !exact || n_new > 2) { /* Look only at what follows. */
		ring->n = n;
		ring->n_newest = 0;
		if (is_begun && exact)
			tell("more than one record is new");
		return 0;
	}
	copy_cells(ring->newest, cells, first, n_new, n_ring, words);
	ring->n = n;
	ring->n_newest = n_new;
	wrong = check_record(ring->newest, n_new, first, n_ring == RS_TRACE_RECENT, n_regions);
	if (wrong)
		tell(wrong);
	return !(rs_trace_flags(ring->newest[RS_TRACE_IDS]) & RS_TRACE_OFF);
}

uint64_t traced_look(const char *base, const struct rs_run *collection, uint32_t n_events,
	bool exact, void (*tell)(const char *text))
{
	const struct rs_segment_header *header = (const void *)base;
	const struct rs_slot *slots = (const void *)(base + RS_SLOTS_OFFSET);
	uint32_t words = rs_trace_cell_words(n_events);
	uint64_t n_new = 0;
	int64_t calls = 0;
	for (uint32_t i = 0; i < header->n_slots && i < MOST_SLOTS; i++) {
		const struct rs_trace *trace = (const void *)(base + slots[i].trace);
		const uint64_t *cells = (const void *)(trace + 1);
		if (!slots[i].trace)
			continue;
		n_new += look_at(&rings[i][0], cells, trace->n_recent, RS_TRACE_RECENT, words,
			header->n_regions, exact, tell);
		look_at(&rings[i][1], cells + RS_TRACE_RECENT * words, trace->n_kept, RS_TRACE_KEPT,
			words, header->n_regions, exact, tell);
	}
	for (size_t i = 0; i < collection->n_results; i++)
		calls += (int64_t)collection->results[i].measured;
	n_records += n_new;
	if (!is_begun)
		first_gap = calls;
	is_begun = true;
	int64_t gap = calls - (int64_t)n_records - first_gap;
	if (exact && (gap < 0 || gap > 1)) {
		char text[100];
		snprintf(text, sizeof(text), "%" PRIi64 " calls have no record", gap);
		tell(text);
		first_gap += gap;
	}
	return n_new;
}
