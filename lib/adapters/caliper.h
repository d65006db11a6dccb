/* SPDX-License-Identifier: MIT */
/*
 * Shared by the parts of the Caliper adapter. Facts of Caliper's public interface, 2.x, of
 * github.com/LLNL/Caliper: include/caliper/cali.h, cali_macros.h, Annotation.h,
 * common/cali_types.h and common/cali_variant.h.
 *
 * The adapter always calls Caliper's own library as well. That makes the attributes' ids, the
 * program may read back what it has set, and it may start a channel at any time, by CALI_CONFIG or
 * by itself. It begins first and ends last, so that the measured time does not include its own.
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
		type_and_size; /* the type in the lowest byte, of strings the size in the highest 4 */
	union {
		const char *string;
		int64_t integer;
		double real;
	} value;
};

/* An attribute, one a name for life. */
struct rs_caliper_attribute {
	struct rs_listed listed;
	const char *name;
	bool is_measured;
	bool is_iteration; /* of a loop: all its values are calls of one region, its name */
};

/* ---- caliper_real.c ---- */

/* The depth of the calling thread in Caliper's own functions: what those call is theirs. */
extern __thread unsigned rs_caliper_depth;

/* One of Caliper's own functions, once it was looked for. */
struct rs_caliper_kept {
	_Atomic(void *) function;
	_Atomic uint32_t state; /* enum rs_caliper_kept_state, where there is none */
	_Atomic uint64_t n_loaded; /* of MISSED: objects that had been loaded when it was sought */
};

enum rs_caliper_kept_state {
	RS_CALIPER_UNKNOWN,
	RS_CALIPER_MISSED, /* reported; a library loaded later may have it */
	RS_CALIPER_LACKING, /* Caliper's is there, and lacks it; reported as well */
};

/* Caliper's own function of that name; NULL, and counted as refused the first time: there is
 * none. */
void *rs_caliper_real(const char *name, struct rs_caliper_kept *kept);

/* Whether a marker is the program's, of a program that is measured. */
static inline bool rs_caliper_is_on(void)
{
	return !rs_caliper_depth && regionstat_table_();
}

/* Call Caliper's own `name`, of type function, if there is one. */
#define RS_CALIPER_CALL(function, name, ...)                          \
	do {                                                          \
		static struct rs_caliper_kept kept_;                  \
		void *real_ = rs_caliper_real(name, &kept_);          \
		rs_caliper_depth++;                                   \
		if (real_)                                            \
			((__typeof__(function) *)real_)(__VA_ARGS__); \
		rs_caliper_depth--;                                   \
	} while (0)

/* The same of one that returns something. */
#define RS_CALIPER_ASK(result, function, name, ...)                              \
	do {                                                                     \
		static struct rs_caliper_kept kept_;                             \
		void *real_ = rs_caliper_real(name, &kept_);                     \
		rs_caliper_depth++;                                              \
		if (real_)                                                       \
			(result) = ((__typeof__(function) *)real_)(__VA_ARGS__); \
		rs_caliper_depth--;                                              \
	} while (0)

/* ---- caliper_attributes.c ---- */

/* The attribute of a name that Caliper has by now, or of an id; NULL: it has none. */
const struct rs_caliper_attribute *rs_caliper_named(const char *name);
const struct rs_caliper_attribute *rs_caliper_of_id(uint64_t id);

/* Whether attributes of that name and these properties are measured; the attribute. */
const struct rs_caliper_attribute *rs_caliper_attribute(const char *name, int properties);

/* The attributes that most programs use. */
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
 * A value of an attribute begins, is set, or ends, on the calling thread. attribute: NULL for
 * none. value[bytes]: NULL where it is no string; the region then has the attribute's name.
 */
void rs_caliper_begin(
	const struct rs_caliper_attribute *attribute, const char *value, size_t bytes);
void rs_caliper_set(const struct rs_caliper_attribute *attribute, const char *value, size_t bytes);
void rs_caliper_end(const struct rs_caliper_attribute *attribute);
/* The last one of that value. */
void rs_caliper_end_value(
	const struct rs_caliper_attribute *attribute, const char *value, size_t bytes);

/* ---- caliper_objects.c: any thread ---- */

/* The value of an object's one member, the pointer to its contents: copies have the same. */
static inline uintptr_t rs_caliper_inside(const void *self)
{
	return *(const uintptr_t *)self;
}

/* An object of that attribute is made at an address. Another may have been there whose end the
 * adapter did not see. attribute: of an annotation, of a loop its iterations'; NULL: it is not
 * measured. */
void rs_caliper_remember(uintptr_t address, const struct rs_caliper_attribute *attribute);

/* NULL: of none that is measured. */
const struct rs_caliper_attribute *rs_caliper_recall(uintptr_t address);

/* One more copy or guard of an object. One less; true: that was the last, or it is not known. */
void rs_caliper_attach(uintptr_t address);
bool rs_caliper_detach(uintptr_t address);

/* The first of these for what the program has copied. */
static inline void rs_caliper_attach_object(const void *self)
{
	if (rs_caliper_is_on())
		rs_caliper_attach(rs_caliper_inside(self));
}

#endif
