/* SPDX-License-Identifier: MIT */
/*
 * From a run to its document. Results with their histograms may be many, so they are made and written one
 * by one.
 */
#include "record/save.h"

#include <string.h>
#include <sys/wait.h>

#include "record/document.h"

struct saver {
	struct rs_document document;
	const struct rs_plan *plan;
	uint32_t *places; /* of each process entry in the document's processes */
	uint32_t event_of[1 + RS_MAX_EVENTS]; /* of each event's number in the segment */
	struct rs_arena arena;
};

/* An array of the arena; *failed is set where there is no memory. */
static void *make(struct saver *saver, size_t n, size_t bytes, bool *failed)
{
	void *array = rs_arena_array(&saver->arena, n, bytes);
	*failed |= !array;
	return array;
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

static void fill_run(struct rs_document *document, char *const *argv)
{
	const struct rs_outcome *outcome = &document->outcome;
	int status = outcome->wait_status;
	document->argv = (const char **)argv;
	while (argv[document->n_argv])
		document->n_argv++;
	document->exit_status = WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status) : 0;
	document->signal = WIFSIGNALED(status) ? (uint32_t)WTERMSIG(status) : 0;
	document->begin_ns = outcome->begin.monotonic_ns;
	if (outcome->end.monotonic_ns > document->begin_ns)
		document->elapsed_ns = outcome->end.monotonic_ns - document->begin_ns;
	document->user_ns = timeval_ns(&outcome->usage.ru_utime);
	document->system_ns = timeval_ns(&outcome->usage.ru_stime);
}

static bool fill_events(struct saver *saver)
{
	struct rs_document *document = &saver->document;
	const struct rs_plan *plan = saver->plan;
	bool failed = false;
	document->n_events = RS_EVENT_FIRST + plan->n_events;
	document->events = make(saver, document->n_events, sizeof(*document->events), &failed);
	if (failed)
		return false;
	for (uint32_t i = 0; i < RS_EVENT_FIRST; i++)
		document->events[i].event = (struct rs_event){.name = (char *)rs_document_events[i],
			.unit = "ns",
			.group = -1,
			.in_regions = true};
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *event = &plan->events[i];
		document->events[RS_EVENT_FIRST + i] = (struct rs_saved_event){.event = *event,
			.generic = event->generic ? event->generic->name : NULL,
			.exclude = rs_document_exclude(&event->attr),
			.precise = event->attr.precise_ip};
		if (event->quantity > 0)
			saver->event_of[event->quantity] = (uint32_t)(RS_EVENT_FIRST + i);
	}
	return true;
}

/* The event with that number in a process's values; 0: none. */
static uint32_t event_of(const struct saver *saver, uint32_t quantity)
{
	return quantity > 0 ? saver->event_of[quantity] : UINT32_MAX;
}

static bool fill_metrics(struct saver *saver)
{
	struct rs_document *document = &saver->document;
	bool failed = false;
	document->n_metrics = saver->plan->n_metrics;
	document->metrics = make(saver, document->n_metrics, sizeof(*document->metrics), &failed);
	for (size_t i = 0; !failed && i < document->n_metrics; i++) {
		const struct rs_plan_metric *metric = &saver->plan->metrics[i];
		const struct rs_metric_rule *rule = metric->rule;
		document->metrics[i] = (struct rs_saved_metric){rule->name, rule->label, rule->unit,
			rule->text, metric->reason, (const char **)rule->events, rule->n_events,
			(size_t *)metric->positions, metric->reason ? 0 : rule->n_events,
			(size_t *)rule->event_of, rule->formula.n_operands};
	}
	return !failed;
}

static bool fill_totals(struct saver *saver)
{
	struct rs_document *document = &saver->document;
	const struct rs_total *totals = document->outcome.totals;
	bool failed = false;
	document->n_totals = totals ? saver->plan->n_events : 0;
	document->totals = make(saver, document->n_totals, sizeof(*document->totals), &failed);
	for (size_t i = 0; !failed && i < document->n_totals; i++)
		document->totals[i] = (struct rs_saved_total){
			(uint32_t)(RS_EVENT_FIRST + i), totals[i]};
	return !failed;
}

/* The processes that anything is of, in the order of their entries. Where no entry could be read,
 * theirs is blank. */
static bool fill_processes(struct saver *saver)
{
	struct rs_document *document = &saver->document;
	const struct rs_collection *from = &document->collection;
	const struct rs_running *running = &document->outcome.running;
	bool failed = false, *is_there = make(saver, RS_MAX_PROCESSES, sizeof(bool), &failed);
	saver->places = make(saver, RS_MAX_PROCESSES, sizeof(*saver->places), &failed);
	if (failed)
		return false;
	for (size_t i = 0; i < from->n_processes; i++)
		is_there[from->processes[i].index] = true;
	for (size_t i = 0; i < from->n_slots; i++)
		is_there[from->slots[i].process] = true;
	for (size_t i = 0; i < running->n; i++)
		is_there[running->items[i].index] = true;
	for (uint32_t index = 0; index < RS_MAX_PROCESSES; index++)
		if (is_there[index])
			saver->places[index] = (uint32_t)document->n_processes++;
	document->processes = make(
		saver, document->n_processes, sizeof(*document->processes), &failed);
	size_t next = 0;
	for (uint32_t index = 0; !failed && index < RS_MAX_PROCESSES; index++) {
		if (!is_there[index])
			continue;
		struct rs_saved_process saved = {
			{.index = index}, UINT32_MAX, UINT32_MAX, UINT32_MAX};
		if (next < from->n_processes && from->processes[next].index == index) {
			saved.process = from->processes[next++];
			saved.rank = saved.process.has_rank ? saved.process.rank : UINT32_MAX;
			saved.open_event = event_of(saver, saved.process.open_quantity);
			saved.inactive_event = event_of(saver, saved.process.inactive_quantity);
		}
		document->processes[saver->places[index]] = saved;
	}
	return !failed;
}

/* Threads and running processes say which process it is by its place. */
static bool place_processes(struct saver *saver)
{
	struct rs_collection *collection = &saver->document.collection;
	struct rs_running *running = &saver->document.outcome.running;
	const struct rs_slot_copy *slots = collection->slots;
	const struct rs_running_process *items = running->items;
	bool failed = false;
	collection->slots = make(saver, collection->n_slots, sizeof(*slots), &failed);
	running->items = make(saver, running->n, sizeof(*items), &failed);
	for (size_t i = 0; !failed && i < collection->n_slots; i++) {
		collection->slots[i] = slots[i];
		collection->slots[i].process = saver->places[slots[i].process];
	}
	for (size_t i = 0; !failed && i < running->n; i++) {
		running->items[i] = items[i];
		running->items[i].index = saver->places[items[i].index];
	}
	return !failed;
}

static void fill_octaves(struct rs_saved_result *result, uint32_t n_events)
{
	result->n_octaves = result->cell.n_octaves;
	for (size_t i = 0; i < result->n_octaves; i++) {
		const struct rs_octave *octave = &result->cell.octaves[i];
		result->octaves[i] = (struct rs_saved_octave){
			octave->low_ns, octave->weight, octave->sums, n_events};
	}
}

static void fill_values(const struct saver *saver, struct rs_saved_result *result)
{
	const struct rs_cell_copy *cell = &result->cell;
	for (uint32_t i = 0; i < result->n_values; i++) {
		uint32_t quantity = i < RS_EVENT_FIRST ? 0 : i - RS_EVENT_FIRST + 1;
		bool has_quantity = i == RS_EVENT_TIME || quantity > 0;
		result->values[i] = (struct rs_saved_value){
			quantity > 0 ? saver->event_of[quantity] : i, cell->values[i],
			has_quantity ? cell->slowest[quantity] : UINT64_MAX,
			has_quantity && cell->clamped_quantities >> quantity & 1};
	}
}

static bool write_results(struct saver *saver, FILE *stream)
{
	const struct rs_collection *from = &saver->document.collection;
	struct rs_saved_result result = {.n_values = rs_collection_n_values(from)};
	size_t most_octaves = 0;
	bool failed = false;
	for (size_t i = 0; i < from->n_cells; i++)
		if (from->cells[i].n_octaves > most_octaves)
			most_octaves = from->cells[i].n_octaves;
	result.values = make(saver, result.n_values, sizeof(*result.values), &failed);
	result.octaves = make(saver, most_octaves, sizeof(*result.octaves), &failed);
	fputs("\"results\":[", stream);
	for (size_t i = 0; !failed && i < from->n_cells; i++) {
		result.cell = from->cells[i];
		result.calls = result.cell.calls + result.cell.skipped;
		while (from->slots[result.thread].index < result.cell.slot)
			result.thread++;
		result.parents = result.cell.parents;
		result.n_parents = result.cell.n_parents;
		fill_octaves(&result, from->n_events);
		fill_values(saver, &result);
		fputs(i > 0 ? ",\n" : "\n", stream);
		failed = !rs_json_write_struct(&rs_document_result, &result, stream);
	}
	fputs("],\n", stream);
	return !failed;
}

bool rs_record_save(const struct rs_record *record, FILE *stream)
{
	static const struct rs_collection none;
	struct saver saver = {.plan = record->plan,
		.document = {.record = *record,
			.plan = *record->plan,
			.outcome = *record->outcome,
			.collection = record->collection ? *record->collection : none}};
	struct rs_document *document = &saver.document;
	document->core_pmus = document->plan.core_pmus.items;
	fill_run(document, record->argv);
	fprintf(stream, "\"regionstat\":\"%s\",\n\"schema\":%d,\n", REGIONSTAT_VERSION,
		RS_RECORD_SCHEMA);
	bool done = fill_events(&saver) && fill_metrics(&saver) && fill_totals(&saver) &&
		    fill_processes(&saver) && place_processes(&saver) &&
		    rs_json_write_lines(&rs_document_facts, document, stream);
	if (done && record->collection)
		done = rs_json_write_lines(&rs_document_measured, document, stream) &&
		       write_results(&saver, stream);
	rs_arena_finish(&saver.arena);
	return done;
}
