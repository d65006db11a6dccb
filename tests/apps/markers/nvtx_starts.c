/* SPDX-License-Identifier: MIT */
/*
 * nvtx_starts HOW [N] [PLUGIN]: what an injection library may find when NVTX starts. Each case then
 * makes N ranges of all kinds. HOW:
 *
 *   table, callbacks, module, functions   an incomplete NVTX without the named part
 *   small       the table of the core functions ends before the known ones
 *   older       an NVTX without domains
 *   holes       tables that lack single functions
 *   both        NVTX of this program and that of PLUGIN start on two threads at once
 */
#include "nvtx_part.h"
#include "plugin.h"

static int n;
static const char *how, *path;

static int is(const char *what)
{
	return !strcmp(how, what);
}

static void ranges_make(void)
{
	struct nvtx_attributes message = nvtx_message(NVTX_TEXT, "of a domain");
	void *domain = nvtx_domain_create("dom");
	for (int i = 0; i < n; i++) {
		nvtx_push("pushed");
		nvtx_range_end(nvtx_range_start("started"));
		nvtx_mark("marked");
		nvtx_domain_push(domain, &message);
		nvtx_domain_pop(domain);
		nvtx_pop();
	}
}

static int get_module(int module, void (****table)(void), unsigned int *size)
{
	if (is("module") || (is("older") && module == 5) || !nvtx_get_module(module, table, size))
		return 0;
	if (is("functions"))
		*table = NULL;
	if (is("holes") && module == 1)
		nvtx_core_table[9] = nvtx_core_table[2] = NULL; /* PushA, MarkA */
	if (is("holes") && module == 5)
		nvtx_core2_table[5] = NULL; /* DomainPop */
	if (is("small") && module == 1)
		*size = 11;
	return 1;
}

static const void *get_table(uint32_t id)
{
	static struct nvtx_callbacks callbacks = {sizeof(callbacks), get_module};
	if (is("callbacks"))
		callbacks.struct_size = sizeof(size_t);
	return id != 1 || is("table") ? NULL : &callbacks;
}

static void start_and_run(void)
{
	nvtx_start();
	ranges_make();
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "";
	n = argc > 2 ? atoi(argv[2]) : 1;
	path = argc > 3 ? argv[3] : "";
	if (is("both")) {
		plugin_run_beside(path, n, start_and_run);
	} else {
		nvtx_start_with(get_table);
		ranges_make();
	}
	return 0;
}
