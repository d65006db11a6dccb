/* SPDX-License-Identifier: MIT */
/*
 * This file lists the keys of the JSON document of a run, one in a line. document_result.c lists
 * the keys of a result. A key is part of the format, so it does not change when the member of a
 * struct is renamed.
 */
#include "record/document.h"

#include <assert.h>

#include "segment/adapters.h"

/* more words than any command line has */
#define MOST_WORDS (1u << 24)
#define MOST_METRICS 4096u
#define MOST_EVENTS ((size_t)2 * RS_MAX_EVENTS * RS_MAX_CORE_PMUS)

static_assert(sizeof(size_t) == sizeof(uint64_t), "sizes are unsigned numbers of 8 bytes");
static_assert(sizeof(enum rs_event_status) == sizeof(uint32_t), "words have 4 bytes");

/* ---- arrays without keys ---- */

struct text {
	const char *text;
};
static const struct rs_json_member text_members[] = {RS_JSON_MEMBER(NULL, TEXT, text, text)};
static const struct rs_json_table texts = RS_JSON_TABLE(text_members, text);

struct number {
	uint64_t number;
};
static const struct rs_json_member number_members[] = {
	RS_JSON_MEMBER(NULL, UNSIGNED, number, number)};
const struct rs_json_table rs_document_numbers = RS_JSON_TABLE(number_members, number);

/* ---- what was run, and how ---- */

#define RUNNING(key, kind, member) RS_JSON_MEMBER(key, kind, rs_running_process, member, )
static const struct rs_json_member running_members[] = {
	RUNNING("process", UNSIGNED, index),
	RUNNING("pid", SIGNED, pid),
	RUNNING("proven", BOOL, is_proven),
};
static const struct rs_json_table running = RS_JSON_TABLE(running_members, rs_running_process);

#define DOCUMENT(key, kind, member, ...) RS_JSON_MEMBER(key, kind, rs_document, member, __VA_ARGS__)
#define DOCUMENT_LIST(key, items, n_items, table, most) \
	DOCUMENT(key, LIST, items, RS_JSON_ITEMS(table, rs_document, n_items, most))

static const struct rs_json_member run_members[] = {
	DOCUMENT("label", TEXT, run.label),
	DOCUMENT("started", SIGNED, run.started_s),
	DOCUMENT_LIST("command", argv, n_argv, texts, MOST_WORDS),
	DOCUMENT("merged", UNSIGNED, run.n_merged),
	DOCUMENT("pid", SIGNED, outcome.pid),
	DOCUMENT("exit_status", UNSIGNED, exit_status),
	DOCUMENT("signal", UNSIGNED, signal),
	DOCUMENT("timed_out", BOOL, outcome.timed_out),
	DOCUMENT("never_began", BOOL, outcome.never_began),
	DOCUMENT("interrupted_by", SIGNED, outcome.interrupted_by),
	DOCUMENT("own_report", BOOL, outcome.own_report),
	DOCUMENT("begin_ns", UNSIGNED, begin_ns),
	DOCUMENT("elapsed_ns", UNSIGNED, elapsed_ns),
	DOCUMENT("user_ns", UNSIGNED, user_ns),
	DOCUMENT("system_ns", UNSIGNED, system_ns),
	DOCUMENT("steal_ns", UNSIGNED, outcome.steal_ns),
	DOCUMENT("throttled_ns", UNSIGNED, outcome.throttled_ns),
	DOCUMENT("max_rss_kb", SIGNED, outcome.usage.ru_maxrss),
	DOCUMENT("minor_faults", SIGNED, outcome.usage.ru_minflt),
	DOCUMENT("major_faults", SIGNED, outcome.usage.ru_majflt),
	DOCUMENT("voluntary_switches", SIGNED, outcome.usage.ru_nvcsw),
	DOCUMENT("involuntary_switches", SIGNED, outcome.usage.ru_nivcsw),
	DOCUMENT("warnings", TEXT, outcome.warnings),
	DOCUMENT_LIST(
		"running", outcome.running.items, outcome.running.n, running, RS_MAX_PROCESSES),
};
static const struct rs_json_table run = RS_JSON_TABLE(run_members, rs_document);

static const struct rs_json_member machine_members[] = {
	DOCUMENT("host", CHARS, run.machine.host),
	DOCUMENT("kernel", CHARS, run.machine.kernel),
	DOCUMENT("architecture", CHARS, run.machine.architecture),
	DOCUMENT("processor", CHARS, run.machine.processor),
	DOCUMENT("cpus", UNSIGNED, run.machine.cpus),
};
static const struct rs_json_table machine = RS_JSON_TABLE(machine_members, rs_document);

static const struct rs_json_member sample_members[] = {
	RS_JSON_MEMBER("region", NAME, rs_segment_region, name),
	RS_JSON_MEMBER("calls", UNSIGNED, rs_segment_region, sample_calls),
};
static const struct rs_json_table samples = RS_JSON_TABLE(sample_members, rs_segment_region);

#define MARKER(key, kind, member) RS_JSON_MEMBER(key, kind, rs_run_marker, member, )
static const struct rs_json_member marker_members[] = {
	MARKER("name", NAME, word),
	MARKER("asked", BOOL, is_asked),
	MARKER("other", BOOL, is_other),
	MARKER("why", TEXT, why),
	MARKER("environment", NAME, environment),
};
static const struct rs_json_table markers = RS_JSON_TABLE(marker_members, rs_run_marker);

static const struct rs_json_member option_members[] = {
	DOCUMENT("per_process", BOOL, run.how.per_process),
	DOCUMENT("per_thread", BOOL, run.how.per_thread),
	DOCUMENT("wait_all", BOOL, run.how.wait_all),
	DOCUMENT("delay_ms", SIGNED, run.how.delay_ms),
	DOCUMENT("raw", BOOL, run.how.raw),
	DOCUMENT("by_work", BOOL, run.how.by_work),
	DOCUMENT("budget_ppm", UNSIGNED, run.how.budget_ppm),
	DOCUMENT("attached", BOOL, run.how.attached),
	DOCUMENT_LIST("only", run.how.only, run.how.n_only, texts, MOST_WORDS),
	DOCUMENT_LIST("samples", run.how.samples, run.how.n_samples, samples, RS_MAX_REGIONS),
	DOCUMENT_LIST("markers", run.how.markers, run.how.n_markers, markers, RS_MAX_ADAPTERS),
};
static const struct rs_json_table options = RS_JSON_TABLE(option_members, rs_document);

static const struct rs_json_member rule_members[] = {
	RS_JSON_MEMBER("region", NAME, rs_run_slow, region),
	RS_JSON_MEMBER("condition", NAME, rs_run_slow, condition),
	RS_JSON_MEMBER("calls", UNSIGNED, rs_run_slow, calls),
};
static const struct rs_json_table rules = RS_JSON_TABLE(rule_members, rs_run_slow);

static const struct rs_json_member slow_members[] = {
	DOCUMENT_LIST("rules", run.how.slow, run.how.n_slow, rules, RS_MAX_SLOW_RULES),
	DOCUMENT("lines", UNSIGNED, run.how.slow_lines),
	DOCUMENT("skipped", UNSIGNED, run.how.slow_over_limit),
	DOCUMENT("lost", UNSIGNED, run.how.slow_lost),
	DOCUMENT("unwritten", UNSIGNED, run.how.slow_unwritten),
	DOCUMENT("errno", SIGNED, run.how.slow_errno),
};
static const struct rs_json_table slow_calls = RS_JSON_TABLE(slow_members, rs_document);

/* ---- what was planned ---- */

static const char *const event_statuses[] = {
	[RS_EVENT_OK] = "ok",
	[RS_EVENT_NOT_SUPPORTED] = "not-supported",
	[RS_EVENT_NOT_PERMITTED] = "not-permitted",
};

/* in the order of the bits of rs_document_exclude() */
static const char *const excludes[] = {"user", "kernel", "hv", "idle", "host", "guest"};

uint32_t rs_document_exclude(const struct perf_event_attr *attr)
{
	const uint32_t bits[] = {attr->exclude_user, attr->exclude_kernel, attr->exclude_hv,
		attr->exclude_idle, attr->exclude_host, attr->exclude_guest};
	uint32_t exclude = 0;
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		exclude |= bits[i] << i;
	return exclude;
}

void rs_document_set_exclude(struct perf_event_attr *attr, uint32_t exclude)
{
	attr->exclude_user = exclude & 1u;
	attr->exclude_kernel = exclude >> 1 & 1u;
	attr->exclude_hv = exclude >> 2 & 1u;
	attr->exclude_idle = exclude >> 3 & 1u;
	attr->exclude_host = exclude >> 4 & 1u;
	attr->exclude_guest = exclude >> 5 & 1u;
}

#define EVENT(key, kind, member, ...) RS_JSON_MEMBER(key, kind, rs_saved_event, member, __VA_ARGS__)
static const struct rs_json_member event_members[] = {
	EVENT("name", NAME, event.name),
	EVENT("part", TEXT, event.part_name),
	EVENT("unit", NAME, event.unit),
	EVENT("help", TEXT, event.help),
	EVENT("status", WORD, event.status, RS_JSON_WORDS(event_statuses)),
	EVENT("reason", TEXT, event.reason),
	EVENT("group", INDEX, event.group),
	EVENT("core_pmu", AFTER, event.core_pmu),
	EVENT("in_regions", BOOL, event.in_regions),
	EVENT("in_totals", BOOL, event.in_totals),
	EVENT("position", UNSIGNED, event.position),
	EVENT("generic", TEXT, generic),
	EVENT("type", UNSIGNED, event.attr.type),
	EVENT("config", UNSIGNED, event.attr.config),
	EVENT("config1", UNSIGNED, event.attr.config1),
	EVENT("config2", UNSIGNED, event.attr.config2),
	EVENT("precise", UNSIGNED, precise),
	EVENT("exclude", FLAGS, exclude, RS_JSON_WORDS(excludes)),
};
static const struct rs_json_table events = RS_JSON_TABLE(event_members, rs_saved_event);

/* The events of a group are not saved, because each event names the index of its group. */
#define GROUP(key, kind, member) RS_JSON_MEMBER(key, kind, rs_group, member, )
static const struct rs_json_member group_members[] = {
	GROUP("in_regions", BOOL, in_regions),
	GROUP("pinned", BOOL, pinned),
	GROUP("totals_apart", BOOL, totals_apart),
	GROUP("totals_whole", BOOL, totals_whole),
	GROUP("core_pmu", AFTER, core_pmu),
};
static const struct rs_json_table groups = RS_JSON_TABLE(group_members, rs_group);

static const struct rs_json_member pmu_members[] = {
	RS_JSON_MEMBER("name", CHARS, rs_core_pmu, name),
	RS_JSON_MEMBER("type", UNSIGNED, rs_core_pmu, type),
};
static const struct rs_json_table core_pmus = RS_JSON_TABLE(pmu_members, rs_core_pmu);

static const struct rs_json_member plan_members[] = {
	DOCUMENT("note", TEXT, plan.note),
	DOCUMENT("fit_note", TEXT, plan.fit_note),
	DOCUMENT("multiplexed", BOOL, plan.regions_rotate),
	DOCUMENT("forced", BOOL, plan.is_forced),
	DOCUMENT("coarse_times", BOOL, plan.has_coarse_times),
	DOCUMENT_LIST("groups", plan.groups, plan.n_groups, groups, MOST_EVENTS),
	DOCUMENT_LIST("core_pmus", core_pmus, plan.core_pmus.n, core_pmus, RS_MAX_CORE_PMUS),
};
static const struct rs_json_table plan = RS_JSON_TABLE(plan_members, rs_document);

#define METRIC(key, kind, member, ...) \
	RS_JSON_MEMBER(key, kind, rs_saved_metric, member, __VA_ARGS__)
#define METRIC_LIST(key, member, table, most) \
	METRIC(key, LIST, member, RS_JSON_ITEMS(table, rs_saved_metric, n_##member, most))
static const struct rs_json_member metric_members[] = {
	METRIC("name", NAME, name),
	METRIC("label", NAME, label),
	METRIC("unit", NAME, unit),
	METRIC("formula", NAME, formula),
	METRIC("reason", TEXT, reason),
	METRIC_LIST("events", events, texts, RS_METRIC_MAX_EVENTS),
	METRIC_LIST("positions", positions, rs_document_numbers, RS_METRIC_MAX_EVENTS),
	METRIC_LIST("operands", operands, rs_document_numbers, RS_FORMULA_MAX_OPERANDS),
};
static const struct rs_json_table metrics = RS_JSON_TABLE(metric_members, rs_saved_metric);

/* ---- what was measured ---- */

#define TOTAL(key, kind, member) RS_JSON_MEMBER(key, kind, rs_saved_total, member, )
static const struct rs_json_member total_members[] = {
	TOTAL("event", UNSIGNED, event),
	TOTAL("counted", BOOL, total.counted),
	TOTAL("total", UNSIGNED, total.value),
	TOTAL("enabled_ns", UNSIGNED, total.enabled_ns),
	TOTAL("running_ns", UNSIGNED, total.running_ns),
};
static const struct rs_json_table totals = RS_JSON_TABLE(total_members, rs_saved_total);

static const char *const process_counts[RS_PROCESS_DIAG_N] = {
	[RS_PROCESS_DIAG_TIME_ONLY] = "time_only",
	[RS_PROCESS_DIAG_HANDLER] = "handler",
	[RS_PROCESS_DIAG_DEPTH] = "depth",
	[RS_PROCESS_DIAG_READ] = "read",
	[RS_PROCESS_DIAG_UNSLOTTED] = "unslotted",
	[RS_PROCESS_DIAG_PAUSE_TIMEOUT] = "pause_timeout",
	[RS_PROCESS_DIAG_REOPENED] = "reopened",
	[RS_PROCESS_DIAG_COST_UNKNOWN] = "overhead_unknown",
	[RS_PROCESS_DIAG_INACTIVE] = "inactive",
	[RS_PROCESS_DIAG_UNWATCHED] = "unwatched",
	[RS_PROCESS_DIAG_SHARED] = "shared",
	[RS_PROCESS_DIAG_NO_CALL] = "no_call",
};

#define PROCESS(key, kind, member, ...) \
	RS_JSON_MEMBER(key, kind, rs_run_process, member, __VA_ARGS__)
static const struct rs_json_member process_members[] = {
	PROCESS("pid", UNSIGNED, pid),
	PROCESS("name", CHARS, name),
	PROCESS("rank", INDEX, rank),
	PROCESS("merged", UNSIGNED, n_merged),
	PROCESS("inside_ns", REAL, inside_ns),
	PROCESS("setup_ns", UNSIGNED, setup_ns),
	PROCESS("open_errno", UNSIGNED, open_errno),
	PROCESS("open_event", INDEX, open_event),
	PROCESS("inactive_event", INDEX, inactive_event),
	PROCESS("counts", COUNTS, diag, RS_JSON_WORDS(process_counts)),
};
static const struct rs_json_table processes = RS_JSON_TABLE(process_members, rs_run_process);

#define THREAD(key, kind, member) RS_JSON_MEMBER(key, kind, rs_run_thread, member, )
static const struct rs_json_member thread_members[] = {
	THREAD("process", UNSIGNED, process),
	THREAD("tid", UNSIGNED, tid),
	THREAD("name", CHARS, name),
	THREAD("owned", BOOL, is_owned),
	THREAD("threads", UNSIGNED, n_threads),
	THREAD("lifetime_ns", UNSIGNED, lifetime_ns),
	THREAD("blocked_ns", UNSIGNED, off_ns[RS_OFF_BLOCKED]),
	THREAD("preempted_ns", UNSIGNED, off_ns[RS_OFF_PREEMPTED]),
};
static const struct rs_json_table threads = RS_JSON_TABLE(thread_members, rs_run_thread);

static const char *const region_flags[] = {
	"truncated", "by-name", "filtered", "address", NULL, NULL, NULL, NULL, "other-work"};
static_assert(RS_REGION_TRUNCATED == 1u && RS_REGION_BY_NAME == 1u << 1 &&
		      RS_REGION_IS_FILTERED == 1u << 2 && RS_REGION_IS_ADDRESS == 1u << 3 &&
		      RS_REGION_OTHER_WORK == 1u << 8,
	"their bits are the places of these words");

static const char *const places[RS_REGION_PLACE_N] = {
	[RS_REGION_PLACE_NONE] = "none",
	[RS_REGION_PLACE_FOUND] = "found",
	[RS_REGION_PLACE_NO_SYMBOL] = "no-symbol",
	[RS_REGION_PLACE_MISSING] = "missing",
	[RS_REGION_PLACE_REPLACED] = "replaced",
	[RS_REGION_PLACE_UNKNOWN] = "unknown",
};

#define REGION(key, kind, member, ...) RS_JSON_MEMBER(key, kind, rs_run_region, member, __VA_ARGS__)
static const struct rs_json_member region_members[] = {
	REGION("name", CHARS, name),
	REGION("flags", FLAGS, flags, RS_JSON_WORDS(region_flags)),
	REGION("work_of", AFTER, work_of),
	REGION("bytes", UNSIGNED, work_bytes),
	REGION("flops", UNSIGNED, work_flops),
	REGION("place", WORD, place, RS_JSON_WORDS(places)),
	REGION("object", TEXT, object),
	REGION("source", TEXT, source),
};
static const struct rs_json_table regions = RS_JSON_TABLE(region_members, rs_run_region);

#define ADAPTER(key, kind, member) RS_JSON_MEMBER(key, kind, rs_run_adapter, member, )
static const struct rs_json_member adapter_members[] = {
	ADAPTER("name", CHARS, word),
	ADAPTER("loaded", UNSIGNED, counts[RS_ADAPTER_COUNT_LOADED]),
	ADAPTER("regions", UNSIGNED, counts[RS_ADAPTER_COUNT_REGIONS]),
	ADAPTER("ignored", UNSIGNED, counts[RS_ADAPTER_COUNT_IGNORED]),
	ADAPTER("unmatched", UNSIGNED, counts[RS_ADAPTER_COUNT_UNMATCHED]),
	ADAPTER("refused", UNSIGNED, counts[RS_ADAPTER_COUNT_REFUSED]),
	ADAPTER("memory", UNSIGNED, counts[RS_ADAPTER_COUNT_MEMORY]),
	ADAPTER("chained", UNSIGNED, counts[RS_ADAPTER_COUNT_CHAINED]),
};
static const struct rs_json_table adapters = RS_JSON_TABLE(adapter_members, rs_run_adapter);

static const char *const segment_counts[RS_SEGMENT_DIAG_N] = {
	[RS_SEGMENT_DIAG_REGIONS] = "regions",
	[RS_SEGMENT_DIAG_PROCESSES] = "processes",
	[RS_SEGMENT_DIAG_SLOTS] = "threads",
	[RS_SEGMENT_DIAG_MEMORY] = "memory",
	[RS_SEGMENT_DIAG_LABELS] = "labels",
	[RS_SEGMENT_DIAG_REUSED] = "reused",
};

static const struct rs_json_member collection_members[] = {
	DOCUMENT("counts", COUNTS, run.diag, RS_JSON_WORDS(segment_counts)),
	DOCUMENT("load_error", CHARS, run.load_error),
	DOCUMENT("damaged", UNSIGNED, run.n_damaged),
	DOCUMENT("damage", CHARS, run.damage),
	DOCUMENT("naming_cut", BOOL, run.is_naming_cut),
};
static const struct rs_json_table collection = RS_JSON_TABLE(collection_members, rs_document);

/* ---- the document ---- */

static const struct rs_json_member series_members[] = {
	DOCUMENT("id", UNSIGNED, series.id),
	DOCUMENT("command", UNSIGNED, series.command),
	DOCUMENT("round", UNSIGNED, series.round),
	DOCUMENT("seed", UNSIGNED, series.seed),
	DOCUMENT("varied", BOOL, series.is_varied),
	DOCUMENT("environment_bytes", UNSIGNED, series.environment_bytes),
	DOCUMENT("path_bytes", UNSIGNED, series.path_bytes),
	DOCUMENT("fixed_addresses", BOOL, series.is_fixed),
};
const struct rs_json_table rs_document_series = RS_JSON_TABLE(series_members, rs_document);

static const struct rs_json_member origin_members[] = {
	DOCUMENT("regionstat", TEXT, version),
	DOCUMENT("schema", SIGNED, schema),
	RS_JSON_GROUP("series", rs_document_series),
};
const struct rs_json_table rs_document_origin = RS_JSON_TABLE(origin_members, rs_document);

static const struct rs_json_member facts_members[] = {
	RS_JSON_GROUP("run", run),
	RS_JSON_GROUP("machine", machine),
	RS_JSON_GROUP("options", options),
	RS_JSON_GROUP("slow_calls", slow_calls),
	RS_JSON_GROUP("plan", plan),
	DOCUMENT_LIST("events", events, n_events, events, RS_EVENT_FIRST + MOST_EVENTS),
	DOCUMENT_LIST("metrics", metrics, n_metrics, metrics, MOST_METRICS),
	DOCUMENT_LIST("totals", totals, n_totals, totals, MOST_EVENTS),
	DOCUMENT_LIST("processes", run.processes, run.n_processes, processes, RS_MAX_PROCESSES),
};
const struct rs_json_table rs_document_facts = RS_JSON_TABLE(facts_members, rs_document);

static const struct rs_json_member measured_members[] = {
	RS_JSON_GROUP("collection", collection),
	DOCUMENT_LIST("adapters", run.adapters, run.n_adapters, adapters, RS_MAX_ADAPTERS),
	DOCUMENT_LIST("threads", run.threads, run.n_threads, threads, RS_MAX_SLOTS),
	DOCUMENT_LIST("regions", run.regions, run.n_regions, regions, RS_MAX_REGIONS),
};
const struct rs_json_table rs_document_measured = RS_JSON_TABLE(measured_members, rs_document);
