/* SPDX-License-Identifier: MIT */
/*
 * This file prints the plan of a run for --dry-run. The plan says which events the kernel allows
 * this process to count. The command does not run.
 */
#include "one_run.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "plan/host.h"
#include "stats/machine.h"
#include "report/format.h"
#include "segment/segment.h"

static void print_line(const char *title, const char *text, FILE *stream)
{
	fprintf(stream, "  %-13s%s\n", title, rs_text_shown(text).text);
}

/* Print the adapters of other marker APIs, and the environment variables for them. */
static void print_markers(const struct rs_markers *markers, FILE *stream)
{
	char text[256];
	for (size_t i = 0; i < markers->n; i++) {
		const struct rs_marker *marker = &markers->items[i];
		snprintf(text, sizeof(text), "%s, %s%s", rs_adapter_word(marker->api->adapter),
			marker->is_other ? "not loaded, since --markers names others: " : "",
			marker->is_asked ? "by --markers"
			: marker->why	 ? marker->why
					 : "used");
		print_line("markers", text, stream);
	}
	for (size_t i = 0; i < markers->environment.n; i++) {
		const struct rs_variable *variable = &markers->environment.variables[i];
		fprintf(stream, "  %-13s%s=", "variable", variable->name);
		rs_text_print(variable->value, strlen(variable->value), "\\n", stream);
		putc('\n', stream);
	}
}

static void print_environment(const char *runtime, const struct rs_markers *markers, FILE *stream)
{
	const struct rs_host *host = rs_host_self();
	struct rs_machine machine;
	char text[256], paranoid[32];
	rs_machine_find(&machine);
	int error = rs_host_read(
		paranoid, sizeof(paranoid), "%s/sys/kernel/perf_event_paranoid", host->proc);
	fprintf(stream, "environment:\n");
	snprintf(text, sizeof(text), "%s, %u CPUs", machine.architecture, machine.cpus);
	print_line("machine", text, stream);
	print_line("processor", machine.processor[0] ? machine.processor : "unknown", stream);
	print_line("kernel", machine.kernel, stream);
	snprintf(text, sizeof(text), "kernel.perf_event_paranoid %s, user %u",
		error ? "cannot be read" : paranoid, (unsigned)geteuid());
	print_line("permission", text, stream);
	print_line("clock",
		rs_clock_choose() == RS_CLOCK_COUNTER ? "the processor's counter"
						      : "clock_gettime(CLOCK_MONOTONIC)",
		stream);
	print_line("runtime",
		runtime ? runtime : "not found: only programs that are linked with it have regions",
		stream);
	snprintf(text, sizeof(text), "%s%s%s, in the program's environment", RS_SEGMENT_ENV,
		runtime ? ", " : "", runtime ? RS_RUNTIME_ENV : "");
	print_line("variables", text, stream);
	print_markers(markers, stream);
}

/* Print a text of several lines, and indent each line. */
static void print_indented(const char *text, FILE *stream)
{
	fputs("      ", stream);
	rs_text_print(text, strlen(text), "\n      ", stream);
	putc('\n', stream);
}

static const char *name_places(const struct rs_event *event)
{
	return event->in_regions && event->in_totals ? "regions, run"
	       : event->in_regions		     ? "regions"
	       : event->in_totals		     ? "run"
						     : "nowhere";
}

static void print_event(const struct rs_event *event, FILE *stream)
{
	char name[256];
	rs_text_escape(name, sizeof(name), event->part_name ? event->part_name : event->name);
	fprintf(stream, "  %-26s  ", name);
	if (event->status != RS_EVENT_OK) {
		fprintf(stream, "%s\n",
			event->status == RS_EVENT_NOT_PERMITTED ? "not permitted"
								: "not supported");
		print_indented(event->reason ? event->reason : "it cannot be counted here", stream);
		return;
	}
	fprintf(stream, "%-12s  group %d  type %u config 0x%llx%s%s%s\n", name_places(event),
		event->group, event->attr.type, (unsigned long long)event->attr.config,
		event->attr.exclude_user ? "" : " user",
		event->attr.exclude_kernel ? "" : " kernel",
		event->attr.exclude_hv ? "" : " hypervisor");
}

static void print_group(const struct rs_plan *plan, size_t index, FILE *stream)
{
	const struct rs_group *group = &plan->groups[index];
	fprintf(stream, "  group %zu: ", index);
	for (size_t i = 0; i < group->n_events; i++) {
		const struct rs_event *event = &plan->events[group->first + i];
		fprintf(stream, "%s%s", i > 0 ? ", " : "",
			rs_text_shown(event->part_name ? event->part_name : event->name).text);
	}
	fprintf(stream, "\n    %s\n",
		!group->in_regions     ? "for the run only"
		: group->pinned	       ? "in regions: pinned to the PMU"
		: plan->regions_rotate ? "in regions: multiplexed with others"
				       : "in regions: counted while its counters are free");
	if (plan->events[group->first].in_totals)
		fprintf(stream, "    for the run: %s\n",
			group->totals_apart   ? "event by event, not as one group"
			: group->totals_whole ? "all the time"
					      : "as one group");
}

/* Print an event that a metric needs, and the groups that contain this event. On a machine with
 * several types of cores, several groups may contain it. */
static void print_need(
	const struct rs_plan *plan, const struct rs_plan_metric *metric, size_t index, FILE *stream)
{
	const char *before = " (group ";
	fprintf(stream, "%s%s", index > 0 ? ", " : "",
		rs_text_shown(metric->rule->events[index]).text);
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *event = &plan->events[i];
		if (event->position != metric->positions[index] || event->status != RS_EVENT_OK)
			continue;
		fprintf(stream, "%s%d", before, event->group);
		before = ", ";
	}
	fputs(*before == ' ' ? " (not counted)" : ")", stream);
}

static void print_metrics(const struct rs_plan *plan, FILE *stream)
{
	if (plan->n_metrics > 0)
		fputs("metrics:\n", stream);
	for (size_t i = 0; i < plan->n_metrics; i++) {
		const struct rs_plan_metric *metric = &plan->metrics[i];
		fprintf(stream, "  %-26s  ", metric->rule->name);
		if (metric->reason) {
			fputs("not possible\n", stream);
			print_indented(metric->reason, stream);
			continue;
		}
		for (size_t e = 0; e < metric->rule->n_events; e++)
			print_need(plan, metric, e, stream);
		fputs(metric->rule->n_events > 0 ? "\n" : "no events\n", stream);
	}
}

static void print_slow(
	const struct rs_options *options, const struct rs_command_slow *slow, FILE *stream)
{
	const char *path = options->slow_output ? options->slow_output : "(standard error)";
	if (slow->n == 0)
		return;
	fputs("slow calls:\n", stream);
	for (size_t i = 0; i < slow->n; i++)
		fprintf(stream, "  %-26s  %s\n", rs_text_shown(slow->shown[i].region).text,
			rs_text_shown(slow->shown[i].condition).text);
	fprintf(stream, "  at most %u lines a second to %s\n", slow->lines_per_s,
		strcmp(path, "-") == 0 ? "(standard output)" : rs_text_shown(path).text);
}

static void print_counters(const struct rs_plan *plan, FILE *stream)
{
	size_t n_events = 0, n_groups = 0;
	for (size_t g = 0; g < plan->n_groups; g++) {
		if (!plan->groups[g].in_regions)
			continue;
		n_groups++;
		n_events += plan->groups[g].n_events;
	}
	fprintf(stream,
		"each thread with markers: %zu counter%s in %zu group%s, in addition to time\n",
		n_events, n_events == 1 ? "" : "s", n_groups, n_groups == 1 ? "" : "s");
}

static void print_reports(const struct rs_options *options, FILE *stream)
{
	fprintf(stream, "reports:\n");
	for (size_t i = 0; i < options->n_reports; i++) {
		const struct rs_report_wish *report = &options->reports[i];
		const char *path = report->path ? report->path : "(standard error)";
		print_line(report->format->name,
			strcmp(path, "-") == 0 ? "(standard output)" : path, stream);
	}
}

void rs_dry_run_print(const struct rs_options *options, const struct rs_plan *plan,
	const struct rs_command_slow *slow, const struct rs_markers *markers, const char *runtime,
	FILE *stream)
{
	struct rs_arena arena = {0};
	const char *command = rs_report_command_text(options->words, &arena);
	fprintf(stream, "command: %s\n", command && *command ? command : "none");
	rs_arena_finish(&arena);
	print_environment(runtime, markers, stream);
	fprintf(stream, "events:\n  %-26s  regions, run\n", "time");
	for (size_t i = 0; i < plan->n_events; i++)
		print_event(&plan->events[i], stream);
	fprintf(stream, "groups:%s\n", plan->n_groups > 0 ? "" : " none");
	for (size_t g = 0; g < plan->n_groups; g++)
		print_group(plan, g, stream);
	if (plan->fit_note)
		print_line("fit", plan->fit_note, stream);
	if (plan->note)
		print_line("note", plan->note, stream);
	print_counters(plan, stream);
	print_metrics(plan, stream);
	print_slow(options, slow, stream);
	if (options->by_work)
		fputs("calls with different work: separate rows\n", stream);
	if (options->labels)
		fputs("labels: other profilers see each thread's region\n", stream);
	print_reports(options, stream);
	fprintf(stream, "nothing was run\n");
}
