/* SPDX-License-Identifier: MIT */
/*
 * This file writes the headline of a report. On a narrow screen it omits one detail after another.
 * If the line is still too long, it shortens the command. If that is not enough, it writes several
 * lines.
 */
#include "report/tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "base/width.h"
#include "record/record.h"
#include "report/format.h"
#include "report/grid.h"

#define LINE_BYTES 1024u
#define LEAST_COMMAND 8u
#define MOST_LABEL 300u
#define BOLD_OVERHEAD 0.05

/* Forms of the headline, longest first. The report uses the first form that fits. */
static const struct form {
	bool has_parts; /* show user and system time */
	bool has_cpus;
	bool has_whole;
	const char *gap;
} forms[] = {{true, true, true, "   "}, {false, true, true, "   "}, {false, false, true, "   "},
	{false, false, false, "  "}, {false, false, false, " "}, {false, false, false, "\n  "}};
#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

static __attribute__((format(printf, 2, 3))) void append(char *line, const char *format, ...)
{
	size_t used = strlen(line);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(line + used, LINE_BYTES - used, format, arguments);
	va_end(arguments);
}

/* Append "500 ms elapsed". For merged runs, this is the elapsed time of the longest run. */
static void add_elapsed(char *line, const struct rs_summary *summary, const struct form *form)
{
	uint64_t n = rs_run_n_merged(summary->run);
	const struct rs_cell_text elapsed = rs_format_total(summary->elapsed_ns, true);
	if (n > 1)
		append(line, "%s%" PRIu64 " runs%slongest %s", form->gap, n, form->gap,
			elapsed.text);
	else
		append(line, "%s%s elapsed", form->gap, elapsed.text);
}

static void add_cpu(char *line, const struct rs_summary *summary, const struct form *form)
{
	uint64_t cpu_ns = summary->user_ns + summary->system_ns;
	uint32_t cpus = summary->run->machine.cpus;
	append(line, "%s%s CPU", form->gap, rs_format_total(cpu_ns, true).text);
	/* merged runs may have run at the same time or one after the other */
	if (!form->has_cpus || summary->elapsed_ns == 0 || rs_run_n_merged(summary->run) > 1)
		return;
	append(line, " (");
	if (form->has_parts)
		append(line, "%s user, %s sys, ", rs_format_total(summary->user_ns, true).text,
			rs_format_total(summary->system_ns, true).text);
	append(line, "%.2f of ", (double)cpu_ns / (double)summary->elapsed_ns);
	if (cpus > 0)
		append(line, "%" PRIu32 " CPU%s)", cpus, cpus == 1 ? "" : "s");
	else
		append(line, "? CPUs)");
}

/* Append "(budget 1%: kept)" if the run had a budget. The overhead includes the first markers of
 * threads and those after context switches, which sampling cannot avoid. */
static void add_budget(char text[96], const struct rs_summary *summary)
{
	double budget = summary->run->how.budget_ppm / 1e6;
	size_t used = strlen(text);
	if (budget > 0)
		snprintf(text + used, 96 - used, " (budget %.6g%%: %s)", budget * 100,
			summary->total.overhead.share > budget ? "missed" : "kept");
}

/* Set text to "overhead >=0.8% of CPU", or to "" if the overhead is unknown. */
static void overhead_text(
	char text[96], const struct rs_summary *summary, const struct form *form, bool utf8)
{
	const struct rs_marker_overhead *cost = &summary->total.overhead;
	const char *of = summary->user_ns + summary->system_ns > 0 ? " of CPU" : "";
	text[0] = '\0';
	if (cost->known && isfinite(cost->share))
		snprintf(text, 96, "%soverhead %s%.*f%%%s", form->gap,
			utf8 ? "\xe2\x89\xa5" : ">=", cost->share < 0.0995 ? 1 : 0,
			cost->share * 100, form->has_whole ? of : "");
	if (text[0] && form->has_whole)
		add_budget(text, summary);
}

/* Return a copy of argv with the program's name without its directory. The caller frees the array.
 * Return NULL if memory runs out. */
static char **short_argv(char *const *argv)
{
	size_t n = 0;
	while (argv[n])
		n++;
	char **shorter = calloc(n + 1, sizeof(*shorter));
	for (size_t i = 0; shorter && i < n; i++)
		shorter[i] = i == 0 ? (char *)rs_report_program(argv) : argv[i];
	return shorter;
}

static void write_command(const char *command, size_t columns, FILE *stream)
{
	size_t bytes = strlen(command) + 4; /* room for an ellipsis and NUL */
	char *cut = malloc(bytes);
	if (cut)
		rs_width_cut(cut, bytes, command, columns);
	fputs(cut ? cut : "", stream);
	free(cut);
}

void rs_headline_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	const struct rs_marker_overhead *cost = &summary->total.overhead;
	bool is_dear = cost->known && cost->share > BOLD_OVERHEAD;
	char line[LINE_BYTES], overhead[96], label[LINE_BYTES / 2] = "", cut[LINE_BYTES / 2];
	char end[64];
	char **argv = short_argv(summary->argv);
	char *command = rs_report_command_text(argv ? argv : summary->argv);
	size_t width = options->width > 0 ? (size_t)options->width : SIZE_MAX, others = 0;
	size_t n_command = command ? rs_width_of(command) : 0;
	size_t n_least = n_command < LEAST_COMMAND ? n_command : LEAST_COMMAND;
	if (!options->label && summary->label && *summary->label &&
		!rs_record_is_default_label(summary->label))
		rs_text_escape(label, sizeof(label), summary->label);
	for (size_t i = 0; i < N_FORMS; i++) {
		bool is_last = i == N_FORMS - 1;
		line[0] = '\0';
		rs_width_cut(cut, sizeof(cut), label, is_last ? width - 4 : MOST_LABEL);
		if (label[0])
			append(line, "%s\"%s\"", is_last ? forms[i].gap : " ", cut);
		add_elapsed(line, summary, &forms[i]);
		add_cpu(line, summary, &forms[i]);
		overhead_text(overhead, summary, &forms[i], options->utf8);
		others = is_last ? 0 : rs_width_of(line) + rs_width_of(overhead);
		if ((i < N_FORMS - 2 ? n_command : n_least) + others <= width)
			break;
	}
	fputs(style->bold, stream);
	write_command(command ? command : "", n_command + others <= width ? width : width - others,
		stream);
	fprintf(stream, "%s%s%s%s%s\n", style->off, line, is_dear ? style->bold : "", overhead,
		is_dear ? style->off : "");
	rs_end_text(end, summary);
	if (end[0])
		fprintf(stream, "%s%s%s\n", style->warn, end, style->off);
	free(command);
	free(argv);
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
