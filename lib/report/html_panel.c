/* SPDX-License-Identifier: MIT */
/*
 * This file writes the details of regions, with a panel for each region. The page shows only the
 * panel that a link selects.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/columns.h"
#include "report/tables.h"
#include "report/html.h"

#define LEAST_CALLS 10u /* show percentiles only if there are this many calls */

static const struct rs_field no_field;

/* ---- the head of a panel ---- */

static void write_path(const struct rs_html *html, size_t region)
{
	size_t parent = html->summary->merged[region].parent_row;
	if (parent == RS_NO_ROW)
		return;
	write_path(html, parent);
	rs_html_link(html, parent);
	fputs(" \xe2\x80\xba ", html->stream);
}

static void write_crumbs(const struct rs_html *html, size_t region)
{
	fputs("<nav class=crumb><span>", html->stream);
	write_path(html, region);
	rs_html_text(html->stream, "</span><a href=#regions>\xe2\x86\x91 regions</a></nav><h2>",
		html->summary->merged[region].name, "");
	rs_html_badges(html, region);
	fputs("</h2>", html->stream);
}

static void write_count(FILE *stream, const char *name, uint64_t count)
{
	rs_html_fact(stream, name, rs_format_integer(count).text);
}

static void write_statistic(
	FILE *stream, const struct rs_summary_region *region, enum rs_statistic_index statistic)
{
	const struct rs_cell_text cell = rs_cell_statistic(
		&rs_statistics[statistic], region, &region->values[0], &rs_html_time_column);
	rs_html_fact(stream, rs_statistics[statistic].word, rs_html_number(cell).text);
}

static void write_facts(const struct rs_html *html, size_t index)
{
	const struct rs_summary_region *region = &html->summary->merged[index];
	const struct rs_html_split total = rs_html_total(region);
	FILE *stream = html->stream;
	if (region->is_apart)
		fputs("<p>START and STOP mark its calls, so they lie outside the nesting.</p>",
			stream);
	fputs("<dl class=kv>", stream);
	rs_html_fact(stream, "self", rs_html_number(rs_html_share(html, index)).text);
	write_statistic(stream, region, RS_STATISTIC_TOTAL);
	if (rs_value_is_estimate(&region->values[0]))
		rs_html_fact(stream, "\xc2\xb1", rs_cell_error(&region->values[0]).text);
	write_count(stream, region->calls == 1 ? "call" : "calls", region->calls);
	if (region->values[0].counted < region->calls)
		write_count(stream, "measured", region->values[0].counted);
	write_statistic(stream, region, RS_STATISTIC_AVG);
	write_count(stream, region->n_threads == 1 ? "thread" : "threads", region->n_threads);
	if (region->n_parents > 1)
		write_count(stream, "parents", region->n_parents);
	fputs("</dl>", stream);
	if (total.is_known)
		rs_html_wide_bar(stream, "bar", total.ns, RS_HTML_KINDS);
	else
		fputs("<p>Whether it runs or waits is unknown.</p>", stream);
}

/* ---- the tail ---- */

/* Write a row about some calls, with a bar for their average time. each: that average in ns. most:
 * the average in ns that fills the bar. */
static void write_tail_row(FILE *stream, const char *which, double calls, double each,
	const struct rs_html_split *split, double most)
{
	fprintf(stream, "<tr><th>%s %s call%s<td>%s each<td>", which,
		rs_format_integer((uint64_t)(calls + 0.5)).text, calls < 1.5 ? "" : "s",
		rs_html_time(each).text);
	rs_html_bar(stream, split, each / most);
}

/* Compare the longest calls with the others. The function estimates their off-CPU time from
 * rs_html_region.off, as the drawing of the distribution does. */
static void write_tail(struct rs_html *html, size_t index)
{
	const struct rs_summary_region *region = &html->summary->merged[index];
	const struct rs_html_region *own = &html->regions[index];
	const struct rs_long_calls *longest = &region->long_calls;
	struct rs_html_split tail = {.is_known = own->off}, rest = rs_html_total(region);
	double calls = (double)region->calls, n = fmax(longest->calls * calls, 1);
	double took = longest->time * (double)region->values[0].total;
	if (calls - n < 1 || took <= 0)
		return;
	double off = rest.ns[RS_HTML_PREEMPTED] + rest.ns[RS_HTML_BLOCKED];
	double preempted = off > 0 ? rest.ns[RS_HTML_PREEMPTED] / off : 0;
	double share = own->off ? rs_density_off_above(
					  &own->time, own->off, (double)longest->bound_ns)
				: 0;
	tail.ns[RS_HTML_ON_CPU] = took * (1 - share);
	tail.ns[RS_HTML_PREEMPTED] = took * share * preempted;
	tail.ns[RS_HTML_BLOCKED] = took * share * (1 - preempted);
	for (int k = 0; k < RS_HTML_KINDS; k++)
		rest.ns[k] = fmax(rest.ns[k] - tail.ns[k], 0);
	/* A small share would be shown as 0 %. */
	fprintf(html->stream,
		"<section><h3>Where the tail differs</h3><p>The slowest %s of the calls, of %s or "
		"more, take %s of the time%s<b>%s</b>.</p><table class=diff>",
		longest->calls < 0.001 ? rs_format_integer((uint64_t)(n + 0.5)).text
				       : rs_html_percent(longest->calls, 1).text,
		rs_html_time((double)longest->bound_ns).text,
		rs_html_percent(longest->time, 0).text,
		longest->is_off_cpu ? ", mainly because " : "",
		!longest->is_off_cpu ? ""
		: preempted > 0.5    ? "another task has the CPU"
				     : "they are blocked");
	write_tail_row(html->stream, "slowest", n, took / n, &tail, took / n);
	double others = ((double)region->values[0].total - took) / (calls - n);
	write_tail_row(html->stream, "other", calls - n, others, &rest, took / n);
	fputs("</table>", html->stream);
	if (region->slowest)
		fprintf(html->stream,
			"<p class=note>The slowest call began at %s on thread %" PRIu32 ".</p>",
			rs_html_time((double)region->slowest_start_ns).text, region->slowest_tid);
	fputs("</section>", html->stream);
}

/* ---- events ---- */

/* Write two cells: the average of an event over the calls of the tail, and its ratio to the average
 * over the other calls. */
static void write_tail_cells(struct rs_html *html, const struct rs_tail_event *event, bool is_ns)
{
	if (!event->is_known) {
		fputs("<td><td>", html->stream);
		return;
	}
	rs_html_cell(
		html->stream, "", rs_format_field(rs_field_of_real(event->avg), is_ns), no_field);
	if (isnan(event->ratio))
		fputs("<td>", html->stream);
	else if (event->ratio > 1000)
		fputs(isinf(event->ratio) ? "<td>only here" : "<td>&gt;1,000\xc3\x97",
			html->stream);
	else
		fprintf(html->stream, "<td>%.*f\xc3\x97", event->ratio < 9.95 ? 1 : 0,
			event->ratio);
}

static void write_event(struct rs_html *html, const struct rs_summary_region *region, size_t column,
	const struct rs_table_columns *columns, const struct rs_tail *tail)
{
	const struct rs_summary_column *of = &html->summary->columns[column];
	const struct rs_value *value = &region->values[column];
	const struct rs_cell_column kind = {.is_ns = of->is_ns, .utf8 = true};
	bool has_calls = rs_value_has_distribution(value);
	double running = rs_value_running(value);
	rs_html_text(html->stream, of->is_part ? "<tr><th>&emsp;" : "<tr><th>", of->name, "");
	if (!rs_value_has_total(value)) {
		fprintf(html->stream, "<td colspan=%zu class=l>", columns->n);
		rs_html_text(html->stream, "", rs_status_words(value->status), "");
		return;
	}
	if (running < 1)
		fprintf(html->stream, " <em>counted %.*f%%</em>", running < 0.0995 ? 1 : 0,
			running * 100);
	for (size_t c = 0; c < columns->n; c++) {
		bool is_total = columns->items[c]->kind == RS_STATISTIC_OF_ALL;
		if (!is_total && !has_calls)
			continue;
		const struct rs_cell_text cell = rs_cell_statistic(
			columns->items[c], region, value, &kind);
		fprintf(html->stream, "<td>%s%s",
			rs_statistic_is_estimate(columns->items[c], value) ? "~" : "",
			rs_html_aligned(cell).text);
	}
	if (tail && has_calls)
		write_tail_cells(html, &tail->events[column], kind.is_ns);
	if (!has_calls)
		return;
	fputs("<td>", html->stream);
	rs_html_spark(html, value);
}

/* Return the first tail with events to show. If there is none, return the first tail, or NULL if
 * the region has no tail. */
static const struct rs_tail *tail_of(const struct rs_summary_region *region)
{
	for (size_t i = 0; i < region->n_tails; i++)
		if (region->tails[i].n_shown > 0)
			return &region->tails[i];
	return region->n_tails > 0 ? &region->tails[0] : NULL;
}

static void write_events(struct rs_html *html, const struct rs_summary_region *region)
{
	static const enum rs_statistic_index set[] = {
		RS_STATISTIC_TOTAL, RS_STATISTIC_AVG, RS_STATISTIC_P90, RS_STATISTIC_MAX};
	const struct rs_tail *tail = tail_of(region);
	struct rs_table_columns columns;
	rs_columns_choose(&columns, &(struct rs_columns_wish){0}, html->summary, set,
		sizeof(set) / sizeof(set[0]));
	fputs("<section class=events>", html->stream);
	if (tail)
		fprintf(html->stream, "<p>tail: the slowest %s of the calls, of %s or more</p>",
			rs_html_percent(tail->share, 1).text,
			rs_html_time((double)tail->bound_ns).text);
	fprintf(html->stream, "<table class=\"ev%s\"><thead><tr><th>event", tail ? " x" : "");
	for (size_t c = 0; c < columns.n; c++)
		fprintf(html->stream, "<th>%s", rs_statistic_title(columns.items[c]));
	fprintf(html->stream, "%s<th>shape<tbody>", tail ? "<th>tail avg<th>\xc3\x97 others" : "");
	for (size_t c = RS_EVENT_CPU_TIME; c < html->summary->n_columns; c++) {
		const struct rs_summary_column *column = &html->summary->columns[c];
		bool is_shown = column->in_regions || c < RS_EVENT_FIRST;
		if (is_shown && (html->options->verbose || !column->is_part))
			write_event(html, region, c, &columns, tail);
	}
	fputs("</table></section>", html->stream);
}

/* ---- work and metrics ---- */

static void write_work(struct rs_html *html, const struct rs_summary_region *region)
{
	const char *work = rs_work_text(region, html->arena);
	size_t n = 0;
	if (*work && n++ == 0)
		rs_html_text(html->stream, "<section><h3>Work and metrics</h3><p class=work>", work,
			"</p><dl class=kv>");
	for (size_t m = 0; m < region->n_metrics; m++) {
		const struct rs_metric *metric = &region->metrics[m];
		if (!isfinite(metric->value) && !rs_metric_has_row(metric))
			continue;
		if (n++ == 0)
			fputs("<section><h3>Metrics</h3><dl class=kv>", html->stream);
		rs_html_text(html->stream, "<div><dt>", metric->name, "");
		rs_html_text(html->stream, "<dd>", rs_cell_metric(metric).text, "</div>");
	}
	if (n > 0)
		fputs("</dl></section>", html->stream);
}

void rs_html_panels(struct rs_html *html)
{
	fputs("<div class=panels id=all>", html->stream);
	for (size_t i = 0; i < html->tree.n; i++) {
		size_t region = html->tree.lines[i].region;
		const struct rs_summary_region *of = &html->summary->merged[region];
		if (!html->regions[region].has_panel)
			continue;
		fprintf(html->stream, "<section class=\"panel%s\" id=r%zu>",
			region == html->selected ? " first" : "", region);
		write_crumbs(html, region);
		write_facts(html, region);
		fputs("<div class=cols>", html->stream);
		rs_html_distribution(html, region);
		if (of->calls >= LEAST_CALLS && of->long_calls.calls > 0)
			write_tail(html, region);
		write_events(html, of);
		write_work(html, of);
		fputs("</div></section>\n", html->stream);
	}
	if (html->selected != RS_NO_ROW)
		fputs("<p class=allp><a href=#all>Show all regions</a></p>", html->stream);
	fputs("</div>", html->stream);
}
