/* SPDX-License-Identifier: MIT */
/*
 * This file makes the headline of a report. On a narrow screen it omits one detail after another.
 * If the line is still too long, it shortens the command. If that is not enough, the headline has
 * several lines.
 */
#include "report/tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "base/width.h"
#include "record/record.h"
#include "report/format.h"
#include "report/grid.h"

#define LABEL_BYTES 512u
#define LEAST_COMMAND 8u
#define MOST_LABEL 300u
#define BOLD_OVERHEAD 0.05

/* Forms of the headline, longest first. The report uses the first form that fits. */
static const struct form {
	bool has_parts; /* show user and system time */
	bool has_cpus;
	bool has_whole;
	bool has_verdict; /* show if the run kept its budget, and what the overhead lacks */
	const char *gap;
} forms[] = {{true, true, true, true, "   "}, {false, true, true, true, "   "},
	{false, false, true, true, "   "}, {false, false, false, true, "  "},
	{false, false, false, false, "  "}, {false, false, false, false, "\n  "}};
#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

/* Return "500 ms elapsed". For merged runs, this is the elapsed time of the longest run. */
static const char *elapsed_text(
	const struct rs_summary *summary, const struct form *form, struct rs_arena *arena)
{
	uint64_t n = rs_run_n_merged(summary->run);
	const struct rs_cell_text elapsed = rs_format_total(summary->elapsed_ns, true);
	if (n == 1)
		return rs_arena_format(arena, "%s%s elapsed", form->gap, elapsed.text);
	return rs_arena_format(
		arena, "%s%" PRIu64 " runs%slongest %s", form->gap, n, form->gap, elapsed.text);
}

static const char *cpu_text(
	const struct rs_summary *summary, const struct form *form, struct rs_arena *arena)
{
	uint64_t cpu_ns = summary->user_ns + summary->system_ns;
	uint32_t cpus = summary->run->machine.cpus;
	const char *text = rs_arena_format(
		arena, "%s%s CPU", form->gap, rs_format_total(cpu_ns, true).text);
	/* merged runs may have run at the same time or one after the other */
	if (!form->has_cpus || summary->elapsed_ns == 0 || rs_run_n_merged(summary->run) > 1)
		return text;
	const char *parts = "";
	if (form->has_parts)
		parts = rs_arena_format(arena, "%s user, %s sys, ",
			rs_format_total(summary->user_ns, true).text,
			rs_format_total(summary->system_ns, true).text);
	const char *n_cpus = cpus > 0 ? rs_arena_format(arena, "%" PRIu32, cpus) : "?";
	return rs_arena_format(arena, "%s (%s%.2f of %s CPU%s)", text, parts,
		(double)cpu_ns / (double)summary->elapsed_ns, n_cpus, cpus == 1 ? "" : "s");
}

/* Return "(budget 1%: kept)" if the run had a budget. The overhead includes the first markers of
 * threads and those after context switches, which sampling cannot avoid. */
static const char *budget_text(const struct rs_summary *summary, struct rs_arena *arena)
{
	double budget = summary->run->how.budget_ppm / 1e6;
	return budget > 0 ? rs_arena_format(arena, " (budget %.6g%%: %s)", budget * 100,
				    summary->total.overhead.share > budget ? "missed" : "kept")
			  : "";
}

/* Markers of filtered regions count nothing, so nobody knows their overhead. */
static const char *filtered_text(const struct rs_run *run)
{
	bool has = false;
	for (size_t i = 0; !has && i < run->n_regions; i++)
		has = run->regions[i].flags & RS_REGION_IS_FILTERED;
	return has ? " + filtered calls" : "";
}

/* Return "overhead >=0.8% of CPU", or "" if the overhead is unknown. */
static const char *overhead_text(const struct rs_summary *summary, const struct form *form,
	bool utf8, struct rs_arena *arena)
{
	const struct rs_marker_overhead *cost = &summary->total.overhead;
	const char *of = summary->user_ns + summary->system_ns > 0 ? " of CPU" : "";
	if (!cost->known || !isfinite(cost->share))
		return "";
	return rs_arena_format(arena, "%soverhead %s%.*f%%%s%s%s", form->gap,
		utf8 ? "\xe2\x89\xa5" : ">=", cost->share < 0.0995 ? 1 : 0, cost->share * 100,
		form->has_whole ? of : "", form->has_verdict ? filtered_text(summary->run) : "",
		form->has_verdict ? budget_text(summary, arena) : "");
}

/* Return the command, with the program's name without its directory. */
static const char *command_of(const struct rs_summary *summary, struct rs_arena *arena)
{
	size_t n = 0;
	while (summary->argv[n])
		n++;
	char **argv = rs_arena_copy(arena, summary->argv, n + 1, sizeof(*argv));
	if (n > 0)
		argv[0] = (char *)rs_report_program(summary->argv);
	return rs_report_command_text(argv, arena);
}

const char *rs_headline_text(const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena)
{
	const struct rs_style *style = rs_style_get(options->color);
	const struct rs_marker_overhead *cost = &summary->total.overhead;
	bool is_dear = cost->known && cost->share > BOLD_OVERHEAD;
	const char *command = command_of(summary, arena), *line = "", *overhead = "";
	char label[LABEL_BYTES] = "", cut[LABEL_BYTES], end[64];
	size_t width = options->width > 0 ? (size_t)options->width : SIZE_MAX, others = 0;
	size_t n_command = rs_width_of(command);
	size_t n_least = n_command < LEAST_COMMAND ? n_command : LEAST_COMMAND;
	if (!options->label && summary->label && *summary->label &&
		!rs_record_is_default_label(summary->label))
		rs_text_escape(label, sizeof(label), summary->label);
	for (size_t i = 0; i < N_FORMS; i++) {
		bool is_last = i == N_FORMS - 1;
		rs_width_cut(cut, sizeof(cut), label, is_last ? width - 4 : MOST_LABEL);
		line = label[0] ? rs_arena_format(
					  arena, "%s\"%s\"", is_last ? forms[i].gap : " ", cut)
				: "";
		line = rs_arena_format(arena, "%s%s%s", line,
			elapsed_text(summary, &forms[i], arena),
			cpu_text(summary, &forms[i], arena));
		overhead = overhead_text(summary, &forms[i], options->utf8, arena);
		others = is_last ? 0 : rs_width_of(line) + rs_width_of(overhead);
		if ((forms[i].has_whole ? n_command : n_least) + others <= width)
			break;
	}
	size_t room = strlen(command) + 4; /* for an ellipsis and NUL */
	char *shown = rs_arena_array(arena, room, 1);
	rs_width_cut(shown, room, command, n_command + others <= width ? width : width - others);
	rs_end_text(end, summary);
	return rs_arena_format(arena, "%s%s%s%s%s%s%s%s%s%s%s", style->bold, shown, style->off,
		line, is_dear ? style->bold : "", overhead, is_dear ? style->off : "",
		end[0] ? "\n" : "", end[0] ? style->warn : "", end, end[0] ? style->off : "");
}

void rs_end_text(char text[64], const struct rs_summary *summary)
{
	const char *name = rs_signal_name(summary->term_signal);
	const char *before = summary->timed_out ? "timed out" : "";
	const char *gap = summary->timed_out ? ", " : "";
	text[0] = '\0';
	if (summary->term_signal != 0 && name)
		snprintf(text, 64, "%s%skilled by SIG%s (signal %d)", before, gap, name,
			summary->term_signal);
	else if (summary->term_signal != 0)
		snprintf(text, 64, "%s%skilled by signal %d", before, gap, summary->term_signal);
	else if (summary->timed_out)
		snprintf(text, 64, "timed out");
	else if (summary->exit_status != 0)
		snprintf(text, 64, "exit status %d", summary->exit_status);
}
