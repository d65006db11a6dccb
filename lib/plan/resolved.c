/* SPDX-License-Identifier: MIT */
/*
 * The functions of struct rs_resolved, which says what an event means.
 */
#include <stdlib.h>

#include "plan/resolve.h"

void rs_resolved_mean(struct rs_resolved *resolved, const struct rs_name *name)
{
	resolved->generic = name;
	resolved->kind = name->kind;
	resolved->in_kernel_only = name->in_kernel_only;
	resolved->in_ns = name->in_ns;
	resolved->help = name->help;
}

void rs_resolved_take_help(struct rs_resolved *resolved, char *help)
{
	resolved->help = help ? rs_arena_format(resolved->arena, "%s", help) : NULL;
	free(help);
}
