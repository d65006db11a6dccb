/* SPDX-License-Identifier: MIT */
/* Markdown: the tables' lines, what names cannot do in them, and messages. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "example.h"

static char *markdown(const struct example *example, const struct rs_report_options *options)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);
	cr_assert_not_null(stream);
	cr_assert(rs_report_markdown(&example->summary, options, stream));
	cr_assert_eq(fclose(stream), 0);
	return text;
}

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
	char *text = markdown(&example, &(struct rs_report_options){0});
	cr_expect_eq(strncmp(text, "| region | event | calls | avg | p50 | p90 |", 43), 0);
	check_line(text, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|");
	check_line(text, "| render | time, ns | 786,432 | 4,571 | 4,480 | 6,139 | 9,011 | 25,567 | "
			 "3.59 s | 3.49 s | |");
	check_line(text, "| render | instructions | 786,432 | 71,927 | 70,111 | 96,172 | 120,222 | "
			 "165,608 | 56.6 G | 55.6 G | 3.51 IPC |");
	check_line(text, "Whole run of ./tracer -s 1024x768 -t 8:");
	check_line(text, "| cycles | 16,321,098,765 | 4.39 GHz |");
	check_line(text, "| sys, ns | 12,000,000 | |");
	free(text);
}

Test(markdown, names_do_nothing)
{
	struct example example;
	example_init(&example);
	example.regions[0].name = "a|b\n`c` <i>*d*\033[2J\\";
	char *text = markdown(&example, &(struct rs_report_options){0});
	cr_expect(strstr(text, "\n| a\\|b\\\\n\\`c\\` \\<i\\>\\*d\\*\\\\x1b\\[2J\\\\ | time, ns | "
			       "786,432 |"),
		"%s", text);
	free(text);
}

Test(markdown, what_was_not_counted)
{
	struct example example;
	example_init(&example);
	example.values[0][EXAMPLE_CYCLES] = (struct rs_summary_value){
		.status = RS_VALUE_NOT_SUPPORTED};
	example.run_values[EXAMPLE_CYCLES] = example.values[0][EXAMPLE_CYCLES];
	example.values[0][EXAMPLE_BRANCHES].status = RS_VALUE_SCALED;
	example.regions[0].n_metrics = example.summary.run.n_metrics = 0;
	char *text = markdown(&example, &(struct rs_report_options){0});
	check_line(text, "| render | cycles | 786,432 | - | - | - | - | - | - | - | "
			 "\\<not supported\\> |");
	check_line(text, "| cycles | \\<not supported\\> | |");
	check_line(text, "| render | branches | 786,432 | 5,283 | 5,111 | 7,061 | 9,666 | 12,149 | "
			 "\\~4.15 G | \\~4.05 G | |");
	free(text);
}

Test(markdown, messages)
{
	struct example example;
	example_init(&example);
	example.messages[0].text = "one\n  try: two";
	example.messages[2].text = "three";
	example.summary.n_warnings = 1;
	example.summary.n_notes = 1;
	example.summary.exit_status = 3;
	char *text = markdown(&example, &(struct rs_report_options){0});
	check_line(text, "exit status 3");
	check_line(text, "- **warning:** one  \n    try: two");
	check_line(text, "- **note:** three");
	free(text);
}
