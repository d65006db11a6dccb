/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing the merging of runs. The input changes the document of a run, which is merged with a
 * valid run in both orders. Both refuse it, or both have the same integers for each region. The sum
 * is as good as a collected run: it can be saved and loaded.
 */
#include "fuzz_target.h"

#include <string.h>

#include "fuzz_document.h"
#include "fuzz_require.h"
#include "fuzz_shared.h"
#include "record/record.h"
#include "stats/run_merge.h"

/* Merge two runs. sum: zeroed. */
static bool merge(struct rs_run *sum, const struct rs_run *first, const struct rs_run *second)
{
	struct rs_run both = {0};
	struct rs_err err = {{0}};
	bool done = rs_run_collapse(&both, first, &err) && rs_run_collapse(&both, second, &err) &&
		    rs_run_collapse(sum, &both, &err);
	if (!done)
		fuzz_require_message(&err);
	rs_run_finish(&both);
	return done;
}

static const struct rs_result *find(const struct rs_run *run, const struct rs_run_region *region)
{
	for (size_t i = 0; i < run->n_results; i++) {
		const struct rs_run_region *other = &run->regions[run->results[i].region];
		if (strcmp(other->name, region->name) == 0 && !other->object == !region->object &&
			(!other->object || strcmp(other->object, region->object) == 0) &&
			!other->work_of == !region->work_of &&
			other->work_bytes == region->work_bytes &&
			other->work_flops == region->work_flops &&
			!((other->flags ^ region->flags) & RS_REGION_OTHER_WORK))
			return &run->results[i];
	}
	return NULL;
}

/* a and b: sums of the same runs in different orders. */
static void check_same(const struct rs_run *a, const struct rs_run *b)
{
	REQUIRE(a->n_results == b->n_results && a->n_merged == b->n_merged);
	for (size_t i = 0; i < a->n_results; i++) {
		const struct rs_result *one = &a->results[i];
		const struct rs_result *other = find(b, &a->regions[one->region]);
		REQUIRE(other);
		/* kinds of work of two regions with one name look alike here */
		if (a->regions[one->region].work_of)
			continue;
		REQUIRE(one->calls == other->calls && one->measured == other->measured);
		REQUIRE(one->n_threads == other->n_threads && one->n_ranks == other->n_ranks);
		for (uint32_t v = 0; v < RS_EVENT_FIRST; v++) {
			const struct rs_value *left = &one->values[v], *right = &other->values[v];
			REQUIRE(left->counted == right->counted && left->sum == right->sum);
			REQUIRE(left->min == right->min && left->max == right->max);
			REQUIRE(left->total == right->total && left->self == right->self);
			REQUIRE(left->histogram.n == right->histogram.n);
		}
	}
}

static void check_sum(const struct rs_run *sum)
{
	struct rs_summary summary;
	struct rs_err err = {{0}};
	REQUIRE(rs_summary_init(&summary, &(struct rs_summary_options){0}, sum, &err));
	fuzz_check_summary(&summary);
	fuzz_check_saved(&summary);
	rs_summary_finish(&summary);
}

static void load_valid(struct rs_run *run)
{
	struct rs_err err;
	size_t n;
	char *text = fuzz_document(NULL, 0, &n);
	REQUIRE(rs_run_load(run, NULL, text, n, &err));
	free(text);
}

void fuzz_run(const uint8_t *data, size_t bytes)
{
	struct rs_run changed, valid, sum = {0}, reverse = {0};
	struct rs_err err = {{0}};
	size_t n;
	char *text = fuzz_document(data, bytes, &n);
	if (!rs_run_load(&changed, NULL, text, n, &err)) {
		fuzz_require_message(&err);
		free(text);
		return;
	}
	load_valid(&valid);
	bool done = merge(&sum, &changed, &valid);
	REQUIRE(merge(&reverse, &valid, &changed) == done);
	if (done) {
		check_same(&sum, &reverse);
		check_sum(&sum);
	}
	rs_run_finish(&sum);
	rs_run_finish(&reverse);
	rs_run_finish(&changed);
	rs_run_finish(&valid);
	free(text);
}
