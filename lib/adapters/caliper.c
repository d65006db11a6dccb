/* SPDX-License-Identifier: MIT */
/*
 * This file implements Caliper's C marker functions, which Fortran and Python also use. LD_PRELOAD
 * makes a program call these functions instead of those of libcaliper. Each of these functions
 * measures, and calls the function of the same name in libcaliper. Depending on its version,
 * libcaliper returns an error code or nothing; this file returns the same.
 */
#include "adapters/caliper.h"

static size_t length_of(const char *value)
{
	return value ? strlen(value) : 0;
}

/* ---- regions, phases and communication, which are identified by name ---- */

#define BY_NAME(suffix, usual)                                                            \
	RS_CALIPER_FUNCTION(int, 0, cali_begin_##suffix, (const char *name), (name), ,    \
		if (name) rs_caliper_begin(&rs_caliper_usual[usual], name, strlen(name))) \
	RS_CALIPER_FUNCTION(int, 0, cali_end_##suffix, (const char *name), (name),        \
		if (name) rs_caliper_end_value(&rs_caliper_usual[usual], name, strlen(name)), )

BY_NAME(region, RS_CALIPER_REGION)
BY_NAME(phase, RS_CALIPER_PHASE)
BY_NAME(comm_region, RS_CALIPER_COMM_REGION)

/* ---- attributes, which are identified by id or by name ---- */

/* Define functions that begin or set a value. what: begin or set. find: the function that returns
 * the attribute for the first argument. */
#define WITH_VALUE(name, what, handle, find, type, string)                                      \
	RS_CALIPER_FUNCTION(int, 0, name, (handle attribute, type value), (attribute, value), , \
		rs_caliper_##what(find(attribute), string, length_of(string)))
#define WITH_VALUES(what, suffix, handle, find)                                    \
	WITH_VALUE(cali_##what##_double##suffix, what, handle, find, double, NULL) \
	WITH_VALUE(cali_##what##_int##suffix, what, handle, find, int, NULL)       \
	WITH_VALUE(cali_##what##_string##suffix, what, handle, find, const char *, value)

WITH_VALUES(begin, , uint64_t, rs_caliper_of_id)
WITH_VALUES(set, , uint64_t, rs_caliper_of_id)
WITH_VALUES(begin, _byname, const char *, rs_caliper_named)
WITH_VALUES(set, _byname, const char *, rs_caliper_named)

#define WITHOUT_VALUE(suffix, handle, find)                                                \
	RS_CALIPER_FUNCTION(int, 0, cali_begin##suffix, (handle attribute), (attribute), , \
		rs_caliper_begin(find(attribute), NULL, 0))                                \
	RS_CALIPER_FUNCTION(int, 0, cali_end##suffix, (handle attribute), (attribute),     \
		rs_caliper_end(find(attribute)), )

WITHOUT_VALUE(, uint64_t, rs_caliper_of_id)
WITHOUT_VALUE(_byname, const char *, rs_caliper_named)

static void set(uint64_t id, const void *value, size_t bytes)
{
	int type = 0;
	const struct rs_caliper_attribute *attribute = rs_caliper_of_id(id);
	if (attribute && attribute->is_measured)
		RS_CALIPER_CALL(type = real(id), int(uint64_t), "cali_attribute_type");
	rs_caliper_set(attribute, type == RS_CALIPER_STRING ? value : NULL,
		value && type == RS_CALIPER_STRING ? strnlen(value, bytes) : 0);
}

RS_CALIPER_FUNCTION(int, 0, cali_set, (uint64_t id, const void *value, size_t bytes),
	(id, value, bytes), , set(id, value, bytes))
