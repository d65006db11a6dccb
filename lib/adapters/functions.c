/* SPDX-License-Identifier: MIT */
/*
 * Functions of programs that are compiled with -finstrument-functions (gcc and clang). Each calls
 * __cyg_profile_func_enter(function, call_site) first and __cyg_profile_func_exit(function,
 * call_site) last (gcc's manual, "Program Instrumentation Options"). LD_PRELOAD puts the functions
 * here in their place. A function is a region by its address; the launcher finds its name after
 * the run.
 *
 * A call ends as END by name does: the innermost open one of the function that began in the same
 * stack frame, else the innermost. In gcc's C++ a function that an exception leaves ends so as
 * well. Both markers are reached by jumps, so that they see the function's own frame.
 */
#include "adapters/functions.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

const enum rs_adapter rs_adapter_self = RS_ADAPTER_FUNCTIONS;

#define N_FUNCTIONS ((size_t)1 << 18) /* in the table, a power of two; untouched it is no memory */
#define MOST_STEPS 64u

struct function {
	_Atomic uintptr_t address; /* 0: free; never changes again */
	_Atomic(struct regionstat_site_ *) site; /* NULL: not known yet, or no more */
};

static struct function functions[N_FUNCTIONS];
/* Which are not free, in the order in which they were met: 1 + number; 0: not known yet. */
static _Atomic uint32_t used[N_FUNCTIONS];
static _Atomic uint32_t n_used;
struct regionstat_site_ rs_function_left_out; /* the site of all that are filtered */

static inline size_t slot_of(uintptr_t address)
{
	/* functions are aligned to 16 bytes as a rule */
	return (size_t)((address >> 4 ^ address << 60) * UINT64_C(0x9e3779b97f4a7c15) >> 46);
}
static_assert(N_FUNCTIONS == (size_t)1 << (64 - 46), "slots are numbered by the highest bits");

/* The entry of a function, made at first sight; NULL: the table is full there. */
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

/* Forget all functions, so that all are learnt once more. One that another thread is learning
 * meanwhile is that of a library which stays, for the thread is in it. */
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
	case RS_LOCATED_LEFT_OUT:
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
		site = &rs_function_left_out;
		break;
	}
	return site;
}

/* The function that a thread is about to learn, by its frame, 0 for none; and how many at once.
 * Learning calls functions that may be the program's own, such as a strlen() that is compiled to
 * call here as well, and would be learnt by calling it. In a handler it is any function. The frame
 * identifies it: frames that a longjmp() has left do not count. */
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

/* The site of a function that is met for the first time; NULL: it cannot be found now. */
static __attribute__((noinline, cold)) struct regionstat_site_ *learn(
	void *address, uintptr_t stack)
{
	struct regionstat_site_ *site = rs_function_learn(address, stack);
	struct function *function = site ? find_slowly((uintptr_t)address) : NULL;
	if (function)
		/* release: pairs with the consumer's load in site_of(); a site is there before it
		 * is shown */
		atomic_store_explicit(&function->site, site, memory_order_release);
	return site;
}

/* The site of a function; NULL: it is not known. */
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

/* The site of a function that is measured; NULL: it is not. */
static inline __attribute__((always_inline)) struct regionstat_site_ *measured(
	void *function, uintptr_t stack)
{
	struct regionstat_site_ *site = site_of(function);
	if (__builtin_expect(!site, 0))
		site = learn(function, stack);
	return site == &rs_function_left_out ? NULL : site;
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
	(void)call_site;
	const struct regionstat_table_14_ *table = regionstat_table_();
	struct regionstat_site_ *site = table ? measured(function, RS_FUNCTION_STACK) : NULL;
	if (site)
		table->begin_(site);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)call_site;
	const struct regionstat_table_14_ *table = regionstat_table_();
	struct regionstat_site_ *site = table ? measured(function, RS_FUNCTION_STACK) : NULL;
	if (site)
		table->end_site_(site);
}

/*
 * Another library may be loaded where one was, so the adapter looks all addresses up again. Code
 * with such calls goes by dlclose() only (munmap() of code that was mapped by hand is in no
 * object). This comes before any thread can load another library at the same place and call it.
 * The exception is between the return of the dynamic linker's own function and the first of these
 * lines.
 */
RS_ADAPTER_EXPORT int dlclose(void *handle);

int dlclose(void *handle)
{
	static _Atomic(void *) next;
	void *own = atomic_load_explicit(&next, memory_order_relaxed);
	if (!own) {
		own = dlsym(RTLD_NEXT, "dlclose");
		atomic_store_explicit(&next, own, memory_order_relaxed);
	}
	int (*call)(void *) = NULL;
	memcpy(&call, &own, sizeof(call));
	int result = call ? call(handle) : -1;
	forget();
	return result;
}
