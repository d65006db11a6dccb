/* SPDX-License-Identifier: MIT */
/*
 * adapted ROUNDS NULL_COLLECTOR ADAPTERS measures a pair of ITT's or NVTX's markers with
 * regionstat's adapter from the directory ADAPTERS, and with a collector that does nothing. Both
 * run alternately in one process. The output has the format of pairs. regionstat must launch it.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#include <regionstat.h>

#include "../apps/markers/itt_part.h"
#include "../apps/markers/nvtx_part.h"
#include "rounds.h"

#define N_PAIRS 1000

/* The functions that a part calls: those of the adapter, or of the collector that does nothing. */
struct functions {
	__typeof__(itt_task_begin) itt_begin;
	__typeof__(itt_task_end) itt_end;
	void (*nvtx[16])(void);
};
static struct functions adapter, null;

static struct itt_domain *domain;
static struct itt_string *string;
static struct nvtx_attributes registered;

LOOP static void run_marker(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		REGIONSTAT_SCOPE("marker");
		__asm__ volatile("" ::: "memory");
	}
}

LOOP static void run_itt(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		ITT_BEGIN(domain, string);
		__asm__ volatile("" ::: "memory");
		ITT_END(domain);
	}
}

LOOP static void run_nvtx(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		nvtx_push("a range of nvtx");
		__asm__ volatile("" ::: "memory");
		nvtx_pop();
	}
}

LOOP static void run_nvtx_registered(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		nvtx_push_ex(&registered);
		__asm__ volatile("" ::: "memory");
		nvtx_pop();
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

static void run_itt_null(uint64_t n_pairs)
{
	use(&null);
	run_itt(n_pairs);
}

static void run_itt_adapter(uint64_t n_pairs)
{
	use(&adapter);
	run_itt(n_pairs);
}

static void run_nvtx_null(uint64_t n_pairs)
{
	use(&null);
	run_nvtx(n_pairs);
}

static void run_nvtx_adapter(uint64_t n_pairs)
{
	use(&adapter);
	run_nvtx(n_pairs);
}

static void run_nvtx_registered_adapter(uint64_t n_pairs)
{
	use(&adapter);
	run_nvtx_registered(n_pairs);
}

static const struct variant variants[] = {
	{"empty", rounds_run_empty, NULL, N_PAIRS},
	{"marker", run_marker, NULL, N_PAIRS},
	{"itt_null", run_itt_null, NULL, N_PAIRS},
	{"itt", run_itt_adapter, NULL, N_PAIRS},
	{"nvtx_null", run_nvtx_null, NULL, N_PAIRS},
	{"nvtx", run_nvtx_adapter, NULL, N_PAIRS},
	{"nvtx_registered", run_nvtx_registered_adapter, NULL, N_PAIRS},
};

int main(int argc, char **argv)
{
	char itt[PATH_MAX], nvtx[PATH_MAX];
	if (argc != 4)
		return 2;
	snprintf(itt, sizeof(itt), "%s/libregionstat-itt.so", argv[3]);
	snprintf(nvtx, sizeof(nvtx), "%s/libregionstat-nvtx.so", argv[3]);
	start(argv[2], argv[2], &null);
	start(itt, nvtx, &adapter);
	domain = ITT_DOMAIN("dom");
	string = ITT_STRING("a task of itt");
	registered = nvtx_message(NVTX_REGISTERED, nvtx_register(NULL, "registered"));
	rounds_run_all(
		variants, sizeof(variants) / sizeof(variants[0]), strtoull(argv[1], NULL, 10));
	return 0;
}
