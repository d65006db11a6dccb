/* SPDX-License-Identifier: MIT */
/*
 * This file draws distributions as SVG. The axis is logarithmic and divided into bins. The height
 * of a bin is its share of the region's time, so areas mean time. The page defines each drawing
 * once, in <defs>. The tree and the panel of the region both refer to it.
 */
#include <math.h>
#include <stdlib.h>

#include "report/html.h"

#define LEAST_SHARE 0.002 /* bins at the left with a smaller share of the time are cut off */
#define LEAST_DEPTH 0.3 /* least height of the cpu-time part, relative to the time part */
#define MOST_DEPTH 3
#define MOST_LEFT (3 * RS_DENSITY_OCTAVE) /* cpu-time widens the plot by at most this many bins */
#define SPARK_POINTS 12
#define SPARK_HEIGHT 8

void rs_html_steps(FILE *stream, const char *class, const struct rs_density *density,
	const double *values, double scale, const struct rs_html_base *base)
{
	int height = 0, run = 0;
	size_t from = 0;
	while (from < density->n && values[from] <= 0)
		from++;
	if (from == density->n)
		return;
	fprintf(stream, "<path class=%s d=\"M%d %d", class, density->first - base->x + (int)from,
		base->y);
	for (size_t i = from; i < density->n; i++, run++) {
		int next = (int)lround(values[i] * scale);
		if (values[i] > 0 && next == 0)
			next = 1; /* draw at least a line for a single slow call */
		if (next == height)
			continue;
		if (run > 0)
			fprintf(stream, "h%d", run);
		fprintf(stream, "v%d", base->is_below ? next - height : height - next);
		height = next;
		run = 0;
	}
	fprintf(stream, "h%dv%dz\"/>", run, base->is_below ? -height : height);
}

double rs_html_peak(const struct rs_density *density)
{
	double peak = 0;
	for (size_t i = 0; i < density->n; i++)
		peak = fmax(peak, density->shares[i]);
	return peak;
}

/* Draw a region's time as three areas on top of each other. The first is all time, in the colour of
 * blocked time. The second is the time without blocked time. The third is on-CPU time. */
static void write_drawing(struct rs_html *html, size_t index)
{
	const struct rs_html_region *region = &html->regions[index];
	const struct rs_html_base base = {html->axis_first, RS_HTML_PEAK, false};
	const struct rs_html_split total = rs_html_total(&html->summary->merged[index]);
	double off = total.ns[RS_HTML_PREEMPTED] + total.ns[RS_HTML_BLOCKED];
	double blocked = off > 0 ? total.ns[RS_HTML_BLOCKED] / off : 0;
	double scale = RS_HTML_PEAK / rs_html_peak(&region->time);
	double *layer = rs_arena_array(html->arena, region->time.n, sizeof(*layer));
	fprintf(html->stream, "<g id=d%zu>", index);
	rs_html_steps(html->stream, region->off ? "k" : "z", &region->time, region->time.shares,
		scale, &base);
	for (int k = 0; k < 2 && region->off; k++) {
		for (size_t i = 0; i < region->time.n; i++)
			layer[i] = region->time.shares[i] - region->off[i] * (k == 0 ? blocked : 1);
		rs_html_steps(html->stream, k == 0 ? "p" : "o", &region->time, layer, scale, &base);
	}
	fputs("</g>", html->stream);
}

void rs_html_drawings(struct rs_html *html)
{
	fputs("<svg class=defs aria-hidden=true><defs>", html->stream);
	for (size_t i = 0; i < html->tree.n; i++)
		if (html->regions[html->tree.lines[i].region].time.n > 0)
			write_drawing(html, html->tree.lines[i].region);
	fputs("</defs></svg>\n", html->stream);
}

/* ---- axes ---- */

/* Return the position of a time on an axis, from 0 at bin first to 1 at bin end. */
static double place_of(double ns, int first, int end)
{
	double bin = log2(fmax(ns, 1)) * RS_DENSITY_OCTAVE;
	return fmin(fmax((bin - first) / (end - first), 0), 1);
}

void rs_html_axis(FILE *stream, int first, int end)
{
	/* Labels in each power of ten: 1, or 1 and 3, or 1, 2 and 5. A longer axis has fewer
	 * labels. A very long axis has labels only in every second power. */
	static const int marks[3][3] = {{1}, {1, 3}, {1, 2, 5}};
	int octaves = (end - first) / RS_DENSITY_OCTAVE, set = octaves > 9   ? 0
							       : octaves > 4 ? 1
									     : 2;
	uint64_t decade = 1;
	for (int e = 0; e < 13; e++, decade *= 10) {
		for (int k = octaves > 20 && e % 2 == 0 ? 1 : 0; k <= set; k++) {
			uint64_t length = decade * (uint64_t)marks[set][k];
			double at = place_of((double)length, first, end);
			if (at < 0.02 || at > 0.96)
				continue;
			/* these numbers need no decimals */
			fprintf(stream, "<s style=left:%.1f%%>%.0f\xe2\x80\xaf%s</s>", 100 * at,
				strtod(rs_format_total(length, true).text, NULL),
				e < 3	? "ns"
				: e < 6 ? "\xc2\xb5s"
				: e < 9 ? "ms"
					: "s");
		}
	}
}

/* ---- the plot of a panel ---- */

/* Find the bins that the plot shows: the bins of time, and those of cpu-time that are at most
 * MOST_LEFT bins further left. */
static void find_range(const struct rs_html_region *region, int *first, int *end)
{
	const struct rs_density *time = &region->time, *cpu = &region->cpu_time;
	size_t from = 0, cpu_from = 0;
	while (from + 1 < time->n && time->shares[from] <= LEAST_SHARE)
		from++;
	while (cpu_from + 1 < cpu->n && cpu->shares[cpu_from] <= LEAST_SHARE)
		cpu_from++;
	*first = time->first + (int)from;
	*end = time->first + (int)time->n;
	int cpu_first = cpu->first + (int)cpu_from;
	if (region->off && cpu_first < *first)
		*first = cpu_first > *first - MOST_LEFT ? cpu_first : *first - MOST_LEFT;
	int pad = (*end - *first) / 16 + 2;
	*first -= pad;
	*end += pad;
}

static void write_flag(struct rs_html *html, double ns, const char *name, int first, int end)
{
	double at = place_of(ns, first, end);
	if (at < 0.75)
		fprintf(html->stream, "<b style=left:%.1f%%>", 100 * at);
	else
		fprintf(html->stream, "<b class=e style=right:%.1f%%>", 100 * (1 - at));
	fprintf(html->stream, "%s%s %s</b>", at > 0 ? "" : "\xe2\x86\x90 ", name,
		rs_html_time(ns).text);
}

void rs_html_distribution(struct rs_html *html, size_t index)
{
	static const enum rs_statistic_index flags[] = {
		RS_STATISTIC_P50, RS_STATISTIC_P90, RS_STATISTIC_P99, RS_STATISTIC_MAX};
	const struct rs_summary_region *region = &html->summary->merged[index];
	const struct rs_html_region *own = &html->regions[index];
	const struct rs_html_base below = {html->axis_first, RS_HTML_PEAK, true};
	size_t n = region->calls > 1 ? sizeof(flags) / sizeof(flags[0]) : 1;
	int first, end;
	if (own->time.n == 0)
		return;
	/* the parts above and below the axis have the same scale */
	double scale = fmin(own->cpu_time.sum / own->time.sum, 1) / rs_html_peak(&own->time);
	double depth = fmin(fmax(rs_html_peak(&own->cpu_time) * scale, LEAST_DEPTH), MOST_DEPTH);
	double height = own->off ? 1 + depth : 1;
	find_range(own, &first, &end);
	fprintf(html->stream,
		"<section class=dist><h3>Distribution</h3><div class=\"plot%s\" "
		"style=--k:%zu;--y:%.3f><svg viewBox=\"%d 0 %d %.0f\" preserveAspectRatio=none>"
		"<use href=#d%zu />",
		own->off ? "" : " nocpu", n, 1 / height, first - html->axis_first, end - first,
		height * RS_HTML_PEAK, index);
	if (own->off)
		rs_html_steps(html->stream, "o", &own->cpu_time, own->cpu_time.shares,
			scale * RS_HTML_PEAK, &below);
	fputs("</svg>", html->stream);
	for (size_t i = 0; i < n; i++) {
		const struct rs_statistic *flag =
			&rs_statistics[n > 1 ? flags[i] : RS_STATISTIC_MAX];
		struct rs_field field = rs_statistic_of(flag, region, &region->values[0]);
		if (field.kind == RS_FIELD_INTEGER)
			write_flag(html, (double)field.integer, n > 1 ? flag->word : "one call",
				first, end);
	}
	if (region->calls >= 10 && region->long_calls.calls > 0)
		fprintf(html->stream, "<span style=left:%.1f%%>slowest</span>",
			100 * place_of((double)region->long_calls.bound_ns, first, end));
	fputs("<div class=ax>", html->stream);
	rs_html_axis(html->stream, first, end);
	fputs("</div></div></section>", html->stream);
}

/* ---- small drawings ---- */

void rs_html_spark(struct rs_html *html, const struct rs_value *value)
{
	struct rs_density density;
	double octaves = log2((double)value->max + 1) - log2((double)value->min + 1);
	/* bins per factor of two, so that all bins fit into the drawing */
	rs_density_make(
		&density, &value->histogram, (SPARK_POINTS - 1) / fmax(octaves, 1), html->arena);
	const struct rs_html_base base = {density.first, SPARK_HEIGHT, false};
	if (density.n < 2)
		return;
	fputs("<svg>", html->stream);
	rs_html_steps(html->stream, "o", &density, density.shares,
		SPARK_HEIGHT / rs_html_peak(&density), &base);
	fputs("</svg>", html->stream);
}
