/* SPDX-License-Identifier: MIT */
/* Helpers for programs with ITT markers: names, ids, and checks that end the program. */
#ifndef ITT_PROGRAM_H
#define ITT_PROGRAM_H

#include "../check.h"
#include "itt_part.h"

static struct itt_domain *dom;
static struct itt_string *outer, *inner;
static int n;

static inline void names_create(void)
{
	dom = ITT_DOMAIN("dom");
	outer = ITT_STRING("outer");
	inner = ITT_STRING("inner");
}

static inline void tasks(int count)
{
	for (int i = 0; i < count; i++) {
		ITT_BEGIN(dom, outer);
		ITT_END(dom);
	}
}

static inline struct itt_id id_of(int number)
{
	return (struct itt_id){(unsigned long long)(uintptr_t)&n, (unsigned)number, 0};
}

#endif
