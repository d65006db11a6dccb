/* SPDX-License-Identifier: MIT */
/*
 * This file loads the chained Kokkos tool, which the user chose. Kokkos loads only one tool.
 * Therefore regionstat's tool loads the user's tool, and calls each of its callbacks.
 */
#include "adapters/kokkos_interface.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/adapter.h"

struct rs_kokkos_tool rs_kokkos_chained;

/* The variables in which the user may name tools, and their values while regionstat's tool is
 * used. */
static const char *const variables[] = {"KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"};
#define N_VARIABLES (sizeof(variables) / sizeof(variables[0]))
static char *kept[N_VARIABLES];
static const char *chain;

/* Return the value of REGIONSTAT_CHAIN_KOKKOS, or otherwise the text after this tool's file in one
 * of the variables. Return NULL if there is none. */
static const char *find_chain(void)
{
	static const char file[] = "libregionstat-kokkos.so";
	const char *named = secure_getenv("REGIONSTAT_CHAIN_KOKKOS");
	for (size_t i = 0; !named && i < N_VARIABLES; i++) {
		const char *value = secure_getenv(variables[i]);
		const char *end = value ? strchr(value, ';') : NULL;
		if (end && (size_t)(end - value) >= sizeof(file) - 1 &&
			!strncmp(end - (sizeof(file) - 1), file, sizeof(file) - 1))
			named = end + 1;
	}
	return named && *named ? named : NULL;
}

/* Return a copy that is never freed, because setenv(3) may free the original. Return NULL if memory
 * runs out. */
static char *copy_of(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = rs_adapter_allocate(bytes);
	return copy ? memcpy(copy, text, bytes) : NULL;
}

void rs_kokkos_chain_enter(void)
{
	if (!chain) {
		const char *found = find_chain();
		chain = found ? copy_of(found) : NULL;
	}
	for (size_t i = 0; chain && i < N_VARIABLES; i++) {
		const char *value = getenv(variables[i]);
		kept[i] = value ? copy_of(value) : NULL;
		if (kept[i])
			setenv(variables[i], chain, 1);
	}
}

void rs_kokkos_chain_leave(void)
{
	for (size_t i = 0; i < N_VARIABLES; i++) {
		if (kept[i])
			setenv(variables[i], kept[i], 1);
		kept[i] = NULL;
	}
}

/* Return true if an address is in this library. */
static bool is_own(const void *address)
{
	Dl_info own, other;
	return address && dladdr(&rs_kokkos_chained, &own) && dladdr(address, &other) &&
	       own.dli_fbase == other.dli_fbase;
}

/* Look up a callback by dlsym(3). The address is stored through a pointer to the function pointer,
 * because ISO C cannot convert an object pointer to a function pointer. */
#define LOOK_UP(name, parameters)                                         \
	*(void **)(void *)&found.name = dlsym(library, "kokkosp_" #name); \
	any_own |= is_own(*(void **)(void *)&found.name);

void rs_kokkos_chain_load(void)
{
	static bool is_done;
	char path[4096];
	if (is_done || !chain)
		return;
	is_done = true;
	size_t bytes = strcspn(chain, ";");
	void *library = NULL;
	if (bytes && bytes < sizeof(path)) {
		memcpy(path, chain, bytes);
		path[bytes] = '\0';
		library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	}
	if (!library) {
		/* print a message and continue, as Kokkos does for a tool that it cannot load */
		const char *why = bytes >= sizeof(path) ? "its path is too long" : dlerror();
		dprintf(2,
			"regionstat: cannot load the Kokkos tool '%.*s': %s\n"
			"  the environment named it before regionstat set its own tool\n"
			"  try: KOKKOS_TOOLS_LIBS with the path of a tool\n",
			(int)(bytes < sizeof(path) ? bytes : 64), chain, why ? why : "unknown");
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
		return;
	}
	struct rs_kokkos_tool found = {.is_there = true};
	bool any_own = false;
	RS_KOKKOS_CALLBACKS(LOOK_UP)
	if (any_own) {
		/* the chained tool is this library, which would call itself endlessly */
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
		return;
	}
	if (dlsym(library, "kokkosp_request_values"))
		dprintf(2,
			"regionstat: the Kokkos tool '%s' cannot autotune under regionstat\n"
			"  autotuning would change the program that regionstat measures\n"
			"  try: regionstat --markers none\n",
			path);
	rs_kokkos_chained = found;
	rs_adapter_note(RS_ADAPTER_COUNT_CHAINED);
}
