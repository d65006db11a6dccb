/* SPDX-License-Identifier: MIT */
/*
 * This file writes a run as a document. A run may have many results with histograms, so each result
 * is converted and written before the next one.
 */
#include "record/record.h"

#include <sys/wait.h>

#include "record/document.h"

struct saver {
	struct rs_document document;
	struct rs_saved_value *values; /* the values of the result that is being written */
	struct rs_arena *arena;
};

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
	document->elapsed_ns = rs_outcome_elapsed_ns(outcome);
	document->user_ns = timeval_ns(&outcome->usage.ru_utime);
	document->system_ns = timeval_ns(&outcome->usage.ru_stime);
}

static void fill_events(struct rs_document *document, const struct rs_plan *plan)
{
	for (uint32_t i = 0; i < RS_EVENT_FIRST; i++)
		document->events[i].event = (struct rs_event){.name = (char *)rs_event_names[i],
			.unit = "ns",
			.group = -1,
			.in_regions = true};
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *event = &plan->events[i];
		document->events[RS_EVENT_FIRST + i] = (struct rs_saved_event){.event = *event,
			.generic = event->generic ? event->generic->name : NULL,
			.exclude = rs_document_exclude(&event->attr),
			.precise = event->attr.precise_ip};
	}
}

static void fill_metrics(struct rs_document *document, const struct rs_plan *plan)
{
	for (size_t i = 0; i < plan->n_metrics; i++) {
		const struct rs_plan_metric *metric = &plan->metrics[i];
		const struct rs_metric_rule *rule = metric->rule;
		document->metrics[i] = (struct rs_saved_metric){rule->name, rule->label, rule->unit,
			rule->text, metric->reason, (const char **)rule->events, rule->n_events,
			(size_t *)metric->positions, metric->reason ? 0 : rule->n_events,
			(size_t *)rule->event_of, rule->formula.n_operands};
	}
}

static void fill(struct saver *saver)
{
	struct rs_document *document = &saver->document;
	const struct rs_plan *plan = &document->plan;
	const struct rs_total *totals = document->outcome.totals;
	document->core_pmus = document->plan.core_pmus.items;
	document->n_events = RS_EVENT_FIRST + plan->n_events;
	document->events = rs_arena_array(
		saver->arena, document->n_events, sizeof(*document->events));
	document->n_metrics = plan->n_metrics;
	document->metrics = rs_arena_array(
		saver->arena, plan->n_metrics, sizeof(*document->metrics));
	document->n_totals = totals ? plan->n_events : 0;
	document->totals = rs_arena_array(
		saver->arena, document->n_totals, sizeof(*document->totals));
	saver->values = rs_arena_array(
		saver->arena, rs_run_n_values(&document->run), sizeof(*saver->values));
	fill_run(document, document->run.argv);
	fill_events(document, plan);
	fill_metrics(document, plan);
	for (size_t i = 0; i < document->n_totals; i++)
		document->totals[i] = (struct rs_saved_total){
			(uint32_t)(RS_EVENT_FIRST + i), totals[i]};
}

static void write_results(const struct saver *saver, FILE *stream)
{
	const struct rs_run *run = &saver->document.run;
	struct rs_saved_result saved = {.values = saver->values, .n_values = rs_run_n_values(run)};
	fputs("\"results\":[", stream);
	for (size_t i = 0; i < run->n_results; i++) {
		saved.result = run->results[i];
		for (uint32_t v = 0; v < saved.n_values; v++) {
			uint32_t counter = v < RS_EVENT_FIRST ? 0 : v - RS_EVENT_FIRST + 1;
			saved.values[v] = (struct rs_saved_value){
				counter > 0 ? rs_run_event_of(run, counter) : v,
				saved.result.values[v]};
		}
		fputs(i > 0 ? ",\n" : "\n", stream);
		rs_json_write_struct(&rs_document_result, &saved, stream);
	}
	fputs("],\n", stream);
}

void rs_run_save(const struct rs_run *run, struct rs_arena *arena, FILE *stream)
{
	struct saver saver = {
		.document = {.run = *run, .plan = *run->plan, .outcome = *run->outcome},
		.arena = arena};
	const struct rs_document *document = &saver.document;
	fprintf(stream, "\"regionstat\":\"%s\",\n\"schema\":%d,\n", REGIONSTAT_VERSION,
		RS_RECORD_SCHEMA);
	fill(&saver);
	rs_json_write_lines(&rs_document_facts, document, stream);
	if (!run->is_measured)
		return;
	rs_json_write_lines(&rs_document_measured, document, stream);
	write_results(&saver, stream);
}
