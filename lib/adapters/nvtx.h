/* SPDX-License-Identifier: MIT */
/*
 * Declarations of NVTX 3 (NVIDIA Tools Extension). The NVTX code in a program calls an injection
 * library, such as this adapter. The library uses these export tables, callbacks and attributes
 * from the public headers (github.com/NVIDIA/NVTX: c/include/nvtx3/nvToolsExt.h and
 * nvtxDetail/nvtxTypes.h).
 */
#ifndef RS_ADAPTERS_NVTX_H
#define RS_ADAPTERS_NVTX_H

#include <wchar.h>

#include "adapters/names.h"
#include "adapters/ranges.h"

typedef void (*rs_nvtx_function)(void);

/* The functions of a module: an array of the addresses of the program's function pointers. An
 * element is NULL if the function does not exist. */
typedef rs_nvtx_function **rs_nvtx_module;

typedef const void *(*rs_nvtx_export)(uint32_t table);

#define RS_NVTX_TABLE_CALLBACKS 1u

struct rs_nvtx_callbacks {
	size_t bytes;
	int (*get_module)(int module, rs_nvtx_module *functions, unsigned int *size);
};

enum {
	RS_NVTX_CORE = 1,
	RS_NVTX_CORE2 = 5,
};

/* The callbacks of the module CORE, by index. */
enum rs_nvtx_core {
	RS_NVTX_MARK_EX = 1,
	RS_NVTX_MARK_A,
	RS_NVTX_MARK_W,
	RS_NVTX_START_EX,
	RS_NVTX_START_A,
	RS_NVTX_START_W,
	RS_NVTX_END,
	RS_NVTX_PUSH_EX,
	RS_NVTX_PUSH_A,
	RS_NVTX_PUSH_W,
	RS_NVTX_POP,
	RS_NVTX_NAME_THREAD_A = 14,
	RS_NVTX_NAME_THREAD_W,
	RS_NVTX_CORE_N,
};

enum rs_nvtx_core2 {
	RS_NVTX_DOMAIN_MARK_EX = 1,
	RS_NVTX_DOMAIN_START_EX,
	RS_NVTX_DOMAIN_END,
	RS_NVTX_DOMAIN_PUSH_EX,
	RS_NVTX_DOMAIN_POP,
	RS_NVTX_REGISTER_A = 10,
	RS_NVTX_REGISTER_W,
	RS_NVTX_DOMAIN_CREATE_A,
	RS_NVTX_DOMAIN_CREATE_W,
	RS_NVTX_CORE2_N,
};

enum {
	RS_NVTX_MESSAGE_ASCII = 1, /* in practice UTF-8 */
	RS_NVTX_MESSAGE_WIDE = 2,
	RS_NVTX_MESSAGE_REGISTERED = 3,
};

#define RS_NVTX_VERSION 3 /* the newest known version of attributes */

struct rs_nvtx_attributes {
	uint16_t version;
	uint16_t bytes;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};
#if defined(__LP64__)
static_assert(offsetof(struct rs_nvtx_attributes, message_type) == 32, "ABI");
static_assert(sizeof(struct rs_nvtx_attributes) == 48, "ABI");
#endif

/* ---- nvtx.c ---- */

/* Initialize the NVTX code of one object of the program. That object calls this function. Return 0
 * if it should continue without a tool. */
RS_ADAPTER_EXPORT int InitializeInjectionNvtx2(rs_nvtx_export get_table);

/* ---- nvtx_calls.c ---- */

/* The adapter's callbacks by index; NULL if it has none. */
extern const rs_nvtx_function rs_nvtx_core[RS_NVTX_CORE_N];
extern const rs_nvtx_function rs_nvtx_core2[RS_NVTX_CORE2_N];

/* The callbacks of the chained tool by index; NULL if it has none. That tool may change them at any
 * time. */
extern rs_nvtx_function rs_nvtx_next_core[RS_NVTX_CORE_N];
extern rs_nvtx_function rs_nvtx_next_core2[RS_NVTX_CORE2_N];

/* ---- nvtx_names.c: domains, strings and regions. Any thread may call these. ---- */

/* Record that a chained tool creates the handles. Call this before the first domain is created. */
void rs_nvtx_use_foreign_handles(void);

/* Return the domain of a handle; never NULL. The global domain has an empty name. */
const struct rs_name *rs_nvtx_domain(const void *handle);

/* Create a domain, or a string in a domain, and return its handle. foreign: the handle that the
 * chained tool created; NULL: there is none. Return NULL if memory runs out. */
const void *rs_nvtx_domain_create(const char *name, size_t bytes, const void *const *foreign);
const void *rs_nvtx_string_create(
	const void *domain, const char *text, size_t bytes, const void *const *foreign);

/* Convert arguments for the chained tool. rs_nvtx_foreign() returns the handle, or NULL if this
 * adapter created it. rs_nvtx_foreign_attributes() returns attributes, unless this adapter created
 * the handle of their message. In that case it stores them without the message in `copy`, and
 * returns `copy`. */
const void *rs_nvtx_foreign(const void *handle);
const struct rs_nvtx_attributes *rs_nvtx_foreign_attributes(
	const struct rs_nvtx_attributes *attributes, struct rs_nvtx_attributes *copy);

/* Return the region of a message in a domain. If the message cannot be read, the region has no
 * name. */
struct regionstat_site_ *rs_nvtx_region(
	const struct rs_name *domain, const struct rs_nvtx_attributes *attributes);
struct regionstat_site_ *rs_nvtx_text_region(const char *text);
struct regionstat_site_ *rs_nvtx_wide_region(const wchar_t *wide);

#endif
