/* SPDX-License-Identifier: MIT */
/* Tests of percentiles as users write them, and of values of a histogram at them. */
#include <criterion/criterion.h>

#include <string.h>

#include "segment/accumulator.h"
#include "stats/histogram.h"
#include "stats/percentiles.h"

static enum rs_percentile_fault add(
	struct rs_percentiles *percentiles, const char *text, uint32_t *millionths)
{
	return rs_percentiles_add(percentiles, text, strlen(text), millionths);
}

Test(percentiles, as_written)
{
	static const struct {
		const char *text, *word;
		uint32_t millionths;
	} cases[] = {{"50", "p50", 500000}, {"99.9", "p99.9", 999000}, {"0.0001", "p0.0001", 1},
		{"100", "p100", 1000000}, {"099.50", "p99.5", 995000}, {"5", "p5", 50000},
		{"99.9999", "p99.9999", 999999}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rs_percentiles percentiles = {0};
		uint32_t millionths = 0;
		cr_expect_eq(add(&percentiles, cases[i].text, &millionths), RS_PERCENTILE_FINE);
		cr_expect_eq(millionths, cases[i].millionths, "%s", cases[i].text);
		cr_expect_eq(percentiles.items[0].millionths, cases[i].millionths);
		cr_expect_str_eq(percentiles.items[0].word, cases[i].word);
	}
}

Test(percentiles, that_are_none)
{
	static const char *const texts[] = {"", "0", "0.0", "101", "100.0001", "99.", ".5", "-1",
		"+1", "1e1", "99,9", "99.99999", " 1", "1 ", "0000050", "p50", "nan"};
	struct rs_percentiles percentiles = {0};
	uint32_t millionths;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		cr_expect_eq(add(&percentiles, texts[i], &millionths), RS_PERCENTILE_WRONG, "%s",
			texts[i]);
	cr_expect_eq(percentiles.n, 0);
}

Test(percentiles, are_in_order_and_each_once)
{
	static const char *const texts[] = {"99", "50", "99.9", "50.0", "1", "2", "3", "4", "5"};
	struct rs_percentiles percentiles = {0};
	uint32_t millionths;
	for (size_t i = 0; i < 9; i++)
		cr_assert_eq(add(&percentiles, texts[i], &millionths), RS_PERCENTILE_FINE);
	cr_assert_eq(percentiles.n, RS_MAX_PERCENTILES);
	for (size_t i = 1; i < percentiles.n; i++)
		cr_expect_lt(percentiles.items[i - 1].millionths, percentiles.items[i].millionths);
	cr_expect_eq(add(&percentiles, "6", &millionths), RS_PERCENTILE_TOO_MANY);
	cr_expect_eq(add(&percentiles, "99.900", &millionths), RS_PERCENTILE_FINE);
}

/* The histogram has 1 to 100 exactly. Percentiles are by nearest rank. */
Test(percentiles, of_a_histogram)
{
	struct rs_bucket buckets[100];
	const struct rs_histogram histogram = {.buckets = buckets, .n = 100};
	for (uint64_t value = 1; value <= 100; value++)
		buckets[value - 1] = rs_histogram_bucket(value, 1);
	cr_expect_eq(rs_histogram_quantile(&histogram, 1, 1, 100), 1);
	cr_expect_eq(rs_histogram_quantile(&histogram, 10000, 1, 100), 1);
	cr_expect_eq(rs_histogram_quantile(&histogram, 10001, 1, 100), 2);
	cr_expect_eq(rs_histogram_quantile(&histogram, 990000, 1, 100), 99);
	cr_expect_eq(rs_histogram_quantile(&histogram, 990001, 1, 100), 100);
	cr_expect_eq(rs_histogram_quantile(&histogram, 1000000, 1, 100), 100);
}
