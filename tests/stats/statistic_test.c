/* SPDX-License-Identifier: MIT */
/* Tests of the table of statistics: all words differ, and each statistic has the functions that its
 * kind needs. */
#include <criterion/criterion.h>

#include <math.h>

#include "expect.h"
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

Test(statistic, words_and_getters)
{
	for (int i = 0; i < RS_STATISTIC_N; i++) {
		const struct rs_statistic *one = &rs_statistics[i];
		cr_expect_eq(one->get == NULL, i >= RS_STATISTIC_ON_CPU, "%s", one->word);
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
	/* the values of rank 5, 9 and 10 of ten */
	EXPECT(&value, "total=1130 self_total=130 avg=113 p50=10 p90=20 p99=1000 running=1");
	/* sqrt((5 * 10609 + 4 * 8649 + 786769) / 10) */
	EXPECT(&value, "stddev=295.7042441");
	const struct rs_percentile sixty = {600000, "p60"};
	const struct rs_statistic percentile = rs_statistic_of_percentile(&sixty);
	cr_expect_str_eq(rs_statistic_title(&percentile), "p60");
	cr_expect_eq(rs_statistic_of(&percentile, NULL, &value).integer, 20);
}

Test(statistic, that_does_not_exist)
{
	struct rs_value other = value;
	EXPECT(&other, "error=- calls=-");
	other.histogram.n = 0;
	EXPECT(&other, "p90=- max=1000");
	other.weight = 0;
	EXPECT(&other, "max=- total=1130");
	other.lacks_self = true;
	EXPECT(&other, "self_total=-");
	other.status = RS_VALUE_NOT_SUPPORTED;
	EXPECT(&other, "total=- counted=-");
}

/* The error is two standard errors of a total that sampling estimates. */
Test(statistic, error)
{
	struct rs_value sampled = value;
	sampled.status = RS_VALUE_SCALED;
	sampled.variance = 49;
	EXPECT(&sampled, "error=14");
	sampled.variance = NAN;
	EXPECT(&sampled, "error=-");
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
	EXPECT(&limited, "p50=10 p90=15 max=15 total=120 avg=12");
	/* values from 10 to 15 with the average 12 deviate by at most sqrt(3 * 2) */
	cr_expect_leq(rs_value_deviation(&limited), sqrt(6) + 1e-9);
}
