/* SPDX-License-Identifier: MIT */
/* Compare several statistics of a value at once. */
#ifndef RS_TEST_STATS_EXPECT_H
#define RS_TEST_STATS_EXPECT_H

#include <criterion/criterion.h>

#include "stats/statistic.h"

/* Check a value. text: words of CSV with the expected statistics, such as "status=scaled
 * total=1333 avg=300.5 max=-"; '-' means that the value has no such statistic. Also members of the
 * value: square, sum, weight, slowest, enabled_ns, running_ns, and buckets, the length of the
 * histogram. */
#define EXPECT(value, text) cr_expect_str_eq(expect_shown(value, text), text)

/* Return the statistics that text names, with their real values. */
const char *expect_shown(const struct rs_value *value, const char *text);

#endif
