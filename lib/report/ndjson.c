/* SPDX-License-Identifier: MIT */
/*
 * This file writes the results of a run as newline-delimited JSON, for tools that read such files
 * as tables. Each line is an object of one of three kinds: run, value or bucket. Every value and
 * bucket names its region, event, process and thread, so that SQL can add up lines of many runs.
 */
#include <inttypes.h>
#include <math.h>

#include "record/json.h"
#include "report/report.h"

#define REAL_DIGITS 17 /* enough digits to restore every double */

struct ndjson {
	FILE *stream;
	const struct rs_summary *summary;
};

/* Write a member of the object and release value. */
static void set(struct ndjson *ndjson, const char *key, json_t *value)
{
	fprintf(ndjson->stream, ",\"%s\":", key);
	rs_json_write(value, REAL_DIGITS, ndjson->stream);
}

/* Write an integer of up to 64 bits. Tools guess the type of a column from all values of its key,
 * so no value may be a string of digits. */
static void set_number(struct ndjson *ndjson, const char *key, uint64_t number)
{
	fprintf(ndjson->stream, ",\"%s\":%" PRIu64, key, number);
}

/* Write a member unless the number is infinite or not a number, which JSON cannot express. */
static void set_real(struct ndjson *ndjson, const char *key, double number)
{
	if (isfinite(number))
		set(ndjson, key, json_real(number));
}

static void set_text(struct ndjson *ndjson, const char *key, const char *text)
{
	if (text && text[0])
		set(ndjson, key, rs_json_name(text));
}

static void start_line(struct ndjson *ndjson, const char *kind)
{
	fprintf(ndjson->stream, "{\"kind\":\"%s\"", kind);
	set_text(ndjson, "run", ndjson->summary->label);
}

static void end_line(struct ndjson *ndjson)
{
	fputs("}\n", ndjson->stream);
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
	start_line(ndjson, "run");
	set_text(ndjson, "regionstat", REGIONSTAT_VERSION);
	set(ndjson, "started", json_integer(run->started_s));
	set_text(ndjson, "host", run->machine.host);
	set_text(ndjson, "command", run->argv[0]);
	set_number(ndjson, "exit_status", (uint64_t)summary->exit_status);
	set_number(ndjson, "elapsed_ns", summary->elapsed_ns);
	set_number(ndjson, "user_ns", summary->user_ns);
	set_number(ndjson, "system_ns", summary->system_ns);
	set_number(ndjson, "processes", n_processes);
	set_number(ndjson, "threads", n_threads);
	end_line(ndjson);
}

static void start_value(
	struct ndjson *ndjson, const char *kind, const struct rs_result *result, uint32_t value)
{
	const struct rs_run *run = ndjson->summary->run;
	const struct rs_run_region *region = &run->regions[result->region];
	const struct rs_run_process *process = &run->processes[result->process];
	const struct rs_run_thread *thread = &run->threads[result->thread];
	const struct rs_event *event = NULL;
	start_line(ndjson, kind);
	if (value >= RS_EVENT_FIRST)
		event = rs_plan_event_of(run->plan, value - RS_EVENT_FIRST + 1);
	set_text(ndjson, "process", process->name);
	set_number(ndjson, "pid", process->pid);
	if (process->rank != RS_NO_RANK)
		set_number(ndjson, "rank", process->rank);
	set_text(ndjson, "thread", thread->name);
	set_number(ndjson, "tid", thread->tid);
	set_text(ndjson, "region", region->name);
	/* Always write this key. SQL statements group by it, and some engines reject a key that no
	 * line has. */
	set(ndjson, "object", rs_json_name(region->object ? region->object : ""));
	if (rs_run_work_of(run, result->region) != RS_NO_REGION) {
		set_text(ndjson, "work_of", run->regions[region->work_of - 1].name);
		set_number(ndjson, "work_bytes", region->work_bytes);
		set_number(ndjson, "work_flops", region->work_flops);
	}
	set_text(ndjson, "event", event ? event->name : rs_event_names[value]);
	set_text(ndjson, "part", event ? event->part_name : NULL);
}

static void write_value(struct ndjson *ndjson, const struct rs_result *result, uint32_t index)
{
	const struct rs_value *value = &result->values[index];
	start_value(ndjson, "value", result, index);
	set_text(ndjson, "status", rs_status_word(value->status));
	set_number(ndjson, "calls", result->calls);
	set_number(ndjson, "measured", result->measured);
	set_number(ndjson, "counted", value->counted);
	set_number(ndjson, "weight", value->weight);
	set_number(ndjson, "sum", value->sum);
	if (value->weight > 0) {
		set_number(ndjson, "min", value->min);
		set_number(ndjson, "max", value->max);
	}
	set_real(ndjson, "square", value->square);
	set_number(ndjson, "total", value->total);
	set(ndjson, "self", json_integer(value->self));
	set_real(ndjson, "variance", value->variance);
	set_number(ndjson, "enabled_ns", value->enabled_ns);
	set_number(ndjson, "running_ns", value->running_ns);
	end_line(ndjson);
	for (size_t i = 0; i < value->histogram.n; i++) {
		const struct rs_bucket *bucket = &value->histogram.buckets[i];
		start_value(ndjson, "bucket", result, index);
		set_number(ndjson, "lo", bucket->low);
		set_number(ndjson, "hi", bucket->high);
		set_number(ndjson, "count", bucket->count);
		end_line(ndjson);
	}
}

void rs_report_ndjson(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct ndjson ndjson = {.stream = stream, .summary = summary};
	const struct rs_run *run = summary->run;
	(void)options;
	(void)arena;
	write_run(&ndjson);
	for (size_t i = 0; i < run->n_results; i++)
		for (uint32_t v = 0; v < rs_run_n_values(run); v++)
			write_value(&ndjson, &run->results[i], v);
}
