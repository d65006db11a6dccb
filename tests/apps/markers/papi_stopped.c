/* SPDX-License-Identifier: MIT */
/*
 * papi_stopped N: a program with regions of PAPI's high-level API. It makes N calls, calls
 * PAPI_hl_stop() twice, and makes N more calls. It prints how many function calls did not return
 * PAPI_OK.
 */
#include <papi.h>

#include <stdio.h>
#include <stdlib.h>

static int n_failed;

static void must(int result)
{
	n_failed += result != PAPI_OK;
}

static void calls(const char *name, int n)
{
	for (int i = 0; i < n; i++) {
		must(PAPI_hl_region_begin(name));
		must(PAPI_hl_region_end(name));
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	calls("before", n);
	must(PAPI_hl_stop());
	must(PAPI_hl_stop());
	calls("after", n);
	printf("failed %d\n", n_failed);
	return 0;
}
