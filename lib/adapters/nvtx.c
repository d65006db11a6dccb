/* SPDX-License-Identifier: MIT */
/*
 * The injection library of NVTX, which programs name by NVTX_INJECTION64_PATH: how the NVTX that
 * is compiled into each object of a process is bound. The adapter also loads and binds the
 * injection library that was there before, which REGIONSTAT_CHAIN_NVTX names. Without one it is a
 * library that is linked into the program, to which InitializeInjectionNvtx2_fnptr points. That
 * library fills a table of ours with the callbacks that are measured, and ours call it. It puts
 * all other callbacks where the program has them.
 */
#include "adapters/nvtx.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "adapters/program_symbols.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_NVTX;

#define N_MODULES 8 /* numbers that one may have; 6 do */
#define MAX_CALLBACKS 32u /* of a module; there are 16 at most */

typedef int (*initialize)(rs_nvtx_export get_table);

/* This library's, whatever a program with a tool of its own exports under that name. */
static int initialize_here(rs_nvtx_export get_table)
	__attribute__((alias("InitializeInjectionNvtx2")));

/* An object's NVTX, as another tool sees it. For life, since that may ask later. */
struct instance {
	rs_nvtx_export get_table; /* the program's */
	const struct rs_nvtx_callbacks *callbacks; /* the program's */
	rs_nvtx_function *core[MAX_CALLBACKS], *core2[MAX_CALLBACKS];
};

/* Whose tables another tool asks for: of the object that the thread initializes, or of the last one
 * so far. No lock is held meanwhile, as the tool may load libraries, which others may be doing. */
static __thread struct instance *in_hand;
static _Atomic(struct instance *) latest;

static struct instance *find_instance(void)
{
	return in_hand ? in_hand : atomic_load_explicit(&latest, memory_order_acquire);
}

/* The places of ours for those callbacks that are measured, else the program's. */
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

/* All callbacks that the other tool may set; what they were, to be put back. */
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

/* Initialize the other tool, which then has its callbacks in the tables of ours. False: it has
 * none, and whatever it has put anywhere is taken out again. */
static bool chain(
	rs_nvtx_export get_table, const struct rs_nvtx_callbacks *callbacks, initialize other)
{
	struct kept kept;
	struct instance *instance = rs_adapter_allocate(sizeof(*instance));
	if (!instance)
		return false;
	instance->get_table = get_table;
	instance->callbacks = callbacks;
	/* release: pairs with find_instance() */
	atomic_store_explicit(&latest, instance, memory_order_release);
	struct instance *outer = in_hand; /* the tool may have NVTX itself */
	in_hand = instance;
	keep(&kept, false);
	bool is_chained = other(get_mixed_table);
	if (!is_chained)
		keep(&kept, true);
	in_hand = outer;
	return is_chained;
}

/* The variable that points to a tool, or to none, which is linked to the caller, an object with
 * NVTX of its own. NULL: there is no such symbol. A program that does not export it has it in its
 * symbol table only. */
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
	/* a library that was opened for itself */
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

/* The tool that was there before. NULL: there was none, or *is_missing: it cannot be loaded. */
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

/* The callbacks of the program, if they are what is known; else NULL. */
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

/* Put ours where the program calls them. It may be too old for domains, and is bound without. */
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
