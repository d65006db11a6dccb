/* SPDX-License-Identifier: MIT */
/*
 * papi-faults CALLS PAGES: nested regions of PAPI's high-level API. Each of the CALLS calls touches
 * PAGES fresh pages. Either PAPI itself or regionstat measures them.
 */
#include <stdio.h>
#include <stdlib.h>

#include <papi.h>

#include "../touch.h"

#define PAGE_BYTES 4096L

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 100, pages = argc > 2 ? atol(argv[2]) : 3;
	volatile char *memory = fresh_pages((size_t)(calls * pages * PAGE_BYTES));
	int failed = PAPI_hl_region_begin("outer") != PAPI_OK;
	for (long i = 0; i < calls; i++) {
		failed += PAPI_hl_region_begin("touch") != PAPI_OK;
		memory = touch(memory, (size_t)pages, PAGE_BYTES);
		failed += PAPI_hl_region_end("touch") != PAPI_OK;
	}
	failed += PAPI_hl_region_end("outer") != PAPI_OK;
	printf("failed %d\n", failed);
	return 0;
}
