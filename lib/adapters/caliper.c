/* SPDX-License-Identifier: MIT */
/*
 * This file implements Caliper's C marker functions, which Fortran and Python also use. LD_PRELOAD
 * makes a program call these functions instead of those of libcaliper. Each of them measures, and
 * calls the function of libcaliper. Depending on its version, libcaliper returns an error code or
 * nothing; this file returns the same.
 */
#include "adapters/caliper.h"

static size_t length_of(const char *value)
{
	return value ? strlen(value) : 0;
}

/* ---- regions, phases and communication: by name ---- */

#define BY_NAME(suffix, usual)                                                              \
	RS_ADAPTER_EXPORT int cali_begin_##suffix(const char *name);                        \
	RS_ADAPTER_EXPORT int cali_end_##suffix(const char *name);                          \
	int cali_begin_##suffix(const char *name)                                           \
	{                                                                                   \
		int result = 0;                                                             \
		RS_CALIPER_ASK(result, int(const char *), "cali_begin_" #suffix, name);     \
		if (rs_caliper_is_on() && name)                                             \
			rs_caliper_begin(&rs_caliper_usual[usual], name, strlen(name));     \
		return result;                                                              \
	}                                                                                   \
	int cali_end_##suffix(const char *name)                                             \
	{                                                                                   \
		int result = 0;                                                             \
		if (rs_caliper_is_on() && name)                                             \
			rs_caliper_end_value(&rs_caliper_usual[usual], name, strlen(name)); \
		RS_CALIPER_ASK(result, int(const char *), "cali_end_" #suffix, name);       \
		return result;                                                              \
	}

BY_NAME(region, RS_CALIPER_REGION)
BY_NAME(phase, RS_CALIPER_PHASE)
BY_NAME(comm_region, RS_CALIPER_COMM_REGION)

/* ---- attributes: by id and by name ---- */

/* Define a function that begins or sets a value. what: begin or set. find: the function that
 * returns the attribute for the first argument. */
#define WITH_VALUE(name, what, handle, find, type, string)                             \
	RS_ADAPTER_EXPORT int name(handle attribute, type value);                      \
	int name(handle attribute, type value)                                         \
	{                                                                              \
		int result = 0;                                                        \
		RS_CALIPER_ASK(result, int(handle, type), #name, attribute, value);    \
		if (rs_caliper_is_on())                                                \
			rs_caliper_##what(find(attribute), string, length_of(string)); \
		return result;                                                         \
	}

WITH_VALUE(cali_begin_double, begin, uint64_t, rs_caliper_of_id, double, NULL)
WITH_VALUE(cali_begin_int, begin, uint64_t, rs_caliper_of_id, int, NULL)
WITH_VALUE(cali_begin_string, begin, uint64_t, rs_caliper_of_id, const char *, value)
WITH_VALUE(cali_set_double, set, uint64_t, rs_caliper_of_id, double, NULL)
WITH_VALUE(cali_set_int, set, uint64_t, rs_caliper_of_id, int, NULL)
WITH_VALUE(cali_set_string, set, uint64_t, rs_caliper_of_id, const char *, value)
WITH_VALUE(cali_begin_double_byname, begin, const char *, rs_caliper_named, double, NULL)
WITH_VALUE(cali_begin_int_byname, begin, const char *, rs_caliper_named, int, NULL)
WITH_VALUE(cali_begin_string_byname, begin, const char *, rs_caliper_named, const char *, value)
WITH_VALUE(cali_set_double_byname, set, const char *, rs_caliper_named, double, NULL)
WITH_VALUE(cali_set_int_byname, set, const char *, rs_caliper_named, int, NULL)
WITH_VALUE(cali_set_string_byname, set, const char *, rs_caliper_named, const char *, value)

#define WITHOUT_VALUE(suffix, handle, find)                                           \
	RS_ADAPTER_EXPORT int cali_begin##suffix(handle attribute);                   \
	RS_ADAPTER_EXPORT int cali_end##suffix(handle attribute);                     \
	int cali_begin##suffix(handle attribute)                                      \
	{                                                                             \
		int result = 0;                                                       \
		RS_CALIPER_ASK(result, int(handle), "cali_begin" #suffix, attribute); \
		if (rs_caliper_is_on())                                               \
			rs_caliper_begin(find(attribute), NULL, 0);                   \
		return result;                                                        \
	}                                                                             \
	int cali_end##suffix(handle attribute)                                        \
	{                                                                             \
		int result = 0;                                                       \
		if (rs_caliper_is_on())                                               \
			rs_caliper_end(find(attribute));                              \
		RS_CALIPER_ASK(result, int(handle), "cali_end" #suffix, attribute);   \
		return result;                                                        \
	}

WITHOUT_VALUE(, uint64_t, rs_caliper_of_id)
WITHOUT_VALUE(_byname, const char *, rs_caliper_named)

RS_ADAPTER_EXPORT int cali_set(uint64_t id, const void *value, size_t bytes);
int cali_set(uint64_t id, const void *value, size_t bytes)
{
	int result = 0, type = 0;
	RS_CALIPER_ASK(result, int(uint64_t, const void *, size_t), "cali_set", id, value, bytes);
	if (!rs_caliper_is_on())
		return result;
	const struct rs_caliper_attribute *attribute = rs_caliper_of_id(id);
	if (attribute && attribute->is_measured)
		RS_CALIPER_ASK(type, int(uint64_t), "cali_attribute_type", id);
	rs_caliper_set(attribute, type == RS_CALIPER_STRING ? value : NULL,
		value && type == RS_CALIPER_STRING ? strnlen(value, bytes) : 0);
	return result;
}
