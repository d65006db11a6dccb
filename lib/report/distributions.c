/* SPDX-License-Identifier: MIT */
/*
 * Drawing distributions. Comes in: a summary with those that the reader wished for. Goes out: a line
 * for each step with its values, its calls, their share, and a bar; steps without calls that follow
 * one another are one line.
 */
#include "report/distributions.h"

#include <string.h>

#include "base/text.h"
#include "report/format.h"
#include "report/style.h"

#define INDENT 2u
#define GAP 2u
#define BETWEEN " - "
#define MOST_BAR 60u
#define LEAST_BAR 10u
#define NAME_BYTES (4u * RS_NAME_BYTES + 512u)
#define MOST_EMPTY 2u /* that have lines of their own */

struct widths {
	size_t low;
	size_t high;
	size_t calls;
	size_t bar;
};

static enum rs_quantity quantity_of(
	const struct rs_summary *summary, const struct rs_distribution *distribution)
{
	const char *unit = summary->columns[distribution->column].unit;
	return strcmp(unit, "ns") == 0 ? RS_QUANTITY_NS : RS_QUANTITY_COUNT;
}

static size_t wider(size_t width, const struct rs_cell_text *cell)
{
	return strlen(cell->text) > width ? strlen(cell->text) : width;
}

static void make_cells(const struct rs_distribution_step *step, enum rs_quantity quantity,
	struct rs_cell_text *low, struct rs_cell_text *high, struct rs_cell_text *calls)
{
	rs_format_total(low, quantity, step->low, false);
	rs_format_total(high, quantity, step->high, false);
	rs_format_integer(calls, step->calls);
}

static struct widths find_widths(const struct rs_summary *summary,
	const struct rs_distribution *distribution, const struct rs_report_options *options)
{
	struct widths widths = {0};
	for (size_t i = 0; i < distribution->n_steps; i++) {
		struct rs_cell_text low, high, calls;
		make_cells(&distribution->steps[i], quantity_of(summary, distribution), &low, &high,
			&calls);
		widths.low = wider(widths.low, &low);
		widths.high = wider(widths.high, &high);
		widths.calls = wider(widths.calls, &calls);
	}
	size_t others = INDENT + widths.low + strlen(BETWEEN) + widths.high + GAP + widths.calls +
			GAP + strlen("100.0%") + GAP;
	size_t width = options->width > 0 ? (size_t)options->width : 80;
	widths.bar = width > others + LEAST_BAR ? width - others : LEAST_BAR;
	widths.bar = widths.bar < MOST_BAR ? widths.bar : MOST_BAR;
	return widths;
}

static void write_step(const struct rs_distribution *distribution,
	const struct rs_distribution_step *step, enum rs_quantity quantity,
	const struct widths *widths, FILE *stream)
{
	struct rs_cell_text low, high, calls, share;
	make_cells(step, quantity, &low, &high, &calls);
	rs_format_percent(&share, (double)step->calls / (double)distribution->calls);
	bool is_one = strcmp(low.text, high.text) == 0;
	fprintf(stream, "%*s%*s%s%*s%*s%*s%%", (int)INDENT, "", (int)widths->low, low.text,
		is_one ? "   " : BETWEEN, (int)widths->high, is_one ? "" : high.text,
		(int)(GAP + widths->calls), calls.text, (int)(GAP + strlen("100.0")), share.text);
	/* any call is seen */
	double part = (double)step->calls / (double)distribution->most;
	size_t n_bar = (size_t)(part * (double)widths->bar + 0.5);
	if (step->calls > 0 && n_bar == 0)
		n_bar = 1;
	fprintf(stream, "%*s", n_bar > 0 ? (int)GAP : 0, "");
	for (size_t i = 0; i < n_bar; i++)
		putc('#', stream);
	putc('\n', stream);
}

static size_t count_empty(const struct rs_distribution *distribution, size_t first)
{
	size_t n = 0;
	while (first + n < distribution->n_steps && distribution->steps[first + n].calls == 0)
		n++;
	return n;
}

static void write_steps(const struct rs_summary *summary,
	const struct rs_distribution *distribution, const struct rs_report_options *options,
	FILE *stream)
{
	const struct widths widths = find_widths(summary, distribution, options);
	for (size_t i = 0; i < distribution->n_steps; i++) {
		size_t n_empty = count_empty(distribution, i);
		if (n_empty > MOST_EMPTY) {
			fprintf(stream, "%*s...\n", (int)INDENT, "");
			i += n_empty - 1;
			continue;
		}
		write_step(distribution, &distribution->steps[i],
			quantity_of(summary, distribution), &widths, stream);
	}
}

/* What is drawn, or why nothing is. */
static void write_head(const struct rs_summary *summary, const struct rs_distribution *distribution,
	const struct rs_style *style, FILE *stream)
{
	char name[NAME_BYTES], event[NAME_BYTES], digits[RS_TEXT_INTEGER_BYTES];
	const struct rs_summary_column *column = &summary->columns[distribution->column];
	if (!distribution->region) {
		rs_text_escape(name, sizeof(name), distribution->wish);
		fprintf(stream, "%s%s%s   no such region, or none that counts such an event\n",
			style->bold, name, style->off);
		return;
	}
	rs_text_escape(name, sizeof(name), distribution->region);
	rs_text_escape(
		event, sizeof(event), distribution->is_cpu_time ? rs_cpu_time_word : column->name);
	fprintf(stream, "%s%s%s   %s   %s call%s\n", style->bold, name, style->off, event,
		rs_text_unsigned(digits, distribution->calls), distribution->calls == 1 ? "" : "s");
	if (distribution->n_steps > 0)
		putc('\n', stream);
}

void rs_distributions_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	for (size_t i = 0; i < summary->n_distributions; i++) {
		write_head(
			summary, &summary->distributions[i], rs_style_get(options->color), stream);
		write_steps(summary, &summary->distributions[i], options, stream);
		putc('\n', stream);
	}
}
