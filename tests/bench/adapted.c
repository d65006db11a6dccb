/* SPDX-License-Identifier: MIT */
/*
 * adapted ROUNDS measures a pair of ITT's, NVTX's or Kokkos' markers with the tools that their
 * variables name: regionstat's adapters, or null_collector. The output has the format of pairs.c.
 */
#include <stdio.h>

#include <regionstat.h>

#include "../apps/markers/itt_part.h"
#include "../apps/markers/nvtx_part.h"
#include "../apps/kokkos/part.h"
#include "rounds.h"

#define N_PAIRS 1000

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

LOOP static void run_kokkos(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		uint64_t id = 0;
		CALL(begin_parallel_for, "a kernel's name", 0, &id);
		CALL(end_parallel_for, id);
	}
}

static const struct variant variants[] = {
	{"empty", rounds_run_empty, NULL, N_PAIRS},
	{"marker", run_marker, NULL, N_PAIRS},
	{"itt", run_itt, NULL, N_PAIRS},
	{"nvtx", run_nvtx, NULL, N_PAIRS},
	{"nvtx_registered", run_nvtx_registered, NULL, N_PAIRS},
	{"kokkos", run_kokkos, NULL, N_PAIRS},
};

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	load();
	initialize(VERSION);
	if (!itt_start(ITT_GROUP_ALL) || !nvtx_start() || !tool.begin_parallel_for) {
		fputs("bench: a tool is missing\n", stderr);
		return 1;
	}
	domain = ITT_DOMAIN("dom");
	string = ITT_STRING("a task of itt");
	registered = nvtx_message(NVTX_REGISTERED, nvtx_register(NULL, "registered"));
	rounds_run_all(
		variants, sizeof(variants) / sizeof(variants[0]), strtoull(argv[1], NULL, 10));
	return 0;
}
