/* SPDX-License-Identifier: MIT */
/*
 * Helpers for adapters that LD_PRELOAD loads before the API's own library. They find the functions
 * of that library, which the adapter hides and calls if regionstat does not measure. They also
 * convert names that Fortran passes.
 */
#ifndef RS_ADAPTERS_PRELOAD_H
#define RS_ADAPTERS_PRELOAD_H

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>

#include "adapters/adapter.h"

/* A function that the adapter's function of the same name hides, and whether it was looked up. The
 * hidden function is in the next object that defines the name. */
struct rs_adapter_next {
	const char *name;
	_Atomic(void *) function;
	atomic_bool is_known;
};

/* Find the function that the adapter's own function hides. Return NULL if no other object has one.
 * Preserve errno. Any thread may call this. */
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

/* Declare `next`, a pointer to the function that the adapter's function hides. The pointer is NULL
 * if there is no such function. */
#define RS_ADAPTER_NEXT(function)                                  \
	static struct rs_adapter_next next_ = {.name = #function}; \
	__typeof__(&function) next;                                \
	void *found_ = rs_adapter_find_next(&next_);               \
	memcpy(&next, &found_, sizeof(next))

/* Return the runtime's table, and count that the program called this adapter. Return NULL if
 * regionstat does not measure. */
static inline const struct rs_adapter_table *rs_adapter_called(void)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	if (table)
		rs_adapter_note_once(RS_ADAPTER_COUNT_LOADED);
	return table;
}

/* Define a function of the API. If calls are measured, the function executes the last argument of
 * the macro, which may use `table`. Otherwise it calls the function that it hides. If there is no
 * such function, it returns `otherwise`. */
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

/* Return the length of a Fortran name without the blanks at its end. Old compilers pass the length
 * as int and new ones as size_t; the lower 32 bits are enough. */
static inline size_t rs_adapter_trim(const char *name, int length)
{
	const char *nul = length > 0 ? memchr(name, '\0', (size_t)length) : NULL;
	size_t bytes = nul ? (size_t)(nul - name) : length > 0 ? (size_t)length : 0;
	while (bytes > 0 && name[bytes - 1] == ' ')
		bytes--;
	return bytes;
}

#endif
