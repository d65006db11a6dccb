/* SPDX-License-Identifier: MIT */
/*
 * This file writes the HTML report: one page that needs no other file and also works without
 * scripts. It reads a finished summary, and makes a second summary of the same run with a row for
 * each thread. The security policy of the page allows only inline styles and one script, which it
 * identifies by its hash.
 */
#include "report/html.h"

#include "report/format.h"

#define MOST_PANELS 50u /* without --all, this many regions have panels */
#define LEAST_ON_AXIS 0.004 /* least share of a region's time in the first bin of the axis */

/* ---- the data of the page ---- */

/* Choose the regions that have panels. With --all, these are all regions in the tree. Otherwise
 * they are the regions with the most self time. */
static void choose_panels(struct rs_html *html)
{
	size_t n = html->summary->n_merged, left = html->options->all ? SIZE_MAX : MOST_PANELS;
	size_t *order = rs_arena_array(html->arena, n, sizeof(*order));
	rs_sort_make(order, html->summary->merged, n, 0, RS_SORT_STATISTIC + RS_STATISTIC_SELF,
		html->arena);
	for (size_t i = 0; i < n && left > 0; i++) {
		struct rs_html_region *region = &html->regions[order[i]];
		region->has_panel = region->is_shown && html->summary->merged[order[i]].calls > 0;
		if (region->has_panel && html->selected == RS_NO_ROW)
			html->selected = order[i];
		left -= region->has_panel;
	}
}

static void make_region(struct rs_html *html, struct rs_html_region *to, size_t index)
{
	const struct rs_value *values = html->summary->merged[index].values;
	const struct rs_value *cpu_time = &values[RS_EVENT_CPU_TIME];
	rs_density_make(&to->time, &values[0].histogram, RS_DENSITY_OCTAVE, html->arena);
	rs_density_make(&to->cpu_time, &cpu_time->histogram, RS_DENSITY_OCTAVE, html->arena);
	if (rs_value_has_total(cpu_time) && cpu_time->histogram.n > 0)
		to->off = rs_density_off_cpu(&to->time, &to->cpu_time, html->arena);
	for (size_t b = 0; b < to->time.n; b++) {
		int bin = to->time.first + (int)b;
		bool is_first = html->axis_first == html->axis_end;
		if (to->time.shares[b] > LEAST_ON_AXIS && (is_first || bin < html->axis_first))
			html->axis_first = bin;
		if (to->time.shares[b] > 0 && (is_first || bin >= html->axis_end))
			html->axis_end = bin + 1;
	}
}

/* Make the tree. Regions that the user excluded have no line. */
static void make_tree(struct rs_html *html)
{
	struct rs_tree *tree = &html->tree;
	size_t n = 0;
	rs_tree_make(tree, html->summary, &html->options->view, 0, SIZE_MAX, html->arena);
	for (size_t i = 0; i < tree->n; i++) {
		if (tree->lines[i].region == RS_NO_ROW)
			continue;
		html->regions[tree->lines[i].region].is_shown = true;
		tree->lines[n++] = tree->lines[i];
	}
	tree->n = n;
}

static void prepare(struct rs_html *html)
{
	const struct rs_summary *summary = html->summary;
	html->selected = RS_NO_ROW;
	html->regions = rs_arena_array(html->arena, summary->n_merged, sizeof(*html->regions));
	make_tree(html);
	choose_panels(html);
	for (size_t i = 0; i < summary->n_merged; i++)
		make_region(html, &html->regions[i], i);
	html->axis_first -= 2;
	html->axis_end += 3;
}

/* ---- the page ---- */

/* Write the CSS rules for the regions of this page. They hide the regions inside a closed region,
 * and highlight the row of the region whose panel is shown. */
static void write_own_style(struct rs_html *html)
{
	bool *is_parent = rs_arena_array(html->arena, html->summary->n_merged, sizeof(*is_parent));
	for (size_t i = 0; i < html->tree.n; i++) {
		size_t parent = rs_html_region(html, i)->parent_row;
		if (parent == RS_NO_ROW || is_parent[parent])
			continue;
		is_parent[parent] = true;
		fprintf(html->stream, ":root:has(#c%zu:not(:checked)) .u%zu{display:none}", parent,
			parent);
	}
	if (html->selected == RS_NO_ROW)
		return;
	fprintf(html->stream, ":is(:root:not(:has(.panel:target)) .r%zu", html->selected);
	for (size_t i = 0; i < html->summary->n_merged; i++)
		if (html->regions[i].has_panel)
			fprintf(html->stream, ",:root:has(#r%zu:target) .r%zu", i, i);
	fputs("){--sel:var(--pick);--ring:var(--ink)}", html->stream);
}

static void write_page(void *context)
{
	struct rs_html *html = context;
	FILE *stream = html->stream;
	html->findings = rs_findings_make(html->split ? html->split : html->summary, html->arena);
	prepare(html);
	rs_html_head(stream, rs_report_program(html->summary->argv), true);
	write_own_style(html);
	fputs("</style>\n<body><a class=skip href=#regions>Skip to the regions</a>", stream);
	rs_html_drawings(html);
	rs_html_header(html);
	fputs("<main><div class=over>", stream);
	rs_html_findings(html);
	rs_html_tree(html);
	rs_html_icicle(html);
	rs_html_threads(html);
	rs_html_table(html, "Work", rs_works_make);
	rs_html_table(html, "Processes", rs_ranks_make);
	fputs("</div>", stream);
	rs_html_panels(html);
	fputs("</main>\n<footer id=run>", stream);
	rs_html_footer(html);
	fprintf(stream, "</footer>\n<script>%s</script>\n", rs_html_js);
}

void rs_report_html(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct rs_report_options page_options = *options;
	struct rs_summary threads = {0};
	struct rs_err err;
	page_options.utf8 = true;
	page_options.width = 0;
	page_options.view.by = NULL; /* the tree and the findings always show time */
	struct rs_html html = {.stream = stream,
		.arena = arena,
		.summary = summary,
		.options = &page_options,
		.by = rs_view_column(&options->view, summary)};
	bool is_split = summary->n_places > 0, has_threads = summary->n_merged > 0;
	bool done = is_split || !has_threads ||
		    rs_summary_init(&threads, &(struct rs_summary_options){.per_thread = true},
			    summary->run, &err);
	html.split = is_split ? summary : has_threads ? &threads : NULL;
	done = done && rs_arena_guard(write_page, &html);
	rs_summary_finish(&threads);
	if (!done)
		rs_arena_refuse();
}
