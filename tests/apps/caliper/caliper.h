/* SPDX-License-Identifier: MIT */
/* The part of Caliper's public interface that the test programs use (include/caliper/cali.h), and
 * functions to count its calls in the tests' replacement for Caliper. */
#ifndef CALIPER_H
#define CALIPER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CALI_INV_ID UINT64_MAX
#define CALI_TYPE_INT 2
#define CALI_TYPE_STRING 4
#define CALI_ATTR_DEFAULT 0
#define CALI_ATTR_NESTED 256

extern uint64_t cali_loop_attr_id;

void cali_init(void);
uint64_t cali_create_attribute(const char *name, int type, int properties);
uint64_t cali_find_attribute(const char *name);
uint64_t cali_make_loop_iteration_attribute(const char *name);
const char *cali_attribute_name(uint64_t id);
int cali_attribute_type(uint64_t id);
int cali_attribute_properties(uint64_t id);
void cali_begin_region(const char *name);
void cali_end_region(const char *name);
void cali_begin_phase(const char *name);
void cali_end_phase(const char *name);
void cali_begin_comm_region(const char *name);
void cali_end_comm_region(const char *name);
void cali_begin(uint64_t id);
void cali_begin_double(uint64_t id, double value);
void cali_begin_int(uint64_t id, int value);
void cali_begin_string(uint64_t id, const char *value);
void cali_end(uint64_t id);
void cali_set(uint64_t id, const void *value, size_t bytes);
void cali_set_int(uint64_t id, int value);
void cali_set_string(uint64_t id, const char *value);
void cali_begin_byname(const char *name);
void cali_begin_int_byname(const char *name, int value);
void cali_begin_string_byname(const char *name, const char *value);
void cali_set_string_byname(const char *name, const char *value);
void cali_end_byname(const char *name);

/* Not part of Caliper: get how often functions that begin, set and end were called in the
 * process. */
void caliper_seen(unsigned long *begun, unsigned long *set, unsigned long *ended);
void caliper_see(int what); /* 'b', 's', 'e' */

#ifdef __cplusplus
}
#endif

#endif
