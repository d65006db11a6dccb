/* SPDX-License-Identifier: MIT */
/*
 * Tests of where the time of a region is. Values below 512 have buckets of their own, so sums are
 * exact.
 */
#include <criterion/criterion.h>

#include "stats/density.h"

static struct rs_arena arena;
static void finish(void)
{
	rs_arena_finish(&arena);
}
TestSuite(density, .fini = finish);

static struct rs_density density_of(struct rs_bucket *buckets, size_t n)
{
	const struct rs_histogram histogram = {.buckets = buckets, .n = n};
	struct rs_density density;
	rs_density_make(&density, &histogram, RS_DENSITY_OCTAVE, &arena);
	return density;
}

/* 16 and 256 ns lie at bins 16 and 32: 4 bins for each octave. */
Test(density, bins_are_weighted_by_time)
{
	struct rs_bucket buckets[] = {{16, 17, 48}, {256, 257, 1}};
	struct rs_density density = density_of(buckets, 2);
	cr_expect_eq(density.first, 16);
	cr_expect_eq(density.n, 17);
	cr_expect_float_eq(density.sum, 1024, 1e-9);
	cr_expect_float_eq(density.shares[0], 0.75, 1e-12);
	cr_expect_float_eq(density.shares[16], 0.25, 1e-12);
	cr_expect_float_eq(density.shares[8], 0, 1e-12);
}

Test(density, values_of_0_have_no_bin)
{
	struct rs_bucket buckets[] = {{0, 1, 5}, {3, 4, 2}};
	cr_expect_eq(density_of(buckets, 1).n, 0);
	cr_expect_float_eq(density_of(buckets, 2).sum, 6, 1e-12);
	cr_expect_eq(density_of(buckets, 0).n, 0);
}

/* 10 calls compute for 100 ns; one computes for 16 ns and waits for 384 ns. */
Test(density, off_cpu_time_is_where_time_has_no_mirror_image)
{
	struct rs_bucket time[] = {{100, 101, 10}, {400, 401, 1}};
	struct rs_bucket cpu[] = {{16, 17, 1}, {100, 101, 10}};
	struct rs_density of_time = density_of(time, 2), of_cpu = density_of(cpu, 2);
	double *off = rs_density_off_cpu(&of_time, &of_cpu, &arena);
	cr_assert(off);
	cr_expect_float_eq(off[0], 0, 1e-12);
	cr_expect_float_eq(off[of_time.n - 1], 384.0 / 1400, 1e-12);
	cr_expect_float_eq(rs_density_off_above(&of_time, off, 400), 384.0 / 400, 1e-12);
	cr_expect_float_eq(rs_density_off_above(&of_time, off, 100), 384.0 / 1400, 1e-12);
	cr_expect_float_eq(rs_density_off_above(&of_time, off, 1000), 0, 1e-12);
}

/* Of sampled calls, on-CPU time may exceed time. */
Test(density, more_on_cpu_time_than_time_is_no_off_cpu_time)
{
	struct rs_bucket time[] = {{100, 101, 10}}, cpu[] = {{100, 101, 12}};
	struct rs_density of_time = density_of(time, 1), of_cpu = density_of(cpu, 1);
	double *off = rs_density_off_cpu(&of_time, &of_cpu, &arena);
	cr_assert(off);
	cr_expect_float_eq(off[0], 0, 1e-12);
}
