/* SPDX-License-Identifier: MIT */
/*
 * This file connects the NVTX code of a program to this adapter. Programs find the adapter by
 * NVTX_INJECTION64_PATH. Each object of a process may contain NVTX code. The adapter also loads the
 * user's own injection library, the chained tool, which REGIONSTAT_CHAIN_NVTX names. If this
 * variable is not set, the chained tool is one that is linked into the program:
 * InitializeInjectionNvtx2_fnptr points to it.
 *
 * The chained tool writes its callbacks through a table of pointers. For functions that the adapter
 * measures, the pointers lead to the adapter, which then calls the tool's callbacks. For all other
 * functions, the pointers lead directly to the program.
 */
#include "adapters/nvtx.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "adapters/program_symbols.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_NVTX;

#define N_MODULES 8 /* indexes of modules are below 8; six are used */
#define MAX_CALLBACKS 32u /* limit of the callbacks of one module; at most 16 are used */

typedef int (*initialize)(rs_nvtx_export get_table);

/* This library's InitializeInjectionNvtx2(), even if the program's own tool exports one, too. */
static int initialize_here(rs_nvtx_export get_table)
	__attribute__((alias("InitializeInjectionNvtx2")));

/* The NVTX code of one object, as the adapter shows it to the chained tool. It is never freed,
 * because that tool may use it later. */
struct instance {
	rs_nvtx_export get_table; /* the function of the object */
	const struct rs_nvtx_callbacks *callbacks; /* the callbacks of the object */
	rs_nvtx_function *core[MAX_CALLBACKS], *core2[MAX_CALLBACKS];
};

/* The instance of the object that this thread initializes; NULL: none. The adapter returns this
 * instance to the chained tool, or the latest one if it is NULL. There is no lock, because the tool
 * may load libraries while another thread also loads libraries. */
static __thread struct instance *in_hand;
static _Atomic(struct instance *) latest;

static struct instance *find_instance(void)
{
	return in_hand ? in_hand : atomic_load_explicit(&latest, memory_order_acquire);
}

/* Fill mixed[size] with the addresses to which the chained tool writes its callbacks. For functions
 * that are measured, these addresses belong to variables of this adapter. For all others they
 * belong to variables of the program. */
static void mix(rs_nvtx_function **mixed, rs_nvtx_module theirs, unsigned int size,
	const rs_nvtx_function *measured, rs_nvtx_function *ours, unsigned int n)
{
	for (unsigned int i = 0; i < size; i++)
		mixed[i] = i < n && measured[i] && theirs[i] ? &ours[i] : theirs[i];
}

static int get_mixed_module(int module, rs_nvtx_module *functions, unsigned int *size)
{
	struct instance *instance = find_instance();
	rs_nvtx_module theirs;
	unsigned int n;
	if (!functions || !size || !instance->callbacks->get_module(module, &theirs, &n))
		return 0;
	*functions = theirs;
	*size = n;
	n = n < MAX_CALLBACKS ? n : MAX_CALLBACKS;
	if (module == RS_NVTX_CORE && theirs) {
		mix(instance->core, theirs, n, rs_nvtx_core, rs_nvtx_next_core, RS_NVTX_CORE_N);
		*functions = instance->core;
		*size = n;
	} else if (module == RS_NVTX_CORE2 && theirs) {
		mix(instance->core2, theirs, n, rs_nvtx_core2, rs_nvtx_next_core2, RS_NVTX_CORE2_N);
		*functions = instance->core2;
		*size = n;
	}
	return 1;
}

static const struct rs_nvtx_callbacks mixed_callbacks = {
	sizeof(struct rs_nvtx_callbacks), get_mixed_module};

static const void *get_mixed_table(uint32_t table)
{
	return table == RS_NVTX_TABLE_CALLBACKS ? &mixed_callbacks
						: find_instance()->get_table(table);
}

/* Copies of the callbacks that the chained tool may set, to restore them. */
struct kept {
	rs_nvtx_function of[N_MODULES][MAX_CALLBACKS];
};

static void keep(struct kept *kept, bool put_back)
{
	rs_nvtx_module functions;
	unsigned int size;
	for (int module = RS_NVTX_CORE; module < N_MODULES; module++) {
		if (!get_mixed_module(module, &functions, &size) || !functions)
			continue;
		for (unsigned int i = 0; i < size && i < MAX_CALLBACKS; i++)
			if (functions[i] && put_back)
				__atomic_store_n(
					functions[i], kept->of[module][i], __ATOMIC_RELEASE);
			else if (functions[i])
				kept->of[module][i] = __atomic_load_n(
					functions[i], __ATOMIC_RELAXED);
	}
}

/* Initialize the chained tool, which writes its callbacks into our tables. If the tool returns 0,
 * it does not want to be called: restore all callbacks and return false. */
static bool chain(
	rs_nvtx_export get_table, const struct rs_nvtx_callbacks *callbacks, initialize other)
{
	struct kept kept;
	struct instance *instance = rs_adapter_allocate(sizeof(*instance));
	if (!instance)
		return false;
	instance->get_table = get_table;
	instance->callbacks = callbacks;
	/* release: pairs with the acquire in find_instance() */
	atomic_store_explicit(&latest, instance, memory_order_release);
	struct instance *outer = in_hand; /* the chained tool may contain NVTX code itself */
	in_hand = instance;
	keep(&kept, false);
	bool is_chained = other(get_mixed_table);
	if (!is_chained)
		keep(&kept, true);
	in_hand = outer;
	return is_chained;
}

/* Find the variable InitializeInjectionNvtx2_fnptr of the caller, an object with NVTX code. It
 * points to a tool that is linked into the object, or is NULL. Return NULL if there is no such
 * variable. If the program does not export the variable, it is only in the program's symbol
 * table. */
static const initialize *find_linked_variable(rs_nvtx_export caller)
{
	static const char *const name = "InitializeInjectionNvtx2_fnptr";
	const initialize *variable = dlsym(RTLD_DEFAULT, name);
	const struct rs_symbol_wanted wanted = {name, &variable, STT_OBJECT};
	struct rs_program program;
	Dl_info object;
	void *address;
	memcpy(&address, &caller, sizeof(address));
	if (variable || !dladdr(address, &object))
		return variable;
	if (rs_program_open(&program) && rs_program_is_loaded(&program) &&
		rs_program_holds(&program, address))
		rs_program_find_symbols(&program, &wanted, 1);
	rs_program_close(&program);
	if (variable)
		return variable;
	/* the caller may be in a library that was loaded without global symbols */
	void *library = dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	variable = library ? dlsym(library, name) : NULL;
	if (library)
		dlclose(library);
	return variable;
}

static initialize find_linked(rs_nvtx_export caller)
{
	const initialize *variable = find_linked_variable(caller);
	return variable ? *variable : NULL;
}

/* Return the initialization function of the chained tool, or NULL if there is none. If the tool
 * cannot be loaded, set *is_missing and return NULL. */
static initialize find_other(rs_nvtx_export caller, bool *is_missing)
{
	const char *path = secure_getenv("REGIONSTAT_CHAIN_NVTX");
	bool is_named = path && *path;
	void *library = is_named ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
	void *symbol = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
	initialize found = NULL;
	memcpy(&found, &symbol, sizeof(found));
	*is_missing = is_named && !found;
	if (!is_named)
		found = find_linked(caller);
	return found == initialize_here ? NULL : found;
}

/* Return the program's callbacks if their format is known; otherwise NULL. */
static const struct rs_nvtx_callbacks *find_callbacks(rs_nvtx_export get_table)
{
	const struct rs_nvtx_callbacks *callbacks = get_table ? get_table(RS_NVTX_TABLE_CALLBACKS)
							      : NULL;
	rs_nvtx_module functions;
	unsigned int size;
	return callbacks && callbacks->bytes >= sizeof(*callbacks) && callbacks->get_module &&
			       callbacks->get_module(RS_NVTX_CORE, &functions, &size) &&
			       functions && size > RS_NVTX_POP
		       ? callbacks
		       : NULL;
}

static void bind(rs_nvtx_module functions, unsigned int size, const rs_nvtx_function *measured,
	unsigned int n)
{
	for (unsigned int i = 0; i < size && i < n; i++)
		if (measured[i] && functions[i])
			__atomic_store_n(functions[i], measured[i], __ATOMIC_RELEASE);
}

/* Set our callbacks in the program. Old NVTX code has no domains; then set only the callbacks of
 * the module CORE. */
static void bind_all(const struct rs_nvtx_callbacks *callbacks)
{
	rs_nvtx_module functions;
	unsigned int size;
	if (callbacks->get_module(RS_NVTX_CORE, &functions, &size))
		bind(functions, size, rs_nvtx_core, RS_NVTX_CORE_N);
	if (callbacks->get_module(RS_NVTX_CORE2, &functions, &size) && functions)
		bind(functions, size, rs_nvtx_core2, RS_NVTX_CORE2_N);
}

static int start(rs_nvtx_export get_table)
{
	const struct rs_nvtx_callbacks *callbacks = find_callbacks(get_table);
	bool is_missing;
	initialize other = find_other(get_table, &is_missing);
	if (!rs_adapter_table())
		return other ? other(get_table) : 0;
	if (!callbacks) {
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
		return other ? other(get_table) : 0;
	}
	rs_adapter_note_once(RS_ADAPTER_COUNT_LOADED);
	rs_open_prepare();
	if (other) {
		rs_nvtx_use_foreign_handles();
		rs_adapter_note_once(chain(get_table, callbacks, other) ? RS_ADAPTER_COUNT_CHAINED
									: RS_ADAPTER_COUNT_REFUSED);
	} else if (is_missing) {
		rs_adapter_note_once(RS_ADAPTER_COUNT_REFUSED);
	}
	bind_all(callbacks);
	return 1;
}

int InitializeInjectionNvtx2(rs_nvtx_export get_table)
{
	int saved = errno;
	int is_on = start(get_table);
	errno = saved;
	return is_on;
}
