/* SPDX-License-Identifier: MIT */
/*
 * This file implements the constructors, destructors and methods that Caliper's C++ macros call:
 * those of the classes Function, ScopeAnnotation and Loop in Annotation.h. Names and calling
 * conventions are those of the Itanium C++ ABI. A function or scope is identified by the address of
 * its object. A loop is identified by the pointer that is the object's only member.
 */
#include "adapters/caliper.h"

/* ---- functions and scopes ---- */

/* C1 and C2 are the constructors of a whole object and of a base class, D1 and D2 their
 * destructors. */
#define SCOPE(prefix, n)                                                                      \
	RS_CALIPER_METHOD(prefix##C##n##EPKc, (void *self, const char *name), (self, name), , \
		if (name) rs_stack_push((uintptr_t)self, rs_adapter_site_text(name)))         \
	RS_CALIPER_METHOD(prefix##D##n##Ev, (void *self), (self), rs_stack_pop((uintptr_t)self), )

SCOPE(_ZN4cali8Function, 1)
SCOPE(_ZN4cali8Function, 2)
SCOPE(_ZN4cali15ScopeAnnotation, 1)
SCOPE(_ZN4cali15ScopeAnnotation, 2)

/* ---- loops ---- */

static void begin_loop(const void *self, const char *name)
{
	static const char prefix[] = "iteration#";
	char iteration[256];
	if (!name)
		return;
	size_t bytes = strnlen(name, sizeof(iteration) - sizeof(prefix));
	memcpy(iteration, prefix, sizeof(prefix) - 1);
	memcpy(iteration + sizeof(prefix) - 1, name, bytes);
	iteration[sizeof(prefix) - 1 + bytes] = '\0';
	rs_caliper_remember(rs_caliper_inside(self), rs_caliper_attribute(iteration, 0));
	rs_stack_push(rs_caliper_inside(self), rs_adapter_site_text(name));
}

/* End a loop, because the program called end() or destroyed the last copy. If the loop has already
 * ended, do nothing. */
static void end_loop(const void *self)
{
	rs_stack_pop_if_open(rs_caliper_inside(self));
}

#define LOOP(n)                                                                                    \
	RS_CALIPER_METHOD(_ZN4cali4LoopC##n##EPKc, (void *self, const char *name), (self, name), , \
		begin_loop(self, name))                                                            \
	RS_CALIPER_METHOD(_ZN4cali4LoopC##n##ERKS0_, (void *self, const void *other),              \
		(self, other), , rs_caliper_attach(rs_caliper_inside(self)))                       \
	RS_CALIPER_METHOD(_ZN4cali4LoopD##n##Ev, (void *self), (self),                             \
		if (rs_caliper_detach(rs_caliper_inside(self))) end_loop(self), )

LOOP(1)
LOOP(2)
RS_CALIPER_METHOD(_ZN4cali4Loop3endEv, (void *self), (self), end_loop(self), )

static void begin_iteration(const void *self, uintptr_t loop)
{
	const struct rs_caliper_attribute *attribute = rs_caliper_recall(loop);
	if (attribute)
		rs_stack_push((uintptr_t)self | 1, rs_adapter_site_text(attribute->name));
}

#ifdef __aarch64__
/* AArch64's ABI passes the address of a returned object separately from the arguments. So the
 * adapter replaces the constructor of that object instead. libcaliper calls the replacement if it
 * was linked so that symbols can be replaced. */
#define ITERATION(n)                                                      \
	RS_CALIPER_METHOD(_ZN4cali4Loop9IterationC##n##EPKNS0_4ImplEi,    \
		(void *self, const void *loop, int i), (self, loop, i), , \
		begin_iteration(self, (uintptr_t)loop))
ITERATION(1)
ITERATION(2)
#else
/* A function that returns an object gets the object's address as its first argument, and returns
 * that address. */
RS_CALIPER_FUNCTION(void *, object, _ZNK4cali4Loop9iterationEi,
	(void *object, const void *self, int i), (object, self, i), ,
	begin_iteration(object, rs_caliper_inside(self)))
#endif

#define END_ITERATION(n)                                                         \
	RS_CALIPER_METHOD(_ZN4cali4Loop9IterationD##n##Ev, (void *self), (self), \
		rs_stack_pop_if_open((uintptr_t)self | 1), )
END_ITERATION(1)
END_ITERATION(2)
