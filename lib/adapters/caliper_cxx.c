/* SPDX-License-Identifier: MIT */
/*
 * This file implements the constructors, destructors and methods that Caliper's C++ macros call:
 * those of the classes Function, ScopeAnnotation and Loop in Annotation.h. Names and calling
 * conventions are those of the Itanium C++ ABI. A function or scope is identified by the address of
 * its object. A loop is identified by the pointer that is the object's only member.
 */
#include "adapters/caliper.h"

/* ---- functions and scopes ---- */

static void open_object(const void *self, const char *name)
{
	if (rs_caliper_is_on() && name)
		rs_stack_push((uintptr_t)self, rs_adapter_site_text(name));
}

static void close_object(const void *self)
{
	if (rs_caliper_is_on())
		rs_stack_pop((uintptr_t)self);
}

#define SCOPE(constructor, destructor)                                                 \
	RS_ADAPTER_EXPORT void constructor(void *self, const char *name);              \
	RS_ADAPTER_EXPORT void destructor(void *self);                                 \
	void constructor(void *self, const char *name)                                 \
	{                                                                              \
		RS_CALIPER_CALL(void(void *, const char *), #constructor, self, name); \
		open_object(self, name);                                               \
	}                                                                              \
	void destructor(void *self)                                                    \
	{                                                                              \
		close_object(self);                                                    \
		RS_CALIPER_CALL(void(void *), #destructor, self);                      \
	}

SCOPE(_ZN4cali8FunctionC1EPKc, _ZN4cali8FunctionD1Ev)
SCOPE(_ZN4cali8FunctionC2EPKc, _ZN4cali8FunctionD2Ev)
SCOPE(_ZN4cali15ScopeAnnotationC1EPKc, _ZN4cali15ScopeAnnotationD1Ev)
SCOPE(_ZN4cali15ScopeAnnotationC2EPKc, _ZN4cali15ScopeAnnotationD2Ev)

/* ---- loops ---- */

/* End a loop, because the program called end() or destroyed the last copy. If the loop has already
 * ended, do nothing. */
static void end_loop(const void *self)
{
	if (rs_caliper_is_on())
		rs_stack_pop_if_open(rs_caliper_inside(self));
}

static void destroy_loop(const void *self)
{
	if (rs_caliper_is_on() && rs_caliper_detach(rs_caliper_inside(self)))
		end_loop(self);
}

static void begin_loop(const void *self, const char *name)
{
	static const char prefix[] = "iteration#";
	char iteration[256];
	if (!rs_caliper_is_on() || !name)
		return;
	size_t bytes = strnlen(name, sizeof(iteration) - sizeof(prefix));
	memcpy(iteration, prefix, sizeof(prefix) - 1);
	memcpy(iteration + sizeof(prefix) - 1, name, bytes);
	iteration[sizeof(prefix) - 1 + bytes] = '\0';
	rs_caliper_remember(rs_caliper_inside(self), rs_caliper_attribute(iteration, 0));
	rs_stack_push(rs_caliper_inside(self), rs_adapter_site_text(name));
}

#define LOOP(constructor, copier, destructor)                                          \
	RS_ADAPTER_EXPORT void constructor(void *self, const char *name);              \
	RS_ADAPTER_EXPORT void copier(void *self, const void *other);                  \
	RS_ADAPTER_EXPORT void destructor(void *self);                                 \
	void constructor(void *self, const char *name)                                 \
	{                                                                              \
		RS_CALIPER_CALL(void(void *, const char *), #constructor, self, name); \
		begin_loop(self, name);                                                \
	}                                                                              \
	void copier(void *self, const void *other)                                     \
	{                                                                              \
		RS_CALIPER_CALL(void(void *, const void *), #copier, self, other);     \
		rs_caliper_attach_object(self);                                        \
	}                                                                              \
	void destructor(void *self)                                                    \
	{                                                                              \
		destroy_loop(self);                                                    \
		RS_CALIPER_CALL(void(void *), #destructor, self);                      \
	}

LOOP(_ZN4cali4LoopC1EPKc, _ZN4cali4LoopC1ERKS0_, _ZN4cali4LoopD1Ev)
LOOP(_ZN4cali4LoopC2EPKc, _ZN4cali4LoopC2ERKS0_, _ZN4cali4LoopD2Ev)

RS_ADAPTER_EXPORT void _ZN4cali4Loop3endEv(void *self);
void _ZN4cali4Loop3endEv(void *self)
{
	end_loop(self);
	RS_CALIPER_CALL(void(void *), "_ZN4cali4Loop3endEv", self);
}

static void begin_iteration(const void *self, uintptr_t loop)
{
	const struct rs_caliper_attribute *attribute = rs_caliper_is_on() ? rs_caliper_recall(loop)
									  : NULL;
	if (attribute)
		rs_stack_push((uintptr_t)self | 1, rs_adapter_site_text(attribute->name));
}

#ifdef __aarch64__
/* AArch64's ABI passes the address of a returned object separately from the arguments. So the
 * adapter replaces the constructor of that object instead. libcaliper calls the replacement if it
 * was linked so that symbols can be replaced. */
#define ITERATION(constructor)                                                                 \
	RS_ADAPTER_EXPORT void constructor(void *self, const void *loop, int i);               \
	void constructor(void *self, const void *loop, int i)                                  \
	{                                                                                      \
		RS_CALIPER_CALL(void(void *, const void *, int), #constructor, self, loop, i); \
		begin_iteration(self, (uintptr_t)loop);                                        \
	}
ITERATION(_ZN4cali4Loop9IterationC1EPKNS0_4ImplEi)
ITERATION(_ZN4cali4Loop9IterationC2EPKNS0_4ImplEi)
#else
/* A function that returns an object gets the object's address as its first argument, and returns
 * that address. */
RS_ADAPTER_EXPORT void *_ZNK4cali4Loop9iterationEi(void *result, const void *self, int i);
void *_ZNK4cali4Loop9iterationEi(void *result, const void *self, int i)
{
	RS_CALIPER_CALL(
		void *(void *, const void *, int), "_ZNK4cali4Loop9iterationEi", result, self, i);
	begin_iteration(result, rs_caliper_inside(self));
	return result;
}
#endif

#define END_ITERATION(destructor)                                  \
	RS_ADAPTER_EXPORT void destructor(void *self);             \
	void destructor(void *self)                                \
	{                                                          \
		if (rs_caliper_is_on())                            \
			rs_stack_pop_if_open((uintptr_t)self | 1); \
		RS_CALIPER_CALL(void(void *), #destructor, self);  \
	}
END_ITERATION(_ZN4cali4Loop9IterationD1Ev)
END_ITERATION(_ZN4cali4Loop9IterationD2Ev)
