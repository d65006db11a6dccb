/* SPDX-License-Identifier: MIT */
/*
 * This file writes text, numbers, bars, names and tables as HTML. All text from programs and saved
 * runs goes through rs_html_text(), which escapes markup.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/html.h"

#define LONG_NAME 20u /* names with more bytes are written in two parts */
#define NAME_END 10u

static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void rs_html_text(FILE *stream, const char *before, const char *text, const char *after)
{
	fputs(before, stream);
	for (size_t left = strlen(text), taken; left > 0; left -= taken, text += taken) {
		char shown[RS_TEXT_SHOWN_BYTES];
		taken = rs_text_show_next(text, left, shown);
		for (const char *c = shown; *c; c++) {
			const char *entity = entity_of(*c);
			if (entity)
				fputs(entity, stream);
			else
				putc(*c, stream);
		}
	}
	fputs(after, stream);
}

void rs_html_head(FILE *stream, const char *title, bool has_script)
{
	fprintf(stream,
		"<!doctype html><html lang=en><meta charset=utf-8>\n"
		"<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; script-src '%s%s'; base-uri 'none'; "
		"form-action 'none'\">\n"
		"<meta name=viewport content=\"width=device-width, initial-scale=1\">"
		"<meta name=color-scheme content=\"light dark\">"
		"<meta name=referrer content=no-referrer>\n<title>",
		has_script ? "sha256-" : "none", has_script ? rs_html_js_hash : "");
	rs_html_text(stream, "", title, ": regions</title><style>");
	fputs(rs_html_css, stream);
}

/* ---- numbers ---- */

/* Join the number and the unit of a cell as HTML: replace "us" by a micro sign and "s", and escape
 * '<' at the start. */
static struct rs_html_number join(struct rs_cell_text cell, const char *gap, const char *after)
{
	struct rs_html_number number;
	const char *space = strrchr(cell.text, ' '), *unit = space ? space + 1 : "";
	int n = (int)(space ? (size_t)(space - cell.text) : strlen(cell.text));
	bool is_bound = cell.text[0] == '<', is_micro = strcmp(unit, "us") == 0;
	snprintf(number.text, sizeof(number.text), "%s%.*s%s%s%s%s", is_bound ? "&lt;" : "",
		n - is_bound, cell.text + is_bound, *unit ? gap : "", is_micro ? "\xc2\xb5" : "",
		unit + is_micro, *unit ? after : "");
	return number;
}

struct rs_html_number rs_html_number(struct rs_cell_text cell)
{
	return join(cell, "\xe2\x80\xaf", ""); /* U+202F, a narrow space without a line break */
}

struct rs_html_number rs_html_aligned(struct rs_cell_text cell)
{
	return join(cell, "<u>", "</u>");
}

struct rs_html_number rs_html_amount(double amount, bool is_ns)
{
	amount = fmax(amount, 0);
	if (is_ns)
		return rs_html_number(rs_cell_amount("", amount, true));
	return rs_html_number(
		rs_format_total(amount < 0x1p64 ? (uint64_t)amount : UINT64_MAX, false));
}

const struct rs_cell_column rs_html_time_column = {.is_time = true, .is_ns = true, .utf8 = true};

struct rs_cell_text rs_html_share(const struct rs_html *html, size_t region)
{
	const struct rs_summary_region *of = &html->summary->merged[region];
	double self = (double)rs_value_self(&of->values[RS_EVENT_TIME]);
	double below = rs_cell_self_bound(of, &rs_html_time_column, self);
	return rs_cell_share(html->summary->shares[0].thousandths[region],
		below / (double)html->summary->whole.lifetimes_ns);
}

struct rs_html_number rs_html_percent(double share, int digits)
{
	struct rs_html_number number = {"&lt;0.1%"};
	if (share <= 0 || share >= 0.0005 || digits == 0)
		snprintf(number.text, sizeof(number.text), "%.*f%%", digits, 100 * share);
	return number;
}

void rs_html_cell(
	FILE *stream, const char *attributes, struct rs_cell_text cell, struct rs_field field)
{
	fprintf(stream, "<td%s", attributes);
	if (field.kind == RS_FIELD_INTEGER)
		fprintf(stream, " data-v=%" PRIu64, field.integer);
	else if (field.kind == RS_FIELD_REAL)
		fprintf(stream, " data-v=%.9g", field.real);
	fprintf(stream, ">%s", rs_html_aligned(cell).text);
}

void rs_html_fact(FILE *stream, const char *name, const char *number)
{
	fprintf(stream, "<div><dt>%s<dd>%s</div>", name, number);
}

/* ---- times, split into kinds ---- */

static struct rs_html_split split_of(
	const struct rs_value *values, uint64_t (*get)(const struct rs_value *value))
{
	if (!rs_value_has_total(&values[RS_EVENT_CPU_TIME]))
		return (struct rs_html_split){.ns = {(double)get(&values[RS_EVENT_TIME])}};
	return (struct rs_html_split){.ns = {(double)get(&values[RS_EVENT_CPU_TIME]),
					      (double)get(&values[RS_EVENT_PREEMPTED]),
					      (double)get(&values[RS_EVENT_BLOCKED])},
		.is_known = true};
}

static uint64_t total_of(const struct rs_value *value)
{
	return value->total;
}

struct rs_html_split rs_html_total(const struct rs_summary_region *region)
{
	return split_of(region->values, total_of);
}

struct rs_html_split rs_html_self(const struct rs_summary_region *region)
{
	return split_of(region->values, rs_value_self);
}

/* One HTML element draws the bar: its parts are a gradient. */
void rs_html_bar(FILE *stream, const struct rs_html_split *split, double width)
{
	double sum = split->ns[0] + split->ns[1] + split->ns[2];
	double a = sum > 0 ? 100 * split->ns[0] / sum : 100;
	double b = sum > 0 ? a + 100 * split->ns[1] / sum : 100;
	fprintf(stream, "<i%s style=--w:%.0f%%", split->is_known ? "" : " class=z", 100 * width);
	if (split->is_known)
		fprintf(stream, ";--a:%.0f%%;--b:%.0f%%", a, b);
	fputs("></i>", stream);
}

void rs_html_wide_bar(FILE *stream, const char *class, const double *parts, size_t n)
{
	double sum = 0;
	for (size_t k = 0; k < n; k++)
		sum += parts[k];
	fprintf(stream, "<div class=\"%s\">", class);
	for (size_t k = 0; sum > 0 && k < n; k++)
		if (parts[k] / sum >= 0.001)
			fprintf(stream, "<i class=q%zu style=flex:%.0f><b>%s</b></i>", k,
				100 * parts[k] / sum, rs_html_percent(parts[k] / sum, 0).text);
	fputs("</div>", stream);
}

/* ---- names and links ---- */

void rs_html_link(const struct rs_html *html, size_t region)
{
	if (html->regions[region].has_panel)
		fprintf(html->stream, "<a href=#r%zu>", region);
	else
		/* with tabindex, the script can move the focus here */
		fputs("<a tabindex=-1>", html->stream);
	/* a narrow column cuts the middle of a long name, since names often differ at the end */
	char name[4 * RS_NAME_BYTES];
	rs_text_name(name, sizeof(name), html->summary->merged[region].name);
	size_t head = strlen(name) > LONG_NAME ? strlen(name) - NAME_END : 0;
	while (head > 0 && ((unsigned char)name[head] & 0xc0) == 0x80)
		head--;
	if (head > 0) {
		char first[sizeof(name)];
		snprintf(first, sizeof(first), "%.*s", (int)head, name);
		rs_html_text(html->stream, "<span class=m><span>", first, "</span><span>");
	}
	rs_html_text(html->stream, "", name + head, head > 0 ? "</span></span></a>" : "</a>");
}

void rs_html_place(const struct rs_html *html, const struct rs_summary_process *process,
	const struct rs_summary_thread *thread)
{
	const char *name = thread ? thread->name : process ? process->name : "";
	if (thread && process && html->split->n_processes > 1)
		rs_html_text(html->stream, "", process->label, "/<wbr>");
	rs_html_text(html->stream, "", thread ? thread->label : process ? process->label : "?", "");
	if (process && process->has_rank)
		fprintf(html->stream, " rank %" PRIu32, process->rank);
	rs_html_text(html->stream, *name ? " " : "", name, "");
}

/* ---- grids ---- */

static void write_cell(FILE *stream, const struct rs_grid_column *column, size_t row)
{
	const struct rs_grid_cell head = {{{column->heading, RS_SPAN_PLAIN}}};
	const struct rs_grid_cell *cell = row == 0 ? &head : &column->cells[row - 1];
	fprintf(stream, "<%s%s>", row == 0 ? "th" : "td", column->is_left ? " class=l" : "");
	for (size_t i = 0; i < RS_ACCUMULATOR_SPANS; i++)
		if (cell->spans[i].text)
			rs_html_text(stream, "", cell->spans[i].text, "");
}

static void write_grid(FILE *stream, struct rs_grid *grid)
{
	if (grid->names)
		grid->names(grid, grid->roomy_width, grid->names_data);
	fputs("<div class=scroll><table class=grid><thead>", stream);
	for (size_t row = 0; row <= grid->n_rows; row++) {
		fputs(row == 1 ? "<tbody><tr>" : "<tr>", stream);
		for (size_t c = 0; c < grid->n_columns; c++)
			if (!grid->columns[c].is_drawing)
				write_cell(stream, &grid->columns[c], row);
	}
	fputs("</table></div>", stream);
}

void rs_html_table(struct rs_html *html, const char *heading, rs_make_table *make)
{
	struct rs_grid grid;
	make(&grid, html->summary, html->options, html->arena);
	if (grid.n_rows == 0)
		return;
	fprintf(html->stream, "<section><h2>%s</h2>", heading);
	write_grid(html->stream, &grid);
	fputs("</section>\n", html->stream);
}
