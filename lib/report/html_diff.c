/* SPDX-License-Identifier: MIT */
/*
 * This file writes the HTML report of a comparison: what changed, and the events of each region. It
 * draws the distributions of both sides on top of each other.
 */
#include <math.h>
#include <string.h>

#include "report/comparison.h"
#include "report/html.h"

static const char *const classes[] = {"was", "now"};

struct diff {
	FILE *stream;
	const struct rs_comparison_page *page;
	const struct rs_comparison *comparison;
	size_t number; /* index of the page in its report, which makes ids unique */
	struct rs_arena *arena;
	size_t *order; /* indexes of regions, in the order of other reports */
	size_t n;
	struct rs_density *old, *new; /* time distributions, one for each region */
	int axis_first, axis_end;
};

/* ---- data ---- */

static void add_density(struct diff *diff, struct rs_density *density, const struct rs_side *side,
	const char *region)
{
	rs_side_density(density, side, region, diff->arena);
	int end = density->first + (int)density->n;
	bool is_first = diff->axis_first == diff->axis_end;
	if (density->n > 0 && (is_first || density->first < diff->axis_first))
		diff->axis_first = density->first;
	if (density->n > 0 && (is_first || end > diff->axis_end))
		diff->axis_end = end;
}

static void prepare(struct diff *diff, const struct rs_report_options *options)
{
	const struct rs_comparison *comparison = diff->comparison;
	size_t n = comparison->n_regions;
	diff->order = rs_arena_array(diff->arena, n, sizeof(*diff->order));
	diff->old = rs_arena_array(diff->arena, n, sizeof(*diff->old));
	diff->new = rs_arena_array(diff->arena, n, sizeof(*diff->new));
	rs_comparison_sort(comparison, diff->order);
	for (size_t i = 0; i < n; i++) {
		size_t r = diff->order[i];
		const struct rs_compared_region *region = &comparison->regions[r];
		if (!rs_comparison_is_wanted(options, region))
			continue;
		diff->order[diff->n++] = r;
		if (region->is_run)
			continue;
		add_density(diff, &diff->old[r], &diff->page->old, region->name);
		add_density(diff, &diff->new[r], &diff->page->new, region->name);
	}
	diff->axis_first -= 2;
	diff->axis_end += 3;
}

/* ---- numbers and drawings ---- */

static void write_value(const struct diff *diff, double value, const char *unit)
{
	rs_html_cell(diff->stream, "", rs_format_mean(value, strcmp(unit, "ns") == 0),
		rs_field_of_real(value));
}

/* Write a change. class: " class=up" or " class=down" if the change is more than chance, otherwise
 * "". */
static void write_change(const struct diff *diff, const char *class, double part)
{
	struct rs_cell_text cell = {"-"};
	if (isfinite(part))
		snprintf(cell.text, sizeof(cell.text),
			fabs(part) < 0.0005 ? "0.0%%"
			: fabs(part) < 10   ? "%+.1f%%"
					    : "%+.0f%%",
			100 * part);
	rs_html_cell(diff->stream, class, cell, rs_field_of_real(part));
}

/* Write a row with the values of both sides, the change between them, and the 95 % interval of this
 * change. */
static void write_estimate(
	const struct diff *diff, const struct rs_estimate *estimate, const char *unit)
{
	bool is_up = estimate->low > 1, is_down = estimate->high < 1;
	write_value(diff, estimate->old.median, unit);
	write_value(diff, estimate->new.median, unit);
	write_change(diff, is_up ? " class=up" : is_down ? " class=down" : "", estimate->ratio - 1);
	fputs(estimate->is_exact ? "<td>exact" : "<td>", diff->stream);
	if (!estimate->is_exact && !isnan(estimate->low))
		fprintf(diff->stream, "%+.1f to %+.1f%%", 100 * (estimate->low - 1),
			100 * (estimate->high - 1));
}

/* Draw both sides on the same scale, so that a larger area means more time. */
static void write_overlay(const struct diff *diff, size_t region)
{
	const struct rs_density *sides[] = {&diff->old[region], &diff->new[region]};
	const struct rs_html_base base = {diff->axis_first, RS_HTML_PEAK, false};
	double top = fmax(
		rs_html_peak(sides[0]) * sides[0]->sum, rs_html_peak(sides[1]) * sides[1]->sum);
	fprintf(diff->stream, "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=none>",
		diff->axis_end - diff->axis_first, RS_HTML_PEAK);
	for (int k = 0; k < 2; k++)
		rs_html_steps(diff->stream, classes[k], sides[k], sides[k]->shares,
			RS_HTML_PEAK * sides[k]->sum / top, &base);
	fputs("</svg>", diff->stream);
}

/* ---- sections ---- */

static const char *name_of(const struct diff *diff, size_t region)
{
	const struct rs_compared_region *of = &diff->comparison->regions[region];
	return of->is_run ? "(whole run)" : rs_arena_name(diff->arena, of->name);
}

static void write_line(void *context, const char *text)
{
	rs_html_text(((struct diff *)context)->stream, "<li>", text, "");
}

static void write_side(const struct diff *diff, int k, const struct rs_side *side)
{
	size_t n = rs_side_n_runs(side);
	fprintf(diff->stream, "<div><dt><i class=%s></i>%s<dd>", classes[k], k ? "new" : "old");
	rs_html_text(diff->stream, "<code>", rs_side_run(side, 0)->command, "</code>");
	fprintf(diff->stream, " <em>%zu run%s of ", n, n == 1 ? "" : "s");
	rs_html_text(diff->stream, "", side->name, "</em></div>");
}

static void write_row(const struct diff *diff, size_t region)
{
	const struct rs_comparison *comparison = diff->comparison;
	const struct rs_compared_region *of = &comparison->regions[region];
	size_t event = rs_comparison_shown_event(comparison, region);
	fprintf(diff->stream, "<tr><th><a href=#r%zu-%zu>", diff->number, region);
	rs_html_text(diff->stream, "", name_of(diff, region), "</a><td class=l>");
	fputs(of->is_run ? "" : rs_verdict_names[of->verdict].text, diff->stream);
	if (of->verdict == RS_VERDICT_MOVED)
		rs_html_text(diff->stream, ": ", name_of(diff, of->partner), "");
	rs_html_text(diff->stream, "<td class=l>",
		event == RS_NONE ? "" : comparison->events[event].name, "");
	if (event == RS_NONE)
		fputs("<td><td><td><td>", diff->stream);
	else
		write_estimate(diff, &rs_comparison_difference(comparison, event, region)->estimate,
			comparison->events[event].unit);
	write_change(diff, "", of->effect);
	fputs("<td class=sh>", diff->stream);
	if (!of->is_run)
		write_overlay(diff, region);
	putc('\n', diff->stream);
}

/* Write the row of an event or measure in a panel, if one of the sides has a value. */
static void write_event(const struct diff *diff, const char *name,
	const struct rs_estimate *estimate, const char *unit)
{
	if (isnan(estimate->old.median) && isnan(estimate->new.median))
		return;
	rs_html_text(diff->stream, "<tr><th>", name, "");
	write_estimate(diff, estimate, unit);
}

static void write_panel(const struct diff *diff, size_t region, bool is_first)
{
	static const char head[] = "<section><table><thead><tr><th>%s<th>old<th>new<th>change"
				   "<th>95%%<tbody>";
	const struct rs_comparison *comparison = diff->comparison;
	size_t time = rs_comparison_find_event(comparison, "time");
	fprintf(diff->stream, "<section class=\"panel%s\" id=r%zu-%zu>", is_first ? " first" : "",
		diff->number, region);
	rs_html_text(diff->stream, "<h2>", name_of(diff, region), "</h2><div class=cols>");
	if (!comparison->regions[region].is_run) {
		fputs("<section class=\"wide over2\">", diff->stream);
		write_overlay(diff, region);
		fputs("<div class=ax>", diff->stream);
		rs_html_axis(diff->stream, diff->axis_first, diff->axis_end);
		fputs("</div></section>", diff->stream);
	}
	fprintf(diff->stream, head, "self, per call");
	for (size_t e = 0; e < comparison->n_events; e++)
		write_event(diff, comparison->events[e].name,
			&rs_comparison_difference(comparison, e, region)->estimate,
			comparison->events[e].unit);
	fputs("</table></section>", diff->stream);
	fprintf(diff->stream, head, "time");
	for (size_t m = RS_MEASURE_AVG; time != RS_NONE && m < RS_MEASURE_N; m++) {
		const struct rs_estimate estimate = rs_comparison_estimate(
			comparison, time, region, (enum rs_measure)m);
		write_event(diff, rs_measure_words[m], &estimate,
			m == RS_MEASURE_CALLS ? "count" : "ns");
	}
	fputs("</table></section></div></section>\n", diff->stream);
}

static void write_page(struct diff *diff)
{
	fputs("<header><h1>Comparison</h1><dl class=sides>", diff->stream);
	write_side(diff, 0, &diff->page->old);
	write_side(diff, 1, &diff->page->new);
	fputs("</dl></header><main><div class=over><section><h2>Findings</h2><ul>", diff->stream);
	rs_comparison_say_differences(diff->page, diff->arena, write_line, diff);
	if (diff->comparison->n_regions > 1)
		rs_comparison_say_machine(diff->page, diff->arena, write_line, diff);
	fputs("</ul></section><section><h2>Regions</h2><p class=note>old, new: self value of "
	      "a call, without inner regions; median over the runs. of run: change of the region's "
	      "self total, as a share of the whole run. Area: time, by length of call.</p><div "
	      "class=scroll><table class=cmp>"
	      "<thead><tr><th>region<th class=l>verdict<th class=l>event<th>old<th>new<th>change"
	      "<th>95%<th>of run<th class=sh><div class=ax>",
		diff->stream);
	rs_html_axis(diff->stream, diff->axis_first, diff->axis_end);
	fputs("</div><tbody>", diff->stream);
	for (size_t i = 0; i < diff->n; i++)
		write_row(diff, diff->order[i]);
	fputs("</table></div></section></div><div class=panels>", diff->stream);
	for (size_t i = 0; i < diff->n; i++)
		write_panel(diff, diff->order[i], i == 0);
	fputs("</div></main>\n", diff->stream);
}

void rs_comparison_html(struct rs_comparison_writer *writer)
{
	FILE *stream = writer->stream;
	rs_html_head(stream, "regionstat diff", false);
	fputs("</style>\n<body>", stream);
	for (size_t i = 0; i < writer->report->n; i++) {
		struct diff diff = {.stream = stream,
			.page = &writer->report->pages[i],
			.comparison = &writer->report->pages[i].comparison,
			.number = i,
			.arena = writer->arena};
		prepare(&diff, writer->options);
		write_page(&diff);
	}
	fputs("<footer>", stream);
	for (size_t i = 0; i < writer->report->n_gates; i++)
		rs_html_text(stream, "<p class=rule>",
			rs_gate_line(&writer->report->gates[i], writer->arena), "</p>");
	fputs("<p class=by>regionstat " REGIONSTAT_VERSION "</p></footer>\n", stream);
}
