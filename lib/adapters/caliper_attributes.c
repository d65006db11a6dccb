/* SPDX-License-Identifier: MIT */
/*
 * This file decides which attributes of Caliper are measured, and begins and ends calls for their
 * values. It measures an attribute in three cases: its properties say that its values nest;
 * Caliper's own markers use its name; or its name is "iteration#LOOP". A value of the attribute is
 * a call of the region with the value's name. Any function that ends an attribute ends its
 * innermost value.
 */
#include "adapters/caliper.h"

#define N_LISTS 256u /* how many lists a hash table has; a power of two */

/* An id that Caliper has assigned, and its attribute. */
struct known {
	struct rs_listed listed;
	uint64_t id;
	const struct rs_caliper_attribute *attribute;
};

/* The name and properties from which an attribute is created. */
struct described {
	const char *name;
	int properties;
};

static struct rs_list by_name[N_LISTS];
static struct rs_list by_id[N_LISTS];

struct rs_caliper_attribute rs_caliper_usual[RS_CALIPER_N_USUAL] = {
	[RS_CALIPER_REGION] = {.name = "region", .is_measured = true},
	[RS_CALIPER_PHASE] = {.name = "phase", .is_measured = true},
	[RS_CALIPER_COMM_REGION] = {.name = "comm.region", .is_measured = true},
	[RS_CALIPER_LOOP] = {.name = "loop", .is_measured = true},
	[RS_CALIPER_FUNCTION] = {.name = "function", .is_measured = true},
	[RS_CALIPER_ANNOTATION] = {.name = "annotation", .is_measured = true},
	[RS_CALIPER_STATEMENT] = {.name = "statement", .is_measured = true},
};

static const struct rs_caliper_attribute *find_usual(const char *name)
{
	for (size_t i = 0; i < RS_CALIPER_N_USUAL; i++)
		if (!strcmp(name, rs_caliper_usual[i].name))
			return &rs_caliper_usual[i];
	return NULL;
}

static struct rs_list *list_of(const char *name)
{
	return &by_name[rs_name_hash(name, (uint32_t)strlen(name)) % N_LISTS];
}

static inline bool is_attribute(const struct rs_listed *one, const void *described)
{
	return !strcmp(((const struct rs_caliper_attribute *)(const void *)one)->name,
		((const struct described *)described)->name);
}

static struct rs_listed *make_attribute(const void *key)
{
	const struct described *described = key;
	size_t bytes = strlen(described->name) + 1;
	struct rs_caliper_attribute *made = rs_adapter_allocate(sizeof(*made) + bytes);
	if (!made)
		return NULL;
	made->name = memcpy(made + 1, described->name, bytes);
	made->is_iteration = !strncmp(described->name, "iteration#", 10);
	made->is_measured = made->is_iteration || described->properties & RS_CALIPER_NESTED;
	return &made->listed;
}

const struct rs_caliper_attribute *rs_caliper_attribute(const char *name, int properties)
{
	const struct rs_caliper_attribute *usual = find_usual(name);
	const struct described described = {name, properties};
	return usual ? usual
		     : (const void *)rs_list_get(
			       list_of(name), is_attribute, make_attribute, &described, NULL);
}

/* Ask Caliper for the properties of the attribute with this id. */
static int properties_of(uint64_t id)
{
	int properties = 0;
	RS_CALIPER_CALL(properties = real(id), int(uint64_t), "cali_attribute_properties");
	return properties;
}

const struct rs_caliper_attribute *rs_caliper_named(const char *name)
{
	uint64_t id = RS_CALIPER_NO_ID;
	if (!name)
		return NULL;
	const struct described described = {.name = name};
	const struct rs_caliper_attribute *seen = find_usual(name);
	if (!seen)
		seen = (const void *)rs_list_find(list_of(name), is_attribute, &described);
	if (seen)
		return seen;
	RS_CALIPER_CALL(id = real(name), uint64_t(const char *), "cali_find_attribute");
	return id == RS_CALIPER_NO_ID ? NULL : rs_caliper_attribute(name, properties_of(id));
}

static inline bool is_known(const struct rs_listed *one, const void *known)
{
	return ((const struct known *)(const void *)one)->id == ((const struct known *)known)->id;
}

static struct rs_listed *copy_known(const void *known)
{
	struct known *copy = rs_adapter_allocate(sizeof(*copy));
	return copy ? memcpy(copy, known, sizeof(*copy)) : NULL;
}

const struct rs_caliper_attribute *rs_caliper_of_id(uint64_t id)
{
	const char *name = NULL;
	struct known known = {.id = id};
	struct rs_list *list = &by_id[(id ^ id >> 8) % N_LISTS];
	const struct known *found = (const void *)rs_list_find(list, is_known, &known);
	if (found)
		return found->attribute;
	if (id != RS_CALIPER_NO_ID)
		RS_CALIPER_CALL(name = real(id), const char *(uint64_t), "cali_attribute_name");
	if (!name || !*name)
		return NULL;
	known.attribute = rs_caliper_attribute(name, properties_of(id));
	if (known.attribute)
		rs_list_get(list, is_known, copy_known, &known, NULL);
	return known.attribute;
}

/* ---- values of attributes ---- */

static uint64_t key_of(const struct rs_caliper_attribute *attribute)
{
	return (uintptr_t)attribute;
}

/* Return the site of the region for a value. If the attribute is not measured, count the call as
 * ignored and return NULL. */
static struct regionstat_site_ *site_of(
	const struct rs_caliper_attribute *attribute, const char *value, size_t bytes)
{
	if (!attribute || !attribute->is_measured) {
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
		return NULL;
	}
	if (!value || attribute->is_iteration)
		return rs_adapter_site_text(attribute->name);
	return rs_adapter_site(value, bytes);
}

void rs_caliper_begin(const struct rs_caliper_attribute *attribute, const char *value, size_t bytes)
{
	struct regionstat_site_ *site = site_of(attribute, value, bytes);
	if (site)
		rs_stack_push(key_of(attribute), site);
}

void rs_caliper_set(const struct rs_caliper_attribute *attribute, const char *value, size_t bytes)
{
	struct regionstat_site_ *site = site_of(attribute, value, bytes);
	if (site)
		rs_stack_replace(key_of(attribute), site);
}

void rs_caliper_end(const struct rs_caliper_attribute *attribute)
{
	if (attribute && attribute->is_measured)
		rs_stack_pop(key_of(attribute));
}

void rs_caliper_end_value(
	const struct rs_caliper_attribute *attribute, const char *value, size_t bytes)
{
	rs_stack_pop_site(key_of(attribute), rs_adapter_site(value, bytes));
}
