/* SPDX-License-Identifier: MIT */
/*
 * Fresh pages, with exactly one page fault when each is touched, in C and C++. Sanitizers are
 * disabled there, because their shadow memory would fault as well.
 */
#ifndef TOUCH_H
#define TOUCH_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define UNSANITIZED                                                             \
	__attribute__((noinline, no_sanitize("address"), no_sanitize("thread"), \
		no_sanitize("undefined")))

/* Return fresh memory of so many bytes, or end the program. There are no huge pages, so that the
 * first access to each page is one fault. */
static inline volatile char *fresh_pages(size_t bytes)
{
	/* one byte more, because there is no mapping of 0 bytes */
	void *pages = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pages == MAP_FAILED) {
		perror("memory");
		exit(3);
	}
	/* This fails on a kernel without huge pages, which does not need it. */
	madvise(pages, bytes + 1, MADV_NOHUGEPAGE);
	return (volatile char *)pages;
}

/* Touch n pages, and return the one after them. */
static UNSANITIZED volatile char *touch(volatile char *page, size_t n, size_t page_bytes)
{
	for (size_t i = 0; i < n; i++, page += page_bytes)
		*page = 1;
	return page;
}

#endif
