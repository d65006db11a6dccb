/* SPDX-License-Identifier: MIT */
/*
 * These functions make a trace in Perfetto's format, which ui.perfetto.dev and trace_processor
 * read. A trace has tracks, slices, instants and counters with arguments
 * (https://perfetto.dev/docs/reference/synthetic-track-event). The file is made in memory, from
 * packets that are compressed together. Times are ns of CLOCK_MONOTONIC. The events of one track
 * must be in the order of time; other events may come in any order.
 */
#ifndef RS_TRACE_PERFETTO_H
#define RS_TRACE_PERFETTO_H

#include "base/arena.h"
#include "trace/protobuf.h"

struct rs_perfetto {
	struct rs_protobuf packets; /* packets that are not compressed yet */
	struct rs_protobuf file;
	struct rs_arena scratch; /* for the code that writes the trace */
	size_t packet; /* the open packet and its open event, for rs_protobuf_close() */
	size_t event;
};

enum rs_perfetto_type {
	RS_PERFETTO_BEGIN = 1,
	RS_PERFETTO_END = 2,
	RS_PERFETTO_INSTANT = 3,
	RS_PERFETTO_COUNTER = 4,
};

/* Begin a file whose origin is this host. The caller releases it with rs_perfetto_finish(). */
void rs_perfetto_init(struct rs_perfetto *trace, const char *host);

/* Define a track. uuid is unique and not 0. A track that belongs to no process or thread is shown
 * below the track `parent`, or at the top level if parent is 0. A track with a unit is a
 * counter. */
void rs_perfetto_process(struct rs_perfetto *trace, uint64_t uuid, uint32_t pid, const char *name);
void rs_perfetto_thread(struct rs_perfetto *trace, uint64_t uuid, uint64_t parent, uint32_t pid,
	uint32_t tid, const char *name);
void rs_perfetto_track(struct rs_perfetto *trace, uint64_t uuid, uint64_t parent, const char *name,
	const char *unit);

/* Begin an event, add arguments to it, and end it. category and name: NULL: none. A flow connects
 * the events that have its id. */
void rs_perfetto_event(struct rs_perfetto *trace, enum rs_perfetto_type type, uint64_t track,
	uint64_t time_ns, const char *category, const char *name);
void rs_perfetto_argument(struct rs_perfetto *trace, const char *name, uint64_t value);
void rs_perfetto_argument_text(struct rs_perfetto *trace, const char *name, const char *value);
void rs_perfetto_flow(struct rs_perfetto *trace, uint64_t flow, bool is_last);
void rs_perfetto_value(struct rs_perfetto *trace, int64_t value); /* the value of a counter */
void rs_perfetto_event_end(struct rs_perfetto *trace);

/* Return the size of the file so far, without packets that are not compressed yet. */
size_t rs_perfetto_bytes(const struct rs_perfetto *trace);

/* Complete trace->file. */
void rs_perfetto_complete(struct rs_perfetto *trace);

void rs_perfetto_finish(struct rs_perfetto *trace);

#endif
