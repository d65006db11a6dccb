/* SPDX-License-Identifier: MIT */
/*
 * Caliper's markers of C++: constructors, destructors and methods of the classes of Annotation.h,
 * by the names and conventions of the Itanium C++ ABI. What CALI_CXX_MARK_FUNCTION and
 * CALI_CXX_MARK_SCOPE make is paired by the object's address. A loop and an annotation are known by
 * what their one member points to: in the process, since any thread may use them.
 */
#include <string.h>

#include "adapters/caliper.h"

/* ---- what is known of an object ---- */

#define N_OBJECTS 4096u /* a power of two: alive at once */
#define N_TRIES 64u
#define GONE 1u /* no object's address */

struct object {
	_Atomic uintptr_t address; /* 0: never used; or GONE */
	/* of an annotation, and of a loop its iterations' */
	_Atomic(const struct rs_caliper_attribute *) attribute;
	_Atomic uint32_t n_users; /* copies, and guards */
};
static struct object objects[N_OBJECTS];

/* What its one member, the pointer to what it is made of, says. */
static uintptr_t inside_of(const void *self)
{
	return *(const uintptr_t *)self;
}

/* The first of the places where an object may be: the next ones follow. */
static uint64_t first_place(uintptr_t address)
{
	return address * UINT64_C(0x9e3779b97f4a7c15) >> 40;
}

/* NULL: it is not known. */
static struct object *find(uintptr_t address)
{
	uint64_t first = first_place(address);
	for (uint64_t i = first; i < first + N_TRIES; i++) {
		struct object *object = &objects[i % N_OBJECTS];
		uintptr_t there = atomic_load_explicit(&object->address, memory_order_acquire);
		if (there == address)
			return object;
		if (!there)
			return NULL;
	}
	return NULL;
}

/* A place that is nobody's, for an object that is not known; NULL: there is none. */
static struct object *claim(uintptr_t address)
{
	uint64_t first = first_place(address);
	for (uint64_t i = first; i < first + N_TRIES; i++) {
		struct object *object = &objects[i % N_OBJECTS];
		uintptr_t there = atomic_load_explicit(&object->address, memory_order_relaxed);
		/* acquire: pairs with the release in detach() */
		if ((!there || there == GONE) &&
			atomic_compare_exchange_strong_explicit(&object->address, &there, address,
				memory_order_acquire, memory_order_relaxed))
			return object;
	}
	return NULL;
}

/* One more copy or guard of an object. */
static void attach(uintptr_t address)
{
	struct object *object = find(address);
	if (object)
		atomic_fetch_add_explicit(&object->n_users, 1, memory_order_relaxed);
}

/* One less; true: that was the last, or it is not known. */
static bool detach(uintptr_t address)
{
	struct object *object = find(address);
	if (!object)
		return true;
	if (atomic_fetch_sub_explicit(&object->n_users, 1, memory_order_acq_rel) > 1)
		return false;
	atomic_store_explicit(&object->address, GONE, memory_order_release);
	return true;
}

/* An object of that attribute is made, where another may have been that nobody saw go. */
static void remember(uintptr_t address, const struct rs_caliper_attribute *attribute)
{
	struct object *object = find(address);
	if (!object && attribute)
		object = claim(address);
	if (object) {
		atomic_store_explicit(&object->n_users, 1, memory_order_relaxed);
		/* release: pairs with the acquire in recall() */
		atomic_store_explicit(&object->attribute, attribute, memory_order_release);
	} else if (attribute) {
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
	}
}

/* NULL: of none that is measured. */
static const struct rs_caliper_attribute *recall(uintptr_t address)
{
	struct object *object = find(address);
	return object ? atomic_load_explicit(&object->attribute, memory_order_acquire) : NULL;
}

/* ---- functions and scopes ---- */

static void open_object(const void *self, const char *name)
{
	if (rs_caliper_is_on() && name)
		rs_stack_push((uintptr_t)self, rs_adapter_site(name, strlen(name)));
}

static void close_object(const void *self)
{
	if (rs_caliper_is_on() && rs_stack_pop((uintptr_t)self) < 0)
		rs_adapter_note(RS_ADAPTER_COUNT_UNMATCHED);
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

/* By end(), or with the last of its copies; which of the two was first is not asked. */
static void end_loop(const void *self)
{
	if (rs_caliper_is_on())
		rs_stack_pop(inside_of(self));
}

static void attach_object(const void *self)
{
	if (rs_caliper_is_on())
		attach(inside_of(self));
}

static void destroy_loop(const void *self)
{
	if (rs_caliper_is_on() && detach(inside_of(self)))
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
	remember(inside_of(self), rs_caliper_attribute(iteration, 0));
	rs_stack_push(inside_of(self), rs_adapter_site(name, strlen(name)));
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
		attach_object(self);                                                   \
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
	const struct rs_caliper_attribute *attribute = rs_caliper_is_on() ? recall(loop) : NULL;
	if (attribute)
		rs_stack_push((uintptr_t)self | 1,
			rs_adapter_site(attribute->name, strlen(attribute->name)));
}

#ifdef __aarch64__
/* Where what returns an object is told its place apart from its arguments, the constructor is what
 * is seen; libcaliper calls it, if it is linked so that it can be. */
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
/* What returns an object takes its place as a first argument, and returns that. */
RS_ADAPTER_EXPORT void *_ZNK4cali4Loop9iterationEi(void *result, const void *self, int i);
void *_ZNK4cali4Loop9iterationEi(void *result, const void *self, int i)
{
	RS_CALIPER_CALL(
		void *(void *, const void *, int), "_ZNK4cali4Loop9iterationEi", result, self, i);
	begin_iteration(result, inside_of(self));
	return result;
}
#endif

#define END_ITERATION(destructor)                                 \
	RS_ADAPTER_EXPORT void destructor(void *self);            \
	void destructor(void *self)                               \
	{                                                         \
		if (rs_caliper_is_on())                           \
			rs_stack_pop((uintptr_t)self | 1);        \
		RS_CALIPER_CALL(void(void *), #destructor, self); \
	}
END_ITERATION(_ZN4cali4Loop9IterationD1Ev)
END_ITERATION(_ZN4cali4Loop9IterationD2Ev)

/* ---- annotations: an attribute of any name ---- */

static void make_annotation(const void *self, const char *name, int properties)
{
	const struct rs_caliper_attribute *attribute =
		rs_caliper_is_on() && name ? rs_caliper_attribute(name, properties) : NULL;
	remember(inside_of(self), attribute && attribute->is_measured ? attribute : NULL);
}

#define ANNOTATION(constructor)                                                                 \
	RS_ADAPTER_EXPORT void constructor(void *self, const char *name, int properties);       \
	void constructor(void *self, const char *name, int properties)                          \
	{                                                                                       \
		RS_CALIPER_CALL(                                                                \
			void(void *, const char *, int), #constructor, self, name, properties); \
		make_annotation(self, name, properties);                                        \
	}
ANNOTATION(_ZN4cali10AnnotationC1EPKci)
ANNOTATION(_ZN4cali10AnnotationC2EPKci)

/* With metadata, in a map as libstdc++ and libc++ call it. */
#define ANNOTATION_OF(constructor)                                                                 \
	RS_ADAPTER_EXPORT void constructor(                                                        \
		void *self, const char *name, const void *map, int properties);                    \
	void constructor(void *self, const char *name, const void *map, int properties)            \
	{                                                                                          \
		RS_CALIPER_CALL(void(void *, const char *, const void *, int), #constructor, self, \
			name, map, properties);                                                    \
		make_annotation(self, name, properties);                                           \
	}
ANNOTATION_OF(_ZN4cali10AnnotationC1EPKcRKSt3mapIS2_NS_7VariantESt4lessIS2_ESaISt4pairIKS2_S4_EEEi)
ANNOTATION_OF(_ZN4cali10AnnotationC2EPKcRKSt3mapIS2_NS_7VariantESt4lessIS2_ESaISt4pairIKS2_S4_EEEi)
ANNOTATION_OF(
	_ZN4cali10AnnotationC1EPKcRKNSt3__13mapIS2_NS_7VariantENS3_4lessIS2_EENS3_9allocatorINS3_4pairIKS2_S5_EEEEEEi)
ANNOTATION_OF(
	_ZN4cali10AnnotationC2EPKcRKNSt3__13mapIS2_NS_7VariantENS3_4lessIS2_EENS3_9allocatorINS3_4pairIKS2_S5_EEEEEEi)

static void change(const void *self, const struct rs_caliper_variant *value, bool sets)
{
	const struct rs_caliper_attribute *attribute = recall(inside_of(self));
	const char *string = NULL;
	size_t bytes = 0;
	if (value && (value->type_and_size & 0xff) == RS_CALIPER_STRING) {
		string = value->value.string;
		bytes = string ? strnlen(string, value->type_and_size >> 32) : 0;
	}
	if (sets)
		rs_caliper_set(attribute, string, bytes);
	else
		rs_caliper_begin(attribute, string, bytes);
}

/* A method that begins or sets a value: what its argument is as a variant. */
#define VALUE(method, type, variant, sets)                                          \
	RS_ADAPTER_EXPORT void *method(void *self, type value);                     \
	void *method(void *self, type value)                                        \
	{                                                                           \
		void *result = self;                                                \
		RS_CALIPER_ASK(result, void *(void *, type), #method, self, value); \
		if (rs_caliper_is_on())                                             \
			change(self, variant, sets);                                \
		return result;                                                      \
	}

static struct rs_caliper_variant of_string(const char *string)
{
	struct rs_caliper_variant variant = {0, {NULL}};
	if (string) {
		variant.type_and_size = (uint64_t)strlen(string) << 32 | RS_CALIPER_STRING;
		variant.value.string = string;
	}
	return variant;
}

VALUE(_ZN4cali10Annotation5beginEi, int, NULL, false)
VALUE(_ZN4cali10Annotation5beginEd, double, NULL, false)
VALUE(_ZN4cali10Annotation5beginERKNS_7VariantE, const struct rs_caliper_variant *, value, false)
VALUE(_ZN4cali10Annotation3setEi, int, NULL, true)
VALUE(_ZN4cali10Annotation3setEd, double, NULL, true)
VALUE(_ZN4cali10Annotation3setERKNS_7VariantE, const struct rs_caliper_variant *, value, true)
VALUE(_ZN4cali10Annotation3setEPKc, const char *, (struct rs_caliper_variant[]){of_string(value)},
	true)

RS_ADAPTER_EXPORT void *_ZN4cali10Annotation5beginEv(void *self);
void *_ZN4cali10Annotation5beginEv(void *self)
{
	void *result = self;
	RS_CALIPER_ASK(result, void *(void *), "_ZN4cali10Annotation5beginEv", self);
	if (rs_caliper_is_on())
		change(self, NULL, false);
	return result;
}

RS_ADAPTER_EXPORT void _ZN4cali10Annotation3endEv(void *self);
void _ZN4cali10Annotation3endEv(void *self)
{
	if (rs_caliper_is_on())
		rs_caliper_end(recall(inside_of(self)));
	RS_CALIPER_CALL(void(void *), "_ZN4cali10Annotation3endEv", self);
}

/* A guard has the same one member, is made of an annotation, and ends it. */
static void destroy_annotation(const void *self, bool ends)
{
	if (!rs_caliper_is_on())
		return;
	if (ends)
		rs_caliper_end(recall(inside_of(self)));
	detach(inside_of(self));
}

#define COPIED(copier, other_type, destructor, ends)                             \
	RS_ADAPTER_EXPORT void copier(void *self, other_type other);             \
	RS_ADAPTER_EXPORT void destructor(void *self);                           \
	void copier(void *self, other_type other)                                \
	{                                                                        \
		RS_CALIPER_CALL(void(void *, other_type), #copier, self, other); \
		attach_object(self);                                             \
	}                                                                        \
	void destructor(void *self)                                              \
	{                                                                        \
		destroy_annotation(self, ends);                                  \
		RS_CALIPER_CALL(void(void *), #destructor, self);                \
	}
COPIED(_ZN4cali10AnnotationC1ERKS0_, const void *, _ZN4cali10AnnotationD1Ev, false)
COPIED(_ZN4cali10AnnotationC2ERKS0_, const void *, _ZN4cali10AnnotationD2Ev, false)
COPIED(_ZN4cali10Annotation5GuardC1ERS0_, void *, _ZN4cali10Annotation5GuardD1Ev, true)
COPIED(_ZN4cali10Annotation5GuardC2ERS0_, void *, _ZN4cali10Annotation5GuardD2Ev, true)

RS_ADAPTER_EXPORT void *_ZN4cali10AnnotationaSERKS0_(void *self, const void *other);
void *_ZN4cali10AnnotationaSERKS0_(void *self, const void *other)
{
	void *result = self;
	if (rs_caliper_is_on() && inside_of(self) != inside_of(other)) {
		detach(inside_of(self));
		attach(inside_of(other));
	}
	RS_CALIPER_ASK(
		result, void *(void *, const void *), "_ZN4cali10AnnotationaSERKS0_", self, other);
	return result;
}
