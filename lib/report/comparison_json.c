/* SPDX-License-Identifier: MIT */
/*
 * This file writes a series or a comparison as one JSON document, with a row for each region and
 * event.
 */
#include <jansson.h>
#include <math.h>

#include "record/json.h"
#include "report/comparison.h"

#define DIGITS 9

static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *region_name(const struct rs_compared_region *region)
{
	return region->is_run ? json_null() : rs_json_name(region->name);
}

static json_t *level_of(const struct rs_level *level)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "median", real(level->median), "low",
		real(level->low), "high", real(level->high), "error", real(level->error));
}

static json_t *ratio_of(const struct rs_estimate *estimate)
{
	return json_pack("{s:o, s:o, s:o, s:b}", "ratio", real(estimate->ratio), "low",
		real(estimate->low), "high", real(estimate->high), "exact", estimate->is_exact);
}

static json_t *gates_of(const struct rs_comparison_report *report)
{
	json_t *array = json_array();
	for (size_t i = 0; i < report->n_gates; i++) {
		const struct rs_gate_result *result = &report->gates[i];
		rs_json_append(array,
			json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rule",
				rs_json_shown(result->gate->text), "result",
				rs_gate_words[result->status], "region",
				result->region ? rs_json_name(result->region) : json_null(),
				"value", real(result->value), "low", real(result->low), "high",
				real(result->high), "limit", real(result->gate->limit), "unit",
				rs_json_shown(result->unit), "why", rs_json_shown(result->why)));
	}
	return array;
}

static json_t *machine_of(const struct rs_machine *machine)
{
	return json_pack("{s:o, s:o, s:o, s:i}", "host", rs_json_shown(machine->host), "kernel",
		rs_json_shown(machine->kernel), "processor", rs_json_shown(machine->processor),
		"cpus", (int)machine->cpus);
}

static json_t *side_of(const struct rs_side *side)
{
	const struct rs_series_run *run = rs_side_run(side, 0);
	return json_pack("{s:o, s:o, s:I, s:o, s:o}", "name", rs_json_shown(side->name), "command",
		rs_json_shown(run->command), "runs", (json_int_t)rs_side_n_runs(side), "version",
		rs_json_shown(run->version), "machine", machine_of(&run->machine));
}

static void add_line(void *context, const char *text)
{
	rs_json_append(context, rs_json_shown(text));
}

static json_t *lines_of(
	const struct rs_comparison_page *page, struct rs_arena *arena, bool is_machine)
{
	json_t *array = json_array();
	if (is_machine)
		rs_comparison_say_machine(page, arena, add_line, array);
	else
		rs_comparison_say_differences(page, arena, add_line, array);
	return array;
}

static json_t *row_of(const struct rs_comparison *comparison, size_t event, size_t region)
{
	const struct rs_difference *difference = rs_comparison_difference(
		comparison, event, region);
	const struct rs_estimate *estimate = &difference->estimate;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "region",
		region_name(&comparison->regions[region]), "event",
		rs_json_shown(comparison->events[event].name), "unit",
		rs_json_shown(comparison->events[event].unit), "old", level_of(&estimate->old),
		"new", level_of(&estimate->new), "self", ratio_of(estimate), "total",
		ratio_of(&difference->whole), "p", real(estimate->p), "shown",
		difference->is_shown);
}

static json_t *verdict_of(const struct rs_comparison *comparison, size_t r)
{
	const struct rs_compared_region *region = &comparison->regions[r];
	return json_pack("{s:o, s:s, s:o, s:o, s:o}", "region", region_name(region), "verdict",
		rs_verdict_names[region->verdict].word, "event",
		region->event == RS_NONE ? json_null()
					 : rs_json_shown(comparison->events[region->event].name),
		"effect", real(region->effect), "partner",
		region->partner == RS_NONE ? json_null()
					   : region_name(&comparison->regions[region->partner]));
}

static bool has_numbers(const struct rs_difference *difference)
{
	return !isnan(difference->estimate.old.median) || !isnan(difference->estimate.new.median);
}

static json_t *page_of(const struct rs_comparison_page *page, struct rs_arena *arena)
{
	static const char *const words[] = {[RS_MACHINE_UNKNOWN] = "unknown",
		[RS_MACHINE_SAME] = "same",
		[RS_MACHINE_CHANGED] = "changed",
		[RS_MACHINE_ALL_ALIKE] = "all-alike"};
	const struct rs_comparison *comparison = &page->comparison;
	json_t *rows = json_array(), *verdicts = json_array();
	for (size_t r = 0; r < comparison->n_regions; r++) {
		if (!comparison->regions[r].is_run)
			rs_json_append(verdicts, verdict_of(comparison, r));
		for (size_t e = 0; e < comparison->n_events; e++)
			if (has_numbers(rs_comparison_difference(comparison, e, r)))
				rs_json_append(rows, row_of(comparison, e, r));
	}
	return json_pack("{s:o, s:o, s:b, s:{s:s, s:o, s:I}, s:b, s:o, s:o, s:o, s:o, s:o, s:o}",
		"old", side_of(&page->old), "new", side_of(&page->new), "alternated",
		comparison->design.is_paired, "machine", "verdict", words[comparison->machine],
		"control", ratio_of(&comparison->machine_ratio), "regions",
		(json_int_t)comparison->n_control, "drift", comparison->has_drift,
		"old_layout_share", real(page->old_layout_share), "layout_share",
		real(page->layout_share), "differences", lines_of(page, arena, false), "notes",
		lines_of(page, arena, true), "verdicts", verdicts, "rows", rows);
}

/* Write a document with its pages as the member `key`. */
static void write_document(struct rs_comparison_writer *writer, const char *key, json_t *pages)
{
	rs_json_write_line(json_pack("{s:s, s:i, s:o, s:o}", "regionstat", REGIONSTAT_VERSION,
				   "schema", 1, key, pages, "rules", gates_of(writer->report)),
		DIGITS, writer->stream);
}

void rs_comparison_json(struct rs_comparison_writer *writer)
{
	json_t *pages = json_array();
	for (size_t i = 0; i < writer->report->n; i++)
		rs_json_append(pages, page_of(&writer->report->pages[i], writer->arena));
	write_document(writer, "comparisons", pages);
}

/* Return a JSON object with the median over the runs of each measure of a region and event. */
static json_t *medians_of(const struct rs_comparison *comparison, size_t event, size_t region)
{
	json_t *object = json_pack("{s:o, s:o, s:o}", "region",
		region_name(&comparison->regions[region]), "event",
		rs_json_shown(comparison->events[event].name), "unit",
		rs_json_shown(comparison->events[event].unit));
	for (size_t m = 0; m < RS_MEASURE_N; m++) {
		struct rs_estimate estimate = rs_comparison_estimate(
			comparison, event, region, (enum rs_measure)m);
		rs_json_set(object, rs_measure_words[m],
			isnan(estimate.old.median) ? json_null() : level_of(&estimate.old));
	}
	return object;
}

void rs_series_json(struct rs_comparison_writer *writer)
{
	json_t *pages = json_array();
	for (size_t i = 0; i < writer->report->n; i++) {
		const struct rs_comparison_page *page = &writer->report->pages[i];
		const struct rs_comparison *comparison = &page->comparison;
		json_t *rows = json_array();
		for (size_t r = 0; r < comparison->n_regions; r++)
			for (size_t e = 0; e < comparison->n_events; e++)
				if (has_numbers(rs_comparison_difference(comparison, e, r)))
					rs_json_append(rows, medians_of(comparison, e, r));
		rs_json_append(
			pages, json_pack("{s:o, s:o, s:o}", "side", side_of(&page->old),
				       "layout_share", real(page->layout_share), "rows", rows));
	}
	write_document(writer, "series", pages);
}
