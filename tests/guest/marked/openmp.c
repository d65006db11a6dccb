/* SPDX-License-Identifier: MIT */
/*
 * The regions of main.c as OpenMP's parallel regions, of which "inner" has two threads. From
 *     #pragma omp parallel num_threads(n)
 * clang makes calls of LLVM's library, and this file contains these calls. So it needs neither
 * clang nor its headers (openmp/runtime/src/kmp.h: ident_t, __kmpc_fork_call and similar).
 */
#include <stdint.h>

#include "marked.h"

/* Where a construct stands: ";file;function;line;column;;". */
struct place {
	int32_t reserved_1, flags, reserved_2, reserved_3;
	const char *source;
};

enum { OF_COMPILED_CODE = 2 };

int32_t __kmpc_global_thread_num(struct place *place);
void __kmpc_push_num_threads(struct place *place, int32_t thread, int32_t n_threads);
void __kmpc_fork_call(
	struct place *place, int32_t n_arguments, void (*part)(int32_t *, int32_t *, ...), ...);

static void part(int32_t *thread, int32_t *bound_thread, void (*body)(void))
{
	(void)thread, (void)bound_thread;
	body();
}

static inline __attribute__((always_inline)) void parallel(
	struct place *place, int32_t n_threads, void (*body)(void))
{
	__kmpc_push_num_threads(place, __kmpc_global_thread_num(place), n_threads);
	__kmpc_fork_call(place, 1, (void (*)(int32_t *, int32_t *, ...))(void (*)(void))part, body);
	__asm__ volatile(""); /* the call is not the last, and returns to where the construct is */
}

#define FUNCTION static __attribute__((noinline)) void
#define PLACE(function)                                                   \
	{                                                                 \
		0, OF_COMPILED_CODE, 0, 0, ";openmp.c;" function ";1;2;;" \
	}

FUNCTION outer(void (*body)(void))
{
	static struct place place = PLACE("outer");
	parallel(&place, 1, body);
}

FUNCTION middle(void (*body)(void))
{
	static struct place place = PLACE("middle");
	parallel(&place, 1, body);
}

FUNCTION inner(void (*body)(void))
{
	static struct place place = PLACE("inner");
	parallel(&place, 2, body);
}

void marked_start(void)
{
}

void marked_call(enum marked_region region, void (*body)(void))
{
	if (region == MARKED_OUTER)
		outer(body);
	else if (region == MARKED_MIDDLE)
		middle(body);
	else
		inner(body);
}
