/* SPDX-License-Identifier: MIT */
/* A plugin for itt.c. INNER is the name of its own function. */

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)

void *place(void);

/* The build-id covers only loaded parts, which do not include the name of a static function. */
const char place_name[] = TEXT_OF(INNER);

static int INNER(int n)
{
	return n * 3;
}

void *place(void)
{
	return (void *)INNER;
}
