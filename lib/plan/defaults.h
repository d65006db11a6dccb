/* SPDX-License-Identifier: MIT */
/*
 * The default events.
 */
#ifndef RS_PLAN_DEFAULTS_H
#define RS_PLAN_DEFAULTS_H

#include "plan/builder.h"

/*
 * Add the default events that this machine can count; the plan's note says which are not counted,
 * and why. False, with builder->err filled: no memory, or a name that cannot be resolved.
 */
bool rs_defaults_add(struct rs_builder *builder);

#endif
