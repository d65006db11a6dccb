/* SPDX-License-Identifier: MIT */
/*
 * This file writes the results of a run as newline-delimited JSON, for tools that read such files as
 * tables. Each line is an object of one of three kinds: run, value or bucket. Every value and bucket
 * names its region, event, process and thread, so that SQL adds up the lines of many runs.
 */
#include <math.h>

#include "record/json.h"
#include "report/report.h"

#define REAL_DIGITS 17 /* enough to restore every double */

struct ndjson {
	FILE *stream;
	const struct rs_summary *summary;
	bool failed; /* memory ran out */
};

/* Add a member. value is released. */
static void set(struct ndjson *ndjson, json_t *object, const char *key, json_t *value)
{
	ndjson->failed |= !rs_json_set(object, key, value);
}

static void set_number(struct ndjson *ndjson, json_t *object, const char *key, uint64_t number)
{
	set(ndjson, object, key, rs_json_u64(number));
}

/* Add a member unless the number is infinite or not a number, which JSON cannot express. */
static void set_real(struct ndjson *ndjson, json_t *object, const char *key, double number)
{
	if (isfinite(number))
		set(ndjson, object, key, json_real(number));
}

/* Add a member unless text is NULL or empty. */
static void set_text(struct ndjson *ndjson, json_t *object, const char *key, const char *text)
{
	if (text && text[0])
		set(ndjson, object, key, rs_json_shown(text));
}

static json_t *start_line(struct ndjson *ndjson, const char *kind)
{
	json_t *object = json_object();
	set(ndjson, object, "kind", json_string(kind));
	set_text(ndjson, object, "run", ndjson->summary->label);
	return object;
}

/* Write the object as a line and release it. */
static void end_line(struct ndjson *ndjson, json_t *object)
{
	ndjson->failed |= !rs_json_write(object, REAL_DIGITS, ndjson->stream);
	putc('\n', ndjson->stream);
}

static void write_run(struct ndjson *ndjson)
{
	const struct rs_summary *summary = ndjson->summary;
	const struct rs_run *run = summary->run;
	uint64_t n_processes = 0, n_threads = 0;
	for (size_t i = 0; i < run->n_processes; i++)
		n_processes += run->processes[i].n_merged > 0 ? run->processes[i].n_merged : 1;
	for (size_t i = 0; i < run->n_threads; i++)
		n_threads += run->threads[i].n_threads;
	json_t *line = start_line(ndjson, "run");
	set_text(ndjson, line, "regionstat", REGIONSTAT_VERSION);
	set(ndjson, line, "started", json_integer(run->started_s));
	set_text(ndjson, line, "host", run->machine.host);
	set_text(ndjson, line, "command", run->argv[0]);
	set_number(ndjson, line, "exit_status", (uint64_t)summary->exit_status);
	set_number(ndjson, line, "elapsed_ns", summary->elapsed_ns);
	set_number(ndjson, line, "user_ns", summary->user_ns);
	set_number(ndjson, line, "system_ns", summary->system_ns);
	set_number(ndjson, line, "processes", n_processes);
	set_number(ndjson, line, "threads", n_threads);
	end_line(ndjson, line);
}

/* Start a line with the names of a result and of one of its values. */
static json_t *start_value(
	struct ndjson *ndjson, const char *kind, const struct rs_result *result, uint32_t value)
{
	const struct rs_run *run = ndjson->summary->run;
	const struct rs_run_region *region = &run->regions[result->region];
	const struct rs_run_process *process = &run->processes[result->process];
	const struct rs_run_thread *thread = &run->threads[result->thread];
	const struct rs_event *event = NULL;
	json_t *line = start_line(ndjson, kind);
	if (value >= RS_EVENT_FIRST)
		event = &run->plan->events[rs_run_event_of(run, value - RS_EVENT_FIRST + 1) -
					   RS_EVENT_FIRST];
	set_text(ndjson, line, "process", process->name);
	set_number(ndjson, line, "pid", process->pid);
	if (process->rank != RS_NO_RANK)
		set_number(ndjson, line, "rank", process->rank);
	set_text(ndjson, line, "thread", thread->name);
	set_number(ndjson, line, "tid", thread->tid);
	set_text(ndjson, line, "region", region->name);
	/* always there: statements group by it, and some engines know only the keys that they see */
	set(ndjson, line, "object", rs_json_shown(region->object ? region->object : ""));
	if (rs_run_work_of(run, result->region) != RS_NO_REGION) {
		set_text(ndjson, line, "work_of", run->regions[region->work_of - 1].name);
		set_number(ndjson, line, "work_bytes", region->work_bytes);
		set_number(ndjson, line, "work_flops", region->work_flops);
	}
	set_text(ndjson, line, "event", event ? event->name : rs_event_names[value]);
	set_text(ndjson, line, "part", event ? event->part_name : NULL);
	return line;
}

static void write_value(struct ndjson *ndjson, const struct rs_result *result, uint32_t index)
{
	const struct rs_value *value = &result->values[index];
	json_t *line = start_value(ndjson, "value", result, index);
	set_text(ndjson, line, "status", rs_status_word(value->status));
	set_number(ndjson, line, "calls", result->calls);
	set_number(ndjson, line, "measured", result->measured);
	set_number(ndjson, line, "counted", value->counted);
	set_number(ndjson, line, "weight", value->weight);
	set_number(ndjson, line, "sum", value->sum);
	if (value->weight > 0) {
		set_number(ndjson, line, "min", value->min);
		set_number(ndjson, line, "max", value->max);
	}
	set_real(ndjson, line, "square", value->square);
	set_number(ndjson, line, "total", value->total);
	set(ndjson, line, "self", json_integer(value->self));
	set_real(ndjson, line, "variance", value->variance);
	set_number(ndjson, line, "enabled_ns", value->enabled_ns);
	set_number(ndjson, line, "running_ns", value->running_ns);
	end_line(ndjson, line);
	for (size_t i = 0; i < value->histogram.n; i++) {
		const struct rs_bucket *bucket = &value->histogram.buckets[i];
		line = start_value(ndjson, "bucket", result, index);
		set_number(ndjson, line, "lo", bucket->low);
		set_number(ndjson, line, "hi", bucket->high);
		set_number(ndjson, line, "count", bucket->count);
		end_line(ndjson, line);
	}
}

bool rs_report_ndjson(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	struct ndjson ndjson = {.stream = stream, .summary = summary};
	const struct rs_run *run = summary->run;
	(void)options;
	write_run(&ndjson);
	for (size_t i = 0; i < run->n_results; i++)
		for (uint32_t v = 0; v < rs_run_n_values(run); v++)
			write_value(&ndjson, &run->results[i], v);
	return !ndjson.failed;
}
