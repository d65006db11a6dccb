/* SPDX-License-Identifier: MIT */
/*
 * The touching of fresh pages, a page fault each. Sanitizers look at every access in shadow memory,
 * which would fault as well. For C and C++.
 */
#ifndef TOUCH_H
#define TOUCH_H

#include <stddef.h>

#define UNSANITIZED                                                             \
	__attribute__((noinline, no_sanitize("address"), no_sanitize("thread"), \
		no_sanitize("undefined")))

/* n pages from page on; returns the one after them. */
static UNSANITIZED volatile char *touch(volatile char *page, size_t n, size_t page_bytes)
{
	for (size_t i = 0; i < n; i++, page += page_bytes)
		*page = 1;
	return page;
}

#endif
