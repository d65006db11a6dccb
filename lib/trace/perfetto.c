/* SPDX-License-Identifier: MIT */
/*
 * This file writes a trace in Perfetto's format. The field numbers come from Perfetto's
 * protos/perfetto: common/trace_attributes.proto, and in trace/ trace_packet.proto,
 * clock_snapshot.proto, interned_data/interned_data.proto and track_event/.
 */
#include "trace/perfetto.h"

#include <time.h>
#include <zlib.h>

#include "plan/host.h"
#include "trace/origin.h"

#define CHUNK_BYTES ((size_t)256 * 1024) /* bytes of packets that are compressed together */
#define LEVEL 4 /* compression level of zlib; 6 takes twice as long and saves 3 % */
#define SEQUENCE 1 /* all packets belong to one sequence, so they share the clock */

enum { TRACE_PACKET = 1 };
enum packet {
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_FLAGS = 13,
	PACKET_COMPRESSED = 50,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_ATTRIBUTES = 126,
};
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum { CLOCKS_CLOCK = 1, CLOCKS_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIME = 2 };
enum { REALTIME = 1, MONOTONIC = 3, BOOTTIME = 6 };
enum { ATTRIBUTES_ATTRIBUTE = 1, ATTRIBUTE_KEY = 1, ATTRIBUTE_TEXT = 3 };
enum track {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT_NAME = 6 };
enum event {
	EVENT_ARGUMENT = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_VALUE = 30,
	EVENT_FLOW = 47,
	EVENT_LAST_FLOW = 48,
};
enum { ARGUMENT_UINT = 3, ARGUMENT_TEXT = 6, ARGUMENT_NAME = 10 };

static void compress_packets(struct rs_perfetto *trace)
{
	struct rs_protobuf *file = &trace->file;
	uLongf n = compressBound(trace->packets.n);
	size_t packet = rs_protobuf_open(file, TRACE_PACKET);
	size_t compressed = rs_protobuf_open(file, PACKET_COMPRESSED);
	unsigned char *bytes = rs_protobuf_room(file, n);
	if (compress2(bytes, &n, trace->packets.bytes, trace->packets.n, LEVEL) != Z_OK)
		rs_arena_refuse();
	file->n += n;
	rs_protobuf_close(file, compressed);
	rs_protobuf_close(file, packet);
	trace->packets.n = 0;
}

static void open_packet(struct rs_perfetto *trace)
{
	trace->packet = rs_protobuf_open(&trace->packets, TRACE_PACKET);
	rs_protobuf_uint(&trace->packets, PACKET_SEQUENCE, SEQUENCE);
}

static void close_packet(struct rs_perfetto *trace)
{
	rs_protobuf_close(&trace->packets, trace->packet);
	if (trace->packets.n >= CHUNK_BYTES)
		compress_packets(trace);
}

static void add_clock(struct rs_protobuf *packets, uint64_t id, clockid_t clock)
{
	struct timespec now = {0};
	clock_gettime(clock, &now);
	size_t opened = rs_protobuf_open(packets, CLOCKS_CLOCK);
	rs_protobuf_uint(packets, CLOCK_ID, id);
	rs_protobuf_uint(packets, CLOCK_TIME,
		(uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec);
	rs_protobuf_close(packets, opened);
}

static void add_attribute(struct rs_protobuf *file, const char *key, const char *text)
{
	size_t attribute = rs_protobuf_open(file, ATTRIBUTES_ATTRIBUTE);
	rs_protobuf_text(file, ATTRIBUTE_KEY, key);
	rs_protobuf_text(file, ATTRIBUTE_TEXT, text);
	rs_protobuf_close(file, attribute);
}

/* Write the origin of the trace. Do not compress this packet, so that a reader needs only the
 * beginning of the file. */
static void add_origin(struct rs_protobuf *file, const char *host)
{
	char boot[64];
	rs_host_read(boot, sizeof(boot), "/proc/sys/kernel/random/boot_id");
	size_t packet = rs_protobuf_open(file, TRACE_PACKET);
	rs_protobuf_uint(file, PACKET_SEQUENCE, SEQUENCE);
	size_t attributes = rs_protobuf_open(file, PACKET_ATTRIBUTES);
	add_attribute(file, RS_TRACE_HOST, host);
	add_attribute(file, RS_TRACE_BOOT, boot);
	rs_protobuf_close(file, attributes);
	rs_protobuf_close(file, packet);
}

void rs_perfetto_init(struct rs_perfetto *trace, const char *host)
{
	*trace = (struct rs_perfetto){0};
	add_origin(&trace->file, host);
	open_packet(trace);
	/* With these three clocks, all traces of a machine share a timeline, including traces of
	 * Perfetto. */
	size_t clocks = rs_protobuf_open(&trace->packets, PACKET_CLOCKS);
	add_clock(&trace->packets, MONOTONIC, CLOCK_MONOTONIC);
	add_clock(&trace->packets, BOOTTIME, CLOCK_BOOTTIME);
	add_clock(&trace->packets, REALTIME, CLOCK_REALTIME);
	rs_protobuf_uint(&trace->packets, CLOCKS_PRIMARY, BOOTTIME);
	rs_protobuf_close(&trace->packets, clocks);
	close_packet(trace);
	/* Packets after this one have times of this clock. */
	open_packet(trace);
	rs_protobuf_uint(&trace->packets, PACKET_FLAGS, STATE_CLEARED);
	size_t defaults = rs_protobuf_open(&trace->packets, PACKET_DEFAULTS);
	rs_protobuf_uint(&trace->packets, PACKET_CLOCK, MONOTONIC);
	rs_protobuf_close(&trace->packets, defaults);
	close_packet(trace);
}

/* ---- tracks ---- */

static size_t open_track(struct rs_perfetto *trace, uint64_t uuid, uint64_t parent)
{
	open_packet(trace);
	size_t track = rs_protobuf_open(&trace->packets, PACKET_TRACK);
	rs_protobuf_uint(&trace->packets, TRACK_UUID, uuid);
	if (parent)
		rs_protobuf_uint(&trace->packets, TRACK_PARENT, parent);
	return track;
}

static void close_track(struct rs_perfetto *trace, size_t track)
{
	rs_protobuf_close(&trace->packets, track);
	close_packet(trace);
}

void rs_perfetto_process(struct rs_perfetto *trace, uint64_t uuid, uint32_t pid, const char *name)
{
	size_t track = open_track(trace, uuid, 0);
	size_t process = rs_protobuf_open(&trace->packets, TRACK_PROCESS);
	rs_protobuf_uint(&trace->packets, PROCESS_PID, pid);
	rs_protobuf_text(&trace->packets, PROCESS_NAME, name);
	rs_protobuf_close(&trace->packets, process);
	close_track(trace, track);
}

void rs_perfetto_thread(struct rs_perfetto *trace, uint64_t uuid, uint64_t parent, uint32_t pid,
	uint32_t tid, const char *name)
{
	size_t track = open_track(trace, uuid, parent);
	size_t thread = rs_protobuf_open(&trace->packets, TRACK_THREAD);
	rs_protobuf_uint(&trace->packets, THREAD_PID, pid);
	rs_protobuf_uint(&trace->packets, THREAD_TID, tid);
	rs_protobuf_text(&trace->packets, THREAD_NAME, name);
	rs_protobuf_close(&trace->packets, thread);
	close_track(trace, track);
}

void rs_perfetto_track(struct rs_perfetto *trace, uint64_t uuid, uint64_t parent, const char *name,
	const char *unit)
{
	size_t track = open_track(trace, uuid, parent);
	rs_protobuf_text(&trace->packets, TRACK_NAME, name);
	if (unit) {
		size_t counter = rs_protobuf_open(&trace->packets, TRACK_COUNTER);
		rs_protobuf_text(&trace->packets, COUNTER_UNIT_NAME, unit);
		rs_protobuf_close(&trace->packets, counter);
	}
	close_track(trace, track);
}

/* ---- events ---- */

void rs_perfetto_event(struct rs_perfetto *trace, enum rs_perfetto_type type, uint64_t track,
	uint64_t time_ns, const char *category, const char *name)
{
	struct rs_protobuf *packets = &trace->packets;
	open_packet(trace);
	rs_protobuf_uint(packets, PACKET_TIME, time_ns);
	rs_protobuf_uint(packets, PACKET_FLAGS, NEEDS_STATE);
	trace->event = rs_protobuf_open(packets, PACKET_EVENT);
	rs_protobuf_uint(packets, EVENT_TYPE, type);
	rs_protobuf_uint(packets, EVENT_TRACK, track);
	if (category)
		rs_protobuf_text(packets, EVENT_CATEGORY, category);
	if (name)
		rs_protobuf_text(packets, EVENT_NAME, name);
}

void rs_perfetto_argument(struct rs_perfetto *trace, const char *name, uint64_t value)
{
	size_t argument = rs_protobuf_open(&trace->packets, EVENT_ARGUMENT);
	rs_protobuf_text(&trace->packets, ARGUMENT_NAME, name);
	rs_protobuf_uint(&trace->packets, ARGUMENT_UINT, value);
	rs_protobuf_close(&trace->packets, argument);
}

void rs_perfetto_argument_text(struct rs_perfetto *trace, const char *name, const char *value)
{
	size_t argument = rs_protobuf_open(&trace->packets, EVENT_ARGUMENT);
	rs_protobuf_text(&trace->packets, ARGUMENT_NAME, name);
	rs_protobuf_text(&trace->packets, ARGUMENT_TEXT, value);
	rs_protobuf_close(&trace->packets, argument);
}

void rs_perfetto_flow(struct rs_perfetto *trace, uint64_t flow, bool is_last)
{
	rs_protobuf_fixed64(&trace->packets, is_last ? EVENT_LAST_FLOW : EVENT_FLOW, flow);
}

void rs_perfetto_value(struct rs_perfetto *trace, int64_t value)
{
	rs_protobuf_uint(&trace->packets, EVENT_VALUE, (uint64_t)value);
}

void rs_perfetto_event_end(struct rs_perfetto *trace)
{
	rs_protobuf_close(&trace->packets, trace->event);
	close_packet(trace);
}

size_t rs_perfetto_bytes(const struct rs_perfetto *trace)
{
	return trace->file.n;
}

void rs_perfetto_complete(struct rs_perfetto *trace)
{
	compress_packets(trace);
}

void rs_perfetto_finish(struct rs_perfetto *trace)
{
	rs_protobuf_finish(&trace->packets);
	rs_protobuf_finish(&trace->file);
	rs_arena_finish(&trace->scratch);
}
