/* SPDX-License-Identifier: MIT */
/*
 * Shared declarations of the Caliper adapter. The facts about Caliper's public interface, 2.x, come
 * from github.com/LLNL/Caliper: include/caliper/cali.h, cali_macros.h, Annotation.h,
 * common/cali_types.h and common/cali_variant.h.
 *
 * Each function of the adapter also calls Caliper's own library. The library creates the ids of
 * attributes, and the program may read the values that it has set, or start a channel, at any time.
 * The adapter calls the library before its own BEGIN and after its own END, so that the measured
 * time does not include the library.
 */
#ifndef RS_ADAPTERS_CALIPER_H
#define RS_ADAPTERS_CALIPER_H

#include <stddef.h>
#include <stdint.h>

#include "adapters/lists.h"
#include "adapters/stacks.h"

#define RS_CALIPER_NO_ID UINT64_MAX /* CALI_INV_ID */
#define RS_CALIPER_STRING 4 /* CALI_TYPE_STRING */
#define RS_CALIPER_NESTED 256 /* CALI_ATTR_NESTED */

struct rs_caliper_variant {
	uint64_t
		/* the lowest byte is the type; for a string, the upper 4 bytes are its size */
		type_and_size;
	union {
		const char *string;
		int64_t integer;
		double real;
	} value;
};

/* An attribute of Caliper. There is one struct for each name, and it is never freed. */
struct rs_caliper_attribute {
	struct rs_listed listed;
	const char *name;
	bool is_measured;
	/* The attribute's name is "iteration#LOOP". Each value of the attribute is a call of the
	 * region with this name. */
	bool is_iteration;
};

/* ---- caliper_real.c ---- */

/* Nesting depth of this thread in functions of Caliper's library. Calls from inside the library are
 * not the program's, and are not measured. */
extern __thread unsigned rs_caliper_depth;

/* The address of a function of Caliper's library, stored after the first look-up. */
struct rs_caliper_kept {
	_Atomic(void *) function;
	_Atomic uint32_t state; /* enum rs_caliper_kept_state, if function is NULL */
	/* if state is RS_CALIPER_MISSED: count of loaded objects at the last look-up of the
	 * function */
	_Atomic uint64_t n_loaded;
};

enum rs_caliper_kept_state {
	RS_CALIPER_UNKNOWN,
	/* not found, and counted; a library that is loaded later may contain it */
	RS_CALIPER_MISSED,
	RS_CALIPER_LACKING, /* not found although Caliper's library is loaded, and counted */
};

/* Return the function of this name in Caliper's library. If there is none, return NULL. Count this
 * as refused, but only the first time. */
void *rs_caliper_real(const char *name, struct rs_caliper_kept *kept);

/* Return true if the program itself, and not Caliper's library, called the marker, and regionstat
 * measures it. */
static inline bool rs_caliper_is_on(void)
{
	return !rs_caliper_depth && regionstat_table_();
}

/* If Caliper's library has the function `name`, run `call`, which calls it as `real`. */
#define RS_CALIPER_CALL(call, function, name)                               \
	do {                                                                \
		static struct rs_caliper_kept kept_;                        \
		__typeof__(function) *real = rs_caliper_real(name, &kept_); \
		rs_caliper_depth++;                                         \
		if (real)                                                   \
			call;                                               \
		rs_caliper_depth--;                                         \
	} while (0)

/* Define a function that hides a function of Caliper's library and calls it. If the program is the
 * caller and regionstat measures, `before` and `after` run around this call. If the library has no
 * such function, the result is `otherwise`. RS_CALIPER_METHOD defines a function that returns
 * nothing. */
#define RS_CALIPER_FUNCTION(type, otherwise, name, parameters, arguments, before, after) \
	RS_ADAPTER_EXPORT type name parameters;                                          \
	type name parameters                                                             \
	{                                                                                \
		type result = otherwise;                                                 \
		if (rs_caliper_is_on()) {                                                \
			before;                                                          \
		}                                                                        \
		RS_CALIPER_CALL(result = real arguments, type parameters, #name);        \
		if (rs_caliper_is_on()) {                                                \
			after;                                                           \
		}                                                                        \
		return result;                                                           \
	}
#define RS_CALIPER_METHOD(name, parameters, arguments, before, after)    \
	RS_ADAPTER_EXPORT void name parameters;                          \
	void name parameters                                             \
	{                                                                \
		if (rs_caliper_is_on()) {                                \
			before;                                          \
		}                                                        \
		RS_CALIPER_CALL(real arguments, void parameters, #name); \
		if (rs_caliper_is_on()) {                                \
			after;                                           \
		}                                                        \
	}

/* ---- caliper_attributes.c ---- */

/* These functions return the attribute with a name or with an id. They return NULL if Caliper has
 * not created it yet. */
const struct rs_caliper_attribute *rs_caliper_named(const char *name);
const struct rs_caliper_attribute *rs_caliper_of_id(uint64_t id);

/* Return the attribute of this name. If it is new, its properties decide whether it is measured.
 * Return NULL if memory runs out. */
const struct rs_caliper_attribute *rs_caliper_attribute(const char *name, int properties);

/* The attributes of Caliper's own markers. */
enum rs_caliper_usual {
	RS_CALIPER_REGION,
	RS_CALIPER_PHASE,
	RS_CALIPER_COMM_REGION,
	RS_CALIPER_LOOP,
	RS_CALIPER_FUNCTION,
	RS_CALIPER_ANNOTATION,
	RS_CALIPER_STATEMENT,
	RS_CALIPER_N_USUAL
};
extern struct rs_caliper_attribute rs_caliper_usual[RS_CALIPER_N_USUAL];

/*
 * Begin, set or end a value of an attribute on the calling thread. attribute may be NULL.
 * value[bytes] is NULL if the value is no string; then the region has the attribute's name.
 */
void rs_caliper_begin(
	const struct rs_caliper_attribute *attribute, const char *value, size_t bytes);
void rs_caliper_set(const struct rs_caliper_attribute *attribute, const char *value, size_t bytes);
void rs_caliper_end(const struct rs_caliper_attribute *attribute);
/* End the innermost call with this attribute and this value. */
void rs_caliper_end_value(
	const struct rs_caliper_attribute *attribute, const char *value, size_t bytes);

/* ---- caliper_objects.c: any thread may call these ---- */

/* Return the object's only member, a pointer to its contents. Copies of an object have the same
 * pointer. */
static inline uintptr_t rs_caliper_inside(const void *self)
{
	return *(const uintptr_t *)self;
}

/* Record that an object with this attribute was created at an address. If the table already
 * contains the address, the adapter did not see the destructor of the old object. attribute: the
 * attribute of an annotation, or of a loop's iterations; NULL: not measured. */
void rs_caliper_remember(uintptr_t address, const struct rs_caliper_attribute *attribute);

/* Return the attribute of the object at this address, or NULL if it is not measured. */
const struct rs_caliper_attribute *rs_caliper_recall(uintptr_t address);

/* rs_caliper_attach() increments the count of an object's copies and guards. rs_caliper_detach()
 * decrements it, and returns true if none is left or if the object is not known. */
void rs_caliper_attach(uintptr_t address);
bool rs_caliper_detach(uintptr_t address);

#endif
