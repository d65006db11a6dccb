/* SPDX-License-Identifier: MIT */
/* The regions of main.c as ITT's tasks. */
#include "../../apps/markers/itt_part.h"
#include "marked.h"

static struct itt_domain *domain;
static struct itt_string *strings[3];

void marked_start(void)
{
	itt_start(ITT_GROUP_ALL);
	domain = ITT_DOMAIN("dom");
	for (int i = 0; i < 3; i++)
		strings[i] = ITT_STRING(marked_names[i]);
}

void marked_call(enum marked_region region, void (*body)(void))
{
	ITT_BEGIN(domain, strings[region]);
	body();
	ITT_END(domain);
}
