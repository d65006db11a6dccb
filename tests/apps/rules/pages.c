/*
 * Fresh pages and the touching of them. Compiled apart, so that no compiler merges two touches.
 */
#include "pages.h"

#include <sys/mman.h>

#include "rules.h"

volatile unsigned char *map_pages(size_t n_pages)
{
	void *pages = mmap(NULL, (n_pages + 1) * PAGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	require(pages != MAP_FAILED, "mmap");
	/* fails on a kernel without huge pages, where it is not needed */
	madvise(pages, (n_pages + 1) * PAGE_BYTES, MADV_NOHUGEPAGE);
	return pages;
}

/* Not under a sanitizer: its shadow memory would fault as well. */
__attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined"))) void
touch_pages(volatile unsigned char *pages, size_t n_pages)
{
	for (size_t i = 0; i < n_pages; i++)
		pages[i * PAGE_BYTES] = 1;
}

void warm_up_faults(void)
{
	volatile unsigned char *spare = map_pages(16);
	for (int i = 0; i < 4; i++) {
		REGIONSTAT_BEGIN("warm-up");
		touch_pages(spare + (size_t)i * 4 * PAGE_BYTES, 4);
		REGIONSTAT_END("warm-up");
	}
}
