/* SPDX-License-Identifier: MIT */
/* Tests of Markdown: the lines of tables, hostile names, and findings. */
#include <criterion/criterion.h>

#include <string.h>

#include "example.h"

TestSuite(markdown, .init = example_init);

Test(markdown, example)
{
	const char *text = example_markdown(&(struct rs_report_options){0});
	/* HTML keeps the distance between the parts of the headline */
	static const char headline[] = "tracer -s 1024x768 -t 8 \"r1\" &nbsp;&nbsp;532 ms elapsed "
				       "&nbsp;&nbsp;3.72 s CPU";
	cr_expect_eq(strncmp(text, headline, strlen(headline)), 0, "%s", text);
	check_line(text, "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
	check_line(text,
		"| render | 100.0% | 3.49 s | 3.51 | 3.59 s | 786,432 | 4.57 us | 4.48 us | "
		"6.14 us | 9.01 us | 25.6 us |");
	check_line(text, "| render | instructions | 71,927 | 70,111 | 96,172 | 120,222 | 165,608 | "
			 "56,565,694,464 | # 3.51 insn per cycle |");
	check_line(text, "| 16,321,098,765 | cycles | # 4.39 GHz | 92.5% |");
}

Test(markdown, names_do_nothing)
{
	example.regions[0].name = "a|b\n`c` <i>*d*\033[2J\\";
	const char *text = example_markdown(&(struct rs_report_options){0});
	cr_expect(strstr(text, "\n| a\\|b\\\\n\\`c\\` \\<i\\>\\*d\\*\\\\x1b\\[2J\\\\ | 100.0% |"),
		"%s", text);
}

Test(markdown, what_was_not_counted)
{
	example.values[0][EXAMPLE_CYCLES] = (struct rs_value){.status = RS_VALUE_NOT_SUPPORTED};
	example.run_values[EXAMPLE_CYCLES] = example.values[0][EXAMPLE_CYCLES];
	example.values[0][EXAMPLE_BRANCHES].status = RS_VALUE_SCALED;
	example.regions[0].n_metrics = example.summary.total.n_metrics = 0;
	const char *text = example_markdown(&(struct rs_report_options){0});
	check_line(text, "|  | cycles | - | - | - | - | - | - | # \\<not supported\\> |");
	check_line(text, "| \\<not supported\\> | cycles |  |  |");
	check_line(text, "|  | branches | 5,283 | 5,111 | 7,061 | 9,666 | 12,149 | "
			 "\\~4,154,720,256 |  |");
}

Test(markdown, findings)
{
	const struct rs_plan plan = {.note = (char *)"three"};
	const struct rs_outcome outcome = {.warnings = (char *)"one\n  more\n  try: two\n"};
	const struct rs_run record = {.plan = &plan, .outcome = &outcome};
	example.summary.run = &record;
	example.summary.exit_status = 3;
	const char *text = example_markdown(&(struct rs_report_options){0});
	check_line(text, "  exit status 3");
	check_line(text, "- **warning:** one  \n    more: two");
	check_line(text, "- three");
}
