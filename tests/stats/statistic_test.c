/* SPDX-License-Identifier: MIT */
/* Tests of the table of statistics: all words differ, and each statistic has the functions that its
 * kind needs. */
#include <criterion/criterion.h>

#include <math.h>

#include "stats/statistic.h"

static struct rs_bucket buckets[] = {{10, 11, 5}, {20, 21, 4}, {1000, 1001, 1}};

/* Ten calls: five of 10, four of 20, one of 1000. */
static const struct rs_value value = {.counted = 10,
	.weight = 10,
	.sum = 1130,
	.min = 10,
	.max = 1000,
	.square = 5 * 103.0 * 103 + 4 * 93.0 * 93 + 887.0 * 887,
	.total = 1130,
	.self = 130,
	.histogram = {buckets, 3, false}};

static struct rs_field field_of(enum rs_statistic_index index, const struct rs_value *of)
{
	return rs_statistic_of(&rs_statistics[index], NULL, of);
}

Test(statistic, words_and_getters)
{
	for (int i = 0; i < RS_STATISTIC_N; i++) {
		const struct rs_statistic *one = &rs_statistics[i];
		cr_expect_neq(one->in, 0, "%s", one->word);
		cr_expect(one->get || one->in == RS_IN_COLUMNS, "%s", one->word);
		for (int other = 0; other < i; other++) {
			cr_expect_str_neq(one->word, rs_statistics[other].word);
			cr_expect_str_neq(
				rs_statistic_title(one), rs_statistic_title(&rs_statistics[other]));
		}
	}
	cr_expect_str_eq(rs_statistic_title(&rs_statistics[RS_STATISTIC_SELF]), "self");
}

Test(statistic, of_a_value)
{
	cr_expect_eq(field_of(RS_STATISTIC_TOTAL, &value).integer, 1130);
	cr_expect_eq(field_of(RS_STATISTIC_SELF, &value).integer, 130);
	cr_expect_eq(field_of(RS_STATISTIC_AVG, &value).real, 113);
	cr_expect_float_eq(field_of(RS_STATISTIC_STDDEV, &value).real,
		sqrt((5 * 10609 + 4 * 8649 + 786769) / 10.0), 1e-9);
	/* the values of rank 5, 9 and 10 of ten */
	cr_expect_eq(field_of(RS_STATISTIC_P50, &value).integer, 10);
	cr_expect_eq(field_of(RS_STATISTIC_P90, &value).integer, 20);
	cr_expect_eq(field_of(RS_STATISTIC_P99, &value).integer, 1000);
	cr_expect_eq(field_of(RS_STATISTIC_RUNNING, &value).real, 1);
	const struct rs_percentile sixty = {600000, "p60"};
	const struct rs_statistic percentile = rs_statistic_of_percentile(&sixty);
	cr_expect_str_eq(rs_statistic_title(&percentile), "p60");
	cr_expect_eq(rs_statistic_of(&percentile, NULL, &value).integer, 20);
}

Test(statistic, that_does_not_exist)
{
	struct rs_value other = value;
	cr_expect_eq(field_of(RS_STATISTIC_ERROR, &other).kind, RS_FIELD_ABSENT);
	cr_expect_eq(field_of(RS_STATISTIC_CALLS, &other).kind, RS_FIELD_ABSENT, "of no region");
	other.histogram.n = 0;
	cr_expect_eq(field_of(RS_STATISTIC_P90, &other).kind, RS_FIELD_ABSENT);
	cr_expect_eq(field_of(RS_STATISTIC_MAX, &other).integer, 1000);
	other.weight = 0;
	cr_expect_eq(field_of(RS_STATISTIC_MAX, &other).kind, RS_FIELD_ABSENT);
	cr_expect_eq(field_of(RS_STATISTIC_TOTAL, &other).integer, 1130);
	other.lacks_self = true;
	cr_expect_eq(field_of(RS_STATISTIC_SELF, &other).kind, RS_FIELD_ABSENT);
	other.status = RS_VALUE_NOT_SUPPORTED;
	cr_expect_eq(field_of(RS_STATISTIC_TOTAL, &other).kind, RS_FIELD_ABSENT);
	cr_expect_eq(field_of(RS_STATISTIC_COUNTED, &other).kind, RS_FIELD_ABSENT);
}

/* The error is two standard errors of a total that sampling estimates. */
Test(statistic, error)
{
	struct rs_value sampled = value;
	sampled.status = RS_VALUE_SCALED;
	sampled.variance = 49;
	cr_expect_eq(field_of(RS_STATISTIC_ERROR, &sampled).real, 14);
	sampled.variance = NAN;
	cr_expect_eq(field_of(RS_STATISTIC_ERROR, &sampled).kind, RS_FIELD_ABSENT);
}

/* No percentile exceeds that of the limit, which is of the same calls. */
Test(statistic, limited)
{
	static struct rs_bucket shorter[] = {{10, 11, 6}, {15, 16, 4}};
	struct rs_value most = value, limited = value;
	most.histogram = (struct rs_histogram){shorter, 2, false};
	most.max = 15;
	most.sum = most.total = 120;
	rs_value_limit(&limited, &most);
	cr_expect_eq(field_of(RS_STATISTIC_P50, &limited).integer, 10);
	cr_expect_eq(field_of(RS_STATISTIC_P90, &limited).integer, 15);
	cr_expect_eq(field_of(RS_STATISTIC_MAX, &limited).integer, 15);
	cr_expect_eq(field_of(RS_STATISTIC_TOTAL, &limited).integer, 120);
	cr_expect_eq(field_of(RS_STATISTIC_AVG, &limited).real, 12);
	/* values from 10 to 15 with the average 12 deviate by at most sqrt(3 * 2) */
	cr_expect_leq(field_of(RS_STATISTIC_STDDEV, &limited).real, sqrt(6) + 1e-9);
}
