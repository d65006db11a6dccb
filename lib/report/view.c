/* SPDX-License-Identifier: MIT */
/*
 * What a view has in it. In goes a name; out comes whether the reader asked for it.
 */
#include "report/view.h"

#include "base/glob.h"

bool rs_view_has(const struct rs_view *view, const char *name)
{
	for (size_t i = 0; i < view->n_globs; i++)
		if (rs_glob_matches(view->globs[i], name))
			return true;
	return view->n_globs == 0;
}
