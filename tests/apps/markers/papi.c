/* SPDX-License-Identifier: MIT */
/*
 * A program with regions of PAPI's high-level API. It prints how many function calls did not return
 * PAPI_OK.
 *
 *   papi stopped N              N calls, each with PAPI_hl_read(), then PAPI_hl_stop() twice, and
 *                               the N calls again
 *   papi faults CALLS PAGES     nested regions; each of the CALLS calls touches PAGES fresh pages.
 *                               Either PAPI itself or regionstat measures them
 */
#include <papi.h>

#include "../check.h"
#include "../touch.h"

#define PAGE_BYTES 4096u

static int n; /* calls */
static size_t n_pages;
static int n_failed;

static void must(int result)
{
	if (result != PAPI_OK)
		n_failed++;
}

static void calls(const char *name)
{
	for (int i = 0; i < n; i++) {
		must(PAPI_hl_region_begin(name));
		must(PAPI_hl_read(name));
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

static const struct how hows[] = {{"stopped", stopped}, {"faults", faults}};

int main(int argc, char **argv)
{
	const struct how *how = FIND_HOW(hows, argv[1]);
	n = argc > 2 ? atoi(argv[2]) : 1;
	n_pages = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	how->run();
	printf("failed %d\n", n_failed);
	return 0;
}
