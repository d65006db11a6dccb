/* SPDX-License-Identifier: MIT */
/* A replacement for Caliper's library, as a program sees it. Attributes have ids, and the library
 * counts each call. */
#include "caliper.h"

#include <pthread.h>
#include <string.h>

#define N_ATTRIBUTES 64
#define FIRST_ID 100

static struct {
	char name[64];
	int type, properties;
} attributes[N_ATTRIBUTES];
static uint64_t n_attributes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned long n_begun, n_set, n_ended;

uint64_t cali_loop_attr_id = CALI_INV_ID;

static uint64_t find(const char *name)
{
	for (uint64_t i = 0; i < n_attributes; i++)
		if (!strcmp(attributes[i].name, name))
			return FIRST_ID + i;
	return CALI_INV_ID;
}

uint64_t cali_create_attribute(const char *name, int type, int properties)
{
	pthread_mutex_lock(&lock);
	uint64_t id = find(name);
	if (id == CALI_INV_ID && n_attributes < N_ATTRIBUTES) {
		id = FIRST_ID + n_attributes;
		strncpy(attributes[n_attributes].name, name, 63);
		attributes[n_attributes].type = type;
		attributes[n_attributes++].properties = properties;
	}
	pthread_mutex_unlock(&lock);
	return id;
}

uint64_t cali_find_attribute(const char *name)
{
	pthread_mutex_lock(&lock);
	uint64_t id = find(name);
	pthread_mutex_unlock(&lock);
	return id;
}

void cali_init(void)
{
	cali_create_attribute("region", CALI_TYPE_STRING, CALI_ATTR_NESTED);
	cali_loop_attr_id = cali_create_attribute("loop", CALI_TYPE_STRING, CALI_ATTR_NESTED);
}

uint64_t cali_make_loop_iteration_attribute(const char *name)
{
	char text[64] = "iteration#";
	strncat(text, name, 50);
	return cali_create_attribute(text, CALI_TYPE_INT, 1);
}

const char *cali_attribute_name(uint64_t id)
{
	return id - FIRST_ID < n_attributes ? attributes[id - FIRST_ID].name : NULL;
}

int cali_attribute_type(uint64_t id)
{
	return id - FIRST_ID < n_attributes ? attributes[id - FIRST_ID].type : 0;
}

int cali_attribute_properties(uint64_t id)
{
	return id - FIRST_ID < n_attributes ? attributes[id - FIRST_ID].properties : 0;
}

void caliper_see(int what)
{
	if (what == 'b')
		n_begun++;
	else if (what == 's')
		n_set++;
	else
		n_ended++;
}

void caliper_seen(unsigned long *begun, unsigned long *set, unsigned long *ended)
{
	*begun = n_begun;
	*set = n_set;
	*ended = n_ended;
}

#define SEE(name, what, first)     \
	void name(first)           \
	{                          \
		(void)argument;    \
		caliper_see(what); \
	}
#define SEE_VALUE(name, what, first, second) \
	void name(first, second)             \
	{                                    \
		(void)argument, (void)value; \
		caliper_see(what);           \
	}
/* This also creates the attribute if it does not exist. */
#define SEE_NAMED(name, what, second, type)                               \
	void name(const char *argument, second)                           \
	{                                                                 \
		(void)value;                                              \
		cali_create_attribute(argument, type, CALI_ATTR_DEFAULT); \
		caliper_see(what);                                        \
	}

SEE(cali_begin_region, 'b', const char *argument)
SEE(cali_end_region, 'e', const char *argument)
SEE(cali_begin_phase, 'b', const char *argument)
SEE(cali_end_phase, 'e', const char *argument)
SEE(cali_begin_comm_region, 'b', const char *argument)
SEE(cali_end_comm_region, 'e', const char *argument)
SEE(cali_begin, 'b', uint64_t argument)
SEE(cali_end, 'e', uint64_t argument)
SEE(cali_begin_byname, 'b', const char *argument)
SEE(cali_end_byname, 'e', const char *argument)
SEE_VALUE(cali_begin_double, 'b', uint64_t argument, double value)
SEE_VALUE(cali_begin_int, 'b', uint64_t argument, int value)
SEE_VALUE(cali_begin_string, 'b', uint64_t argument, const char *value)
SEE_VALUE(cali_set_int, 's', uint64_t argument, int value)
SEE_VALUE(cali_set_string, 's', uint64_t argument, const char *value)
SEE_NAMED(cali_begin_int_byname, 'b', int value, CALI_TYPE_INT)
SEE_NAMED(cali_begin_string_byname, 'b', const char *value, CALI_TYPE_STRING)
SEE_NAMED(cali_set_string_byname, 's', const char *value, CALI_TYPE_STRING)

void cali_set(uint64_t id, const void *value, size_t bytes)
{
	(void)id, (void)value, (void)bytes;
	caliper_see('s');
}
