/* SPDX-License-Identifier: MIT */
/* Tests of Markdown: the lines of tables, hostile names, and findings. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "example.h"

static void check_line(const char *text, const char *line)
{
	char expected[1024];
	snprintf(expected, sizeof(expected), "\n%s\n", line);
	cr_expect(strstr(text, expected), "no line %s in\n%s", line, text);
}

Test(markdown, example)
{
	struct example example;
	example_init(&example);
	char *text = example_markdown(&example, &(struct rs_report_options){0});
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
	free(text);
}

Test(markdown, names_do_nothing)
{
	struct example example;
	example_init(&example);
	example.regions[0].name = "a|b\n`c` <i>*d*\033[2J\\";
	char *text = example_markdown(&example, &(struct rs_report_options){0});
	cr_expect(strstr(text, "\n| a\\|b\\\\n\\`c\\` \\<i\\>\\*d\\*\\\\x1b\\[2J\\\\ | 100.0% |"),
		"%s", text);
	free(text);
}

Test(markdown, what_was_not_counted)
{
	struct example example;
	example_init(&example);
	example.values[0][EXAMPLE_CYCLES] = (struct rs_value){.status = RS_VALUE_NOT_SUPPORTED};
	example.run_values[EXAMPLE_CYCLES] = example.values[0][EXAMPLE_CYCLES];
	example.values[0][EXAMPLE_BRANCHES].status = RS_VALUE_SCALED;
	example.regions[0].n_metrics = example.summary.total.n_metrics = 0;
	char *text = example_markdown(&example, &(struct rs_report_options){0});
	check_line(text, "|  | cycles | - | - | - | - | - | - | # \\<not supported\\> |");
	check_line(text, "| \\<not supported\\> | cycles |  |  |");
	check_line(text, "|  | branches | 5,283 | 5,111 | 7,061 | 9,666 | 12,149 | "
			 "\\~4,154,720,256 |  |");
	free(text);
}

Test(markdown, findings)
{
	struct example example;
	example_init(&example);
	const struct rs_plan plan = {.note = (char *)"three"};
	const struct rs_outcome outcome = {.warnings = (char *)"one\n  more\n  try: two\n"};
	const struct rs_run record = {.plan = &plan, .outcome = &outcome};
	example.summary.run = &record;
	example.summary.exit_status = 3;
	char *text = example_markdown(&example, &(struct rs_report_options){0});
	check_line(text, "  exit status 3");
	check_line(text, "- **warning:** one  \n    more: two");
	check_line(text, "- three");
	free(text);
}
