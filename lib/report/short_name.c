/* SPDX-License-Identifier: MIT */
/*
 * This file shortens names of regions to the width that a report has for them. It drops the
 * template arguments of a name, or cuts the name in the middle.
 */
#include "report/short_name.h"

#include <string.h>

#include "base/template_name.h"
#include "base/text.h"
#include "base/width.h"

/* Compare at most this many names, so that thousands of instances of a template take little
 * time. */
#define MOST_ALIKE 32u

/* Return true if no other region has the same name once template arguments are dropped. Return
 * false if too many regions would have to be compared. */
static bool is_unlike_others(const struct rs_summary *summary, size_t region, const char *shorter,
	size_t columns, bool utf8)
{
	const char *own = summary->merged[region].name;
	size_t head = strcspn(own, "<") + 1, n_alike = 0;
	for (size_t i = 0; i < summary->n_merged; i++) {
		const char *name = summary->merged[i].name;
		char shown[4 * RS_NAME_BYTES], other[RS_SHORT_NAME_BYTES];
		if (i == region || strncmp(name, own, head) != 0)
			continue;
		rs_text_escape(shown, sizeof(shown), name);
		if (++n_alike > MOST_ALIKE ||
			(rs_template_name(other, sizeof(other), shown, columns, utf8) &&
				strcmp(other, shorter) == 0))
			return false;
	}
	return true;
}

size_t rs_short_region_name(
	char *out, const struct rs_summary *summary, size_t region, size_t columns, bool utf8)
{
	char name[4 * RS_NAME_BYTES];
	rs_text_escape(name, sizeof(name), summary->merged[region].name);
	if (rs_width_of(name) > columns &&
		rs_template_name(out, RS_SHORT_NAME_BYTES, name, columns, utf8) &&
		is_unlike_others(summary, region, out, columns, utf8))
		return rs_width_of(out);
	return rs_width_cut_middle(
		out, RS_SHORT_NAME_BYTES, name, columns, utf8 ? "\xe2\x80\xa6" : "..");
}
