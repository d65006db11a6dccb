/* SPDX-License-Identifier: MIT */
/* Tests of throttled time on made-up trees of cgroups. The time in cpu.stat grows by 3 ms, from 1
 * ms to 4 ms. It is in ns in version 1 of cgroups, and in us in version 2. */
#include <criterion/criterion.h>

#include "../plan/machine.h"
#include "launch/throttle.h"

TestSuite(throttle, .init = machine_init, .fini = machine_finish);

static struct rs_throttle throttle = {.host = &machine.host};

/* Make a cpu.stat, and watch process 7, which is in this cgroup. What was throttled before does not
 * count. */
static void watch(const char *cgroup, const char *stat, const char *before)
{
	machine_write("proc/7/cgroup", cgroup);
	machine_write(stat, before);
	cr_expect(rs_throttle_watch(&throttle, 7));
	cr_expect_eq(rs_throttle_now(&throttle), 0);
}

#define OLD_BEFORE "nr_periods 9\nnr_throttled 4\nthrottled_time 1000000\n"
#define OLD_AFTER "nr_periods 90\nnr_throttled 40\nthrottled_time 4000000\n"
#define NEW_BEFORE "usage_usec 5\nnr_throttled 4\nthrottled_usec 1000\nnr_bursts 0\n"
#define NEW_AFTER "usage_usec 50\nnr_throttled 40\nthrottled_usec 4000\nnr_bursts 0\n"

static const struct tree {
	const char *cgroup, *stat, *before, *after;
} trees[] = {
	{"5:cpuset:/a\n4:cpu,cpuacct:/a/b/c\n0::/x\n", "sys/fs/cgroup/cpu/a/b/c/cpu.stat",
		OLD_BEFORE, OLD_AFTER},
	{"3:cpuacct,cpu:/a/b/c\n", "sys/fs/cgroup/cpu/a/cpu.stat", OLD_BEFORE, OLD_AFTER},
	{"0::/a/b/c\n", "sys/fs/cgroup/a/b/c/cpu.stat", NEW_BEFORE, NEW_AFTER},
	{"0::/a/b/c\n", "sys/fs/cgroup/a/cpu.stat", NEW_BEFORE, NEW_AFTER},
	{"0::/a/b/c\n", "sys/fs/cgroup/cpu.stat", NEW_BEFORE, NEW_AFTER},
	{"0::/\n", "sys/fs/cgroup/cpu.stat", NEW_BEFORE, NEW_AFTER},
};

/* The cgroup with the limit may be the process's own, or one above it. */
Test(throttle, at_each_level)
{
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		const struct tree *tree = &trees[i];
		throttle = (struct rs_throttle){.host = &machine.host};
		watch(tree->cgroup, tree->stat, tree->before);
		machine_write(tree->stat, tree->after);
		machine_write("proc/7/cgroup", ""); /* the process has ended */
		cr_expect_eq(rs_throttle_now(&throttle), 3000000, "%s", tree->stat);
		machine_write(tree->stat, "");
	}
}

/* Without the controller, cpu.stat of version 2 has no such number, and version 1 no such file. */
Test(throttle, none_without_a_limit)
{
	watch("0::/a\n", "sys/fs/cgroup/a/cpu.stat", "usage_usec 5\n");
	machine_write("sys/fs/cgroup/a/cpu.stat", "usage_usec 50\n");
	cr_expect_eq(rs_throttle_now(&throttle), 0);
	machine_write("proc/8/cgroup", "3:cpuset:/a\n2:cpuacct:/a\n1:name=cpu:/a\n");
	cr_expect_not(rs_throttle_watch(&throttle, 8));
	cr_expect_not(rs_throttle_watch(&throttle, 9), "there is no such process");
}

/* What was counted stays if the process moves to another cgroup, and if a cgroup is removed. */
Test(throttle, moves)
{
	watch("0::/a\n", "sys/fs/cgroup/a/cpu.stat", NEW_BEFORE);
	machine_write("sys/fs/cgroup/a/cpu.stat", NEW_AFTER);
	machine_write("sys/fs/cgroup/b/cpu.stat", "throttled_usec 7000\n");
	machine_write("proc/7/cgroup", "0::/b\n");
	cr_expect(rs_throttle_watch(&throttle, 7));
	cr_expect_eq(rs_throttle_now(&throttle), 3000000);
	machine_write("sys/fs/cgroup/a/cpu.stat", "throttled_usec 9000\n");
	machine_write("sys/fs/cgroup/b/cpu.stat", "throttled_usec 8000\n");
	cr_expect(rs_throttle_watch(&throttle, 7));
	cr_expect_eq(rs_throttle_now(&throttle), 4000000);
	machine_write("sys/fs/cgroup/b/cpu.stat", "");
	cr_expect_eq(rs_throttle_now(&throttle), 4000000);
}

/* ---- steal time: the eighth number of the first line of /proc/stat, in ticks ---- */

Test(steal, is_the_eighth_number)
{
	cr_expect_eq(rs_steal_of("cpu  10132153 290696 3084719 46828483 16683 0 25195 175628 0 0\n"
				 "cpu0 1393280 32966 572056 13343292 6130 0 17875 9 0 0\n",
			     100),
		UINT64_C(1756280000000));
	cr_expect_eq(rs_steal_of("cpu 1 2 3 4 5 6 7 8\n", 1000), 8000000);
	cr_expect_eq(rs_steal_of("cpu  1 2 3 4 5 6 7 0 9 10\n", 100), 0);
}

/* Kernels before 2.6.11 do not have this number. A number that is too large is ignored. */
Test(steal, is_none_where_the_text_has_none)
{
	cr_expect_eq(rs_steal_of("cpu  1 2 3 4 5 6 7\n", 100), 0);
	cr_expect_eq(rs_steal_of("cpu0 1 2 3 4 5 6 7 8\n", 100), 0);
	cr_expect_eq(rs_steal_of("intr 1 2 3 4 5 6 7 8\n", 100), 0);
	cr_expect_eq(rs_steal_of("", 100), 0);
	cr_expect_eq(rs_steal_of("cpu 1 2 3 4 5 6 7 8\n", 0), 0);
	cr_expect_eq(rs_steal_of("cpu 1 2 3 4 5 6 7 18446744073709551615\n", 100), 0);
}

Test(steal, never_falls)
{
	cr_expect_eq(rs_steal_between(10, 30), 20);
	cr_expect_eq(rs_steal_between(30, 10), 0);
}

/* A program may have used up its descriptors, so that only one reading succeeds. */
Test(steal, is_none_if_a_reading_failed)
{
	cr_expect_eq(rs_steal_between(RS_STEAL_UNKNOWN, 10), 0);
	cr_expect_eq(rs_steal_between(10, RS_STEAL_UNKNOWN), 0);
	cr_expect_eq(rs_steal_between(RS_STEAL_UNKNOWN, RS_STEAL_UNKNOWN), 0);
}
