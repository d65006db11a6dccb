/* SPDX-License-Identifier: MIT */
/*
 * Reading the event plan, which the launcher wrote into the segment before the program started. The
 * runtime reads and checks it once, and keeps it in private memory with the sizes and offsets that
 * follow from it.
 *
 * Another process that writes to the segment may have fewer rights than this one. So the runtime
 * copies no field that makes an event sample, send signals or be inherited.
 */
#include <string.h>

#include "runtime/count/count.h"

#define READ_FORMAT \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static void take_event(struct rs_segment_event *event, const struct rs_segment_event *planned)
{
	union {
		struct perf_event_attr attr;
		uint8_t bytes[RS_ATTR_BYTES];
	} from, to;
	memcpy(from.bytes, planned->attr, sizeof(from.bytes));
	memset(&to, 0, sizeof(to));
	to.attr = (struct perf_event_attr){
		.type = from.attr.type,
		.size = sizeof(to.attr),
		.config = from.attr.config,
		.read_format = READ_FORMAT,
		.pinned = from.attr.pinned,
		.exclude_user = from.attr.exclude_user,
		.exclude_kernel = from.attr.exclude_kernel,
		.exclude_hv = from.attr.exclude_hv,
		.exclude_idle = from.attr.exclude_idle,
		.exclude_host = from.attr.exclude_host,
		.exclude_guest = from.attr.exclude_guest,
		.precise_ip = from.attr.precise_ip,
		.bp_type = from.attr.bp_type,
		.config1 = from.attr.config1,
		.config2 = from.attr.config2,
#ifdef PERF_ATTR_SIZE_VER8
		.config3 = from.attr.config3,
#endif
	};
	event->group = planned->group;
	event->core_pmu = planned->core_pmu;
	memcpy(event->attr, to.bytes, sizeof(event->attr));
	memcpy(event->name, planned->name, sizeof(event->name) - 1); /* the rest of the name is 0 */
}

/* Return true if groups are numbered from 0 on and each group's events are adjacent. */
static bool are_groups_sound(
	const struct rs_segment_event *events, uint32_t n_events, uint32_t n_groups)
{
	uint32_t next = 0;
	for (uint32_t e = 0; e < n_events; e++) {
		if (events[e].group == next)
			next++;
		else if (!next || events[e].group != next - 1)
			return false;
	}
	return next == n_groups;
}

static void set_accumulator_size(struct rs_shape *shape, uint32_t n_events, uint32_t n_groups)
{
	shape->n_events = n_events;
	shape->rare_offset = rs_accumulator_rare_offset(n_events, n_groups, 0);
	shape->rare_bytes = rs_rare_bytes(n_events, n_groups);
	shape->accumulator_bytes = rs_accumulator_bytes(n_events, n_groups);
}

/* Set the offsets of time and of n events. The caller has filled event_group. */
static void set_places(struct rs_shape *shape, uint32_t n)
{
	for (uint32_t m = 0; m <= n; m++) {
		struct rs_places *places = &shape->places[m ? REGIONSTAT_EVENTS + m - 1 : 0];
		uint32_t group = m ? shape->event_group[m - 1] : 0;
		uint32_t latest = (uint32_t)offsetof(struct rs_accumulator, latest_time);
		if (m)
			latest = rs_accumulator_latest_offset() +
				 (m - 1) * (uint32_t)sizeof(uint64_t);
		places->latest = (uint16_t)latest;
		places->children = (uint16_t)(rs_accumulator_children_offset(shape->n_events) +
					      m * sizeof(struct rs_accumulator_children));
		places->inside = (uint16_t)(rs_accumulator_inside_offset(shape->n_events) +
					    m * sizeof(uint64_t));
		for (uint32_t row = 0; row < 2; row++) {
			uint32_t groups = shape->rare_offset + row * shape->rare_bytes +
					  (uint32_t)sizeof(struct rs_rare);
			places->rows[row].group =
				(uint16_t)(groups + group * sizeof(struct rs_rare_group));
			places->rows[row].extremes =
				(uint16_t)(groups + shape->n_groups * sizeof(struct rs_rare_group) +
					   m * sizeof(struct rs_rare_moments));
		}
	}
}

/* Return true for Intel's top-down metrics: event code 0 with a umask of at least 0x80. rdpmc
 * returns no count for them; only the kernel computes one (tools/perf/Documentation/topdown.txt;
 * intel_update_topdown_event() in arch/x86/events/intel/core.c). */
static bool is_share_of_slots(const struct perf_event_attr *attr)
{
#ifdef __x86_64__
	return attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_HW_CACHE &&
	       (attr->config & 0x80ffu) == 0x8000u;
#else
	(void)attr;
	return false;
#endif
}

/* Store the kinds of an event. Events of only one core type must not be mapped. After the thread
 * has looked up a counter's index, an interrupt can move the thread to a core of another type. If
 * the counter does not exist there, reading it crashes the program (for Arm see
 * Documentation/arch/arm64/perf.rst, About heterogeneous systems). */
static void set_kinds(struct rs_shape *shape, const struct rs_segment_event *event, uint64_t bit)
{
	const struct perf_event_attr *attr = (const void *)event->attr;
	if (attr->type != PERF_TYPE_SOFTWARE && attr->type != RS_TYPE_RUSAGE)
		shape->worked |= bit;
	switch (attr->type) {
	case PERF_TYPE_SOFTWARE:
		shape->software |= bit;
		if (attr->config == PERF_COUNT_SW_TASK_CLOCK ||
			attr->config == PERF_COUNT_SW_CPU_CLOCK)
			shape->clocks |= bit;
		break;
	case PERF_TYPE_TRACEPOINT:
		shape->tracepoints |= bit;
		break;
	case PERF_TYPE_BREAKPOINT:
	case RS_TYPE_RUSAGE:
		break;
	default:
		shape->hardware |= bit;
		if (!event->core_pmu && !is_share_of_slots(attr))
			shape->mappable |= bit;
	}
}

static void init_shape(struct rs_shape *shape, const struct rs_segment_event *events,
	uint32_t n_events, uint32_t n_groups)
{
	shape->n_groups = n_groups;
	set_accumulator_size(shape, n_events, n_groups);
	for (uint32_t e = 0; e < n_events; e++) {
		uint32_t group = events[e].group;
		if (!e || group != events[e - 1].group)
			shape->group_first[group] = (uint16_t)e;
		shape->group_events[group]++;
		shape->event_group[e] = (uint16_t)group;
		set_kinds(shape, &events[e], UINT64_C(2) << e);
	}
	shape->work_offset = rs_frame_work_offset(n_events, n_groups);
	shape->frame_bytes = rs_frame_bytes(n_events, n_groups);
	shape->sums_offset = (uint32_t)((1 + n_events) * sizeof(struct rs_counts));
}

/* Append on-CPU time to the events of a shape, for accumulators only. */
static void add_cpu_time(struct rs_shape *shape)
{
	shape->event_group[shape->n_events] = RS_NO_GROUP;
	set_accumulator_size(shape, shape->n_events + 1, shape->n_groups);
}

bool rs_plan_read(struct rs_runtime *runtime, int fd, const struct rs_segment_header *header)
{
	/* The program may still use event names of an earlier measurement, so the memory stays. */
	struct rs_segment_event *events = (void *)(uintptr_t)runtime->events;
	uint32_t n_events = header->n_events, n_groups = header->n_groups;
	if (n_events > RS_MAX_EVENTS || n_groups > RS_MAX_GROUPS)
		return false;
	if (n_events && !events)
		runtime->events = events = rs_sys_allocate(RS_MAX_EVENTS * sizeof(*events));
	if (n_events && !events)
		return false;
	for (uint32_t e = 0; e < n_events; e++) {
		struct rs_segment_event planned;
		uint64_t offset = RS_EVENTS_OFFSET + e * sizeof(planned);
		if (RS_SYS(pread64, fd, &planned, sizeof(planned), offset) != sizeof(planned))
			return false;
		take_event(&events[e], &planned);
	}
	if (!are_groups_sound(events, n_events, n_groups))
		return false;
	runtime->shape = runtime->switched_shape = (struct rs_shape){0};
	init_shape(&runtime->shape, events, n_events, n_groups);
	init_shape(&runtime->switched_shape, events, n_events, n_groups);
	add_cpu_time(&runtime->switched_shape);
	set_places(&runtime->shape, n_events);
	set_places(&runtime->switched_shape, n_events);
	return true;
}
