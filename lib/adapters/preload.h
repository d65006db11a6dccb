/* SPDX-License-Identifier: MIT */
/*
 * For adapters that stand before an API's own library by LD_PRELOAD: the functions that they hide,
 * for where nothing is measured, and names as Fortran passes them.
 */
#ifndef RS_ADAPTERS_PRELOAD_H
#define RS_ADAPTERS_PRELOAD_H

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "adapters/adapter.h"

/* Where a function of the next object of that name is kept, once it was looked for. */
struct rs_adapter_next {
	const char *name;
	_Atomic(void *) function;
	atomic_bool is_known;
};

/* The function that this object's own hides; NULL: no object has one. Keeps errno. Any thread. */
static inline void *rs_adapter_find_next(struct rs_adapter_next *next)
{
	/* acquire: pairs with the release store below */
	if (!atomic_load_explicit(&next->is_known, memory_order_acquire)) {
		int saved = errno;
		atomic_store_explicit(
			&next->function, dlsym(RTLD_NEXT, next->name), memory_order_relaxed);
		atomic_store_explicit(&next->is_known, true, memory_order_release);
		errno = saved;
	}
	return atomic_load_explicit(&next->function, memory_order_relaxed);
}

/* Call the hidden function of that name with those arguments, and leave the one that this stands in
 * with what it returns; where there is none, with nothing. */
#define RS_ADAPTER_CALL_NEXT(type, otherwise, function_name, ...)                \
	do {                                                                     \
		static struct rs_adapter_next next_ = {.name = function_name};   \
		union {                                                          \
			void *object;                                            \
			type function;                                           \
		} found_ = {.object = rs_adapter_find_next(&next_)};             \
		return found_.object ? found_.function(__VA_ARGS__) : otherwise; \
	} while (0)

/* The markers, of a process that has called the adapter from now on; NULL: nothing is measured. */
static inline const struct rs_adapter_table *rs_adapter_called(void)
{
	/* a forked child has its parent's: it is the same program, and is not counted again */
	static atomic_bool is_told;
	const struct rs_adapter_table *table = rs_adapter_table();
	if (table && !atomic_load_explicit(&is_told, memory_order_relaxed) &&
		!atomic_exchange_explicit(&is_told, true, memory_order_relaxed))
		rs_adapter_note(RS_ADAPTER_COUNT_LOADED);
	return table;
}

/* The length of a name as Fortran pads it: without the blanks at its end. length: as the compiler
 * hands it on, an int of old and a size_t of new ones, of which 32 bits are enough. */
static inline size_t rs_adapter_trim(const char *name, int length)
{
	const char *nul = length > 0 ? memchr(name, '\0', (size_t)length) : NULL;
	size_t bytes = nul ? (size_t)(nul - name) : length > 0 ? (size_t)length : 0;
	while (bytes > 0 && name[bytes - 1] == ' ')
		bytes--;
	return bytes;
}

#endif
