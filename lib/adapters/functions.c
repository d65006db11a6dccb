/* SPDX-License-Identifier: MIT */
/*
 * This file measures functions of programs that are compiled with -finstrument-functions (gcc and
 * clang). Such a function calls __cyg_profile_func_enter(function, call_site) at its begin, and
 * __cyg_profile_func_exit(function, call_site) at its end (gcc's manual, "Program Instrumentation
 * Options"). LD_PRELOAD loads this file's definitions of both. Each function address is a region,
 * and the launcher finds the function's name after the run.
 *
 * At the exit of a function, the adapter ends the innermost open call of this function in the same
 * stack frame. If there is none, it ends the innermost open call of this function, as an END by
 * name does. Therefore the right call also ends if an exception leaves a C++ function that gcc
 * compiled. Both markers are tail calls, so that they see the function's own frame.
 */
#include "adapters/functions.h"

#include "adapters/preload.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_FUNCTIONS;

/* a power of two; unused pages take no memory */
#define N_FUNCTIONS ((size_t)1 << 18)
#define MOST_STEPS 64u

struct function {
	_Atomic uintptr_t address; /* 0: the slot is free; once set, the address never changes */
	_Atomic(struct regionstat_site_ *) site; /* NULL: not known yet, or forgotten */
};

static struct function functions[N_FUNCTIONS];
/* The slots in use, in the order of their first use. An element is 1 + the index of the slot; 0:
 * not written yet. */
static _Atomic uint32_t used[N_FUNCTIONS];
static _Atomic uint32_t n_used;
/* the site of all functions that --functions excludes */
struct regionstat_site_ rs_function_filtered;

static inline size_t slot_of(uintptr_t address)
{
	/* the lowest 4 bits are mostly 0, because compilers align most functions to 16 bytes */
	return (size_t)((address >> 4 ^ address << 60) * UINT64_C(0x9e3779b97f4a7c15) >> 46);
}
static_assert(N_FUNCTIONS == (size_t)1 << (64 - 46), "slots are numbered by the highest bits");

/* Find or create the entry of a function. Return NULL if all slots near its hash are used. */
static __attribute__((noinline, cold)) struct function *find_slowly(uintptr_t address)
{
	for (size_t step = 0; step < MOST_STEPS; step++) {
		size_t slot = (slot_of(address) + step) % N_FUNCTIONS;
		struct function *function = &functions[slot];
		uintptr_t there = 0;
		if (atomic_compare_exchange_strong_explicit(&function->address, &there, address,
			    memory_order_relaxed, memory_order_relaxed))
			atomic_store_explicit(
				&used[atomic_fetch_add_explicit(&n_used, 1, memory_order_relaxed)],
				(uint32_t)slot + 1, memory_order_relaxed);
		else if (there != address)
			continue;
		return function;
	}
	return NULL;
}

/* Forget the sites of all functions, so that they are looked up again. Another thread may store a
 * site meanwhile. This does no harm: that thread runs in the library of the function, so the
 * library cannot be unloaded. */
static void forget(void)
{
	uint32_t n = atomic_load_explicit(&n_used, memory_order_relaxed);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot = atomic_load_explicit(&used[i], memory_order_relaxed);
		if (slot)
			atomic_store_explicit(
				&functions[slot - 1].site, NULL, memory_order_relaxed);
	}
}

static struct regionstat_site_ *find_site(
	const struct rs_adapter_table *table, const void *address, uintptr_t stack)
{
	char name[RS_NAME_BYTES];
	struct regionstat_site_ *site = NULL;
	switch (table->locate_at(NULL, address, stack, name)) {
	case RS_LOCATED_NOT_NOW:
		break;
	case RS_LOCATED:
	case RS_LOCATED_NOWHERE:
		site = rs_adapter_site_text(name);
		break;
	case RS_LOCATED_FILTERED:
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
		site = &rs_function_filtered;
		break;
	}
	return site;
}

/* The function that this thread is looking up: its stack frame, or 0, and how many look-ups are
 * nested. A look-up calls functions that the program may define, such as an instrumented strlen().
 * Looking up strlen() must not call strlen() again. A signal handler may call any function. The
 * frame shows whether a look-up is still running: a longjmp() may have left it. */
static __thread struct learning {
	uintptr_t stack;
	unsigned depth;
} learning;
#define MOST_AT_ONCE 8u

struct regionstat_site_ *rs_function_learn(const void *address, uintptr_t stack)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	int saved = errno;
	struct learning around = learning;
	if (!around.stack || stack >= around.stack)
		around = (struct learning){0};
	if (!table || around.depth >= MOST_AT_ONCE)
		return NULL;
	learning = (struct learning){stack, around.depth + 1};
	rs_adapter_note_once(RS_ADAPTER_COUNT_LOADED);
	struct regionstat_site_ *site = find_site(table, address, stack);
	learning = around;
	errno = saved;
	return site;
}

/* Find the site of a function at its first call, and store it. Return NULL if it cannot be found
 * now. */
static __attribute__((noinline, cold)) struct regionstat_site_ *learn(
	void *address, uintptr_t stack)
{
	struct regionstat_site_ *site = rs_function_learn(address, stack);
	struct function *function = site ? find_slowly((uintptr_t)address) : NULL;
	if (function)
		/* release: pairs with the load in site_of(); the site is complete before it is
		 * visible */
		atomic_store_explicit(&function->site, site, memory_order_release);
	return site;
}

/* Return the stored site of a function, or NULL if none is stored. */
static inline struct regionstat_site_ *site_of(void *address)
{
	struct function *function = &functions[slot_of((uintptr_t)address)];
	for (size_t step = 0; step < MOST_STEPS; step++) {
		uintptr_t there = atomic_load_explicit(&function->address, memory_order_relaxed);
		if (__builtin_expect(there == (uintptr_t)address, 1))
			/* acquire: pairs with the release in learn() */
			return atomic_load_explicit(&function->site, memory_order_acquire);
		if (!there)
			return NULL;
		function = function + 1 < functions + N_FUNCTIONS ? function + 1 : functions;
	}
	return NULL;
}

RS_ADAPTER_EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
RS_ADAPTER_EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

/* Return the site of a function. Return NULL if the adapter does not measure it. */
static inline __attribute__((always_inline)) struct regionstat_site_ *measured(
	void *function, uintptr_t stack)
{
	struct regionstat_site_ *site = site_of(function);
	if (__builtin_expect(!site, 0))
		site = learn(function, stack);
	return site == &rs_function_filtered ? NULL : site;
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
	(void)call_site;
	const struct regionstat_table_29_ *table = regionstat_table_();
	struct regionstat_site_ *site = table ? measured(function, RS_FUNCTION_STACK) : NULL;
	if (site)
		table->begin_(site);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)call_site;
	const struct regionstat_table_29_ *table = regionstat_table_();
	struct regionstat_site_ *site = table ? measured(function, RS_FUNCTION_STACK) : NULL;
	if (site)
		table->end_site_(site);
}

/*
 * Forget all addresses when a library is closed, because another library may be loaded in its
 * place. Instrumented code disappears only by dlclose(): code that the program mapped itself
 * belongs to no object. Between the dynamic linker's dlclose() and forget(), another thread may
 * load a library there and call it. The adapter counts such calls as calls of the old function.
 */
RS_ADAPTER_EXPORT int dlclose(void *handle);

int dlclose(void *handle)
{
	RS_ADAPTER_NEXT(dlclose);
	int result = next ? next(handle) : -1;
	forget();
	return result;
}
