/* SPDX-License-Identifier: MIT */
/*
 * The part of NVTX 3 (NVIDIA Tools Extension) that is compiled into programs, as an injection
 * library needs it: its export tables, callbacks and attributes. They are those of the public
 * headers (github.com/NVIDIA/NVTX: c/include/nvtx3/nvToolsExt.h and nvtxDetail/nvtxTypes.h).
 */
#ifndef RS_ADAPTERS_NVTX_H
#define RS_ADAPTERS_NVTX_H

#include <wchar.h>

#include "adapters/names.h"
#include "adapters/ranges.h"

typedef void (*rs_nvtx_function)(void);

/* A module's functions: where the program keeps each of them, NULL for none. */
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

/* Callbacks by their index in a module. */
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

#define RS_NVTX_VERSION 3 /* the newest known, of attributes */

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

/* The program calls this, once for each object that has NVTX in it. Returns 0 when it is to do
 * without a tool. */
RS_ADAPTER_EXPORT int InitializeInjectionNvtx2(rs_nvtx_export get_table);

/* ---- nvtx_calls.c ---- */

/* Ours, by index; NULL where there is none. */
extern const rs_nvtx_function rs_nvtx_core[RS_NVTX_CORE_N];
extern const rs_nvtx_function rs_nvtx_core2[RS_NVTX_CORE2_N];

/* The callbacks of the tool that was there before, by index; NULL where it has none. It may change
 * them at any time. */
extern rs_nvtx_function rs_nvtx_next_core[RS_NVTX_CORE_N];
extern rs_nvtx_function rs_nvtx_next_core2[RS_NVTX_CORE2_N];

/* ---- nvtx_names.c: domains, strings and regions. Any thread. ---- */

/* From before the first domain on: handles are not addresses of ours, but another tool's. */
void rs_nvtx_use_foreign_handles(void);

/* The domain of a handle; never NULL: the global one has an empty name. */
const struct rs_name *rs_nvtx_domain(const void *handle);

/* The handle of a domain, and of a string in a domain. foreign: the handle that the other tool has
 * given; NULL when nobody has. Returns NULL without memory. */
const void *rs_nvtx_domain_create(const char *name, size_t bytes, const void *const *foreign);
const void *rs_nvtx_string_create(
	const void *domain, const char *text, size_t bytes, const void *const *foreign);

/* The arguments for the other tool: a handle, NULL where it is ours; and attributes, themselves or
 * a copy whose message is such a handle. */
const void *rs_nvtx_foreign(const void *handle);
const struct rs_nvtx_attributes *rs_nvtx_foreign_attributes(
	const struct rs_nvtx_attributes *attributes, struct rs_nvtx_attributes *copy);

/* The region of a message in a domain, one without a name where it cannot be read. */
struct regionstat_site_ *rs_nvtx_region(
	const struct rs_name *domain, const struct rs_nvtx_attributes *attributes);
struct regionstat_site_ *rs_nvtx_text_region(const char *text);
struct regionstat_site_ *rs_nvtx_wide_region(const wchar_t *wide);

#endif
