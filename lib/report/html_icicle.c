/* SPDX-License-Identifier: MIT */
/*
 * This file draws the nesting of regions as an icicle (an upside-down flame graph). It has a box
 * for each region, below the box of the region around it. Radio buttons choose the event that the
 * width of the boxes shows. Each box holds its position for each event in CSS custom properties, so
 * that the choice needs no script.
 */
#include <inttypes.h>
#include <math.h>

#include "report/html.h"

#define LEAST_WIDTH 0.05 /* percent of the whole; do not draw narrower boxes */
#define LEAST_LABEL 8.0 /* percent of the whole; narrower boxes show no number */
#define DEEPEST 40u

/* An event that the widths of boxes can show. */
struct event {
	size_t column;
	bool is_ns;
	double whole; /* value that corresponds to the full width */
};

/* Position of a region's box for one event, in percent of the full width. */
struct box {
	double left, width;
	double used; /* sum of the widths of the boxes placed below it */
};

struct icicle {
	struct rs_html *html;
	struct event *events;
	size_t n_events;
	struct box *boxes; /* n_events boxes for each merged region, then n_events for the run */
};

static double total_of(const struct rs_summary_region *region, size_t column)
{
	const struct rs_value *value = &region->values[column];
	return rs_value_has_total(value) && !region->is_apart ? (double)value->total : 0;
}

/* Return the value of the full width: the whole of a column's self values, or the sum over all
 * outermost regions if this is larger. */
static double whole_of(const struct rs_html *html, size_t column)
{
	double roots = 0;
	for (size_t i = 0; i < html->tree.n; i++)
		if (html->tree.lines[i].depth == 0)
			roots += total_of(rs_html_region(html, i), column);
	return fmax((double)html->summary->shares[column].whole, roots);
}

static void make_events(struct icicle *icicle)
{
	const struct rs_summary *summary = icicle->html->summary;
	icicle->events = rs_arena_array(
		icicle->html->arena, summary->n_columns, sizeof(*icicle->events));
	for (size_t c = 0; c < summary->n_columns; c++) {
		double sum = 0;
		for (size_t i = 0; i < icicle->html->tree.n; i++)
			sum += total_of(rs_html_region(icicle->html, i), c);
		if ((c > 0 && sum <= 0) || summary->columns[c].is_part)
			continue;
		icicle->events[icicle->n_events++] = (struct event){.column = c,
			.is_ns = summary->columns[c].is_ns,
			.whole = fmax(whole_of(icicle->html, c), 1)};
	}
	icicle->boxes = rs_arena_array(icicle->html->arena,
		(summary->n_merged + 1) * (icicle->n_events + 1), sizeof(*icicle->boxes));
}

static struct box *box_of(const struct icicle *icicle, size_t region, size_t event)
{
	size_t n = icicle->html->summary->n_merged;
	return &icicle->boxes[(region == RS_NO_ROW ? n : region) * icicle->n_events + event];
}

/* Place a region's box to the right of the boxes already placed below its parent. Limit its width
 * to the rest of the parent's width, because estimates may exceed the parent. */
static void place(const struct icicle *icicle, size_t region, size_t event)
{
	const struct rs_summary_region *of = &icicle->html->summary->merged[region];
	struct box *box = box_of(icicle, region, event);
	struct box *parent = box_of(icicle, of->parent_row, event);
	const struct event *by = &icicle->events[event];
	box->left = parent->left + parent->used;
	box->width = fmin(100 * total_of(of, by->column) / by->whole, parent->width - parent->used);
	box->width = fmax(box->width, 0);
	parent->used += box->width;
}

static void write_box(const struct icicle *icicle, size_t line)
{
	const struct rs_html *html = icicle->html;
	FILE *stream = html->stream;
	size_t region = html->tree.lines[line].region;
	const struct rs_summary_region *of = &html->summary->merged[region];
	uint32_t depth = html->tree.lines[line].depth;
	const struct rs_html_split total = rs_html_total(of);
	double sum = total.ns[0] + total.ns[1] + total.ns[2], widest = 0;
	for (size_t e = 0; e < icicle->n_events; e++) {
		place(icicle, region, e);
		widest = fmax(widest, box_of(icicle, region, e)->width);
	}
	if (widest < LEAST_WIDTH || depth >= DEEPEST)
		return;
	fprintf(stream, "<a class=\"r%zu%s\"", region, total.is_known ? "" : " z");
	if (html->regions[region].has_panel)
		fprintf(stream, " href=#r%zu", region);
	fprintf(stream, " style=\"--d:%" PRIu32, depth + 1);
	if (total.is_known && sum > 0)
		fprintf(stream, ";--a:%.0f%%;--b:%.0f%%", 100 * total.ns[0] / sum,
			100 * (total.ns[0] + total.ns[1]) / sum);
	for (size_t e = 0; e < icicle->n_events; e++) {
		const struct box *box = box_of(icicle, region, e);
		if (box->width >= LEAST_WIDTH)
			fprintf(stream, ";--l%zu:%.3g;--w%zu:%.3g", e, box->left, e, box->width);
	}
	putc('"', stream);
	for (size_t e = 0; e < icicle->n_events; e++) {
		const struct event *by = &icicle->events[e];
		double amount = total_of(of, by->column);
		if (box_of(icicle, region, e)->width < LEAST_LABEL)
			continue;
		fprintf(stream, " data-%zu=\"%s %.0f%%\"", e,
			rs_html_amount(amount, by->is_ns).text, 100 * amount / by->whole);
	}
	rs_html_text(
		stream, "><span>", rs_arena_name(icicle->html->arena, of->name), "</span></a>");
}

/* Write the radio buttons that choose an event, and the CSS rules that place and label the boxes
 * for the chosen event. */
static void write_choice(const struct icicle *icicle)
{
	FILE *stream = icicle->html->stream;
	fputs("<style>", stream);
	for (size_t e = 0; e < icicle->n_events; e++)
		fprintf(stream,
			".ice:has(#e%zu:checked) "
			"a{left:calc(var(--l%zu,0)*1%%);width:calc(var(--w%zu,0)*1%%)}"
			".ice:has(#e%zu:checked) a::after{content:attr(data-%zu)}",
			e, e, e, e, e);
	size_t checked = 0;
	for (size_t e = 0; e < icicle->n_events; e++)
		checked = icicle->events[e].column == icicle->html->by ? e : checked;
	fputs("</style><fieldset class=pick><legend>by</legend>", stream);
	for (size_t e = 0; e < icicle->n_events; e++) {
		fprintf(stream, "<label><input type=radio name=e id=e%zu%s>", e,
			e == checked ? " checked" : "");
		rs_html_text(stream, "",
			icicle->html->summary->columns[icicle->events[e].column].name, "</label>");
	}
	fputs("</fieldset>", stream);
}

static void write_root(const struct icicle *icicle, uint32_t depth)
{
	FILE *stream = icicle->html->stream;
	fprintf(stream,
		"<div class=boxes style=--n:%" PRIu32 "><a class=root href=#run style=--d:0",
		(depth < DEEPEST ? depth : DEEPEST) + 2);
	for (size_t e = 0; e < icicle->n_events; e++) {
		*box_of(icicle, RS_NO_ROW, e) = (struct box){.width = 100};
		fprintf(stream, " data-%zu=\"%s\"", e,
			rs_html_amount(icicle->events[e].whole, icicle->events[e].is_ns).text);
	}
	fputs("><span>all</span></a>", stream);
}

void rs_html_icicle(struct rs_html *html)
{
	struct icicle icicle = {.html = html};
	uint32_t deepest = 0;
	size_t n = 0;
	for (size_t i = 0; i < html->tree.n; i++) {
		deepest = html->tree.lines[i].depth > deepest ? html->tree.lines[i].depth : deepest;
		n += !rs_html_region(html, i)->is_apart;
	}
	if (n == 0)
		return;
	make_events(&icicle);
	fputs("<section><h2>Nesting</h2><p class=note>Width: inclusive. Space below a box: self."
	      "</p><div class=ice>",
		html->stream);
	write_choice(&icicle);
	write_root(&icicle, deepest);
	for (size_t i = 0; i < html->tree.n; i++)
		write_box(&icicle, i);
	fputs("</div></div></section>\n", html->stream);
}
