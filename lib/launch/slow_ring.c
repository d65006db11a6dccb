/* SPDX-License-Identifier: MIT */
/*
 * This file reads the ring of slow calls. It returns calls in the order of their numbers. If a call
 * is still being written, it remembers the call and returns it later. If the thread that writes a
 * call was killed, the call counts as lost. The segment is read with pread(2), which does not
 * allocate memory for holes.
 */
#include "launch/slow_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "segment/objects.h"

#define PENDING_NS UINT64_C(1000000000)

union record {
	struct rs_slow_call call;
	uint64_t words[(sizeof(struct rs_slow_call) / sizeof(uint64_t)) + 1 + RS_MAX_EVENTS];
};

static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	return pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

void rs_slow_ring_init(struct rs_slow_ring *ring, int fd, uint32_t n_events)
{
	*ring = (struct rs_slow_ring){.fd = fd, .n_events = n_events};
}

uint64_t rs_slow_ring_look(struct rs_slow_ring *ring)
{
	uint64_t end = 0;
	uint64_t offset = RS_SLOW_CALLS_OFFSET + offsetof(struct rs_slow_calls, n_calls);
	if (read_at(ring->fd, &end, sizeof(end), offset) && end > ring->end)
		ring->end = end;
	return ring->end - ring->next;
}

uint64_t rs_slow_ring_calls_of(const struct rs_slow_ring *ring, uint32_t rule)
{
	uint64_t n = 0;
	uint64_t offset = RS_SLOW_CALLS_OFFSET + offsetof(struct rs_slow_calls, rules) +
			  rule * sizeof(struct rs_slow_rule) +
			  offsetof(struct rs_slow_rule, n_calls);
	return rule < RS_MAX_SLOW_RULES && read_at(ring->fd, &n, sizeof(n), offset) ? n : 0;
}

uint64_t rs_slow_ring_skip(struct rs_slow_ring *ring)
{
	uint64_t n = ring->end - ring->next;
	ring->next = ring->end;
	return n;
}

/* Copy a text from the segment to to[bytes]. The text in the segment may have no NUL. */
static void copy_text(char *to, const char *from, size_t bytes)
{
	memcpy(to, from, bytes - 1);
	to[bytes - 1] = '\0';
}

/* Fill file[RS_NAME_BYTES] with the file name of an object, or "?" if it is unknown. */
static void find_file(const struct rs_slow_ring *ring, uint64_t key, char *file)
{
	struct rs_code_object object;
	const uint64_t first = RS_OBJECTS_OFFSET + offsetof(struct rs_objects, objects);
	uint32_t n = 0;
	strcpy(file, "?");
	if (!read_at(ring->fd, &n, sizeof(n), RS_OBJECTS_OFFSET))
		return;
	for (uint32_t i = 0; i < n && i < RS_MAX_OBJECTS; i++) {
		if (!read_at(ring->fd, &object, sizeof(object), first + i * sizeof(object)) ||
			object.key != key)
			continue;
		object.path[sizeof(object.path) - 1] = '\0';
		snprintf(file, RS_NAME_BYTES, "%.*s", (int)RS_NAME_BYTES - 1,
			rs_text_file_name(object.path));
		return;
	}
}

/* Fill to[RS_NAME_BYTES] with the name of a region. A code address is shown as file and offset,
 * because its function's name is found only after the program has ended. If the region does not
 * exist, `to` stays unchanged. */
static void find_region(const struct rs_slow_ring *ring, uint32_t index, char *to)
{
	struct rs_region region;
	struct rs_place place;
	char file[RS_NAME_BYTES], name[2 * RS_NAME_BYTES + RS_PLACE_KIND_BYTES];
	uint64_t offset = RS_REGIONS_OFFSET + (uint64_t)index * sizeof(region);
	if (index >= RS_MAX_REGIONS || !read_at(ring->fd, &region, sizeof(region), offset))
		return;
	copy_text(to, region.name, sizeof(region.name));
	if (!(region.flags & RS_REGION_IS_ADDRESS) || !rs_place_read(to, &place))
		return;
	find_file(ring, place.key, file);
	snprintf(name, sizeof(name), "%s%s%.40s+0x%" PRIx64, place.kind, place.kind[0] ? " " : "",
		file, place.offset);
	copy_text(to, name, RS_NAME_BYTES);
}

/* Copy a call from the ring. Return false if it is not there, or not complete. */
static bool read_call(const struct rs_slow_ring *ring, uint64_t n, struct rs_slow_call_copy *to)
{
	union record record;
	uint32_t bytes = rs_slow_call_bytes(ring->n_events);
	size_t used = sizeof(record.call) + (1 + ring->n_events) * sizeof(uint64_t);
	if (!read_at(ring->fd, &record, used, rs_slow_call_offset(n, bytes)) ||
		record.call.number != n + 1)
		return false;
	const struct rs_slow_call *call = &record.call;
	if (rs_slow_call_check_all(call, n, ring->n_events) != call->check)
		return false;
	*to = (struct rs_slow_call_copy){
		.begin_ticks = call->begin_ticks,
		.pid = call->pid,
		.tid = call->tid,
		.flags = call->flags,
	};
	memcpy(to->off_ticks, call->off_ticks, sizeof(to->off_ticks));
	memcpy(to->values, call->values, (1 + ring->n_events) * sizeof(uint64_t));
	copy_text(to->process, call->process, sizeof(to->process));
	copy_text(to->thread, call->thread, sizeof(to->thread));
	find_region(ring, call->region, to->region);
	return true;
}

/* Fill call with one that was incomplete before, and is complete now. Return false if there is
 * none. */
static bool next_pending(
	struct rs_slow_ring *ring, uint64_t now_ns, bool is_last, struct rs_slow_call_copy *call)
{
	bool found = false;
	uint32_t n_kept = 0;
	for (uint32_t i = 0; i < ring->n_pending; i++) {
		uint64_t number = ring->pending[i].number;
		bool is_over = is_last || now_ns >= ring->pending[i].until_ns ||
			       ring->end - number > RS_SLOW_RING_CALLS;
		if (found)
			ring->pending[n_kept++] = ring->pending[i];
		else if (read_call(ring, number, call))
			found = true;
		else if (is_over)
			ring->n_lost++;
		else
			ring->pending[n_kept++] = ring->pending[i];
	}
	ring->n_pending = n_kept;
	return found;
}

bool rs_slow_ring_next(
	struct rs_slow_ring *ring, uint64_t now_ns, bool is_last, struct rs_slow_call_copy *call)
{
	if (ring->n_pending > 0 && next_pending(ring, now_ns, false, call))
		return true;
	if (ring->end - ring->next > RS_SLOW_RING_CALLS) {
		ring->n_lost += ring->end - ring->next - RS_SLOW_RING_CALLS;
		ring->next = ring->end - RS_SLOW_RING_CALLS;
	}
	while (ring->next < ring->end) {
		uint64_t number = ring->next++;
		if (read_call(ring, number, call))
			return true;
		if (is_last || ring->n_pending == RS_SLOW_RING_PENDING) {
			ring->n_lost++;
			continue;
		}
		ring->pending[ring->n_pending].number = number;
		ring->pending[ring->n_pending++].until_ns = now_ns + PENDING_NS;
	}
	return is_last && ring->n_pending > 0 && next_pending(ring, now_ns, true, call);
}
