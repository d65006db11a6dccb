/* SPDX-License-Identifier: MIT */
/*
 * From a run to the members of a JSON document. Cells with their histograms may be many, so they
 * are made and written one by one.
 */
#include "record/save.h"

#include "record/fields.h"
#include "record/metrics.h"

/* Reals are read back as they were. */
#define REAL_DIGITS 17

/* Write one member of the document. value: taken over. */
static bool write_member(const char *before, const char *key, json_t *value, FILE *stream)
{
	fprintf(stream, "%s\"%s\":", before, key);
	return rs_json_write(value, REAL_DIGITS, stream);
}

/* items[n] of so many bytes each as an array. */
static json_t *structs(
	const struct rs_json_fields *fields, const void *items, size_t n, size_t bytes)
{
	json_t *array = json_array();
	for (size_t i = 0; array && i < n; i++) {
		if (rs_json_append(array, rs_json_struct(fields, (const char *)items + i * bytes)))
			continue;
		json_decref(array);
		return NULL;
	}
	return array;
}

/* value if done, else nothing. */
static json_t *keep_if(bool done, json_t *value)
{
	if (done)
		return value;
	json_decref(value);
	return NULL;
}

static json_t *command(char *const *argv)
{
	json_t *array = json_array();
	bool done = array;
	for (size_t i = 0; done && argv[i]; i++)
		done = rs_json_append(array, rs_json_bytes(argv[i]));
	return keep_if(done, array);
}

static json_t *how_measured(const struct rs_record_how *how)
{
	json_t *object = rs_json_struct(&rs_fields_how, how), *only = json_array();
	bool done = only;
	for (size_t i = 0; done && i < how->n_only; i++)
		done = rs_json_append(only, rs_json_bytes(how->only[i]));
	done = rs_json_set(object, "only", only) && done;
	done = done &&
	       rs_json_set(object, "slow",
		       structs(&rs_fields_slow, how->slow, how->n_slow, sizeof(*how->slow)));
	/* as before there were adapters, where the program got none */
	if (done && how->n_markers > 0)
		done = rs_json_set(object, "markers",
			structs(&rs_fields_marker, how->markers, how->n_markers,
				sizeof(*how->markers)));
	return keep_if(done && rs_json_set(object, "samples",
				       structs(&rs_fields_sample, how->samples, how->n_samples,
					       sizeof(*how->samples))),
		object);
}

static json_t *attr_of(const struct perf_event_attr *attr)
{
	json_t *object = json_object(), *exclude = json_array();
	bool done = rs_json_set(object, "type", rs_json_u64(attr->type)) &&
		    rs_json_set(object, "config", rs_json_u64(attr->config)) &&
		    rs_json_set(object, "config1", rs_json_u64(attr->config1)) &&
		    rs_json_set(object, "config2", rs_json_u64(attr->config2)) &&
		    rs_json_set(object, "precise", rs_json_u64(attr->precise_ip));
	for (size_t i = 0; done && i < RS_RECORD_EXCLUDES; i++)
		if (rs_record_excludes[i].get(attr))
			done = rs_json_append(exclude, json_string(rs_record_excludes[i].word));
	done = rs_json_set(object, "exclude", exclude) && done;
	return keep_if(done, object);
}

static json_t *event_of(const struct rs_event *event)
{
	static const char *const statuses[] = {[RS_EVENT_OK] = "ok",
		[RS_EVENT_NOT_SUPPORTED] = "not-supported",
		[RS_EVENT_NOT_PERMITTED] = "not-permitted"};
	json_t *object = rs_json_struct(&rs_fields_event, event);
	json_t *generic = event->generic ? json_string(event->generic->name) : json_null();
	bool done = rs_json_set(object, "generic", generic) &&
		    rs_json_set(object, "status", json_string(statuses[event->status])) &&
		    rs_json_set(object, "attr", attr_of(&event->attr));
	return keep_if(done, object);
}

static json_t *plan_of(const struct rs_plan *plan)
{
	json_t *object = rs_json_struct(&rs_fields_plan, plan), *events = json_array();
	bool done = object && events;
	for (size_t i = 0; done && i < plan->n_events; i++)
		done = rs_json_append(events, event_of(&plan->events[i]));
	done = rs_json_set(object, "events", events) && done;
	/* as before there were metrics, where none was asked for */
	if (done && plan->n_metrics > 0)
		done = rs_json_set(object, "metrics", rs_record_metrics(plan));
	done = done &&
	       rs_json_set(object, "groups",
		       structs(&rs_fields_group, plan->groups, plan->n_groups,
			       sizeof(*plan->groups))) &&
	       rs_json_set(object, "core_pmus",
		       structs(&rs_fields_core_pmu, plan->core_pmus.items, plan->core_pmus.n,
			       sizeof(plan->core_pmus.items[0])));
	return keep_if(done, object);
}

static json_t *outcome_of(const struct rs_outcome *outcome, size_t n_events)
{
	json_t *object = rs_json_struct(&rs_fields_outcome, outcome);
	size_t n_totals = outcome->totals ? n_events : 0;
	bool done =
		rs_json_set(
			object, "begin", rs_json_struct(&rs_fields_clock_point, &outcome->begin)) &&
		rs_json_set(object, "end", rs_json_struct(&rs_fields_clock_point, &outcome->end)) &&
		rs_json_set(object, "usage", rs_json_struct(&rs_fields_usage, &outcome->usage)) &&
		rs_json_set(object, "totals",
			structs(&rs_fields_total, outcome->totals, n_totals,
				sizeof(*outcome->totals))) &&
		rs_json_set(object, "running",
			structs(&rs_fields_running, outcome->running.items, outcome->running.n,
				sizeof(*outcome->running.items)));
	return keep_if(done, object);
}

bool rs_record_save_facts(const struct rs_record *record, FILE *stream)
{
	return write_member("", "run", rs_json_bytes(record->label), stream) &&
	       write_member(",\n", "started", json_integer(record->started_s), stream) &&
	       write_member(",\n", "command", command(record->argv), stream) &&
	       write_member(",\n", "machine", rs_json_struct(&rs_fields_machine, &record->machine),
		       stream) &&
	       write_member(",\n", "how", how_measured(&record->how), stream) &&
	       write_member(",\n", "plan", plan_of(record->plan), stream) &&
	       write_member(",\n", "outcome", outcome_of(record->outcome, record->plan->n_events),
		       stream);
}

/* Buckets as [low, high, count] each: low <= value < high. */
static json_t *buckets_of(const struct rs_histogram *histogram)
{
	json_t *array = json_array();
	bool done = array;
	for (size_t i = 0; done && i < histogram->n; i++) {
		const struct rs_bucket *bucket = &histogram->buckets[i];
		json_t *numbers = json_array();
		done = rs_json_append(array, numbers) &&
		       rs_json_append(numbers, rs_json_u64(bucket->low)) &&
		       rs_json_append(numbers, rs_json_u64(bucket->high)) &&
		       rs_json_append(numbers, rs_json_u64(bucket->count));
	}
	return keep_if(done, array);
}

static json_t *value_of(const struct rs_value *value)
{
	json_t *object = rs_json_struct(&rs_fields_value, value);
	bool done = rs_json_set(object, "is_known", json_boolean(value->status == RS_VALUE_OK)) &&
		    rs_json_set(object, "buckets", buckets_of(&value->histogram)) &&
		    rs_json_set(object, "is_incomplete", json_boolean(value->histogram.incomplete));
	return keep_if(done, object);
}

/* The regions in which calls began, by index; null for none. */
static json_t *parents_of(const struct rs_cell_copy *cell)
{
	json_t *array = json_array();
	bool done = array;
	for (uint32_t i = 0; done && i < cell->n_parents; i++)
		done = rs_json_append(array, cell->parents[i] == RS_NO_REGION
						     ? json_null()
						     : json_integer(cell->parents[i]));
	return keep_if(done, array);
}

/* What calls used by how long they took: each octave with the least ns that fall into it. */
static json_t *octaves_of(const struct rs_cell_copy *cell, uint32_t n_events)
{
	json_t *array = json_array();
	bool done = array;
	for (uint32_t i = 0; done && i < cell->n_octaves; i++) {
		const struct rs_octave *octave = &cell->octaves[i];
		json_t *object = json_object(), *sums = json_array();
		done = rs_json_append(array, object) &&
		       rs_json_set(object, "low_ns", rs_json_u64(octave->low_ns)) &&
		       rs_json_set(object, "weight", rs_json_u64(octave->weight));
		for (uint32_t e = 0; done && e < n_events; e++)
			done = rs_json_append(sums, rs_json_u64(octave->sums[e]));
		done = rs_json_set(done ? object : NULL, "sums", sums) && done;
	}
	return keep_if(done, array);
}

static json_t *cell_of(const struct rs_cell_copy *cell, const struct rs_collection *collection)
{
	json_t *object = rs_json_struct(&rs_fields_cell, cell);
	json_t *values = json_array(), *slowest = json_array();
	bool done = object;
	for (uint32_t v = 0; done && v < rs_collection_n_values(collection); v++)
		done = rs_json_append(values, value_of(&cell->values[v]));
	for (uint32_t q = 0; done && q <= collection->n_events; q++)
		done = rs_json_append(slowest, cell->slowest[q] == UINT64_MAX
						       ? json_null()
						       : rs_json_u64(cell->slowest[q]));
	done = done && rs_json_set(object, "parents", parents_of(cell)) &&
	       rs_json_set(object, "octaves", octaves_of(cell, collection->n_events));
	done = rs_json_set(object, "values", values) && done;
	done = rs_json_set(object, "slowest", slowest) && done;
	return keep_if(done, object);
}

static bool write_cells(const struct rs_collection *collection, FILE *stream)
{
	fputs(",\n\"cells\":[", stream);
	for (size_t i = 0; i < collection->n_cells; i++) {
		fputs(i > 0 ? ",\n" : "\n", stream);
		if (!rs_json_write(cell_of(&collection->cells[i], collection), REAL_DIGITS, stream))
			return false;
	}
	putc(']', stream);
	return true;
}

/* The group of each quantity that is an event's. */
static json_t *quantity_groups(const struct rs_collection *collection)
{
	json_t *array = json_array();
	bool done = array;
	for (uint32_t i = 1; done && i <= collection->n_events; i++)
		done = rs_json_append(array, json_integer(collection->quantity_group[i]));
	return keep_if(done, array);
}

static json_t *regions_of(const struct rs_collection *out)
{
	json_t *array = structs(
		&rs_fields_region, out->regions, out->n_regions, sizeof(*out->regions));
	bool done = array;
	for (size_t i = 0; done && i < out->n_regions; i++)
		done = rs_json_set(json_array_get(array, i), "place",
			json_string(rs_record_places[out->regions[i].place]));
	return keep_if(done, array);
}

/* What adapters met, where there was any. */
static bool write_adapters(const struct rs_collection *out, FILE *stream)
{
	return out->n_adapters == 0 || write_member(",\n", "adapters",
					       structs(&rs_fields_adapter, out->adapters,
						       out->n_adapters, sizeof(*out->adapters)),
					       stream);
}

bool rs_record_save_measured(const struct rs_record *record, FILE *stream)
{
	const struct rs_collection *out = record->collection;
	if (!out)
		return write_member("", "measured", json_null(), stream);
	fputs("\"measured\":{\n", stream);
	bool done = write_member(
			    "", "counts", rs_json_struct(&rs_fields_collection, out), stream) &&
		    write_member(",\n", "quantity_groups", quantity_groups(out), stream) &&
		    write_member(",\n", "regions", regions_of(out), stream) &&
		    write_adapters(out, stream) &&
		    write_member(",\n", "processes",
			    structs(&rs_fields_process, out->processes, out->n_processes,
				    sizeof(*out->processes)),
			    stream) &&
		    write_member(",\n", "threads",
			    structs(&rs_fields_slot, out->slots, out->n_slots, sizeof(*out->slots)),
			    stream) &&
		    write_cells(out, stream);
	putc('}', stream);
	return done;
}
