/* SPDX-License-Identifier: MIT */
/*
 * This file lists the keys of a result in the JSON document of a run, one in a line.
 */
#include "record/document.h"
#include "segment/buckets.h"

/* ---- arrays without keys ---- */

struct parent {
	uint16_t region;
};
static const struct rs_json_member parent_members[] = {RS_JSON_MEMBER(NULL, INDEX, parent, region)};
static const struct rs_json_table parents = RS_JSON_TABLE(parent_members, parent);

static const struct rs_json_member bucket_members[] = {
	RS_JSON_MEMBER(NULL, UNSIGNED, rs_bucket, low),
	RS_JSON_MEMBER(NULL, UNSIGNED, rs_bucket, high),
	RS_JSON_MEMBER(NULL, UNSIGNED, rs_bucket, count),
};
static const struct rs_json_table buckets = RS_JSON_TABLE(bucket_members, rs_bucket);

/* ---- processes of a collapsed run ---- */

#define RANKS(key, kind, member, ...) RS_JSON_MEMBER(key, kind, rs_ranks, member, __VA_ARGS__)
static const struct rs_json_member lowest_members[] = {
	RANKS("rank", INDEX, lowest.rank),
	RANKS("pid", UNSIGNED, lowest.pid),
	RANKS("host", CHARS, lowest.host),
};
static const struct rs_json_table lowest = RS_JSON_TABLE(lowest_members, rs_ranks);

static const struct rs_json_member highest_members[] = {
	RANKS("rank", INDEX, highest.rank),
	RANKS("pid", UNSIGNED, highest.pid),
	RANKS("host", CHARS, highest.host),
};
static const struct rs_json_table highest = RS_JSON_TABLE(highest_members, rs_ranks);

static const struct rs_json_member ranks_members[] = {
	RANKS("processes", UNSIGNED, times.counted),
	RANKS("sum", UNSIGNED, times.sum),
	RANKS("square", REAL, times.square),
	RANKS("min", UNSIGNED, times.min),
	RANKS("max", UNSIGNED, times.max),
	RS_JSON_GROUP("lowest", lowest),
	RS_JSON_GROUP("highest", highest),
	RANKS("buckets", LIST, times.histogram.buckets,
		RS_JSON_ITEMS(buckets, rs_ranks, times.histogram.n, RS_HISTOGRAM_BUCKETS)),
};
static const struct rs_json_table ranks = RS_JSON_TABLE(ranks_members, rs_ranks);

/* ---- a result ---- */

static const char *const value_statuses[] = {
	[RS_VALUE_OK] = "ok",
	[RS_VALUE_NOT_SUPPORTED] = "not-supported",
};

#define VALUE(key, kind, member, ...) RS_JSON_MEMBER(key, kind, rs_saved_value, member, __VA_ARGS__)
static const struct rs_json_member value_members[] = {
	VALUE("event", UNSIGNED, event),
	VALUE("status", WORD, value.status, RS_JSON_WORDS(value_statuses)),
	VALUE("counted", UNSIGNED, value.counted),
	VALUE("weight", UNSIGNED, value.weight),
	VALUE("sum", UNSIGNED, value.sum),
	VALUE("square", REAL, value.square),
	VALUE("min", UNSIGNED, value.min),
	VALUE("max", UNSIGNED, value.max),
	VALUE("total", UNSIGNED, value.total),
	VALUE("self", SIGNED, value.self),
	VALUE("variance", REAL, value.variance),
	VALUE("enabled_ns", UNSIGNED, value.enabled_ns),
	VALUE("running_ns", UNSIGNED, value.running_ns),
	VALUE("slowest", INDEX, value.slowest),
	VALUE("clamped", BOOL, value.is_clamped),
	VALUE("incomplete", BOOL, value.histogram.incomplete),
	VALUE("buckets", LIST, value.histogram.buckets,
		RS_JSON_ITEMS(buckets, rs_saved_value, value.histogram.n, RS_HISTOGRAM_BUCKETS)),
};
static const struct rs_json_table values = RS_JSON_TABLE(value_members, rs_saved_value);

static const struct rs_json_member octave_members[] = {
	RS_JSON_MEMBER("low_ns", UNSIGNED, rs_octave, low_ns),
	RS_JSON_MEMBER("weight", UNSIGNED, rs_octave, weight),
	RS_JSON_MEMBER("sums", LIST, rs_octave, sums,
		RS_JSON_ITEMS(rs_document_numbers, rs_octave, n_sums, RS_MAX_EVENTS)),
};
static const struct rs_json_table octaves = RS_JSON_TABLE(octave_members, rs_octave);

#define RESULT(key, kind, member, ...) \
	RS_JSON_MEMBER(key, kind, rs_saved_result, member, __VA_ARGS__)
#define RESULT_LIST(key, items, n_items, table, most) \
	RESULT(key, LIST, items, RS_JSON_ITEMS(table, rs_saved_result, n_items, most))

static const struct rs_json_member overhead_members[] = {
	RESULT("measured_ns", UNSIGNED, result.overhead.measured_ns),
	RESULT("fast_ns", UNSIGNED, result.overhead.fast_ns),
	RESULT("skipped_ns", UNSIGNED, result.overhead.skipped_ns),
};
static const struct rs_json_table overhead = RS_JSON_TABLE(overhead_members, rs_saved_result);

static const struct rs_json_member work_members[] = {
	RESULT("calls", UNSIGNED, result.work_calls),
	RESULT("bytes", UNSIGNED, result.work_bytes),
	RESULT("flops", UNSIGNED, result.work_flops),
	RESULT("unmatched", UNSIGNED, result.work_unmatched),
};
static const struct rs_json_table work = RS_JSON_TABLE(work_members, rs_saved_result);

static const struct rs_json_member slowest_members[] = {
	RESULT("start_ns", UNSIGNED, result.slowest_start_ns),
	RESULT("pid", UNSIGNED, result.slowest_pid),
	RESULT("tid", UNSIGNED, result.slowest_tid),
};
static const struct rs_json_table slowest = RS_JSON_TABLE(slowest_members, rs_saved_result);

static const struct rs_json_member result_members[] = {
	RESULT("region", UNSIGNED, result.region),
	RESULT("thread", UNSIGNED, result.thread),
	RESULT("threads", UNSIGNED, result.n_threads),
	RESULT("calls", UNSIGNED, result.calls),
	RESULT("measured", UNSIGNED, result.measured),
	RESULT("weight", UNSIGNED, result.weight),
	RESULT("counts", COUNTS, result.diag, RS_JSON_WORDS(rs_call_diag_words)),
	RESULT("open", UNSIGNED, result.open),
	RESULT("pending", SIGNED, result.pending),
	RESULT_LIST("parents", result.parents, result.n_parents, parents, RS_MAX_REGIONS + 1),
	RESULT_LIST("ranks", result.ranks, result.n_ranks, ranks, 1),
	RS_JSON_GROUP("overhead", overhead),
	RS_JSON_GROUP("work", work),
	RS_JSON_GROUP("slowest", slowest),
	RESULT_LIST("octaves", result.octaves, result.n_octaves, octaves, RS_MOST_OCTAVES),
	RESULT_LIST("values", values, n_values, values, RS_EVENT_FIRST + RS_MAX_EVENTS),
};
const struct rs_json_table rs_document_result = RS_JSON_TABLE(result_members, rs_saved_result);
