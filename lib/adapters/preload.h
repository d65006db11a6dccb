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

/* The function that the one of the same name hides, as `next`; NULL: no object has one. */
#define RS_ADAPTER_NEXT(function)                                  \
	static struct rs_adapter_next next_ = {.name = #function}; \
	__typeof__(&function) next;                                \
	void *found_ = rs_adapter_find_next(&next_);               \
	memcpy(&next, &found_, sizeof(next))

/* The markers, of a process that has called the adapter from now on; NULL: nothing is measured. */
static inline const struct rs_adapter_table *rs_adapter_called(void)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	if (table)
		rs_adapter_note_once(RS_ADAPTER_COUNT_LOADED);
	return table;
}

/* A function of the API: what it does where calls are measured, by `table`; else it is the one that
 * it hides, or without that returns `otherwise`. */
#define RS_ADAPTER_FUNCTION(type, name, parameters, arguments, otherwise, ...) \
	RS_ADAPTER_EXPORT type name parameters;                                \
	type name parameters                                                   \
	{                                                                      \
		const struct rs_adapter_table *table = rs_adapter_called();    \
		if (!table) {                                                  \
			RS_ADAPTER_NEXT(name);                                 \
			return next ? next arguments : otherwise;              \
		}                                                              \
		__VA_ARGS__                                                    \
	}

/* The length of a name as Fortran pads it: without the blanks at its end. length: an int with old
 * compilers and a size_t with new ones, of which 32 bits are enough. */
static inline size_t rs_adapter_trim(const char *name, int length)
{
	const char *nul = length > 0 ? memchr(name, '\0', (size_t)length) : NULL;
	size_t bytes = nul ? (size_t)(nul - name) : length > 0 ? (size_t)length : 0;
	while (bytes > 0 && name[bytes - 1] == ' ')
		bytes--;
	return bytes;
}

#endif
