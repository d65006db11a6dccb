/* SPDX-License-Identifier: MIT */
/*
 * This file parses rules and checks them against runs.
 */
#include "compare/gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/suggest.h"
#include "base/text.h"

#define NAME_BYTES 256u

const char *const rs_gate_words[RS_GATE_STATUSES] = {"pass", "fail", "unknown", "fail"};

const struct rs_limit_unit *rs_limit_unit_find(const char *word, size_t bytes)
{
	static const struct rs_limit_unit units[] = {{"", 1, false}, {"k", 1000, false},
		{"K", 1000, false}, {"M", 1000000, false}, {"G", 1000000000, false},
		{"ns", 1, true}, {"us", 1000, true}, {"ms", 1000000, true},
		{"s", 1000000000, true}};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].word) == bytes && memcmp(units[i].word, word, bytes) == 0)
			return &units[i];
	return NULL;
}

/* ---- parsing ---- */

static bool refuse(const char *text, const char *why, struct rs_err *err)
{
	rs_err_set(err, "'%s' is no rule: %s", rs_text_shown(text).text, why);
	return rs_err_add_line(
		err, "try: 'render:cpu-time.p90 > 5us', or 'any:instructions > +1%%' of two sides");
}

static bool parse_limit(struct rs_gate *gate, const char *text, struct rs_err *err)
{
	char *end;
	text += strspn(text, " ");
	bool has_sign = *text == '+' || *text == '-';
	double number = strtod(text, &end);
	bool is_number = end > text && isfinite(number) &&
			 strspn(text + has_sign, "0123456789.") >= (size_t)(end - text) - has_sign;
	end += strspn(end, " ");
	size_t length = strcspn(end, " ");
	if (!is_number || end[length + strspn(end + length, " ")] != '\0')
		return refuse(gate->text, "it does not end in a number", err);
	if (length == 1 && *end == '%' && has_sign) {
		gate->is_relative = true;
		gate->limit = number / 100;
		return true;
	}
	const struct rs_limit_unit *unit = has_sign ? NULL : rs_limit_unit_find(end, length);
	if (unit) {
		gate->limit = number * (double)unit->factor;
		gate->is_time = unit->is_time;
		return true;
	}
	if (length == 1 && *end == '%')
		return refuse(gate->text, "a difference has a sign, such as +1%", err);
	return refuse(gate->text,
		"only ns, us, ms, s, k, M or G may follow its number, or % if the number has a "
		"sign",
		err);
}

/* If the event ends in ".word" and word is a measure, set the measure and cut the event there. */
static void take_measure(struct rs_gate *gate)
{
	const char *dot = memrchr(gate->event, '.', gate->event_bytes);
	for (size_t i = 0; dot && i < RS_MEASURE_N; i++) {
		size_t length = gate->event_bytes - (size_t)(dot + 1 - gate->event);
		if (strlen(rs_measure_words[i]) != length ||
			memcmp(rs_measure_words[i], dot + 1, length) != 0)
			continue;
		gate->has_measure = true;
		gate->measure = (enum rs_measure)i;
		gate->event_bytes = (size_t)(dot - gate->event);
		return;
	}
}

/* Reject a rule about a time if its statistic is unknown, or if its limit has no unit. */
static bool check_time(const struct rs_gate *gate, struct rs_err *err)
{
	static const char *const times[] = {"time", "cpu-time", "blocked", "preempted",
		"task-clock", "cpu-clock", "user_time", "system_time", "duration_time"};
	bool has_unit = gate->is_relative || gate->is_time || gate->limit == 0 ||
			gate->measure == RS_MEASURE_CALLS;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		size_t n = strlen(times[i]);
		if (gate->event_bytes < n || memcmp(gate->event, times[i], n) != 0)
			continue;
		if (gate->event_bytes > n && gate->event[n] == '.')
			return refuse(gate->text,
				"a time has avg, self, total, self-total, p50, p90, p99, min, max "
				"and calls",
				err);
		if (gate->event_bytes == n && !has_unit)
			return refuse(gate->text, "a time needs a unit: ns, us, ms or s", err);
	}
	return true;
}

bool rs_gate_parse(struct rs_gate *gate, const char *text, struct rs_err *err)
{
	*gate = (struct rs_gate){.text = text};
	/* Names may contain these signs, so use the last sign in the text. */
	const char *sign = NULL;
	for (const char *at = text; *at; at++)
		if (*at == '<' || *at == '>')
			sign = at;
	if (!sign)
		return refuse(text, "it has no > or <", err);
	gate->is_above = *sign == '>';
	gate->or_equal = sign[1] == '=';
	const char *end = sign;
	while (end > text && end[-1] == ' ')
		end--;
	if (end > text && (end[-1] == '<' || end[-1] == '>'))
		return refuse(text, "it has two signs", err);
	const char *colon = memrchr(text, ':', (size_t)(end - text));
	/* true if the colon begins a modifier, as in cycles:u */
	bool is_modifier = colon && colon > text && end - colon <= 4 &&
			   strspn(colon + 1, "ukhGHIp") >= (size_t)(end - colon - 1);
	const char *before = is_modifier ? memrchr(text, ':', (size_t)(colon - text)) : NULL;
	colon = before ? before : colon;
	if (!colon || colon == text || colon + 1 == end)
		return refuse(text, "it has no REGION:EVENT before its sign", err);
	gate->region_bytes = (size_t)(colon - text);
	gate->region = gate->region_bytes == 3 && memcmp(text, "run", 3) == 0 ? NULL : text;
	gate->event = colon + 1;
	gate->event_bytes = (size_t)(end - colon - 1);
	gate->measure = gate->region ? RS_MEASURE_AVG : RS_MEASURE_TOTAL;
	take_measure(gate);
	if (gate->region_bytes >= NAME_BYTES || gate->event_bytes >= NAME_BYTES)
		return refuse(text, "its names are too long", err);
	return parse_limit(gate, sign + 1 + gate->or_equal, err) && check_time(gate, err);
}

/* ---- checking ---- */

static bool matches(const struct rs_gate *gate, const char *region)
{
	char glob[NAME_BYTES];
	if (!gate->region || !region)
		return !gate->region && !region;
	memcpy(glob, gate->region, gate->region_bytes);
	glob[gate->region_bytes] = '\0';
	return strcmp(glob, "any") == 0 || rs_glob_matches(glob, region);
}

static bool is_event(const struct rs_gate *gate, const char *name)
{
	return strlen(name) == gate->event_bytes &&
	       memcmp(name, gate->event, gate->event_bytes) == 0;
}

static bool breaks(const struct rs_gate *gate, double value)
{
	return (gate->is_above ? value > gate->limit : value < gate->limit) ||
	       (gate->or_equal && value == gate->limit);
}

/* Return true if `value` is closer to the limit than `than`, or exceeds the limit by more. */
static bool is_worse(const struct rs_gate *gate, double value, double than)
{
	return isnan(than) || (gate->is_above ? value > than : value < than);
}

static void begin(struct rs_gate_result *result, const struct rs_gate *gate)
{
	*result = (struct rs_gate_result){.gate = gate,
		.status = RS_GATE_PASS,
		.value = NAN,
		.low = NAN,
		.high = NAN,
		.unit = ""};
}

/* Count a region to which the rule applies. Keep the region with the worst status. If several
 * regions have this status, keep the region with the worst value. */
static void take(struct rs_gate_result *result, struct rs_gate_result found)
{
	static const int order[RS_GATE_STATUSES] = {0, 3, 1, 2};
	found.gate = result->gate;
	found.n = ++result->n;
	if (found.n == 1 || order[found.status] > order[result->status] ||
		(found.status == result->status &&
			is_worse(found.gate, found.value, result->value)))
		*result = found;
}

static void not_measured(struct rs_gate_result *result, const char *what, const char *why)
{
	result->status = RS_GATE_NOT_MEASURED;
	snprintf(result->why, sizeof(result->why), "%.200s%s", what, why);
}

/* Set the message that no region matches the rule. Suggest similar names of regions. */
static void no_region(struct rs_gate_result *result, const struct rs_comparison *comparison)
{
	const struct rs_gate *gate = result->gate;
	char name[NAME_BYTES], near[sizeof(result->why)] = "";
	snprintf(name, sizeof(name), "%.*s", (int)gate->region_bytes, gate->text);
	struct rs_suggest suggest = {.name = name};
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (!comparison->regions[r].is_run)
			rs_suggest_offer(&suggest, comparison->regions[r].name);
	for (size_t i = 0; i < suggest.n_near; i++) {
		char shown[RS_SUGGESTION_BYTES * 4];
		rs_text_name(shown, sizeof(shown), suggest.near[i]);
		if (strlen(near) + strlen(shown) < 100)
			rs_text_list(near, sizeof(near), shown);
	}
	if (near[0])
		not_measured(result, "no region matches; try: ", near);
	else
		not_measured(result,
			"no region matches; try: a name from the report, or mark the region", "");
}

/* If the rule applies to no region, set the message that says why. */
static void finish(struct rs_gate_result *result, const struct rs_comparison *comparison,
	bool has_region, bool is_in_sides, bool has_event)
{
	const struct rs_gate *gate = result->gate;
	char name[NAME_BYTES];
	if (result->n > 0 || result->status == RS_GATE_NOT_MEASURED)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)gate->event_bytes, gate->event);
	if (!has_event)
		not_measured(result, rs_text_shown(name).text,
			" was not measured; try: a run with -e or -M");
	else if (!has_region)
		no_region(result, comparison);
	else if (!is_in_sides)
		not_measured(result,
			"one side has no such region; try: runs in which both sides call it", "");
	else
		not_measured(result, rs_text_shown(name).text,
			" is not known there; try: a run with -e or -M, or another statistic");
}

static bool check_unit(struct rs_gate_result *result, const struct rs_compared_event *event)
{
	const struct rs_gate *gate = result->gate;
	bool is_number = gate->measure == RS_MEASURE_CALLS || strcmp(event->unit, "ns") != 0;
	if (gate->is_relative || !gate->is_time || !is_number)
		return true;
	not_measured(result, event->name, " is no time");
	return false;
}

/* Apply a rule about a value to one region. */
static void check_value(struct rs_gate_result *result, const struct rs_comparison *comparison,
	size_t event, size_t region, unsigned side)
{
	const struct rs_gate *gate = result->gate;
	const struct rs_compared_event *of = &comparison->events[event];
	double median = rs_comparison_level(comparison, event, region, side, gate->measure).median;
	if (!isnan(median))
		take(result,
			(struct rs_gate_result){
				.status = breaks(gate, median) ? RS_GATE_FAIL : RS_GATE_PASS,
				.region = comparison->regions[region].name,
				.value = median,
				.low = NAN,
				.high = NAN,
				.unit = gate->measure == RS_MEASURE_CALLS ? "count" : of->unit});
}

/* Return the status of a rule about a difference. A difference within the limit passes. A
 * difference beyond the limit fails if chance does not explain it; otherwise the status is
 * unknown. */
static enum rs_gate_status judge(const struct rs_gate *gate, const struct rs_estimate *estimate,
	const struct rs_difference *difference, bool is_apart)
{
	double value = estimate->ratio - 1;
	if (!breaks(gate, value))
		return RS_GATE_PASS;
	bool is_shown = estimate->is_exact || difference->is_shown;
	/* is_shown is about another measure, or is never set for this kind of event. Therefore the
	 * interval decides. */
	if (is_apart)
		is_shown = estimate->low > 1 || estimate->high < 1;
	return is_shown ? RS_GATE_FAIL : RS_GATE_UNKNOWN;
}

/* Apply a rule about a difference to one region. */
static void check_difference(struct rs_gate_result *result, const struct rs_comparison *comparison,
	size_t event, size_t region)
{
	const struct rs_gate *gate = result->gate;
	const struct rs_difference *difference = rs_comparison_difference(
		comparison, event, region);
	enum rs_compared_kind kind = comparison->events[event].kind;
	/* The default measure is self, so that a difference of a nested region does not affect its
	 * parent. */
	bool is_other = gate->has_measure || !gate->region;
	struct rs_estimate estimate = is_other ? rs_comparison_estimate(
							 comparison, event, region, gate->measure)
					       : difference->estimate;
	bool is_apart = is_other || kind == RS_KIND_WALL || kind == RS_KIND_OFF ||
			kind == RS_KIND_METRIC;
	if (!isnan(estimate.ratio))
		take(result, (struct rs_gate_result){
				     .status = judge(gate, &estimate, difference, is_apart),
				     .region = comparison->regions[region].name,
				     .value = estimate.ratio - 1,
				     .low = estimate.low - 1,
				     .high = estimate.high - 1,
				     .unit = "%"});
}

/* Apply a rule to all regions. side: the side whose values are checked if the rule is about a
 * value. */
static void check(
	struct rs_gate_result *result, const struct rs_comparison *comparison, unsigned side)
{
	const struct rs_gate *gate = result->gate;
	bool has_region = false, is_in_sides = false, has_event = false;
	for (size_t e = 0; e < comparison->n_events; e++) {
		if (!is_event(gate, comparison->events[e].name))
			continue;
		has_event = true;
		if (!check_unit(result, &comparison->events[e]))
			break;
		for (size_t r = 0; r < comparison->n_regions; r++) {
			if (!matches(gate, comparison->regions[r].name))
				continue;
			has_region = true;
			is_in_sides |= (!gate->is_relative || comparison->regions[r].is_in[0]) &&
				       comparison->regions[r].is_in[1];
			if (gate->is_relative)
				check_difference(result, comparison, e, r);
			else
				check_value(result, comparison, e, r, side);
		}
	}
	if (result->status == RS_GATE_UNKNOWN)
		snprintf(result->why, sizeof(result->why), "runs differ as much by chance");
	finish(result, comparison, has_region, is_in_sides, has_event);
}

bool rs_gate_check(
	struct rs_gate_result *result, const struct rs_gate *gate, const struct rs_side *side)
{
	struct rs_comparison comparison;
	struct rs_err err;
	begin(result, gate);
	if (gate->is_relative) {
		not_measured(result, "there is no old side to differ from", "");
		return true;
	}
	if (!rs_comparison_of(&comparison, side, side, &err))
		return false;
	check(result, &comparison, 0);
	rs_comparison_finish(&comparison);
	return true;
}

void rs_gate_check_difference(struct rs_gate_result *result, const struct rs_gate *gate,
	const struct rs_comparison *comparison)
{
	begin(result, gate);
	check(result, comparison, 1);
}

bool rs_gates_failed(const struct rs_gate_result *results, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (results[i].status == RS_GATE_FAIL || results[i].status == RS_GATE_NOT_MEASURED)
			return true;
	return false;
}

const char *rs_gate_show(char *text, size_t bytes, double value, const char *unit, bool is_relative)
{
	static const struct {
		double least;
		const char *unit;
	} times[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
	size_t i = 0;
	if (isnan(value)) {
		snprintf(text, bytes, "-");
	} else if (is_relative) {
		snprintf(text, bytes, "%+.2f %%", 100 * value);
	} else if (strcmp(unit, "ns") == 0) {
		while (times[i].least > fabs(value))
			i++;
		snprintf(text, bytes, "%.4g %s",
			times[i].least > 0 ? value / times[i].least : value, times[i].unit);
	} else {
		bool is_plain = strcmp(unit, "count") == 0 || strcmp(unit, "ratio") == 0;
		snprintf(text, bytes, value < 1e6 ? "%.6g%s%s" : "%.4g%s%s", value,
			is_plain ? "" : " ", is_plain ? "" : unit);
	}
	return text;
}
