/* SPDX-License-Identifier: MIT */
/*
 * This file writes the parts of the HTML report that are about the whole run. These parts show what
 * ran and on which machine, where the threads' time went, and which findings there are.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "record/record.h"
#include "report/format.h"
#include "report/tables.h"
#include "report/html.h"

#define HIGH_OVERHEAD 0.05

/* ---- the head of the page ---- */

static void write_facts(const struct rs_html *html)
{
	const struct rs_summary *summary = html->summary;
	const struct rs_marker_overhead *cost = &summary->total.overhead;
	double cpu = (double)(summary->user_ns + summary->system_ns);
	uint32_t cpus = summary->run->machine.cpus;
	uint64_t n_runs = rs_run_n_merged(summary->run);
	char text[128] = "elapsed";
	fputs("<dl class=kv>", html->stream);
	if (n_runs > 1)
		snprintf(text, sizeof(text), "elapsed, longest of %" PRIu64 " runs", n_runs);
	rs_html_fact(html->stream, text, rs_html_time((double)summary->elapsed_ns).text);
	strcpy(text, "CPU time");
	/* merged runs may have run at the same time or one after the other */
	if (summary->elapsed_ns > 0 && cpus > 0 && n_runs == 1)
		snprintf(text, sizeof(text), "CPU time, %.2f of %" PRIu32 " CPU%s",
			cpu / (double)summary->elapsed_ns, cpus, cpus == 1 ? "" : "s");
	rs_html_fact(html->stream, text, rs_html_time(cpu).text);
	snprintf(text, sizeof(text), "%" PRIu64, summary->whole.n_threads);
	rs_html_fact(html->stream, "marked threads", text);
	bool is_high = cost->share > HIGH_OVERHEAD;
	snprintf(text, sizeof(text), "%s\xe2\x89\xa5 %.*f%%%s", is_high ? "<strong>" : "",
		cost->share < 0.0995 ? 1 : 0, cost->share * 100, is_high ? "</strong>" : "");
	if (cost->known && isfinite(cost->share))
		rs_html_fact(html->stream, "overhead, of the CPU time", text);
	fputs("</dl>", html->stream);
}

static void write_machine(const struct rs_html *html)
{
	const struct rs_run *run = html->summary->run;
	const struct rs_machine *machine = &run->machine;
	char date[64];
	struct tm utc;
	time_t started = (time_t)run->started_s;
	rs_html_text(html->stream, "<p class=mach>", machine->host, ", ");
	fprintf(html->stream, "%" PRIu32 " \xc3\x97 ", machine->cpus);
	rs_html_text(html->stream, "", machine->processor[0] ? machine->processor : "CPU", "<br>");
	rs_html_text(html->stream, "", machine->kernel, ", ");
	rs_html_text(html->stream, "", machine->architecture, "<br>");
	if (started > 0 && gmtime_r(&started, &utc) &&
		strftime(date, sizeof(date), "%e %B %Y, %H:%M UTC", &utc) > 0)
		fputs(date, html->stream);
	fputs("</p>", html->stream);
}

/* Parts of the threads' time. The first RS_HTML_KINDS parts are the kinds of time in regions. */
enum part { PART_OVERHEAD = RS_HTML_KINDS, PART_UNMARKED, N_PARTS };

static void find_parts(const struct rs_summary_whole *whole, double parts[N_PARTS])
{
	static const int kinds[RS_OFF_N] = {
		[RS_OFF_BLOCKED] = RS_HTML_BLOCKED, [RS_OFF_PREEMPTED] = RS_HTML_PREEMPTED};
	double inside = (double)(whole->lifetimes_ns - whole->unmarked_ns - whole->overhead_ns);
	for (int k = 0; k < RS_OFF_N; k++) {
		double off = (double)whole->off_ns[k] - (double)whole->unmarked_off_ns[k];
		parts[kinds[k]] = whole->has_cpu ? fmin(fmax(off, 0), inside) : 0;
		inside -= parts[kinds[k]];
	}
	parts[RS_HTML_ON_CPU] = inside;
	parts[PART_OVERHEAD] = (double)whole->overhead_ns;
	parts[PART_UNMARKED] = (double)whole->unmarked_ns;
}

static void write_where(const struct rs_html *html)
{
	static const char *const names[N_PARTS] = {
		"on-CPU", "preempted", "blocked", "overhead", "unmarked"};
	static const char *const why[N_PARTS] = {"the thread runs", "another task has the CPU",
		"sleep, lock or I/O", "of markers", "in no region"};
	const struct rs_summary_whole *whole = &html->summary->whole;
	bool has_cpu = whole->has_cpu;
	double parts[N_PARTS];
	if (whole->lifetimes_ns == 0)
		return;
	find_parts(whole, parts);
	fprintf(html->stream,
		"<div class=where><h2>Where the %s of %" PRIu64 " marked thread%s went</h2>",
		rs_html_time((double)whole->lifetimes_ns).text, whole->n_threads,
		whole->n_threads == 1 ? "" : "s");
	rs_html_wide_bar(html->stream, has_cpu ? "bar big" : "bar big nocpu", parts, N_PARTS);
	fprintf(html->stream, "<ul class=\"leg%s\">", has_cpu ? "" : " nocpu");
	for (size_t k = 0; k < N_PARTS; k++)
		if (parts[k] > 0 || k == RS_HTML_ON_CPU)
			fprintf(html->stream,
				"<li><i class=q%zu></i><b>%s</b> <data value=%.0f>%s</data> "
				"<em>%s</em>",
				k, k == 0 && !has_cpu ? "in regions" : names[k], parts[k],
				rs_html_time(parts[k]).text,
				k == 0 && !has_cpu ? "whether it ran is unknown" : why[k]);
	fputs("</ul></div>", html->stream);
}

void rs_html_header(struct rs_html *html)
{
	const struct rs_summary *summary = html->summary;
	const char *label = summary->label ? summary->label : "";
	char end[64];
	rs_html_text(html->stream, "<header><div><h1>", rs_report_program(summary->argv), "</h1>");
	rs_html_text(html->stream, "<code>", rs_report_command_text(summary->argv, html->arena),
		"</code>");
	if (*label && !rs_record_is_default_label(label))
		rs_html_text(html->stream, "<p class=note>", label, "</p>");
	rs_end_text(end, summary);
	rs_html_text(html->stream, "<p class=end>", end, "</p></div>");
	write_facts(html);
	write_machine(html);
	write_where(html);
	fputs("</header>\n", html->stream);
}

/* ---- findings ---- */

static size_t region_named(const struct rs_html *html, const char *name)
{
	char shown[RS_NAME_BYTES * 4];
	for (size_t i = 0; i < html->summary->n_merged; i++) {
		rs_text_name(shown, sizeof(shown), html->summary->merged[i].name);
		if (strcmp(shown, name) == 0)
			return i;
	}
	return RS_NO_ROW;
}

void rs_html_badges(const struct rs_html *html, size_t region)
{
	char name[RS_NAME_BYTES * 4]; /* escaped, as in findings */
	size_t number = 0;
	rs_text_name(name, sizeof(name), html->summary->merged[region].name);
	for (size_t i = 0; i < html->findings.n; i++) {
		const struct rs_finding *finding = &html->findings.items[i];
		bool names_it = false;
		if (!rs_findings_is_shown(&html->findings, i, html->options))
			continue;
		number++;
		for (size_t k = 0; k < RS_FINDING_NAMES && finding->names[k]; k++)
			names_it |= strcmp(finding->names[k], name) == 0;
		if (names_it)
			fprintf(html->stream,
				"<a class=f href=#f%zu aria-label=\"finding %zu\">%zu</a>", number,
				number, number);
	}
}

/* Write the text of a finding. Replace names of regions by links. */
static void write_text(const struct rs_html *html, const struct rs_finding *finding)
{
	char *at = rs_arena_format(html->arena, "%s", finding->text);
	for (size_t i = 0; i < RS_FINDING_NAMES && finding->names[i]; i++) {
		char *name = (char *)rs_finding_find_name(at, finding->names[i]);
		size_t region = region_named(html, finding->names[i]);
		if (!name || region == RS_NO_ROW)
			continue;
		*name = '\0';
		rs_html_text(html->stream, "", at, "");
		rs_html_link(html, region);
		at = name + strlen(finding->names[i]);
	}
	rs_html_text(html->stream, "", at, "");
}

void rs_html_findings(const struct rs_html *html)
{
	size_t number = 0;
	for (size_t i = 0; i < html->findings.n; i++) {
		const struct rs_finding *finding = &html->findings.items[i];
		if (!rs_findings_is_shown(&html->findings, i, html->options))
			continue;
		if (number++ == 0)
			fputs("<section><h2>Findings</h2><ol class=find>", html->stream);
		fprintf(html->stream, "<li id=f%zu%s><p>", number,
			finding->severity == RS_WARNING ? " class=warn" : "");
		write_text(html, finding);
		rs_html_text(html->stream, "</p><p class=do>",
			finding->remedy ? finding->remedy : "", "</p>");
	}
	if (number > 0)
		fputs("</ol></section>\n", html->stream);
}

/* ---- the foot of the page ---- */

void rs_html_footer(struct rs_html *html)
{
	static const char text[] =
		"<section><h2>How to read it</h2><ul>"
		"<li><b>self</b>: time in a region and in no region within it, as a share of the "
		"marked threads\xe2\x80\x99 lifetimes. With \xe2\x80\x9cunmarked\xe2\x80\x9d these "
		"make 100%."
		"<li><b>total</b>: time in a region, nested regions included, over all threads. "
		"<b>avg</b>, <b>p90</b>, <b>max</b>: of single calls. <b>on-CPU</b>: share of the "
		"total."
		"<li><b>Distributions</b> show time, not calls: a hump is where the time is. The "
		"mark below the line is p50."
		"<li><b>cpu-time</b> mirrors time below the line. A hump without a mirror image is "
		"time off the CPU; the colours above the line are estimates from that."
		"<li><b>~</b>: an estimate, since the event was not counted all the time or calls "
		"were sampled. <b>-</b>: unknown.</ul></section>";
	rs_html_table(html, "Whole run", rs_totals_make);
	fputs(text, html->stream);
	rs_html_text(html->stream, "<p class=by>regionstat " REGIONSTAT_VERSION ", run ",
		html->summary->label ? html->summary->label : "", "</p>");
}
