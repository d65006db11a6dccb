/* SPDX-License-Identifier: MIT */
/*
 * Tests of numbers as text for tables. Expected texts are rounded by hand.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "report/format.h"

static void check_total(enum rs_format_unit kind, uint64_t value, const char *expected)
{
	struct rs_cell_text cell;
	rs_format_total(&cell, kind, value);
	cr_expect_str_eq(cell.text, expected);
	const char *unit = strchr(expected, ' ');
	cr_expect_eq(cell.unit, unit ? (size_t)(unit - expected) : strlen(expected));
}

Test(format, count_totals)
{
	check_total(RS_FORMAT_COUNT, 0, "0");
	check_total(RS_FORMAT_COUNT, 76800, "76,800");
	check_total(RS_FORMAT_COUNT, 99999, "99,999");
	check_total(RS_FORMAT_COUNT, 100000, "100 k");
	check_total(RS_FORMAT_COUNT, 786432, "786 k");
	check_total(RS_FORMAT_COUNT, 999499, "999 k");
	check_total(RS_FORMAT_COUNT, 999500, "1.00 M");
	check_total(RS_FORMAT_COUNT, 9994999, "9.99 M");
	check_total(RS_FORMAT_COUNT, 9995000, "10.0 M");
	check_total(RS_FORMAT_COUNT, 14202962, "14.2 M");
	check_total(RS_FORMAT_COUNT, 99949999, "99.9 M");
	check_total(RS_FORMAT_COUNT, 99950000, "100 M");
	check_total(RS_FORMAT_COUNT, 56565694464, "56.6 G");
	check_total(RS_FORMAT_COUNT, 1500000000000, "1.50 T");
	check_total(RS_FORMAT_COUNT, 1500000000000000, "1.50 P");
	check_total(RS_FORMAT_COUNT, UINT64_MAX, "18.4 E");
}

Test(format, time_totals)
{
	check_total(RS_FORMAT_NS, 0, "0 ns");
	check_total(RS_FORMAT_NS, 999, "999 ns");
	check_total(RS_FORMAT_NS, 1000, "1.00 us");
	check_total(RS_FORMAT_NS, 999499, "999 us");
	check_total(RS_FORMAT_NS, 999500, "1.00 ms");
	check_total(RS_FORMAT_NS, 3594780672, "3.59 s");
	check_total(RS_FORMAT_NS, 86400000000000, "86,400 s");
	check_total(RS_FORMAT_NS, UINT64_MAX, "18,446,744,074 s");
}

static void check_average(double value, const char *expected)
{
	struct rs_cell_text cell;
	rs_format_average(&cell, value);
	cr_expect_str_eq(cell.text, expected);
	cr_expect_eq(cell.unit, strlen(expected));
}

Test(format, averages)
{
	check_average(0, "0");
	check_average(4, "4");
	check_average(1.0625, "1.06");
	check_average(0.25, "0.25");
	check_average(0.004, "<0.01");
	check_average(9.99, "9.99");
	check_average(9.996, "10");
	check_average(18.06, "18");
	check_average(71927.49, "71,927");
	check_average(71927.5, "71,928");
	check_average(-3, "-3");
	check_average(-1234.4, "-1,234");
	check_average(18446744073709551615.0, "18,446,744,073,709,551,615");
	check_average(NAN, "-");
	check_average(INFINITY, "-");
}

static void check_percent(double ratio, const char *expected)
{
	struct rs_cell_text cell;
	rs_format_percent(&cell, ratio);
	cr_expect_str_eq(cell.text, expected);
}

Test(format, means)
{
	static const struct {
		double value;
		const char *ns, *count;
	} cases[] = {{0, "0 ns", "0"}, {4.571, "4.57 ns", "4.57"}, {99.4, "99 ns", "99"},
		{99.5, "100 ns", "100"}, {4571.25, "4.57 us", "4,571"},
		{99999.4, "100 us", "99,999"}, {100000, "100 us", "100 k"},
		{1234567890, "1.23 s", "1.23 G"}, {NAN, "-", "-"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rs_cell_text cell;
		rs_format_mean(&cell, RS_FORMAT_NS, cases[i].value);
		cr_expect_str_eq(cell.text, cases[i].ns);
		rs_format_mean(&cell, RS_FORMAT_COUNT, cases[i].value);
		cr_expect_str_eq(cell.text, cases[i].count);
	}
}

Test(format, percents)
{
	check_percent(0, "0.0");
	check_percent(0.971, "97.1");
	check_percent(1, "100.0");
	check_percent(0.999999, "99.9");
}

/* A caller that shows self time as a bound also shows its share as one, however both are rounded. */
Test(format, shares)
{
	struct rs_cell_text cell;
	rs_cell_share(&cell, 11, 0);
	cr_expect_str_eq(cell.text, "1.1%");
	rs_cell_share(&cell, 11, 0.0106);
	cr_expect_str_eq(cell.text, "<1.1%");
	rs_cell_share(&cell, 11, 4.05);
	cr_expect_str_eq(cell.text, "<100%");
	rs_cell_share(&cell, RS_NO_SHARE, 0.0106);
	cr_expect_str_eq(cell.text, "-");
}

static void check_metric(const char *name, const char *unit, double value, const char *expected)
{
	struct rs_cell_text cell;
	rs_format_metric(&cell, name, unit, value);
	cr_expect_str_eq(cell.text, expected);
}

Test(format, metrics)
{
	check_metric("IPC", "ratio", 3.513, "3.51 IPC");
	check_metric("frequency", "GHz", 4.479, "4.48 GHz");
	check_metric("branch-miss rate", "%", 0.3418, "0.34%");
	check_metric("branch-miss rate", "%", 12.34, "12.3%");
	check_metric("branch-miss rate", "%", 100, "100%");
	check_metric("x", "ratio", 123456.7, "123,457 x");
	check_metric("x", "ratio", -0.5, "-0.50 x");
	check_metric("byte rate", "GB/s", 0.00123456, "0.00123 GB/s");
	check_metric("byte rate", "GB/s", 0.0996, "0.10 GB/s");
	check_metric("byte rate", "GB/s", 0, "0.00 GB/s");
	check_metric("x", "ratio", NAN, "");
}
