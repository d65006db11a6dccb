/* SPDX-License-Identifier: MIT */
/*
 * Touching fresh pages, with exactly one page fault each, in C and C++. Sanitizers are disabled
 * here, because their shadow memory would fault as well.
 */
#ifndef TOUCH_H
#define TOUCH_H

#include <stddef.h>

#define UNSANITIZED                                                             \
	__attribute__((noinline, no_sanitize("address"), no_sanitize("thread"), \
		no_sanitize("undefined")))

/* Touch n pages, and return the one after them. */
static UNSANITIZED volatile char *touch(volatile char *page, size_t n, size_t page_bytes)
{
	for (size_t i = 0; i < n; i++, page += page_bytes)
		*page = 1;
	return page;
}

#endif
