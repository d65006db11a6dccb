/* SPDX-License-Identifier: MIT */
/*
 * This file implements Caliper's class Annotation and its guard. Names and calling conventions are
 * those of the Itanium C++ ABI, as in caliper_cxx.c. An annotation is an attribute of any name,
 * whose values the program begins, sets and ends.
 */
#include "adapters/caliper.h"

static void make_annotation(const void *self, const char *name, int properties)
{
	const struct rs_caliper_attribute *attribute =
		rs_caliper_is_on() && name ? rs_caliper_attribute(name, properties) : NULL;
	rs_caliper_remember(
		rs_caliper_inside(self), attribute && attribute->is_measured ? attribute : NULL);
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

/* The constructor with metadata in a std::map, as libstdc++ and libc++ mangle it. */
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
	const struct rs_caliper_attribute *attribute = rs_caliper_recall(rs_caliper_inside(self));
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

/* Define a method that begins or sets a value. variant: an expression that converts the argument to
 * Caliper's variant. */
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
		rs_caliper_end(rs_caliper_recall(rs_caliper_inside(self)));
	RS_CALIPER_CALL(void(void *), "_ZN4cali10Annotation3endEv", self);
}

/* Destroy a copy of an annotation, or a guard, whose destructor also ends the annotation. Copies
 * and guards both consist of one pointer to the annotation's contents. */
static void destroy_annotation(const void *self, bool ends)
{
	if (!rs_caliper_is_on())
		return;
	if (ends)
		rs_caliper_end(rs_caliper_recall(rs_caliper_inside(self)));
	rs_caliper_detach(rs_caliper_inside(self));
}

#define COPIED(copier, other_type, destructor, ends)                             \
	RS_ADAPTER_EXPORT void copier(void *self, other_type other);             \
	RS_ADAPTER_EXPORT void destructor(void *self);                           \
	void copier(void *self, other_type other)                                \
	{                                                                        \
		RS_CALIPER_CALL(void(void *, other_type), #copier, self, other); \
		rs_caliper_attach_object(self);                                  \
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
	if (rs_caliper_is_on() && rs_caliper_inside(self) != rs_caliper_inside(other)) {
		rs_caliper_detach(rs_caliper_inside(self));
		rs_caliper_attach(rs_caliper_inside(other));
	}
	RS_CALIPER_ASK(
		result, void *(void *, const void *), "_ZN4cali10AnnotationaSERKS0_", self, other);
	return result;
}
