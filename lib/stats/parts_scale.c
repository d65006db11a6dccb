/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of parts. In: counts and times of each. Out: what each stands for.
 */
#include "stats/parts_scale.h"

/* Times of different PMUs begin and end some nanoseconds apart: what differs by less than this part
 * of it is the same. */
#define NOISE_DIVISOR 100000

/* Wanted only while it ran. */
static bool ran_throughout(const struct rs_part *part)
{
	return part->enabled_ns <= part->running_ns;
}

struct rs_parts_scale rs_parts_scale(const struct rs_part *parts, size_t n)
{
	struct rs_parts_scale scale = {0};
	rs_u128 running_throughout = 0;
	for (size_t i = 0; i < n; i++) {
		scale.running_ns += parts[i].running_ns;
		if (parts[i].enabled_ns > scale.enabled_ns)
			scale.enabled_ns = parts[i].enabled_ns;
		if (ran_throughout(&parts[i]))
			running_throughout += parts[i].running_ns;
		else
			scale.shared_running_ns += parts[i].running_ns;
	}
	if (scale.enabled_ns < scale.running_ns)
		scale.enabled_ns = scale.running_ns;
	rs_u128 noise = n > 1 ? scale.enabled_ns / NOISE_DIVISOR : 0;
	scale.is_exact = scale.enabled_ns - scale.running_ns <= noise;
	scale.shared_enabled_ns = scale.enabled_ns - running_throughout;
	if (scale.shared_running_ns == 0 && !scale.is_exact) {
		/* a part that never had its turn: all others stand for it */
		scale.shared_enabled_ns = scale.enabled_ns;
		scale.shared_running_ns = scale.running_ns;
		scale.scales_all = true;
	}
	return scale;
}

bool rs_parts_is_exact(const struct rs_part *part, const struct rs_parts_scale *scale)
{
	return scale->is_exact || (!scale->scales_all && ran_throughout(part));
}

rs_u128 rs_parts_total(const struct rs_part *part, const struct rs_parts_scale *scale)
{
	if (rs_parts_is_exact(part, scale) || scale->shared_running_ns == 0)
		return part->total;
	return rs_wide_scale(part->total, scale->shared_enabled_ns, scale->shared_running_ns);
}

rs_i128 rs_parts_self(const struct rs_part *part, const struct rs_parts_scale *scale)
{
	struct rs_part size = *part;
	size.total = part->self < 0 ? -(rs_u128)part->self : (rs_u128)part->self;
	rs_i128 scaled = (rs_i128)rs_wide_to_u64(rs_parts_total(&size, scale));
	return part->self < 0 ? -scaled : scaled;
}

double rs_parts_share(rs_u128 running_ns, const struct rs_parts_scale *scale)
{
	if (scale->enabled_ns == 0)
		return 0;
	double share = (double)((long double)running_ns / (long double)scale->enabled_ns);
	return share < 1 ? share : 1;
}
