/* SPDX-License-Identifier: MIT */
/*
 * This file writes how threads share the regions: a heat map of self time. It has a column for each
 * thread, or for each process if rows are split by these. Dots compare the threads.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "stats/counts.h"

#define MOST_COLUMNS 12u
#define MOST_ON_AXIS 3.0 /* multiple of the average at the right end of the dots */

struct heat {
	struct rs_html *html;
	size_t n_places;
	double *self; /* n_places for each merged region */
	double *means; /* average of each merged region over the places with any */
	size_t *shown; /* places that have columns */
	size_t n_shown;
};

static double *cells_of(const struct heat *heat, size_t region)
{
	return &heat->self[region * heat->n_places];
}

/* Fill the cells. The rows of a region follow each other, in the order of the merged regions. */
static void fill(struct heat *heat)
{
	const struct rs_summary *split = heat->html->split;
	for (size_t row = 0, region = 0; row < split->n_regions; row++) {
		const struct rs_summary_region *of = &split->regions[row];
		while (strcmp(of->name, split->merged[region].name) != 0)
			region++;
		/* places are in the order of threads, or of processes */
		size_t place = of->thread ? (size_t)(of->thread - split->threads)
					  : (size_t)(of->process - split->processes);
		cells_of(heat, region)[place] = (double)rs_value_self(&of->values[0]);
	}
	for (size_t i = 0; i < split->n_merged; i++) {
		size_t n = 0;
		for (size_t k = 0; k < heat->n_places; k++) {
			heat->means[i] += cells_of(heat, i)[k];
			n += cells_of(heat, i)[k] > 0;
		}
		heat->means[i] /= n > 0 ? (double)n : 1;
	}
}

/* Return how far a place is from the average of all regions. */
static double distance_of(const struct heat *heat, size_t place)
{
	double sum = 0;
	for (size_t i = 0; i < heat->html->summary->n_merged; i++)
		sum += fabs(cells_of(heat, i)[place] - heat->means[i]);
	return sum;
}

/* Choose the places that are farthest from the average, and keep their order. */
static bool choose(struct heat *heat)
{
	struct rs_arena *arena = &heat->html->arena;
	double *distances = rs_arena_array(arena, heat->n_places, sizeof(*distances));
	heat->shown = rs_arena_array(arena, heat->n_places, sizeof(*heat->shown));
	if (!distances || !heat->shown)
		return false;
	for (size_t k = 0; k < heat->n_places; k++)
		distances[k] = distance_of(heat, k);
	for (size_t k = 0; k < heat->n_places; k++) {
		size_t n_farther = 0;
		for (size_t other = 0; other < heat->n_places; other++)
			n_farther += distances[other] > distances[k];
		if (n_farther < MOST_COLUMNS && heat->n_shown < MOST_COLUMNS)
			heat->shown[heat->n_shown++] = k;
	}
	return true;
}

static bool make(struct heat *heat, struct rs_html *html)
{
	size_t n = html->summary->n_merged;
	*heat = (struct heat){.html = html, .n_places = html->split->n_places};
	heat->self = rs_arena_array(&html->arena, n * heat->n_places, sizeof(*heat->self));
	heat->means = rs_arena_array(&html->arena, n, sizeof(*heat->means));
	if (!heat->self || !heat->means)
		return false;
	fill(heat);
	return choose(heat);
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

/* Write a dot for each place beside the average, and a larger one for the busiest. */
static void write_dots(const struct heat *heat, size_t region, size_t most)
{
	const double *cells = cells_of(heat, region);
	FILE *stream = heat->html->stream;
	bool is_drawn[101] = {0};
	fputs("<td class=dots><svg viewBox=\"0 0 100 10\" preserveAspectRatio=none><path d=\"",
		stream);
	for (size_t k = 0; k < heat->n_places; k++) {
		size_t dot = dot_of(cells[k], heat->means[region]);
		if (k != most && cells[k] > 0 && !is_drawn[dot])
			fprintf(stream, "M%zu 5h0", dot);
		is_drawn[dot] |= cells[k] > 0;
	}
	fprintf(stream, "\"/><path d=\"M%zu 5h0\"/></svg>",
		dot_of(cells[most], heat->means[region]));
}

/* Return the imbalance of a region's self time as findings have it, or NAN if it is unknown. */
static double imbalance_of(const struct rs_html *html, size_t region)
{
	const struct rs_summary *summary = html->summary;
	const struct rs_run *run = summary->run;
	for (size_t i = 0; summary->counts && i < run->n_regions; i++) {
		const struct rs_balance *self = &summary->counts->regions[i].self;
		if (run->regions[i].name == summary->merged[region].name)
			return self->is_known && self->average > 0 ? self->most / self->average
								   : NAN;
	}
	return NAN;
}

static void write_row(const struct heat *heat, size_t line)
{
	const struct rs_html *html = heat->html;
	size_t region = html->tree.lines[line].region, most = 0;
	const double *cells = cells_of(heat, region);
	for (size_t k = 1; k < heat->n_places; k++)
		most = cells[k] > cells[most] ? k : most;
	if (heat->means[region] <= 0 || !html->regions[region].has_panel)
		return;
	fprintf(html->stream, "<tr class=r%zu style=--d:%" PRIu32 "><th>", region,
		html->tree.lines[line].depth);
	rs_html_link(html, region);
	for (size_t k = 0; k < heat->n_shown; k++) {
		const struct rs_summary_place *place = &html->split->places[heat->shown[k]];
		double self = cells[heat->shown[k]];
		struct rs_cell_text cell;
		char style[32];
		if (self <= 0) {
			fputs("<td>", html->stream);
			continue;
		}
		/* the square root makes small shares visible */
		double shade = place->lifetime_ns > 0 ? sqrt(self / (double)place->lifetime_ns) : 1;
		snprintf(style, sizeof(style), " style=--h:.%02.0f", 80 * fmin(shade, 1));
		rs_cell_amount(&cell, "", self, true);
		rs_html_cell(html->stream, style, &cell, (struct rs_field){0});
	}
	write_dots(heat, region, most);
	double imbalance = imbalance_of(html, region);
	if (isfinite(imbalance))
		fprintf(html->stream, "<td>%.2f\xc3\x97", imbalance);
	else
		fputs("<td>-", html->stream);
	fputs("<td class=who>", html->stream);
	rs_html_place(html, html->split->places[most].process, html->split->places[most].thread);
	putc('\n', html->stream);
}

void rs_html_threads(struct rs_html *html)
{
	struct heat heat;
	if (!html->split || html->split->n_places < 2 || html->tree.n == 0)
		return;
	if (!make(&heat, html)) {
		html->failed = true;
		return;
	}
	bool is_thread = html->split->places[0].thread;
	const char *word = is_thread ? "thread" : "process";
	fprintf(html->stream,
		"<section><h2>%s</h2><p class=note>Shade: share of the %s\xe2\x80\x99s lifetime. "
		"Dots: the %s beside their average.",
		is_thread ? "Threads" : "Processes", word, is_thread ? "threads" : "processes");
	if (heat.n_places > heat.n_shown)
		fprintf(html->stream, " Columns: %zu of %zu, those farthest from the average.",
			heat.n_shown, heat.n_places);
	fputs("</p>", html->stream);
	write_heads(&heat);
	for (size_t i = 0; i < html->tree.n; i++)
		write_row(&heat, i);
	fputs("</table></div></section>\n", html->stream);
}
