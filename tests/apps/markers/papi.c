/* SPDX-License-Identifier: MIT */
/*
 * A program with regions of PAPI's high-level API. It prints how many function calls did not return
 * PAPI_OK.
 *
 *   papi levels ROUNDS          more levels than PAPI supports, overlapping regions, and several
 *                               threads; it also prints its own values of its calls
 *   papi stopped N              N calls, PAPI_hl_stop() twice, and N more calls
 *   papi faults CALLS PAGES     nested regions; each of the CALLS calls touches PAGES fresh pages.
 *                               Either PAPI itself or regionstat measures them
 */
#include <papi.h>

#include "../check.h"
#include "../touch.h"
#include "../truth.h"

#define PAGE_BYTES 4096u

#define THREADS 4
#define LEVELS 15

static struct truth truths[THREADS][LEVELS + 2];
static int n; /* rounds or calls */
static size_t n_pages;
static int n_failed;

static const char *name_of(int region, char name[32])
{
	if (region == LEVELS)
		return "first";
	if (region == LEVELS + 1)
		return "second";
	snprintf(name, 32, "level %d", region);
	return name;
}

static void must(int result)
{
	if (result != PAPI_OK)
		__atomic_add_fetch(&n_failed, 1, __ATOMIC_RELAXED);
}

static void level(struct truth *of_thread, int depth)
{
	char name[32];
	if (depth == LEVELS)
		return;
	TRUTH_CALL(&of_thread[depth], must(PAPI_hl_region_begin(name_of(depth, name))),
		   must(PAPI_hl_region_end(name)), truth_work(20000);
		   level(of_thread, depth + 1));
}

/* Overlap two regions, of which each ends while the other is open. */
static void overlap(struct truth *first, struct truth *second)
{
	TRUTH_OVERLAP(first, must(PAPI_hl_region_begin("first")), must(PAPI_hl_region_end("first")),
		second, must(PAPI_hl_region_begin("second")), must(PAPI_hl_region_end("second")),
		truth_work(30000));
	must(PAPI_hl_read("second"));
}

static void *work(void *argument)
{
	struct truth *of_thread = argument;
	for (int i = 0; i < n; i++) {
		level(of_thread, 0);
		overlap(&of_thread[LEVELS], &of_thread[LEVELS + 1]);
	}
	return NULL;
}

static void levels(void)
{
	on_threads(THREADS, work, truths, sizeof(truths[0]));
	must(PAPI_hl_stop());
	for (int r = 0; r < LEVELS + 2; r++) {
		struct truth all = {0};
		char name[32];
		for (int t = 0; t < THREADS; t++)
			truth_add(&all, &truths[t][r]);
		truth_print(name_of(r, name), &all);
	}
}

static void calls(const char *name)
{
	for (int i = 0; i < n; i++) {
		must(PAPI_hl_region_begin(name));
		must(PAPI_hl_region_end(name));
	}
}

static void stopped(void)
{
	calls("before");
	must(PAPI_hl_stop());
	must(PAPI_hl_stop());
	calls("after");
}

static void faults(void)
{
	volatile char *page = fresh_pages((size_t)n * n_pages * PAGE_BYTES);
	must(PAPI_hl_region_begin("outer"));
	for (int i = 0; i < n; i++) {
		must(PAPI_hl_region_begin("touch"));
		page = touch(page, n_pages, PAGE_BYTES);
		must(PAPI_hl_region_end("touch"));
	}
	must(PAPI_hl_region_end("outer"));
}

static const struct how hows[] = {{"levels", levels}, {"stopped", stopped}, {"faults", faults}};

int main(int argc, char **argv)
{
	const struct how *how = FIND_HOW(hows, argv[1]);
	n = argc > 2 ? atoi(argv[2]) : 1;
	n_pages = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	how->run();
	printf("failed %d\n", n_failed);
	return 0;
}
