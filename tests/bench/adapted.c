/* SPDX-License-Identifier: MIT */
/*
 * adapted ROUNDS NULL_COLLECTOR ADAPTERS: what a pair of another API's markers costs with regionstat's
 * adapter, of those in the directory ADAPTERS, and beside it with a collector that does nothing where
 * the API has such, in one process and in turns. Prints as pairs does. To be launched by regionstat.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#include <regionstat.h>

#include "../apps/markers/itt_part.h"
#include "../apps/markers/nvtx_part.h"
#include "meter.h"

#define LOOP __attribute__((noinline, aligned(64)))
#define N_PAIRS 1000u

/* The functions that a part calls: of the adapter, or of the collector that does nothing. */
struct functions {
	__typeof__(itt_task_begin) itt_begin;
	__typeof__(itt_task_end) itt_end;
	void (*nvtx[16])(void);
};
static struct functions adapter, null;

static struct itt_domain *domain;
static struct itt_string *string;
static struct nvtx_attributes registered;

LOOP static void run_empty(void)
{
	for (unsigned int i = 0; i < N_PAIRS; i++)
		__asm__ volatile("");
}

LOOP static void run_marker(void)
{
	for (unsigned int i = 0; i < N_PAIRS; i++) {
		REGIONSTAT_SCOPE("marker");
		__asm__ volatile("" ::: "memory");
	}
}

LOOP static void run_itt(void)
{
	for (unsigned int i = 0; i < N_PAIRS; i++) {
		ITT_BEGIN(domain, string);
		__asm__ volatile("" ::: "memory");
		ITT_END(domain);
	}
}

LOOP static void run_nvtx(void)
{
	for (unsigned int i = 0; i < N_PAIRS; i++) {
		nvtx_push("a range of nvtx");
		__asm__ volatile("" ::: "memory");
		nvtx_pop();
	}
}

LOOP static void run_nvtx_registered(void)
{
	for (unsigned int i = 0; i < N_PAIRS; i++) {
		nvtx_push_ex(&registered);
		__asm__ volatile("" ::: "memory");
		nvtx_pop();
	}
}

/* Of APIs whose functions stand before those of the API's library. */
static void (*likwid_start)(const char *region);
static void (*likwid_stop)(const char *region);
static int (*papi_begin)(const char *region);
static int (*papi_end)(const char *region);
static void (*function_enter)(void *function, void *caller);
static void (*function_exit)(void *function, void *caller);

LOOP static void run_likwid(void)
{
	for (unsigned int i = 0; i < N_PAIRS; i++) {
		likwid_start("a region of likwid");
		__asm__ volatile("" ::: "memory");
		likwid_stop("a region of likwid");
	}
}

LOOP static void run_papi(void)
{
	for (unsigned int i = 0; i < N_PAIRS; i++) {
		papi_begin("a region of papi");
		__asm__ volatile("" ::: "memory");
		papi_end("a region of papi");
	}
}

LOOP static void run_function(void)
{
	for (unsigned int i = 0; i < N_PAIRS; i++) {
		function_enter((void *)run_function, (void *)run_empty);
		__asm__ volatile("" ::: "memory");
		function_exit((void *)run_function, (void *)run_empty);
	}
}

static void use(const struct functions *functions)
{
	itt_task_begin = functions->itt_begin;
	itt_task_end = functions->itt_end;
	memcpy(nvtx_core, functions->nvtx, sizeof(nvtx_core));
}

static void start(const char *itt, const char *nvtx, struct functions *functions)
{
	setenv("INTEL_LIBITTNOTIFY64", itt, 1);
	setenv("NVTX_INJECTION64_PATH", nvtx, 1);
	if (!itt_start(ITT_GROUP_ALL) || !nvtx_start() || !itt_task_begin) {
		fprintf(stderr, "bench: no collector: %s, %s\n", itt, nvtx);
		exit(1);
	}
	functions->itt_begin = itt_task_begin;
	functions->itt_end = itt_task_end;
	memcpy(functions->nvtx, nvtx_core, sizeof(nvtx_core));
}

static void find(const char *adapters, const char *file, const char *name, void *function)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/libregionstat-%s.so", adapters, file);
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), *found = NULL;
	if (!handle || !(found = dlsym(handle, name))) {
		fprintf(stderr, "bench: no adapter: %s\n", dlerror());
		exit(1);
	}
	memcpy(function, &found, sizeof(found));
}

static void find_all(const char *adapters)
{
	find(adapters, "likwid", "likwid_markerStartRegion", &likwid_start);
	find(adapters, "likwid", "likwid_markerStopRegion", &likwid_stop);
	find(adapters, "papi", "PAPI_hl_region_begin", &papi_begin);
	find(adapters, "papi", "PAPI_hl_region_end", &papi_end);
	find(adapters, "functions", "__cyg_profile_func_enter", &function_enter);
	find(adapters, "functions", "__cyg_profile_func_exit", &function_exit);
}

static const struct {
	const char *name;
	void (*run)(void);
	const struct functions *functions;
} variants[] = {
	{"empty", run_empty, &null},
	{"marker", run_marker, &null},
	{"itt_null", run_itt, &null},
	{"itt", run_itt, &adapter},
	{"nvtx_null", run_nvtx, &null},
	{"nvtx", run_nvtx, &adapter},
	{"nvtx_registered", run_nvtx_registered, &adapter},
	{"likwid", run_likwid, &null},
	{"papi", run_papi, &null},
	{"function", run_function, &null},
};
#define N_VARIANTS (sizeof(variants) / sizeof(variants[0]))

int main(int argc, char **argv)
{
	struct meter meter;
	char itt[PATH_MAX], nvtx[PATH_MAX];
	if (argc != 4 || !meter_open(&meter, "ns"))
		return 2;
	long n_rounds = atol(argv[1]);
	snprintf(itt, sizeof(itt), "%s/libregionstat-itt.so", argv[3]);
	snprintf(nvtx, sizeof(nvtx), "%s/libregionstat-nvtx.so", argv[3]);
	start(argv[2], argv[2], &null);
	start(itt, nvtx, &adapter);
	find_all(argv[3]);
	domain = ITT_DOMAIN("dom");
	string = ITT_STRING("a task of itt");
	registered = nvtx_message(NVTX_REGISTERED, nvtx_register(NULL, "registered"));
	for (long r = -1; r < n_rounds; r++)
		for (size_t v = 0; v < N_VARIANTS; v++) {
			use(variants[v].functions);
			uint64_t before = meter_now(&meter);
			variants[v].run();
			uint64_t took = meter_now(&meter) - before;
			if (r >= 0)
				printf("%s,%ld,%u,%llu\n", variants[v].name, r, N_PAIRS,
					(unsigned long long)took);
		}
	meter_close(&meter);
	return 0;
}
