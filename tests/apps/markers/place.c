/* SPDX-License-Identifier: MIT */
/* A plugin for itt_functions.c. INNER: what its own function is called. */

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)

void *place(void);

/* its build-id covers the loaded parts, not the name of a static function */
const char place_name[] = TEXT_OF(INNER);

static int INNER(int n)
{
	return n * 3;
}

void *place(void)
{
	return (void *)INNER;
}
