/* SPDX-License-Identifier: MIT */
/*
 * The default events: regionstat counts them if the user names no events.
 */
#ifndef RS_PLAN_DEFAULTS_H
#define RS_PLAN_DEFAULTS_H

#include "plan/builder.h"

/*
 * Add the default events that this machine can count. The plan's note names those that it cannot
 * count, with the reason. Return false and set builder->err if memory runs out or a name cannot be
 * resolved.
 */
bool rs_defaults_add(struct rs_builder *builder);

#endif
