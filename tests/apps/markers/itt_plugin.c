/* SPDX-License-Identifier: MIT */
/* A plugin with a static part of ITT of its own, which starts when the plugin is first called. */
#include "itt_part.h"

__attribute__((visibility("default"))) void plugin_run(int n);

void plugin_run(int n)
{
	struct itt_domain *early = itt_early_domain("plugin", 1);
	itt_start(ITT_GROUP_ALL);
	struct itt_string *task = ITT_STRING("task");
	for (int i = 0; i < n; i++) {
		ITT_BEGIN(i % 2 ? early : ITT_DOMAIN("plugin"), task);
		ITT_END(early);
	}
	/* The static part's data is unloaded with the plugin. */
	itt_part.domain_list = NULL;
	free((char *)early->name_a);
	free(early);
}
