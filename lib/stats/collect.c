/* SPDX-License-Identifier: MIT */
/*
 * This file reads the tables of the segment: header, regions, adapters, processes and thread slots.
 * It checks each field, and reads the accumulators of each slot (collect_accumulators.c). Damaged
 * parts are excluded and counted.
 */
#include "stats/collect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "launch/processes.h"
#include "stats/collector.h"

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

/* Report that the program changed a part of the header. The rest of the segment cannot be trusted
 * then. */
static bool refuse_header(const char *wrong, struct rs_err *err)
{
	rs_err_set(err, "cannot read the results: the program overwrote the header of the segment");
	rs_err_add_line(
		err, "%s changed during the run, probably by a stray write of the program", wrong);
	return rs_err_add_line(
		err, "try: find the stray write with valgrind or -fsanitize=address");
}

/* Check that the header is as the launcher wrote it. */
static bool check_header(
	const struct rs_segment_header *header, const struct rs_run *expected, struct rs_err *err)
{
	const char *wrong = NULL;
	if (header->magic != RS_SEGMENT_MAGIC)
		wrong = "its magic number";
	else if (header->abi != RS_SEGMENT_ABI)
		wrong = "its version";
	else if (header->header_bytes != sizeof(*header) ||
		 header->segment_bytes != RS_SEGMENT_BYTES)
		wrong = "its sizes";
	else if (header->n_events != expected->n_events || header->n_groups != expected->n_groups)
		wrong = "its event plan";
	return !wrong || refuse_header(wrong, err);
}

static bool read_header(struct rs_collector *collector, struct rs_err *err)
{
	struct rs_segment_header header;
	struct rs_run *out = collector->out;
	if (!rs_segment_reader_read(&collector->reader, 0, &header, sizeof(header)))
		return rs_err_set(err, "cannot read the results: the segment cannot be read");
	if (!check_header(&header, out, err))
		return false;
	for (size_t i = 0; i < RS_SEGMENT_DIAG_N; i++)
		out->diag[i] = header.diag[i];
	/* If the program has changed this flag, the checks of accumulators fail later. */
	collector->samples = header.flags & RS_SEGMENT_SAMPLES;
	collector->n_regions = at_most(header.n_regions, RS_MAX_REGIONS);
	collector->n_processes = at_most(header.n_processes, RS_MAX_PROCESSES);
	collector->n_slots = at_most(header.n_slots, RS_MAX_SLOTS);
	collector->counting_clock = header.counting_clock;
	memcpy(out->load_error, header.load_error, sizeof(out->load_error));
	out->load_error[sizeof(out->load_error) - 1] = '\0';
	return true;
}

/* Read the index of each event's group. The launcher wrote these indexes in ascending order,
 * beginning with 0. */
static bool read_events(struct rs_collector *collector, struct rs_err *err)
{
	struct rs_run *out = collector->out;
	uint32_t next = 0;
	for (uint32_t i = 0; i < out->n_events; i++) {
		struct rs_segment_event event;
		uint64_t offset = RS_EVENTS_OFFSET + i * sizeof(event);
		bool read = rs_segment_reader_read(
			&collector->reader, offset, &event, sizeof(event));
		bool same = i > 0 && event.group == out->counter_group[i];
		if (!read || (!same && event.group != next) || event.group >= out->n_groups)
			return refuse_header("its event plan", err);
		out->counter_group[1 + i] = event.group;
		next = event.group + 1;
	}
	return true;
}

static bool read_region(struct rs_collector *collector, uint32_t index, struct rs_run_region *copy)
{
	struct rs_region region;
	uint64_t offset = RS_REGIONS_OFFSET + index * sizeof(region);
	if (!rs_segment_reader_read(&collector->reader, offset, &region, sizeof(region)))
		return rs_run_damage(collector->out, "region %u cannot be read", index);
	uint32_t state = region.state;
	if (state == RS_REGION_EMPTY)
		return true;
	if (state != RS_REGION_READY || region.name_bytes == 0 ||
		region.name_bytes >= RS_NAME_BYTES ||
		strnlen(region.name, RS_NAME_BYTES) != region.name_bytes)
		return rs_run_damage(collector->out, "the name of region %u makes no sense", index);
	memcpy(copy->name, region.name, region.name_bytes);
	copy->flags = region.flags;
	copy->work_of = region.work_of;
	copy->work_bytes = region.work_bytes;
	copy->work_flops = region.work_flops;
	copy->ready = true;
	return true;
}

static void read_regions(struct rs_collector *collector)
{
	struct rs_run *out = collector->out;
	uint32_t n = collector->n_regions;
	out->regions = rs_arena_array(collector->arena, n, sizeof(*out->regions));
	collector->seen = rs_arena_array(&collector->scratch, n, sizeof(*collector->seen));
	out->n_regions = n;
	for (uint32_t i = 0; i < n; i++)
		read_region(collector, i, &out->regions[i]);
	rs_collector_name_places(collector);
}

/* Read the counts of one adapter. Return false if it has none or they are damaged. */
static bool read_adapter(
	struct rs_collector *collector, uint32_t index, struct rs_run_adapter *copy)
{
	struct rs_segment_adapter adapter;
	uint64_t any = 0;
	uint64_t offset = RS_ADAPTERS_OFFSET + index * sizeof(adapter);
	const char *word = rs_adapter_word(index);
	if (!rs_segment_reader_read(&collector->reader, offset, &adapter, sizeof(adapter)))
		return rs_run_damage(
			collector->out, "the counts of adapter %u cannot be read", index);
	for (size_t i = 0; i < RS_ADAPTER_COUNT_N; i++) {
		copy->counts[i] = adapter.counts[i];
		any |= copy->counts[i];
	}
	if (any == 0)
		return false;
	if (!word)
		return rs_run_damage(
			collector->out, "there are counts of adapter %u, which is none", index);
	snprintf(copy->word, sizeof(copy->word), "%s", word);
	return true;
}

/* Read the counts of all adapters. The report only prints them, so any value is accepted. */
static void read_adapters(struct rs_collector *collector)
{
	struct rs_run *out = collector->out;
	out->adapters = rs_arena_array(collector->arena, RS_MAX_ADAPTERS, sizeof(*out->adapters));
	for (uint32_t i = 0; i < RS_MAX_ADAPTERS; i++)
		if (read_adapter(collector, i, &out->adapters[out->n_adapters]))
			out->n_adapters++;
}

static struct rs_run_process blank_process(uint32_t entry)
{
	return (struct rs_run_process){.entry = entry,
		.open_event = RS_NO_EVENT,
		.inactive_event = RS_NO_EVENT,
		.rank = RS_NO_RANK};
}

/* Read one process entry. Entries of processes that have ended keep their counts. Return false if
 * the entry is unused or damaged. */
static bool read_process(
	struct rs_collector *collector, uint32_t index, struct rs_run_process *copy)
{
	struct rs_process process;
	uint64_t offset = RS_PROCESSES_OFFSET + index * sizeof(process);
	if (!rs_segment_reader_read(&collector->reader, offset, &process, sizeof(process)))
		return rs_run_damage(collector->out, "process entry %u cannot be read", index);
	uint32_t state = process.state;
	if (state > RS_PROCESS_REPLACED)
		return rs_run_damage(collector->out, "process entry %u makes no sense", index);
	if (state == RS_PROCESS_CLAIMED)
		return false;
	copy->pid = process.pid;
	copy->open_errno = process.open_errno;
	uint32_t failed = process.open_event;
	uint32_t inactive = process.inactive_event;
	for (size_t i = 0; i < RS_PROCESS_DIAG_N; i++)
		copy->diag[i] = process.diag[i];
	copy->inside_ns = (double)process.inside_ticks * collector->tick_ns;
	copy->setup_ns = process.setup_ns;
	memcpy(copy->name, process.name, sizeof(copy->name) - 1);
	if (process.has_rank == 1 && process.rank <= INT32_MAX)
		copy->rank = process.rank;
	struct rs_collector_process *kept = &collector->processes[index];
	kept->exit_ticks = process.exit_ticks;
	if (state == RS_PROCESS_ALIVE && process.pid_namespace == collector->pid_namespace)
		kept->pid = process.pid;
	if (copy->open_errno != 0 && failed < collector->out->n_events)
		copy->open_event = rs_run_event_of(collector->out, 1 + failed);
	if (inactive <= collector->out->n_events)
		copy->inactive_event = rs_run_event_of(collector->out, inactive);
	return true;
}

static bool is_blank(const struct rs_run_process *process)
{
	uint64_t any = process->pid | process->open_errno | process->setup_ns;
	for (size_t i = 0; i < RS_PROCESS_DIAG_N; i++)
		any |= process->diag[i];
	return any == 0;
}

static void read_processes(struct rs_collector *collector)
{
	struct rs_run *out = collector->out;
	uint32_t n = collector->n_processes;
	out->processes = rs_arena_array(collector->arena, n, sizeof(*out->processes));
	collector->processes = rs_arena_array(
		&collector->scratch, n, sizeof(*collector->processes));
	collector->pid_namespace = rs_process_namespace();
	for (uint32_t i = 0; i < n; i++) {
		struct rs_run_process process = blank_process(i);
		if (read_process(collector, i, &process) && !is_blank(&process))
			out->processes[out->n_processes++] = process;
	}
}

/* Sort the processes of the run by their entries in the segment. Threads and results refer to
 * processes by these entries; replace each entry by the process's index in the run. If a thread
 * refers to an entry that could not be read, add a blank process for this entry. */
static void place_processes(struct rs_collector *collector)
{
	struct rs_run *out = collector->out;
	const struct rs_run_process *known = out->processes;
	uint32_t n = 0;
	uint32_t *indexes = rs_arena_array(&collector->scratch, RS_MAX_PROCESSES, sizeof(*indexes));
	for (size_t i = 0; i < out->n_processes; i++)
		indexes[known[i].entry] = 1;
	for (size_t i = 0; i < out->n_threads; i++)
		indexes[out->threads[i].process] = 1;
	for (uint32_t entry = 0; entry < RS_MAX_PROCESSES; entry++)
		if (indexes[entry] > 0)
			indexes[entry] = n++;
	struct rs_run_process *processes = rs_arena_array(collector->arena, n, sizeof(*processes));
	for (size_t i = 0; i < out->n_threads; i++) {
		uint32_t *process = &out->threads[i].process;
		processes[indexes[*process]] = blank_process(*process);
		*process = indexes[*process];
	}
	for (size_t i = 0; i < out->n_processes; i++)
		processes[indexes[known[i].entry]] = known[i];
	for (size_t i = 0; i < out->n_results; i++)
		out->results[i].process = out->threads[out->results[i].thread].process;
	out->processes = processes;
	out->n_processes = n;
}

/* Read one thread slot, and set *first to the offset of its first accumulator. Return false if the
 * slot was never used or is damaged. */
static bool read_slot(
	struct rs_collector *collector, uint32_t index, struct rs_run_thread *copy, uint64_t *first)
{
	struct rs_slot slot;
	uint64_t offset = RS_SLOTS_OFFSET + index * sizeof(slot);
	if (!rs_segment_reader_read(&collector->reader, offset, &slot, sizeof(slot)))
		return rs_run_damage(collector->out, "slot %u cannot be read", index);
	uint32_t state = slot.state;
	if (state == RS_SLOT_FREE)
		return false;
	*copy = (struct rs_run_thread){.slot = index};
	copy->process = slot.process;
	copy->is_owned = state == RS_SLOT_OWNED;
	copy->tid = slot.tid;
	copy->n_threads = slot.n_threads;
	memcpy(copy->name, slot.name, sizeof(copy->name) - 1);
	uint64_t attached = slot.attached_ticks;
	uint64_t lifetime = slot.lifetime_ticks;
	*first = slot.first_accumulator;
	if (state > RS_SLOT_ADOPTING || copy->process >= RS_MAX_PROCESSES)
		return rs_run_damage(collector->out, "thread slot %u makes no sense", index);
	struct rs_collector_process unknown = {0}, *process = &unknown;
	if (copy->process < collector->n_processes)
		process = &collector->processes[copy->process];
	uint64_t end = collector->end_ticks;
	if (process->exit_ticks != 0 && process->exit_ticks < end)
		end = process->exit_ticks;
	rs_add_saturating(&lifetime, rs_slot_lifetime(collector->counting_clock, attached, end));
	copy->lifetime_ns = rs_ticks_to_ns(&collector->rate, lifetime);
	copy->lacks_end = slot.lacks_end != 0;
	for (int k = 0; k < RS_OFF_N; k++)
		copy->off_ns[k] = rs_ticks_to_ns(&collector->rate, slot.off_ticks[k]);
	if (attached != 0) {
		enum rs_off_kind kind;
		uint64_t off_ns = rs_collector_asleep_ns(collector, process, end, &slot, &kind);
		rs_add_saturating(&copy->off_ns[kind], off_ns);
	}
	uint64_t most = copy->lifetime_ns;
	for (int k = 0; k < RS_OFF_N; k++) {
		copy->off_ns[k] = rs_min(copy->off_ns[k], most);
		most -= copy->off_ns[k];
	}
	return true;
}

/* Allocate the buffers into which accumulators are read. Their sizes depend only on the launcher's
 * plan. */
static void prepare_accumulators(struct rs_collector *collector)
{
	struct rs_arena *scratch = &collector->scratch;
	/* reserve memory for accumulators of calls with a context switch, which are larger than the
	 * others */
	rs_collector_expect(collector, true);
	size_t n = collector->n_counters, n_events = collector->n_events;
	collector->accumulator = rs_arena_array(scratch, 1, collector->accumulator_bytes);
	collector->claimed = rs_arena_array(
		scratch, n * RS_BLOCK_OCTAVES, sizeof(*collector->claimed));
	collector->runs = rs_arena_array(scratch, n, sizeof(*collector->runs));
	collector->sums = rs_arena_array(
		scratch, RS_BLOCK_OCTAVES * n_events, sizeof(*collector->sums));
}

static void read_slots(struct rs_collector *collector)
{
	struct rs_run *out = collector->out;
	uint32_t n = collector->n_slots;
	if (n == 0)
		return;
	out->threads = rs_arena_array(collector->arena, n, sizeof(*out->threads));
	prepare_accumulators(collector);
	for (uint32_t i = 0; i < n; i++) {
		struct rs_run_thread *copy = &out->threads[out->n_threads];
		uint64_t first = 0;
		if (!read_slot(collector, i, copy, &first))
			continue;
		collector->slot = i;
		collector->thread = (uint32_t)out->n_threads++;
		rs_collector_read_accumulators(collector, first);
	}
}

/* If the end of a thread's lifetime is only a guess, extend the lifetime to at least the time of
 * the thread's calls. */
static void extend_lifetimes(struct rs_run *out)
{
	uint64_t known = 0;
	for (size_t i = 0; i < out->n_results; i++) {
		const struct rs_result *result = &out->results[i];
		const struct rs_value *time = &result->values[RS_EVENT_TIME];
		struct rs_run_thread *thread = &out->threads[result->thread];
		if (i == 0 || out->results[i - 1].thread != result->thread)
			known = 0;
		/* asynchronous calls have no parents */
		if (result->n_parents > 0 && time->self > 0)
			rs_add_saturating(&known, (uint64_t)time->self);
		if (thread->lacks_end && thread->lifetime_ns < known)
			thread->lifetime_ns = known;
	}
}

static void read_tables(void *context)
{
	struct rs_collector *collector = context;
	struct rs_run *out = collector->out;
	read_regions(collector);
	read_adapters(collector);
	read_processes(collector);
	read_slots(collector);
	place_processes(collector);
	for (size_t i = 0; i < out->n_results; i++)
		rs_run_complete_result(out, &out->results[i]);
	rs_collector_estimate(collector);
	extend_lifetimes(out);
}

/* Reset the results of the run, and keep the facts that the caller set. */
static void forget(struct rs_run *run)
{
	struct rs_run facts = {.label = run->label,
		.started_s = run->started_s,
		.machine = run->machine,
		.argv = run->argv,
		.how = run->how,
		.plan = run->plan,
		.earlier = run->earlier,
		.outcome = run->outcome,
		.arena = run->arena};
	*run = facts;
}

bool rs_collect(struct rs_run *run, int fd, uint32_t n_events, uint32_t n_groups,
	const struct rs_clock_point *begin, const struct rs_clock_point *end, struct rs_err *err)
{
	struct rs_collector collector = {.reader = {.fd = fd},
		.out = run,
		.arena = &run->arena,
		.rate = rs_ticks_between(begin, end),
		.end_ticks = end->ticks};
	run->n_events = n_events;
	run->n_groups = n_groups;
	run->is_measured = true;
	collector.tick_ns = rs_ticks_length_ns(&collector.rate);
	if (n_events > RS_MAX_EVENTS || n_groups > RS_MAX_GROUPS) {
		forget(run);
		return rs_err_set(
			err, "cannot read the results: %u events in %u groups", n_events, n_groups);
	}
	bool done = read_header(&collector, err) && read_events(&collector, err) &&
		    (rs_arena_guard(read_tables, &collector) ||
			    rs_err_set_errno(err, ENOMEM, "cannot read the results"));
	rs_segment_reader_finish(&collector.reader);
	rs_arena_finish(&collector.scratch);
	if (!done)
		forget(run);
	return done;
}
