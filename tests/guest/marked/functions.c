/* SPDX-License-Identifier: MIT */
/* The regions of main.c as functions; this file is compiled with -finstrument-functions. */
#include "marked.h"

#define UNSEEN __attribute__((no_instrument_function))
#define FUNCTION static __attribute__((noinline)) void

UNSEEN void marked_start(void)
{
}

/* Each has an instruction behind its call, so that the call is not its last. */
FUNCTION outer(void (*body)(void))
{
	body();
	__asm__ volatile("");
}

FUNCTION middle(void (*body)(void))
{
	body();
	__asm__ volatile("");
}

FUNCTION inner(void (*body)(void))
{
	body();
	__asm__ volatile("");
}

UNSEEN void marked_call(enum marked_region region, void (*body)(void))
{
	if (region == MARKED_OUTER)
		outer(body);
	else if (region == MARKED_MIDDLE)
		middle(body);
	else
		inner(body);
}
