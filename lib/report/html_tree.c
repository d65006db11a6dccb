/* SPDX-License-Identifier: MIT */
/*
 * This file writes the table of all regions as a tree. Each region has a row with a bar of its self
 * time and the distribution of its time. The columns are those of the table report on a wide
 * terminal.
 */
#include <inttypes.h>
#include <math.h>

#include "report/columns.h"
#include "report/html.h"

static bool any_sampled(const struct rs_html *html)
{
	for (size_t i = 0; i < html->tree.n; i++)
		if (rs_value_is_estimate(&rs_html_region(html, i)->values[0]))
			return true;
	return false;
}

static bool is_statistic(const struct rs_statistic *statistic, enum rs_statistic_index index)
{
	return statistic == &rs_statistics[index];
}

static void choose_columns(struct rs_table_columns *columns, const struct rs_html *html)
{
	static const enum rs_statistic_index set[] = {RS_STATISTIC_TOTAL, RS_STATISTIC_ERROR,
		RS_STATISTIC_ON_CPU, RS_STATISTIC_CALLS, RS_STATISTIC_AVG, RS_STATISTIC_P90,
		RS_STATISTIC_MAX};
	rs_columns_choose(columns, &html->options->view.columns, html->summary, set,
		sizeof(set) / sizeof(set[0]));
	if (html->options->view.columns.n > 0)
		return;
	size_t n = 0;
	for (size_t i = 0; i < columns->n; i++)
		if (!is_statistic(columns->items[i], RS_STATISTIC_ERROR) || any_sampled(html))
			columns->items[n++] = columns->items[i];
	columns->n = n;
}

static const char *class_of(const struct rs_statistic *statistic)
{
	return is_statistic(statistic, RS_STATISTIC_ON_CPU)  ? " class=st"
	       : is_statistic(statistic, RS_STATISTIC_CALLS) ? " class=calls"
	       : is_statistic(statistic, RS_STATISTIC_TOTAL) ? " class=tot"
	       : is_statistic(statistic, RS_STATISTIC_ERROR) ? " class=err"
							     : "";
}

static void write_heads(const struct rs_html *html, const struct rs_table_columns *columns)
{
	double decade = RS_DENSITY_OCTAVE * log2(10) / (html->axis_end - html->axis_first);
	double first = ceil(html->axis_first / (RS_DENSITY_OCTAVE * log2(10)));
	double at = (first * RS_DENSITY_OCTAVE * log2(10) - html->axis_first) /
		    (html->axis_end - html->axis_first);
	fprintf(html->stream,
		"<table id=tree style=--dec:%.3f%%;--at:%.2f%%><thead><tr>"
		"<th data-k class=n>region<th data-k class=self>self",
		100 * decade, decade < 1 ? 100 * at / (1 - decade) : 0);
	for (size_t i = 0; i < columns->n; i++)
		fprintf(html->stream, "<th data-k%s>%s",
			*class_of(columns->items[i]) ? class_of(columns->items[i]) : " class=v",
			is_statistic(columns->items[i], RS_STATISTIC_ERROR) ? "\xc2\xb1"
			: is_statistic(columns->items[i], RS_STATISTIC_ON_CPU)
				? "on-CPU"
				: rs_statistic_title(columns->items[i]));
	fputs("<th class=sh><span>time by length of call, <b></b> p50</span><div class=ax>",
		html->stream);
	if (html->axis_end > html->axis_first)
		rs_html_axis(html->stream, html->axis_first, html->axis_end);
	fputs("</div><tbody>", html->stream);
}

/* Write the CSS classes of the regions around a region, outermost first. By these classes, a closed
 * region hides the regions inside it. */
static void write_ancestors(const struct rs_html *html, size_t region, int most)
{
	size_t parent = html->summary->merged[region].parent_row;
	if (parent == RS_NO_ROW || most == 0)
		return;
	write_ancestors(html, parent, most - 1);
	fprintf(html->stream, " u%zu", parent);
}

static void write_name(const struct rs_html *html, size_t line)
{
	size_t index = html->tree.lines[line].region;
	const struct rs_summary_region *region = &html->summary->merged[index];
	uint32_t depth = html->tree.lines[line].depth;
	bool is_parent = line + 1 < html->tree.n && html->tree.lines[line + 1].depth > depth;
	fprintf(html->stream, "<tr class=\"r%zu", index);
	write_ancestors(html, index, 64);
	fprintf(html->stream, "\" style=--d:%" PRIu32 "><th>", depth < 24 ? depth : 24);
	if (is_parent) {
		fprintf(html->stream, "<input type=checkbox checked id=c%zu aria-label=nested>",
			index);
	}
	rs_html_link(html, index);
	rs_html_badges(html, index);
	if (region->diag[RS_ACCUMULATOR_DIAG_RECURSIVE] > 0)
		fputs(" <em>recursive</em>", html->stream);
	else if (region->n_parents > 1)
		fprintf(html->stream, " <em>%zu parents</em>", region->n_parents);
}

static void write_self(const struct rs_html *html, size_t index, double most)
{
	const struct rs_summary_region *region = &html->summary->merged[index];
	const struct rs_html_split self = rs_html_self(region);
	fputs("<td class=self", html->stream);
	if (!region->is_apart && rs_value_has_total(&region->values[0]))
		fprintf(html->stream, " data-v=%" PRIu64, rs_value_self(&region->values[0]));
	putc('>', html->stream);
	double sum = self.ns[0] + self.ns[1] + self.ns[2];
	if (!region->is_apart && most > 0 && sum > 0)
		rs_html_bar(html->stream, &self, sum / most);
	rs_html_text(html->stream, "<b>", rs_html_share(html, index).text, "</b>");
}

static void write_on_cpu(const struct rs_html *html, const struct rs_summary_region *region)
{
	const struct rs_html_split total = rs_html_total(region);
	double sum = total.ns[0] + total.ns[1] + total.ns[2];
	if (!total.is_known || sum <= 0) {
		fputs("<td class=st>-", html->stream);
		return;
	}
	fprintf(html->stream, "<td class=st data-v=%.4g>", total.ns[0] / sum);
	rs_html_bar(html->stream, &total, 1);
	fputs(rs_html_percent(total.ns[0] / sum, 0).text, html->stream);
}

static void write_statistic(const struct rs_html *html, const struct rs_summary_region *region,
	const struct rs_statistic *statistic)
{
	const struct rs_value *value = &region->values[0];
	if (is_statistic(statistic, RS_STATISTIC_ON_CPU)) {
		write_on_cpu(html, region);
		return;
	}
	struct rs_field field = rs_statistic_of(statistic, region, value);
	rs_html_cell(html->stream, class_of(statistic),
		is_statistic(statistic, RS_STATISTIC_ERROR)
			? rs_cell_error(value)
			: rs_cell_statistic(statistic, region, value, &rs_html_time_column),
		field);
}

static void write_shape(const struct rs_html *html, size_t index)
{
	const struct rs_value *time = &html->summary->merged[index].values[0];
	fputs("<td class=sh>", html->stream);
	if (html->regions[index].time.n == 0)
		return;
	double p50 = log2(fmax((double)rs_value_quantile(time, RS_P50), 1)) * RS_DENSITY_OCTAVE;
	fprintf(html->stream,
		"<svg viewBox=\"0 0 %d 113\" preserveAspectRatio=none><use href=#d%zu />"
		"<path class=m d=\"M%.1f 102v11\"/></svg>",
		html->axis_end - html->axis_first, index, p50 - html->axis_first);
}

void rs_html_tree(const struct rs_html *html)
{
	const struct rs_summary *summary = html->summary;
	struct rs_table_columns columns;
	double most = 0;
	fputs("<section id=regions><h2>Regions</h2>", html->stream);
	if (html->tree.n == 0) {
		fputs("<p>No region was called.</p></section>\n", html->stream);
		return;
	}
	choose_columns(&columns, html);
	for (size_t i = 0; i < html->tree.n; i++)
		most = fmax(most, (double)rs_value_self(&rs_html_region(html, i)->values[0]));
	fputs("<div class=tools></div>", html->stream);
	write_heads(html, &columns);
	for (size_t i = 0; i < html->tree.n; i++) {
		size_t index = html->tree.lines[i].region;
		write_name(html, i);
		write_self(html, index, most);
		for (size_t c = 0; c < columns.n; c++)
			write_statistic(html, &summary->merged[index], columns.items[c]);
		write_shape(html, index);
		putc('\n', html->stream);
	}
	fputs("</table>", html->stream);
	if (html->tree.n < summary->n_merged)
		fprintf(html->stream, "<p class=note>%zu more are not shown.</p>",
			summary->n_merged - html->tree.n);
	fputs("</section>\n", html->stream);
}
