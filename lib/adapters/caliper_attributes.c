/* SPDX-License-Identifier: MIT */
/*
 * Attributes of Caliper: which of them are regions, and what their values begin and end. An
 * attribute is one if its values nest in each other by its properties, if it has one of the names
 * that Caliper's markers use or have used, or if it is the iterations of a loop. A call is named
 * after the value, and kept under its attribute, so that whatever way an attribute ends its
 * innermost value does.
 */
#include <string.h>

#include "adapters/caliper.h"

#define N_LISTS 256u /* a power of two */

/* Of an id that Caliper has given. */
struct known {
	struct known *next;
	uint64_t id;
	const struct rs_caliper_attribute *attribute;
};

static _Atomic(struct rs_caliper_attribute *) by_name[N_LISTS];
static _Atomic(struct known *) by_id[N_LISTS];

struct rs_caliper_attribute rs_caliper_usual[RS_CALIPER_N_USUAL] = {
	[RS_CALIPER_REGION] = {"region", true, false, NULL},
	[RS_CALIPER_PHASE] = {"phase", true, false, NULL},
	[RS_CALIPER_COMM_REGION] = {"comm.region", true, false, NULL},
	[RS_CALIPER_LOOP] = {"loop", true, false, NULL},
	[RS_CALIPER_FUNCTION] = {"function", true, false, NULL},
	[RS_CALIPER_ANNOTATION] = {"annotation", true, false, NULL},
	[RS_CALIPER_STATEMENT] = {"statement", true, false, NULL},
};

/* The attribute of a name that was seen before. */
static const struct rs_caliper_attribute *find(
	const char *name, const struct rs_caliper_attribute *first)
{
	for (size_t i = 0; i < RS_CALIPER_N_USUAL; i++)
		if (!strcmp(name, rs_caliper_usual[i].name))
			return &rs_caliper_usual[i];
	for (; first; first = first->next)
		if (!strcmp(name, first->name))
			return first;
	return NULL;
}

static uint32_t list_of(const char *name)
{
	return rs_name_hash(name, (uint32_t)strlen(name)) % N_LISTS;
}

const struct rs_caliper_attribute *rs_caliper_attribute(const char *name, int properties)
{
	_Atomic(struct rs_caliper_attribute *) *list = &by_name[list_of(name)];
	/* acquire: pairs with the exchange below, before which it was written */
	struct rs_caliper_attribute *head = atomic_load_explicit(list, memory_order_acquire);
	const struct rs_caliper_attribute *found = find(name, head);
	if (found)
		return found;
	size_t bytes = strlen(name) + 1;
	struct rs_caliper_attribute *made = rs_adapter_allocate(sizeof(*made) + bytes);
	if (!made)
		return NULL;
	made->name = memcpy(made + 1, name, bytes);
	made->is_iteration = !strncmp(name, "iteration#", 10);
	made->is_measured = made->is_iteration || properties & RS_CALIPER_NESTED;
	do {
		found = find(name, head);
		if (found)
			return found;
		made->next = head;
	} while (!atomic_compare_exchange_strong_explicit(
		list, &head, made, memory_order_acq_rel, memory_order_acquire));
	return made;
}

/* Of an attribute that Caliper has. */
static int properties_of(uint64_t id)
{
	int properties = 0;
	RS_CALIPER_ASK(properties, int(uint64_t), "cali_attribute_properties", id);
	return properties;
}

const struct rs_caliper_attribute *rs_caliper_named(const char *name)
{
	uint64_t id = RS_CALIPER_NO_ID;
	if (!name)
		return NULL;
	const struct rs_caliper_attribute *seen = find(
		name, atomic_load_explicit(&by_name[list_of(name)], memory_order_acquire));
	if (seen)
		return seen;
	RS_CALIPER_ASK(id, uint64_t(const char *), "cali_find_attribute", name);
	return id == RS_CALIPER_NO_ID ? NULL : rs_caliper_attribute(name, properties_of(id));
}

const struct rs_caliper_attribute *rs_caliper_of_id(uint64_t id)
{
	const char *name = NULL;
	_Atomic(struct known *) *list = &by_id[(id ^ id >> 8) % N_LISTS];
	struct known *head = atomic_load_explicit(list, memory_order_acquire);
	for (struct known *known = head; known; known = known->next)
		if (known->id == id)
			return known->attribute;
	if (id != RS_CALIPER_NO_ID)
		RS_CALIPER_ASK(name, const char *(uint64_t), "cali_attribute_name", id);
	if (!name || !*name)
		return NULL;
	const struct rs_caliper_attribute *attribute = rs_caliper_attribute(
		name, properties_of(id));
	struct known *made = attribute ? rs_adapter_allocate(sizeof(*made)) : NULL;
	if (!made)
		return attribute;
	made->id = id;
	made->attribute = attribute;
	/* two threads may both add it, which does no harm */
	do
		made->next = head;
	while (!atomic_compare_exchange_strong_explicit(
		list, &head, made, memory_order_acq_rel, memory_order_acquire));
	return attribute;
}

/* ---- values ---- */

static uint64_t key_of(const struct rs_caliper_attribute *attribute)
{
	return (uintptr_t)attribute;
}

/* NULL, and counted as ignored: it is no region. */
static struct regionstat_site_ *site_of(
	const struct rs_caliper_attribute *attribute, const char *value, size_t bytes)
{
	if (!attribute || !attribute->is_measured) {
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
		return NULL;
	}
	if (!value || attribute->is_iteration)
		return rs_adapter_site(attribute->name, strlen(attribute->name));
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
	if (attribute && attribute->is_measured && rs_stack_pop(key_of(attribute)) < 0)
		rs_adapter_note(RS_ADAPTER_COUNT_UNMATCHED);
}

void rs_caliper_end_value(
	const struct rs_caliper_attribute *attribute, const char *value, size_t bytes)
{
	if (rs_stack_pop_site(key_of(attribute), rs_adapter_site(value, bytes)) < 0)
		rs_adapter_note(RS_ADAPTER_COUNT_UNMATCHED);
}
