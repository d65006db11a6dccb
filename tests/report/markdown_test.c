/* SPDX-License-Identifier: MIT */
/* Tests of Markdown: the lines of tables, hostile names, and findings. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "screen.h"

static struct screen screen;

static void start(void)
{
	screen_init(&screen, 3); /* task-clock, instructions, cycles */
	screen_add(&screen, "render", RS_NO_ROW, 1000, 150000, 150000, 100);
}

static void finish(void)
{
	screen_finish(&screen);
}

TestSuite(markdown, .init = start, .fini = finish);

static void expect(const char *part)
{
	const struct rs_report_options options = rs_markdown_options(
		&(struct rs_report_options){0});
	char *text = screen_report(&screen, rs_report_table, &options);
	cr_expect(strstr(text, part), "no '%s' in\n%s", part, text);
	free(text);
}

Test(markdown, tables)
{
	static struct rs_metric metrics[] = {{"IPC", "ratio", SCREEN_EVENT(2), 3.513}};
	screen.summary.label = "r1";
	screen.regions[0].metrics = screen.summary.total.metrics = metrics;
	screen.regions[0].n_metrics = screen.summary.total.n_metrics = 1;
	/* HTML keeps the distance between the parts of the headline */
	expect("program -n 50 \"r1\" &nbsp;&nbsp;201 ms elapsed &nbsp;&nbsp;192 ms CPU");
	expect("\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	expect("\n| render | 75.0% | 150 ms | 3.51 | 150 ms | 1,000 | 150 us | 135 us | 180 us | "
	       "225 us | 300 us |\n");
	expect("\n|  | instructions | 150,000 | 135,000 | 180,000 | 225,000 | 300,000 | "
	       "150,000,000 | # 3.51 insn per cycle |\n");
	expect("\n| 402,000,000 | cycles |  | 74.6% |\n");
}

Test(markdown, tables_without_bars_have_no_legend)
{
	expect("\n| 4 threads | 100.0% | 200 ms | 200 ms |  |  |  |  |  |  |\n\n| region | event "
	       "|");
}

Test(markdown, names_do_nothing)
{
	screen.regions[0].name = "a|b\n`c` <i>*d*\033[2J\\";
	expect("\n| a\\|b\\\\n\\`c\\` \\<i\\>\\*d\\*\\\\x1b\\[2J\\\\ | 75.0% |");
}

Test(markdown, what_was_not_counted)
{
	screen.values[0][SCREEN_EVENT(2)] = (struct rs_value){.status = RS_VALUE_NOT_SUPPORTED};
	screen.run_values[SCREEN_EVENT(2)] = screen.values[0][SCREEN_EVENT(2)];
	screen.values[0][SCREEN_EVENT(3)].status = RS_VALUE_SCALED;
	expect("\n|  | instructions | - | - | - | - | - | - | # \\<not supported\\> |\n");
	expect("\n| \\<not supported\\> | instructions |  |  |\n");
	expect("\n|  | cycles | 300,000 | 270,000 | 360,000 | 450,000 | "
	       "\xe2\x89\xa5"
	       "600,000 | \\~300,000,000 |  |\n");
}

Test(markdown, findings)
{
	const struct rs_plan plan = {.note = (char *)"three"};
	const struct rs_outcome outcome = {.warnings = (char *)"one\n  more\n  try: two\n"};
	const struct rs_run record = {.plan = &plan, .outcome = &outcome};
	screen.summary.run = &record;
	screen.summary.exit_status = 3;
	expect("\n  exit status 3\n");
	expect("\n- **warning:** one  \n    more: two\n");
	expect("\n- three\n");
}
