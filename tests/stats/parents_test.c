/* SPDX-License-Identifier: MIT */
/*
 * Tests of the tree of regions. For random programs, expected values follow from the definition of
 * a dominator: a region without which another one cannot be reached.
 */
#include <criterion/criterion.h>

#include <stdint.h>
#include <string.h>

#include "random.h"
#include "stats/merge.h"

#define NONE RS_NO_REGION
#define MOST 130 /* number of regions: more than two words of bits */

static struct rs_run_region regions[MOST];
static struct rs_result accumulators[4 * MOST];
static uint16_t accumulator_parents[4 * MOST][RS_PARENTS];
static struct rs_run collection = {.regions = regions, .results = accumulators};
static uint16_t parents[MOST];

static void start(size_t n_regions)
{
	memset(accumulators, 0, sizeof(accumulators));
	collection.n_regions = n_regions;
	collection.n_results = 0;
}

/* Add an accumulator of a region, whose calls began in the n regions of[n]. */
static void add(uint32_t region, uint32_t n, const uint16_t *of)
{
	struct rs_result *accumulator = &accumulators[collection.n_results++];
	accumulator->region = region;
	accumulator->n_parents = n;
	accumulator->parents = accumulator_parents[accumulator - accumulators];
	memcpy(accumulator->parents, of, n * sizeof(*of));
}
#define ADD(region, ...) \
	add(region, sizeof((uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t), (uint16_t[]){__VA_ARGS__})

static void make(void)
{
	rs_parents_make(parents, &collection);
}

/* The parents of 1 are unknown, and so are those of 2 and 3, which only contain each other. */
Test(parents, calls_without_begin_have_no_parent)
{
	start(5);
	ADD(2, 3);
	ADD(3, 2);
	ADD(4, 1);
	make();
	cr_expect_eq(parents[0], NONE);
	cr_expect_eq(parents[1], NONE);
	cr_expect_eq(parents[2], NONE);
	cr_expect_eq(parents[3], 2);
	cr_expect_eq(parents[4], 1);
}

Test(parents, no_regions_at_all)
{
	start(0);
	make();
}

/* ---- by definition ---- */

static uint64_t state = 1;
static bool way[1 + MOST][1 + MOST]; /* edges; 0: outside */

static void reach(uint32_t node, uint32_t n, uint32_t without, bool *is_reached)
{
	is_reached[node] = true;
	for (uint32_t to = 1; to <= n; to++)
		if (way[node][to] && to != without && !is_reached[to])
			reach(to, n, without, is_reached);
}

/* Return true if every path from outside to node leads through other. */
static bool dominates(uint32_t other, uint32_t node, uint32_t n)
{
	bool is_reached[1 + MOST] = {0};
	reach(0, n, other, is_reached);
	return !is_reached[node];
}

static uint16_t parent_of(uint32_t node, uint32_t n)
{
	for (uint32_t nearest = 1; nearest <= n; nearest++) {
		bool is_nearest = nearest != node && dominates(nearest, node, n);
		for (uint32_t other = 1; is_nearest && other <= n; other++)
			if (other != node && other != nearest && dominates(other, node, n))
				is_nearest = dominates(other, nearest, n);
		if (is_nearest)
			return (uint16_t)(nearest - 1);
	}
	return NONE;
}

static void try_random(uint32_t n)
{
	start(n);
	memset(way, 0, sizeof(way));
	/* one certain edge to each node, mostly from a near node, and some others */
	for (uint32_t node = 1; node <= n; node++) {
		uint16_t of[3];
		uint32_t more = random_next(&state) % 3 == 0, n_ways = 1 + 2 * more;
		for (uint32_t i = 0; i < n_ways; i++) {
			uint32_t from = (uint32_t)(random_next(&state) % (i ? n + 1 : node));
			way[from][node] = true;
			of[i] = (uint16_t)(from ? from - 1 : NONE);
		}
		/* on one thread, or on two */
		uint32_t n_first = (uint32_t)(random_next(&state) % n_ways) + 1;
		add(node - 1, n_first, of);
		if (n_first < n_ways)
			add(node - 1, n_ways - n_first, of + n_first);
	}
	make();
	for (uint32_t node = 1; node <= n; node++)
		cr_assert_eq(parents[node - 1], parent_of(node, n), "%u of %u: %u", node, n,
			parents[node - 1]);
}

Test(parents, random_programs)
{
	for (uint32_t i = 0; i < 300; i++)
		try_random(1 + i % 24);
	try_random(63);
	try_random(64);
	try_random(MOST);
}
