/* SPDX-License-Identifier: MIT */
/*
 * What a view has in it. In goes a name; out comes whether the reader asked for it.
 */
#include "report/view.h"

#include <string.h>

#include "base/glob.h"
#include "stats/summary.h"

bool rs_view_has(const struct rs_view *view, const char *name)
{
	for (size_t i = 0; i < view->n_globs; i++)
		if (rs_glob_matches(view->globs[i], name))
			return true;
	return view->n_globs == 0;
}

size_t rs_view_column(const struct rs_view *view, const struct rs_summary *summary)
{
	for (size_t c = 1; view->by && c < summary->n_columns; c++)
		if (summary->columns[c].in_regions &&
			strcmp(summary->columns[c].name, view->by) == 0)
			return c;
	return 0;
}
