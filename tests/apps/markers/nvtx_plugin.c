/* SPDX-License-Identifier: MIT */
/* A plugin with an NVTX of its own, which starts when the plugin is first called. */
#include "nvtx_part.h"

__attribute__((visibility("default"))) void plugin_run(int n);

void plugin_run(int n)
{
	nvtx_start();
	void *domain = nvtx_domain_create("plugin");
	struct nvtx_attributes message = nvtx_message(
		NVTX_REGISTERED, nvtx_register(domain, "range"));
	for (int i = 0; i < n; i++) {
		nvtx_domain_push(domain, &message);
		nvtx_domain_pop(domain);
	}
}
