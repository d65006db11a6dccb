/* SPDX-License-Identifier: MIT */
/*
 * Tests of numbers as text for tables. Expected texts are rounded by hand.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "report/format.h"

static void check_total(uint64_t value, bool is_ns, const char *expected)
{
	cr_expect_str_eq(rs_format_total(value, is_ns).text, expected);
}

Test(format, count_totals)
{
	check_total(0, false, "0");
	check_total(76800, false, "76,800");
	check_total(99999, false, "99,999");
	check_total(100000, false, "100 k");
	check_total(786432, false, "786 k");
	check_total(999499, false, "999 k");
	check_total(999500, false, "1.00 M");
	check_total(9994999, false, "9.99 M");
	check_total(9995000, false, "10.0 M");
	check_total(14202962, false, "14.2 M");
	check_total(99949999, false, "99.9 M");
	check_total(99950000, false, "100 M");
	check_total(56565694464, false, "56.6 G");
	check_total(1500000000000, false, "1.50 T");
	check_total(1500000000000000, false, "1.50 P");
	check_total(UINT64_MAX, false, "18.4 E");
}

Test(format, time_totals)
{
	check_total(0, true, "0 ns");
	check_total(999, true, "999 ns");
	check_total(1000, true, "1.00 us");
	check_total(999499, true, "999 us");
	check_total(999500, true, "1.00 ms");
	check_total(3594780672, true, "3.59 s");
	check_total(86400000000000, true, "86,400 s");
	check_total(UINT64_MAX, true, "18,446,744,074 s");
}

static void check_average(double value, const char *expected)
{
	cr_expect_str_eq(rs_format_average(value).text, expected);
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
	cr_expect_str_eq(rs_format_percent(ratio).text, expected);
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
		cr_expect_str_eq(rs_format_mean(cases[i].value, true).text, cases[i].ns);
		cr_expect_str_eq(rs_format_mean(cases[i].value, false).text, cases[i].count);
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
	cr_expect_str_eq(rs_cell_share(11, 0).text, "1.1%");
	cr_expect_str_eq(rs_cell_share(11, 0.0106).text, "<1.1%");
	cr_expect_str_eq(rs_cell_share(11, 4.05).text, "<100%");
	cr_expect_str_eq(rs_cell_share(RS_NO_SHARE, 0.0106).text, "-");
}

static void check_metric(const char *name, const char *unit, double value, const char *expected)
{
	cr_expect_str_eq(rs_format_metric(name, unit, value).text, expected);
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
