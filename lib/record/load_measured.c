/* SPDX-License-Identifier: MIT */
/*
 * Reading what a saved run measured: its regions, processes and threads, and the cells with their
 * exact sums and histograms.
 */
#include <string.h>

#include "record/loader.h"
#include "segment/adapters.h"
#include "stats/buckets.h"

#define MOST_CELLS ((size_t)RS_MAX_SLOTS * RS_MAX_REGIONS)
#define MOST_OCTAVES (2 * RS_RUN_OCTAVES) /* of calls with and without a context switch */

static bool no_memory(const struct rs_json_load *load)
{
	return rs_err_set(load->err, "there is no memory for it");
}

/* A member that is an array of structs. NULL: it is none. */
static void *load_list(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *object, const char *key, const struct rs_json_fields *fields, size_t bytes,
	size_t most, size_t *n)
{
	const struct rs_json_place place = {.above = above, .key = key};
	const json_t *array = rs_json_get(load, above, object, key, JSON_ARRAY);
	return array ? rs_json_get_structs(load, &place, array, fields, bytes, most, n) : NULL;
}

static bool load_counts(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *measured, struct rs_collection *out)
{
	const struct rs_json_place place = {.above = above, .key = "counts"};
	const struct rs_json_place groups = {.above = above, .key = "quantity_groups"};
	const json_t *counts = rs_json_get(load, above, measured, "counts", JSON_OBJECT);
	const json_t *array = rs_json_get(load, above, measured, "quantity_groups", JSON_ARRAY);
	if (!counts || !array ||
		!rs_json_get_struct(load, &place, counts, &rs_fields_collection, out))
		return false;
	if (out->n_events > RS_MAX_EVENTS || out->n_groups > RS_MAX_GROUPS)
		return rs_json_refuse(load, &place, "has more events or groups than there can be");
	if (json_array_size(array) != out->n_events)
		return rs_json_refuse(load, &groups, "has not one for each event");
	for (uint32_t i = 0; i < out->n_events; i++) {
		const struct rs_json_place here = {.above = &groups, .index = i};
		uint64_t group;
		if (!rs_json_get_u64(load, &here, json_array_get(array, i), &group))
			return false;
		if (group >= out->n_groups)
			return rs_json_refuse(load, &here, "is no group");
		out->quantity_group[1 + i] = (uint32_t)group;
	}
	return true;
}

/* [low, high, count] */
static bool load_bucket(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *array, struct rs_bucket *bucket)
{
	uint64_t *members[] = {&bucket->low, &bucket->high, &bucket->count};
	if (json_array_size(array) != 3)
		return rs_json_refuse(load, place, "is no array of three numbers");
	for (size_t i = 0; i < 3; i++) {
		const struct rs_json_place here = {.above = place, .index = i};
		if (!rs_json_get_u64(load, &here, json_array_get(array, i), members[i]))
			return false;
	}
	return true;
}

static bool load_buckets(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *object, struct rs_histogram *histogram)
{
	const struct rs_json_place place = {.above = above, .key = "buckets"};
	const json_t *array = rs_json_get(load, above, object, "buckets", JSON_ARRAY);
	if (!array)
		return false;
	histogram->n = json_array_size(array);
	if (histogram->n > RS_HISTOGRAM_BUCKETS)
		return rs_json_refuse(load, &place, "has more members than there can be");
	histogram->buckets = rs_arena_array(load->arena, histogram->n, sizeof(*histogram->buckets));
	if (!histogram->buckets)
		return no_memory(load);
	for (size_t i = 0; i < histogram->n; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		if (!load_bucket(load, &here, json_array_get(array, i), &histogram->buckets[i]))
			return false;
	}
	return true;
}

static bool load_value(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, struct rs_value *value)
{
	if (!rs_json_get_struct(load, place, object, &rs_fields_value, value))
		return false;
	value->status = json_is_false(json_object_get(object, "is_known")) ? RS_VALUE_NOT_SUPPORTED
									   : RS_VALUE_OK;
	value->histogram.incomplete = json_is_true(json_object_get(object, "is_incomplete"));
	return load_buckets(load, place, object, &value->histogram);
}

/* One for each event, and what the slowest call had of time and of each. */
static bool load_values(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, const struct rs_collection *out, struct rs_cell_copy *cell)
{
	const struct rs_json_place at_values = {.above = place, .key = "values"};
	const struct rs_json_place at_slowest = {.above = place, .key = "slowest"};
	const json_t *values = rs_json_get(load, place, object, "values", JSON_ARRAY);
	const json_t *slowest = rs_json_get(load, place, object, "slowest", JSON_ARRAY);
	size_t n = rs_collection_n_values(out), n_slowest = 1 + out->n_events;
	if (!values || !slowest)
		return false;
	if (json_array_size(values) != n || json_array_size(slowest) != n_slowest)
		return rs_json_refuse(load, json_array_size(values) != n ? &at_values : &at_slowest,
			"has not one for each event");
	cell->values = rs_arena_array(load->arena, n, sizeof(*cell->values));
	cell->slowest = rs_arena_array(load->arena, n_slowest, sizeof(*cell->slowest));
	if (!cell->values || !cell->slowest)
		return no_memory(load);
	for (size_t i = 0; i < n; i++) {
		const struct rs_json_place here = {.above = &at_values, .index = i};
		if (!load_value(load, &here, json_array_get(values, i), &cell->values[i]))
			return false;
	}
	for (size_t i = 0; i < n_slowest; i++) {
		const struct rs_json_place here = {.above = &at_slowest, .index = i};
		const json_t *value = json_array_get(slowest, i);
		cell->slowest[i] = UINT64_MAX;
		if (!json_is_null(value) && !rs_json_get_u64(load, &here, value, &cell->slowest[i]))
			return false;
	}
	return true;
}

/* Where calls began; older files do not say. */
static bool load_parents(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *object, struct rs_cell_copy *cell)
{
	const struct rs_json_place place = {.above = above, .key = "parents"};
	const json_t *array = json_object_get(object, "parents");
	if (json_array_size(array) > RS_PARENTS)
		return rs_json_refuse(load, &place, "has more members than there can be");
	cell->n_parents = (uint32_t)json_array_size(array);
	for (uint32_t i = 0; i < cell->n_parents; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		const json_t *value = json_array_get(array, i);
		uint64_t parent = RS_NO_REGION;
		if (!json_is_null(value) && !rs_json_get_u64(load, &here, value, &parent))
			return false;
		if (parent >= RS_MAX_REGIONS && !json_is_null(value))
			return rs_json_refuse(load, &here, "is no region");
		cell->parents[i] = (uint16_t)parent;
	}
	return true;
}

static bool load_octave(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, uint32_t n_events, struct rs_octave *octave)
{
	const struct rs_json_place at_sums = {.above = place, .key = "sums"};
	static const struct rs_json_field fields[] = {
		RS_JSON_FIELD(rs_octave, low_ns, U64),
		RS_JSON_FIELD(rs_octave, weight, U64),
	};
	const struct rs_json_fields table = RS_JSON_FIELDS(fields);
	if (!rs_json_get_struct(load, place, object, &table, octave))
		return false;
	const json_t *sums = rs_json_get(load, place, object, "sums", JSON_ARRAY);
	if (!sums)
		return false;
	if (json_array_size(sums) != n_events)
		return rs_json_refuse(load, &at_sums, "has not one for each event");
	octave->sums = rs_arena_array(load->arena, n_events, sizeof(*octave->sums));
	if (!octave->sums)
		return no_memory(load);
	for (uint32_t e = 0; e < n_events; e++) {
		const struct rs_json_place here = {.above = &at_sums, .index = e};
		if (!rs_json_get_u64(load, &here, json_array_get(sums, e), &octave->sums[e]))
			return false;
	}
	return true;
}

/* What calls used by how long they took; older files do not say. */
static bool load_octaves(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *object, uint32_t n_events, struct rs_cell_copy *cell)
{
	const struct rs_json_place place = {.above = above, .key = "octaves"};
	const json_t *array = json_object_get(object, "octaves");
	if (json_array_size(array) > MOST_OCTAVES)
		return rs_json_refuse(load, &place, "has more members than there can be");
	cell->n_octaves = (uint32_t)json_array_size(array);
	cell->octaves = rs_arena_array(load->arena, cell->n_octaves, sizeof(*cell->octaves));
	if (!cell->octaves)
		return no_memory(load);
	for (uint32_t i = 0; i < cell->n_octaves; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		if (!load_octave(
			    load, &here, json_array_get(array, i), n_events, &cell->octaves[i]))
			return false;
	}
	return true;
}

static bool load_cell(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, const struct rs_collection *out, struct rs_cell_copy *cell)
{
	return load_values(load, place, object, out, cell) &&
	       load_parents(load, place, object, cell) &&
	       load_octaves(load, place, object, out->n_events, cell);
}

/* How a region by address came to its name; older files do not say. */
static bool load_place(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *object, enum rs_region_place *place)
{
	const struct rs_json_place here = {.above = above, .key = "place"};
	const json_t *value = json_object_get(object, "place");
	const char *word = json_string_value(value);
	*place = RS_REGION_PLACE_NONE;
	for (size_t i = 0; word && i < RS_REGION_PLACE_N; i++) {
		if (strcmp(word, rs_record_places[i]) != 0)
			continue;
		*place = (enum rs_region_place)i;
		return true;
	}
	return !value || rs_json_refuse(load, &here, "is no such word");
}

static bool load_regions(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *measured, struct rs_collection *out)
{
	const struct rs_json_place place = {.above = above, .key = "regions"};
	const json_t *array = json_object_get(measured, "regions");
	out->regions = load_list(load, above, measured, "regions", &rs_fields_region,
		sizeof(*out->regions), RS_MAX_REGIONS, &out->n_regions);
	for (size_t i = 0; out->regions && i < out->n_regions; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		if (!load_place(load, &here, json_array_get(array, i), &out->regions[i].place))
			return false;
	}
	return out->regions;
}

bool rs_load_measured(
	const struct rs_json_load *load, struct rs_saved_run *run, const json_t *measured)
{
	struct rs_collection *out = &run->collection;
	const struct rs_json_place place = {.key = "measured"};
	const struct rs_json_place at_cells = {.above = &place, .key = "cells"};
	if (!json_is_object(measured))
		return rs_json_refuse(load, &place, "is neither an object nor null");
	if (!load_counts(load, &place, measured, out))
		return false;
	if (!load_regions(load, &place, measured, out))
		return false;
	/* older files have none */
	if (json_object_get(measured, "adapters")) {
		out->adapters = load_list(load, &place, measured, "adapters", &rs_fields_adapter,
			sizeof(*out->adapters), RS_MAX_ADAPTERS, &out->n_adapters);
		if (!out->adapters)
			return false;
	}
	out->processes = load_list(load, &place, measured, "processes", &rs_fields_process,
		sizeof(*out->processes), RS_MAX_PROCESSES, &out->n_processes);
	if (!out->processes)
		return false;
	out->slots = load_list(load, &place, measured, "threads", &rs_fields_slot,
		sizeof(*out->slots), RS_MAX_SLOTS, &out->n_slots);
	if (!out->slots)
		return false;
	out->cells = load_list(load, &place, measured, "cells", &rs_fields_cell,
		sizeof(*out->cells), MOST_CELLS, &out->n_cells);
	const json_t *cells = json_object_get(measured, "cells");
	for (size_t i = 0; out->cells && i < out->n_cells; i++) {
		const struct rs_json_place here = {.above = &at_cells, .index = i};
		if (!load_cell(load, &here, json_array_get(cells, i), out, &out->cells[i]))
			return false;
	}
	return out->cells;
}
