/* SPDX-License-Identifier: MIT */
/*
 * This file implements the constructors, destructors and methods that Caliper's C++ macros call:
 * those of the classes Function, ScopeAnnotation, Loop and Annotation in Annotation.h. Names and
 * calling conventions are those of the Itanium C++ ABI. A function or scope is identified by the
 * address of its object. A loop is identified by the pointer that is the object's only member.
 */
#include "adapters/caliper.h"

/* ---- functions and scopes ---- */

/* C1 is the constructor of a whole object, and C2 that of a base class. D1 and D2 are the
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

/* End a loop. The program has called end() or destroyed the last copy of the loop object. If the
 * loop has already ended, do nothing. */
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
/* AArch64's ABI passes the address of a returned object separately from the arguments. Therefore
 * the adapter replaces the constructor of that object, and not the function that returns it.
 * libcaliper calls the replacement if it was linked so that symbols can be replaced. */
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

/* ---- annotations: attributes of any name, whose values the program begins, sets and ends ---- */

static void make_annotation(const void *self, const char *name, int properties)
{
	const struct rs_caliper_attribute *attribute = name ? rs_caliper_attribute(name, properties)
							    : NULL;
	rs_caliper_remember(
		rs_caliper_inside(self), attribute && attribute->is_measured ? attribute : NULL);
}

#define ANNOTATION(constructor)                                                        \
	RS_CALIPER_METHOD(constructor, (void *self, const char *name, int properties), \
		(self, name, properties), , make_annotation(self, name, properties))
ANNOTATION(_ZN4cali10AnnotationC1EPKci)
ANNOTATION(_ZN4cali10AnnotationC2EPKci)

/* Define the constructor that gets metadata in a std::map. libstdc++ and libc++ mangle its name
 * differently. */
#define ANNOTATION_OF(constructor)                                               \
	RS_CALIPER_METHOD(constructor,                                           \
		(void *self, const char *name, const void *map, int properties), \
		(self, name, map, properties), , make_annotation(self, name, properties))
ANNOTATION_OF(_ZN4cali10AnnotationC1EPKcRKSt3mapIS2_NS_7VariantESt4lessIS2_ESaISt4pairIKS2_S4_EEEi)
ANNOTATION_OF(_ZN4cali10AnnotationC2EPKcRKSt3mapIS2_NS_7VariantESt4lessIS2_ESaISt4pairIKS2_S4_EEEi)
ANNOTATION_OF(
	_ZN4cali10AnnotationC1EPKcRKNSt3__13mapIS2_NS_7VariantENS3_4lessIS2_EENS3_9allocatorINS3_4pairIKS2_S5_EEEEEEi)
ANNOTATION_OF(
	_ZN4cali10AnnotationC2EPKcRKNSt3__13mapIS2_NS_7VariantENS3_4lessIS2_EENS3_9allocatorINS3_4pairIKS2_S5_EEEEEEi)

/* Begin or set a value. string is NULL if the value is not a string. */
static void change(const void *self, const char *string, size_t bytes, bool sets)
{
	const struct rs_caliper_attribute *attribute = rs_caliper_recall(rs_caliper_inside(self));
	if (sets)
		rs_caliper_set(attribute, string, bytes);
	else
		rs_caliper_begin(attribute, string, bytes);
}

static void change_variant(const void *self, const struct rs_caliper_variant *value, bool sets)
{
	bool is_string = value && (value->type_and_size & 0xff) == RS_CALIPER_STRING;
	const char *string = is_string ? value->value.string : NULL;
	change(self, string, string ? strnlen(string, value->type_and_size >> 32) : 0, sets);
}

/* Define a method that begins or sets a value by executing the last argument of the macro. */
#define VALUE(method, type, ...) \
	RS_CALIPER_FUNCTION(     \
		void *, self, method, (void *self, type value), (self, value), , __VA_ARGS__)

VALUE(_ZN4cali10Annotation5beginEi, int, change(self, NULL, 0, false))
VALUE(_ZN4cali10Annotation5beginEd, double, change(self, NULL, 0, false))
VALUE(_ZN4cali10Annotation5beginERKNS_7VariantE, const struct rs_caliper_variant *,
	change_variant(self, value, false))
VALUE(_ZN4cali10Annotation3setEi, int, change(self, NULL, 0, true))
VALUE(_ZN4cali10Annotation3setEd, double, change(self, NULL, 0, true))
VALUE(_ZN4cali10Annotation3setERKNS_7VariantE, const struct rs_caliper_variant *,
	change_variant(self, value, true))
VALUE(_ZN4cali10Annotation3setEPKc, const char *,
	change(self, value, value ? strlen(value) : 0, true))
RS_CALIPER_FUNCTION(void *, self, _ZN4cali10Annotation5beginEv, (void *self), (self), ,
	change(self, NULL, 0, false))

static void end(const void *self)
{
	rs_caliper_end(rs_caliper_recall(rs_caliper_inside(self)));
}

RS_CALIPER_METHOD(_ZN4cali10Annotation3endEv, (void *self), (self), end(self), )

/* Copies of an annotation and guards both consist of one pointer to the annotation's contents. The
 * destructor of a guard also ends the annotation. */
#define COPIED(copier, other_type, destructor, ends)                               \
	RS_CALIPER_METHOD(copier, (void *self, other_type other), (self, other), , \
		rs_caliper_attach(rs_caliper_inside(self)))                        \
	RS_CALIPER_METHOD(destructor, (void *self), (self), ends;                  \
			  rs_caliper_detach(rs_caliper_inside(self)), )
COPIED(_ZN4cali10AnnotationC1ERKS0_, const void *, _ZN4cali10AnnotationD1Ev, )
COPIED(_ZN4cali10AnnotationC2ERKS0_, const void *, _ZN4cali10AnnotationD2Ev, )
COPIED(_ZN4cali10Annotation5GuardC1ERS0_, void *, _ZN4cali10Annotation5GuardD1Ev, end(self))
COPIED(_ZN4cali10Annotation5GuardC2ERS0_, void *, _ZN4cali10Annotation5GuardD2Ev, end(self))

static void assign(const void *self, const void *other)
{
	if (rs_caliper_inside(self) == rs_caliper_inside(other))
		return;
	rs_caliper_detach(rs_caliper_inside(self));
	rs_caliper_attach(rs_caliper_inside(other));
}

RS_CALIPER_FUNCTION(void *, self, _ZN4cali10AnnotationaSERKS0_, (void *self, const void *other),
	(self, other), assign(self, other), )
