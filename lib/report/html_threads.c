/* SPDX-License-Identifier: MIT */
/*
 * This file writes how threads share the regions, as a heat map of self time. The map has a column
 * for each thread, or for each process if the report splits rows by processes. Here a place is such
 * a thread or process. Dots compare the places with their average.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "stats/counts.h"

#define MOST_COLUMNS 12u
#define MOST_ON_AXIS 3.0 /* the axis of the dots ends at this multiple of the average */

struct heat {
	struct rs_html *html;
	double *means; /* average self time of each merged region over places with self time */
	size_t shown[MOST_COLUMNS]; /* indexes of the places that have columns */
	size_t n_shown;
};

/* Return the index of a row's place among the threads, or among the processes. */
static size_t place_of(const struct rs_summary *split, const struct rs_summary_region *row)
{
	return row->thread ? (size_t)(row->thread - split->threads)
			   : (size_t)(row->process - split->processes);
}

static double self_of(const struct rs_summary_region *row)
{
	return (double)rs_value_self(&row->values[0]);
}

/* Compute the average self time of each region. For each place, add up how far its self times are
 * from these averages. If a place has no row for a region, its distance is the average itself. This
 * distance is not added. Instead, the average is subtracted from the sums of the places with a row,
 * because only the order of the sums matters. */
static void measure(const struct heat *heat, double *distances)
{
	const struct rs_summary *split = heat->html->split;
	for (size_t i = 0; i < split->n_merged; i++) {
		double *mean = &heat->means[i];
		size_t first = split->merged[i].first_row, end = split->merged[i].end_row;
		size_t n = 0;
		for (size_t row = first; row < end; row++) {
			*mean += self_of(&split->regions[row]);
			n += self_of(&split->regions[row]) > 0;
		}
		*mean /= n > 0 ? (double)n : 1;
		for (size_t row = first; row < end; row++)
			distances[place_of(split, &split->regions[row])] +=
				fabs(self_of(&split->regions[row]) - *mean) - *mean;
	}
}

static int compare_down(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return *a > *b ? -1 : *a < *b;
}

/* Choose the places with the largest distances from the average, and keep their order. sorted: an
 * array as long as distances, which the function overwrites. */
static void choose(struct heat *heat, const double *distances, double *sorted)
{
	size_t n_places = heat->html->split->n_places, n_equal = 0;
	size_t n = n_places < MOST_COLUMNS ? n_places : MOST_COLUMNS;
	memcpy(sorted, distances, n_places * sizeof(*sorted));
	qsort(sorted, n_places, sizeof(*sorted), compare_down);
	double least = sorted[n - 1];
	for (size_t k = 0; k < n; k++)
		n_equal += sorted[k] == least;
	for (size_t k = 0; k < n_places; k++) {
		bool is_equal = distances[k] == least;
		if (distances[k] < least || (is_equal && n_equal == 0))
			continue;
		heat->shown[heat->n_shown++] = k;
		n_equal -= is_equal;
	}
}

static void make(struct heat *heat, struct rs_html *html)
{
	struct rs_arena *arena = html->arena;
	size_t n = html->summary->n_merged, n_places = html->split->n_places;
	double *distances = rs_arena_array(arena, n_places, sizeof(*distances));
	double *sorted = rs_arena_array(arena, n_places, sizeof(*sorted));
	*heat = (struct heat){
		.html = html, .means = rs_arena_array(arena, n, sizeof(*heat->means))};
	measure(heat, distances);
	choose(heat, distances, sorted);
}

static void write_heads(const struct heat *heat)
{
	static const char *const marks[] = {"0", "avg", "2\xc3\x97", "3\xc3\x97"};
	const struct rs_html *html = heat->html;
	fputs("<div class=scroll><table class=heat><thead><tr><th>self time", html->stream);
	for (size_t k = 0; k < heat->n_shown; k++) {
		const struct rs_summary_place *place = &html->split->places[heat->shown[k]];
		fputs("<th>", html->stream);
		rs_html_place(html, place->process, place->thread);
	}
	fputs("<th class=dots><div class=ax>", html->stream);
	for (int i = 0; i < 4; i++)
		fprintf(html->stream, "<s style=left:%.1f%%>%s</s>", 100 * i / MOST_ON_AXIS,
			marks[i]);
	fputs("</div><th>max/avg<th class=who>busiest<tbody><tr class=life><th>lifetime",
		html->stream);
	for (size_t k = 0; k < heat->n_shown; k++) {
		const struct rs_summary_place *place = &html->split->places[heat->shown[k]];
		const struct rs_html_split lifetime = {
			.ns = {(double)place->cpu_ns, (double)place->off_ns[RS_OFF_PREEMPTED],
				(double)place->off_ns[RS_OFF_BLOCKED]},
			.is_known = place->has_cpu};
		fprintf(html->stream, "<td title=\"%s\">",
			rs_html_time((double)place->lifetime_ns).text);
		rs_html_bar(html->stream, &lifetime, 1);
	}
	fputs("<td class=dots><td><td class=who>", html->stream);
}

static size_t dot_of(double value, double mean)
{
	return (size_t)lround(100 * fmin(value / mean / MOST_ON_AXIS, 1));
}

/* Write a dot for each place, on an axis of multiples of the average. Write a larger dot for the
 * place with the most self time, in row most. */
static void write_dots(const struct heat *heat, size_t region, size_t most)
{
	const struct rs_summary_region *rows = heat->html->split->regions;
	const struct rs_summary_region *merged = &heat->html->split->merged[region];
	FILE *stream = heat->html->stream;
	bool is_drawn[101] = {0};
	fputs("<td class=dots><svg viewBox=\"0 0 100 10\" preserveAspectRatio=none><path d=\"",
		stream);
	for (size_t row = merged->first_row; row < merged->end_row; row++) {
		size_t dot = dot_of(self_of(&rows[row]), heat->means[region]);
		if (self_of(&rows[row]) <= 0)
			continue;
		if (row != most && !is_drawn[dot])
			fprintf(stream, "M%zu 5h0", dot);
		is_drawn[dot] = true;
	}
	fprintf(stream, "\"/><path d=\"M%zu 5h0\"/></svg>",
		dot_of(self_of(&rows[most]), heat->means[region]));
}

/* Return the self time of row `most` as a multiple of the average, or NAN if threads cannot be
 * compared. */
static double imbalance_of(const struct heat *heat, size_t region, size_t most)
{
	const struct rs_summary *summary = heat->html->summary;
	const struct rs_region_counts *regions = summary->counts ? summary->counts->regions : NULL;
	if (!regions || !regions[summary->merged[region].index].self.is_known)
		return NAN;
	return self_of(&heat->html->split->regions[most]) / heat->means[region];
}

/* Fill cells with the self times of the shown places. Return the row of the place with the most
 * self time. */
static size_t read_cells(const struct heat *heat, size_t region, double cells[MOST_COLUMNS])
{
	const struct rs_summary *split = heat->html->split;
	const struct rs_summary_region *merged = &split->merged[region];
	size_t most = merged->first_row;
	memset(cells, 0, MOST_COLUMNS * sizeof(*cells));
	for (size_t row = merged->first_row; row < merged->end_row; row++) {
		double self = self_of(&split->regions[row]);
		size_t place = place_of(split, &split->regions[row]);
		most = self > self_of(&split->regions[most]) ? row : most;
		for (size_t k = 0; k < heat->n_shown; k++)
			if (heat->shown[k] == place)
				cells[k] = self;
	}
	return most;
}

static void write_cell(FILE *stream, double self, uint64_t lifetime_ns)
{
	char style[32];
	if (self <= 0) {
		fputs("<td>", stream);
		return;
	}
	/* the square root makes small shares easier to see */
	double shade = lifetime_ns > 0 ? sqrt(self / (double)lifetime_ns) : 1;
	snprintf(style, sizeof(style), " style=--h:.%02.0f", 80 * fmin(shade, 1));
	rs_html_cell(stream, style, rs_cell_amount("", self, true), (struct rs_field){0});
}

static void write_row(const struct heat *heat, size_t line)
{
	const struct rs_html *html = heat->html;
	const struct rs_summary *split = html->split;
	size_t region = html->tree.lines[line].region;
	double cells[MOST_COLUMNS];
	if (heat->means[region] <= 0 || !html->regions[region].has_panel)
		return;
	size_t most = read_cells(heat, region, cells);
	fprintf(html->stream, "<tr class=r%zu style=--d:%" PRIu32 "><th>", region,
		html->tree.lines[line].depth);
	rs_html_link(html, region);
	for (size_t k = 0; k < heat->n_shown; k++)
		write_cell(html->stream, cells[k], split->places[heat->shown[k]].lifetime_ns);
	write_dots(heat, region, most);
	double imbalance = imbalance_of(heat, region, most);
	if (isfinite(imbalance))
		fprintf(html->stream, "<td>%.2f\xc3\x97", imbalance);
	else
		fputs("<td>-", html->stream);
	fputs("<td class=who>", html->stream);
	const struct rs_summary_place *place =
		&split->places[place_of(split, &split->regions[most])];
	rs_html_place(html, place->process, place->thread);
	putc('\n', html->stream);
}

void rs_html_threads(struct rs_html *html)
{
	struct heat heat;
	if (!html->split || html->split->n_places < 2 || html->tree.n == 0)
		return;
	make(&heat, html);
	bool is_thread = html->split->places[0].thread;
	const char *word = is_thread ? "thread" : "process";
	fprintf(html->stream,
		"<section><h2>%s</h2><p class=note>Shade: share of the %s\xe2\x80\x99s lifetime. "
		"Dots: the %s beside their average.",
		is_thread ? "Threads" : "Processes", word, is_thread ? "threads" : "processes");
	if (html->split->n_places > heat.n_shown)
		fprintf(html->stream, " Columns: %zu of %zu, those farthest from the average.",
			heat.n_shown, html->split->n_places);
	fputs("</p>", html->stream);
	write_heads(&heat);
	for (size_t i = 0; i < html->tree.n; i++)
		write_row(&heat, i);
	fputs("</table></div></section>\n", html->stream);
}
