/*
 * The table against texts that were written by hand from the design's example, at fixed widths.
 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "example.h"

static void check_golden(
	const struct example *example, const struct rs_report_options *options, const char *golden)
{
	char *text = example_table(example, options);
	char *expected = example_golden(golden);
	cr_expect_str_eq(text, expected, "not as %s has it:\n%s", golden, text);
	free(text);
	free(expected);
}

Test(table, example)
{
	struct example example;
	example_init(&example);
	check_golden(&example, &(struct rs_report_options){.width = 80}, "example-80.txt");
}
