/* SPDX-License-Identifier: MIT */
/*
 * The tables of what is saved, a line a member.
 */
#include "record/fields.h"

#include <assert.h>

/* Members are read and written as these. */
static_assert(sizeof(size_t) == sizeof(uint64_t), "RS_JSON_U64 is used for sizes");
static_assert(sizeof(long) == sizeof(int64_t), "RS_JSON_I64 is used for long");
static_assert(sizeof(pid_t) == sizeof(int), "RS_JSON_INT is used for pid_t");

#define MACHINE(member, kind) RS_JSON_FIELD(rs_machine, member, kind)
static const struct rs_json_field machine[] = {
	MACHINE(host, CHARS),
	MACHINE(kernel, CHARS),
	MACHINE(architecture, CHARS),
	MACHINE(processor, CHARS),
	MACHINE(cpus, U32),
};
const struct rs_json_fields rs_fields_machine = RS_JSON_FIELDS(machine);

#define HOW(member, kind) RS_JSON_FIELD(rs_record_how, member, kind)
static const struct rs_json_field how[] = {
	HOW(per_process, BOOL),
	HOW(per_thread, BOOL),
	HOW(wait_all, BOOL),
	HOW(delay_ms, I64),
	HOW(raw, BOOL),
	HOW(by_work, BOOL),
	HOW(slow_lines, U64),
	HOW(slow_left_out, U64),
	HOW(slow_lost, U64),
	HOW(slow_unwritten, U64),
	HOW(slow_errno, INT),
};
const struct rs_json_fields rs_fields_how = RS_JSON_FIELDS(how);

#define SAMPLE(member, kind) RS_JSON_FIELD(rs_segment_region, member, kind)
static const struct rs_json_field sample[] = {
	SAMPLE(name, TEXT),
	SAMPLE(sample_calls, U32),
};
const struct rs_json_fields rs_fields_sample = RS_JSON_FIELDS(sample);

#define SLOW(member, kind) RS_JSON_FIELD(rs_record_slow, member, kind)
static const struct rs_json_field slow[] = {
	SLOW(region, TEXT),
	SLOW(condition, TEXT),
	SLOW(calls, U64),
};
const struct rs_json_fields rs_fields_slow = RS_JSON_FIELDS(slow);

#define MARKER(member, kind) RS_JSON_FIELD(rs_record_marker, member, kind)
static const struct rs_json_field marker[] = {
	MARKER(word, TEXT),
	MARKER(is_asked, BOOL),
	MARKER(is_other, BOOL),
	MARKER(why, TEXT),
	MARKER(environment, TEXT),
};
const struct rs_json_fields rs_fields_marker = RS_JSON_FIELDS(marker);

#define PLAN(member, kind) RS_JSON_FIELD(rs_plan, member, kind)
static const struct rs_json_field plan[] = {
	PLAN(note, TEXT),
	PLAN(fit_note, TEXT),
	PLAN(regions_rotate, BOOL),
	PLAN(is_forced, BOOL),
	PLAN(has_coarse_times, BOOL),
};
const struct rs_json_fields rs_fields_plan = RS_JSON_FIELDS(plan);

#define EVENT(member, kind) RS_JSON_FIELD(rs_event, member, kind)
static const struct rs_json_field event[] = {
	EVENT(name, TEXT),
	EVENT(part_name, TEXT),
	EVENT(core_pmu, U64),
	EVENT(unit, TEXT),
	EVENT(help, TEXT),
	EVENT(reason, TEXT),
	EVENT(group, INT),
	EVENT(in_regions, BOOL),
	EVENT(in_totals, BOOL),
	EVENT(position, U64),
	EVENT(quantity, U32),
};
const struct rs_json_fields rs_fields_event = RS_JSON_FIELDS(event);

#define GROUP(member, kind) RS_JSON_FIELD(rs_group, member, kind)
static const struct rs_json_field group[] = {
	GROUP(first, U64),
	GROUP(n_events, U64),
	GROUP(in_regions, BOOL),
	GROUP(pinned, BOOL),
	GROUP(totals_apart, BOOL),
	GROUP(totals_whole, BOOL),
	GROUP(core_pmu, U64),
};
const struct rs_json_fields rs_fields_group = RS_JSON_FIELDS(group);

#define CORE_PMU(member, kind) RS_JSON_FIELD(rs_core_pmu, member, kind)
static const struct rs_json_field core_pmu[] = {
	CORE_PMU(name, CHARS),
	CORE_PMU(type, U32),
};
const struct rs_json_fields rs_fields_core_pmu = RS_JSON_FIELDS(core_pmu);

#define OUTCOME(member, kind) RS_JSON_FIELD(rs_outcome, member, kind)
static const struct rs_json_field outcome[] = {
	OUTCOME(wait_status, INT),
	OUTCOME(timed_out, BOOL),
	OUTCOME(never_began, BOOL),
	OUTCOME(pid, INT),
	OUTCOME(interrupted_by, INT),
	OUTCOME(steal_ns, U64),
	OUTCOME(warnings, TEXT),
};
const struct rs_json_fields rs_fields_outcome = RS_JSON_FIELDS(outcome);

#define CLOCK_POINT(member, kind) RS_JSON_FIELD(rs_clock_point, member, kind)
static const struct rs_json_field clock_point[] = {
	CLOCK_POINT(ticks, U64),
	CLOCK_POINT(monotonic_ns, U64),
};
const struct rs_json_fields rs_fields_clock_point = RS_JSON_FIELDS(clock_point);

#define RUNNING(member, kind) RS_JSON_FIELD(rs_running_process, member, kind)
static const struct rs_json_field running[] = {
	RUNNING(index, U32),
	RUNNING(pid, INT),
	RUNNING(is_proven, BOOL),
};
const struct rs_json_fields rs_fields_running = RS_JSON_FIELDS(running);

#define TOTAL(member, kind) RS_JSON_FIELD(rs_total, member, kind)
static const struct rs_json_field total[] = {
	TOTAL(counted, BOOL),
	TOTAL(value, U64),
	TOTAL(enabled_ns, U64),
	TOTAL(running_ns, U64),
};
const struct rs_json_fields rs_fields_total = RS_JSON_FIELDS(total);

#define USAGE(key, member)                                           \
	{                                                            \
		key, RS_JSON_I64, offsetof(struct rusage, member), 1 \
	}
static const struct rs_json_field usage[] = {
	USAGE("user_s", ru_utime.tv_sec),
	USAGE("user_us", ru_utime.tv_usec),
	USAGE("system_s", ru_stime.tv_sec),
	USAGE("system_us", ru_stime.tv_usec),
	USAGE("max_rss_kb", ru_maxrss),
	USAGE("minor_faults", ru_minflt),
	USAGE("major_faults", ru_majflt),
	USAGE("voluntary_switches", ru_nvcsw),
	USAGE("involuntary_switches", ru_nivcsw),
};
const struct rs_json_fields rs_fields_usage = RS_JSON_FIELDS(usage);

#define COLLECTION(member, kind) RS_JSON_FIELD(rs_collection, member, kind)
static const struct rs_json_field collection[] = {
	COLLECTION(n_events, U32),
	COLLECTION(n_groups, U32),
	COLLECTION(diag, U64S),
	COLLECTION(load_error, CHARS),
	COLLECTION(n_damaged, U64),
	COLLECTION(damage, CHARS),
	COLLECTION(is_naming_cut, BOOL),
};
const struct rs_json_fields rs_fields_collection = RS_JSON_FIELDS(collection);

#define REGION(member, kind) RS_JSON_FIELD(rs_region_copy, member, kind)
static const struct rs_json_field region[] = {
	REGION(name, CHARS),
	REGION(flags, U32),
	REGION(ready, BOOL),
	REGION(work_of, U32),
	REGION(work_bytes, U64),
	REGION(work_flops, U64),
	REGION(object, TEXT),
	REGION(source, TEXT),
};
const struct rs_json_fields rs_fields_region = RS_JSON_FIELDS(region);

const char *const rs_record_places[RS_REGION_PLACE_N] = {
	[RS_REGION_PLACE_NONE] = "none",
	[RS_REGION_PLACE_FOUND] = "found",
	[RS_REGION_PLACE_NO_SYMBOL] = "no-symbol",
	[RS_REGION_PLACE_MISSING] = "missing",
	[RS_REGION_PLACE_REPLACED] = "replaced",
	[RS_REGION_PLACE_UNKNOWN] = "unknown",
};

#define ADAPTER(member, kind) RS_JSON_FIELD(rs_adapter_copy, member, kind)
static const struct rs_json_field adapter[] = {
	ADAPTER(word, CHARS),
	ADAPTER(loaded, U64),
	ADAPTER(regions, U64),
	ADAPTER(ignored, U64),
	ADAPTER(unmatched, U64),
	ADAPTER(refused, U64),
	ADAPTER(memory, U64),
	ADAPTER(chained, U64),
};
const struct rs_json_fields rs_fields_adapter = RS_JSON_FIELDS(adapter);

#define PROCESS(member, kind) RS_JSON_FIELD(rs_process_copy, member, kind)
static const struct rs_json_field process[] = {
	PROCESS(index, U32),
	PROCESS(pid, U32),
	PROCESS(name, CHARS),
	PROCESS(open_errno, U32),
	PROCESS(open_quantity, U32),
	PROCESS(inactive_quantity, U32),
	PROCESS(diag, U64S),
	PROCESS(inside_ns, REAL),
	PROCESS(setup_ns, U64),
	PROCESS(has_rank, BOOL),
	PROCESS(rank, U32),
};
const struct rs_json_fields rs_fields_process = RS_JSON_FIELDS(process);

#define SLOT(member, kind) RS_JSON_FIELD(rs_slot_copy, member, kind)
static const struct rs_json_field slot[] = {
	SLOT(index, U32),
	SLOT(process, U32),
	SLOT(is_owned, BOOL),
	SLOT(tid, U32),
	SLOT(name, CHARS),
	SLOT(n_threads, U32),
	SLOT(lifetime_ns, U64),
	SLOT(unmarked_off_ns, U64S),
};
const struct rs_json_fields rs_fields_slot = RS_JSON_FIELDS(slot);

#define CELL(member, kind) RS_JSON_FIELD(rs_cell_copy, member, kind)
static const struct rs_json_field cell[] = {
	CELL(region, U32),
	CELL(slot, U32),
	CELL(process, U32),
	CELL(is_owned, BOOL),
	CELL(n_threads, U32),
	CELL(calls, U64),
	CELL(weights, U64),
	CELL(skipped, U64),
	CELL(diag, U64S),
	CELL(open, U64),
	CELL(pending, I64),
	CELL(pair_ns, REAL),
	CELL(skip_ns, REAL),
	CELL(own_ns, REAL),
	CELL(clamped_quantities, U64),
	CELL(work_calls, U64),
	CELL(work_bytes, U64),
	CELL(work_flops, U64),
	CELL(work_unmatched, U64),
	CELL(slowest_start_ns, U64),
	CELL(slowest_tid, U32),
	CELL(slowest_pid, U32),
};
const struct rs_json_fields rs_fields_cell = RS_JSON_FIELDS(cell);

#define VALUE(member, kind) RS_JSON_FIELD(rs_value, member, kind)
static const struct rs_json_field value[] = {
	VALUE(counted, U64),
	VALUE(weight, U64),
	VALUE(sum, U64),
	VALUE(square, REAL),
	VALUE(min, U64),
	VALUE(max, U64),
	VALUE(total, U64),
	VALUE(self, I64),
	VALUE(variance, REAL),
	VALUE(enabled_ns, U64),
	VALUE(running_ns, U64),
};
const struct rs_json_fields rs_fields_value = RS_JSON_FIELDS(value);

#define EXCLUDE(what)                                              \
	static bool get_##what(const struct perf_event_attr *attr) \
	{                                                          \
		return attr->exclude_##what;                       \
	}                                                          \
	static void set_##what(struct perf_event_attr *attr)       \
	{                                                          \
		attr->exclude_##what = 1;                          \
	}
EXCLUDE(user)
EXCLUDE(kernel)
EXCLUDE(hv)
EXCLUDE(idle)
EXCLUDE(host)
EXCLUDE(guest)

const struct rs_record_exclude rs_record_excludes[RS_RECORD_EXCLUDES] = {
	{"user", get_user, set_user},
	{"kernel", get_kernel, set_kernel},
	{"hv", get_hv, set_hv},
	{"idle", get_idle, set_idle},
	{"host", get_host, set_host},
	{"guest", get_guest, set_guest},
};
