/* SPDX-License-Identifier: MIT */
/*
 * Reading what a saved run measured: its regions, processes and threads, and the cells with their
 * exact sums and histograms.
 */
#include "record/loader.h"
#include "segment/adapters.h"

#define MOST_CELLS ((size_t)RS_MAX_SLOTS * RS_MAX_REGIONS)
#define BUCKETS (RS_OCTAVES * RS_OCTAVE_BUCKETS)

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

static bool load_histogram(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *quantity, struct rs_histogram *histogram)
{
	const struct rs_json_place place = {.above = above, .key = "histogram"};
	const json_t *object = rs_json_get(load, above, quantity, "histogram", JSON_OBJECT);
	if (!object)
		return false;
	const json_t *low = rs_json_get(load, &place, object, "low", JSON_ARRAY);
	const json_t *count = rs_json_get(load, &place, object, "count", JSON_ARRAY);
	size_t n = json_array_size(low);
	if (!low || !count)
		return false;
	if (n > BUCKETS || n != json_array_size(count))
		return rs_json_refuse(load, &place, "has not as many counts as buckets");
	histogram->incomplete = json_is_true(json_object_get(object, "incomplete"));
	histogram->buckets = rs_arena_array(load->arena, n, sizeof(*histogram->buckets));
	histogram->counts = rs_arena_array(load->arena, n, sizeof(*histogram->counts));
	histogram->n = n;
	if (!histogram->buckets || !histogram->counts)
		return no_memory(load);
	for (size_t i = 0; i < n; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		uint64_t value;
		if (!rs_json_get_u64(load, &here, json_array_get(low, i), &value) ||
			!rs_json_get_u64(
				load, &here, json_array_get(count, i), &histogram->counts[i]))
			return false;
		histogram->buckets[i] = rs_bucket_of(value);
	}
	return true;
}

/* The event's moments, or time's with 0, and what the slowest call had of it. */
static bool load_quantity(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *quantity, const json_t *slowest, uint32_t index, struct rs_cell_copy *cell)
{
	struct rs_cell_moments *moments = &cell->moments[index];
	cell->slowest[index] = UINT64_MAX;
	return rs_json_get_struct(load, place, quantity, &rs_fields_moments, moments) &&
	       load_histogram(load, place, quantity, &moments->histogram) &&
	       (json_is_null(slowest) ||
		       rs_json_get_u64(load, place, slowest, &cell->slowest[index]));
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
		RS_JSON_FIELD(rs_octave, weights, U64),
	};
	const struct rs_json_fields table = RS_JSON_FIELDS(fields);
	uint64_t low;
	if (!rs_json_get_struct(load, place, object, &table, octave))
		return false;
	const json_t *sums = rs_json_get(load, place, object, "sums", JSON_ARRAY);
	if (!sums || !rs_json_get_u64(load, place, json_object_get(object, "low"), &low))
		return false;
	if (json_array_size(sums) != n_events)
		return rs_json_refuse(load, &at_sums, "has not one for each event");
	octave->block = rs_block_of(low);
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
	if (json_array_size(array) > RS_BLOCKS)
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
	const struct rs_json_place at_groups = {.above = place, .key = "groups"};
	const struct rs_json_place at_list = {.above = place, .key = "quantities"};
	const json_t *quantities = rs_json_get(load, place, object, "quantities", JSON_ARRAY);
	const json_t *slowest = rs_json_get(load, place, object, "slowest", JSON_ARRAY);
	size_t n_groups, n = rs_collection_n_quantities(out, cell);
	if (!quantities || !slowest)
		return false;
	cell->groups = load_list(load, place, object, "groups", &rs_fields_group_sums,
		sizeof(*cell->groups), out->n_groups, &n_groups);
	if (!cell->groups)
		return false;
	if (n_groups != out->n_groups)
		return rs_json_refuse(load, &at_groups, "has not one for each group");
	if (json_array_size(quantities) != n || json_array_size(slowest) != n)
		return rs_json_refuse(load, &at_list, "has not one for time and each event");
	cell->moments = rs_arena_array(load->arena, n, sizeof(*cell->moments));
	cell->slowest = rs_arena_array(load->arena, n, sizeof(*cell->slowest));
	if (!cell->moments || !cell->slowest)
		return no_memory(load);
	for (uint32_t i = 0; i < n; i++) {
		const struct rs_json_place here = {.above = &at_list, .index = i};
		if (!load_quantity(load, &here, json_array_get(quantities, i),
			    json_array_get(slowest, i), i, cell))
			return false;
	}
	return load_parents(load, place, object, cell) &&
	       load_octaves(load, place, object, out->n_events, cell);
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
	out->regions = load_list(load, &place, measured, "regions", &rs_fields_region,
		sizeof(*out->regions), RS_MAX_REGIONS, &out->n_regions);
	if (!out->regions)
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
