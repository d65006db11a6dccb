/* SPDX-License-Identifier: MIT */
/*
 * The functions of struct rs_resolved, which says what an event means.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/resolve.h"

void rs_resolved_mean(struct rs_resolved *resolved, const struct rs_name *name)
{
	resolved->generic = name;
	resolved->kind = name->kind;
	resolved->in_kernel_only = name->in_kernel_only;
	resolved->in_ns = name->in_ns;
	free(resolved->help);
	resolved->help = strdup(name->help); /* NULL means that there is no description */
}

void rs_resolved_finish(struct rs_resolved *resolved)
{
	if (!resolved)
		return;
	free(resolved->name);
	free(resolved->help);
	free(resolved->pmu);
	free(resolved->term);
	memset(resolved, 0, sizeof(*resolved));
}
