/* SPDX-License-Identifier: MIT */
/*
 * The callbacks of NVTX that are measured, as nvToolsExt.h describes them. Push and pop nest in
 * their thread and domain, START and END go by an id, a mark is a call without length. Where
 * another tool is served as well each calls it too, outside the region, and returns what that tool
 * returns.
 */
#include "adapters/nvtx.h"

#include <string.h>

#include "adapters/wide.h"

rs_nvtx_function rs_nvtx_next_core[RS_NVTX_CORE_N];
rs_nvtx_function rs_nvtx_next_core2[RS_NVTX_CORE2_N];

typedef const struct rs_nvtx_attributes *attributes_pointer;

/* The other tool's callback of that index, as a function of that type; NULL: it has none. */
#define NEXT(module, index, type, ...) \
	((type(*)(__VA_ARGS__))__atomic_load_n(&rs_nvtx_next_##module[index], __ATOMIC_ACQUIRE))

/* Of the ranges of a thread in a domain. */
static uint64_t key_of(const struct rs_name *domain)
{
	return (uintptr_t)domain;
}

/* ---- the global domain ---- */

static void mark_ex(attributes_pointer attributes)
{
	struct rs_nvtx_attributes copy;
	void (*next)(attributes_pointer) = NEXT(core, RS_NVTX_MARK_EX, void, attributes_pointer);
	if (next)
		next(rs_nvtx_foreign_attributes(attributes, &copy));
	rs_range_mark(rs_nvtx_region(rs_nvtx_domain(NULL), attributes));
}

static void mark_text(const char *message)
{
	void (*next)(const char *) = NEXT(core, RS_NVTX_MARK_A, void, const char *);
	if (next)
		next(message);
	rs_range_mark(rs_nvtx_text_region(message));
}

static void mark_wide(const wchar_t *message)
{
	void (*next)(const wchar_t *) = NEXT(core, RS_NVTX_MARK_W, void, const wchar_t *);
	if (next)
		next(message);
	rs_range_mark(rs_nvtx_wide_region(message));
}

static uint64_t start_ex(attributes_pointer attributes)
{
	struct rs_nvtx_attributes copy;
	uint64_t (*next)(attributes_pointer) = NEXT(
		core, RS_NVTX_START_EX, uint64_t, attributes_pointer);
	uint64_t id = next ? next(rs_nvtx_foreign_attributes(attributes, &copy)) : 0;
	return rs_range_start(rs_nvtx_region(rs_nvtx_domain(NULL), attributes), next ? &id : NULL);
}

static uint64_t start_text(const char *message)
{
	uint64_t (*next)(const char *) = NEXT(core, RS_NVTX_START_A, uint64_t, const char *);
	uint64_t id = next ? next(message) : 0;
	return rs_range_start(rs_nvtx_text_region(message), next ? &id : NULL);
}

static uint64_t start_wide(const wchar_t *message)
{
	uint64_t (*next)(const wchar_t *) = NEXT(core, RS_NVTX_START_W, uint64_t, const wchar_t *);
	uint64_t id = next ? next(message) : 0;
	return rs_range_start(rs_nvtx_wide_region(message), next ? &id : NULL);
}

static void end_range(uint64_t id)
{
	rs_range_end(id);
	void (*next)(uint64_t) = NEXT(core, RS_NVTX_END, void, uint64_t);
	if (next)
		next(id);
}

static int push_ex(attributes_pointer attributes)
{
	struct rs_nvtx_attributes copy;
	int (*next)(attributes_pointer) = NEXT(core, RS_NVTX_PUSH_EX, int, attributes_pointer);
	const struct rs_name *domain = rs_nvtx_domain(NULL);
	struct regionstat_site_ *site = rs_nvtx_region(domain, attributes);
	int theirs = next ? next(rs_nvtx_foreign_attributes(attributes, &copy)) : 0,
	    level = rs_range_push(key_of(domain), site);
	return next ? theirs : level;
}

static int push_text(const char *message)
{
	int (*next)(const char *) = NEXT(core, RS_NVTX_PUSH_A, int, const char *);
	struct regionstat_site_ *site = rs_nvtx_text_region(message);
	int theirs = next ? next(message) : 0,
	    level = rs_range_push(key_of(rs_nvtx_domain(NULL)), site);
	return next ? theirs : level;
}

static int push_wide(const wchar_t *message)
{
	int (*next)(const wchar_t *) = NEXT(core, RS_NVTX_PUSH_W, int, const wchar_t *);
	struct regionstat_site_ *site = rs_nvtx_wide_region(message);
	int theirs = next ? next(message) : 0,
	    level = rs_range_push(key_of(rs_nvtx_domain(NULL)), site);
	return next ? theirs : level;
}

static int pop(void)
{
	int level = rs_range_pop(key_of(rs_nvtx_domain(NULL)));
	int (*next)(void) = NEXT(core, RS_NVTX_POP, int, void);
	return next ? next() : level;
}

/* ---- a domain ---- */

static void domain_mark_ex(const void *domain, attributes_pointer attributes)
{
	struct rs_nvtx_attributes copy;
	void (*next)(const void *, attributes_pointer) = NEXT(
		core2, RS_NVTX_DOMAIN_MARK_EX, void, const void *, attributes_pointer);
	if (next)
		next(rs_nvtx_foreign(domain), rs_nvtx_foreign_attributes(attributes, &copy));
	rs_range_mark(rs_nvtx_region(rs_nvtx_domain(domain), attributes));
}

static uint64_t domain_start_ex(const void *domain, attributes_pointer attributes)
{
	struct rs_nvtx_attributes copy;
	uint64_t (*next)(const void *, attributes_pointer) = NEXT(
		core2, RS_NVTX_DOMAIN_START_EX, uint64_t, const void *, attributes_pointer);
	uint64_t id = next ? next(rs_nvtx_foreign(domain),
				     rs_nvtx_foreign_attributes(attributes, &copy))
			   : 0;
	return rs_range_start(
		rs_nvtx_region(rs_nvtx_domain(domain), attributes), next ? &id : NULL);
}

static void domain_end(const void *domain, uint64_t id)
{
	rs_range_end(id);
	void (*next)(const void *, uint64_t) = NEXT(
		core2, RS_NVTX_DOMAIN_END, void, const void *, uint64_t);
	if (next)
		next(rs_nvtx_foreign(domain), id);
}

static int domain_push_ex(const void *handle, attributes_pointer attributes)
{
	struct rs_nvtx_attributes copy;
	int (*next)(const void *, attributes_pointer) = NEXT(
		core2, RS_NVTX_DOMAIN_PUSH_EX, int, const void *, attributes_pointer);
	const struct rs_name *domain = rs_nvtx_domain(handle);
	struct regionstat_site_ *site = rs_nvtx_region(domain, attributes);
	int theirs = next ? next(rs_nvtx_foreign(handle),
				    rs_nvtx_foreign_attributes(attributes, &copy))
			  : 0,
	    level = rs_range_push(key_of(domain), site);
	return next ? theirs : level;
}

static int domain_pop(const void *handle)
{
	int level = rs_range_pop(key_of(rs_nvtx_domain(handle)));
	int (*next)(const void *) = NEXT(core2, RS_NVTX_DOMAIN_POP, int, const void *);
	return next ? next(rs_nvtx_foreign(handle)) : level;
}

/* ---- threads: by gettid(2), any of the process ---- */

static void give_name(uint32_t thread, const char *name, size_t bytes)
{
	if (thread != RS_THREAD_CALLING)
		rs_adapter_name_thread(thread, name, bytes);
	else /* no thread has that number */
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
}

static void name_thread(uint32_t thread, const char *name)
{
	void (*next)(uint32_t, const char *) = NEXT(
		core, RS_NVTX_NAME_THREAD_A, void, uint32_t, const char *);
	if (next)
		next(thread, name);
	if (name)
		give_name(thread, name, strlen(name));
}

static void name_thread_wide(uint32_t thread, const wchar_t *name)
{
	char text[RS_WIDE_BYTES];
	void (*next)(uint32_t, const wchar_t *) = NEXT(
		core, RS_NVTX_NAME_THREAD_W, void, uint32_t, const wchar_t *);
	if (next)
		next(thread, name);
	if (name)
		give_name(thread, text, rs_wide_to_utf8(name, SIZE_MAX, text));
}

/* ---- handles ---- */

static const void *register_text(const void *domain, const char *text)
{
	const void *(*next)(const void *, const char *) = NEXT(
		core2, RS_NVTX_REGISTER_A, const void *, const void *, const char *);
	const void *theirs = next ? next(rs_nvtx_foreign(domain), text) : NULL;
	return rs_nvtx_string_create(domain, text, text ? strlen(text) : 0, next ? &theirs : NULL);
}

static const void *register_wide(const void *domain, const wchar_t *wide)
{
	const void *(*next)(const void *, const wchar_t *) = NEXT(
		core2, RS_NVTX_REGISTER_W, const void *, const void *, const wchar_t *);
	const void *theirs = next ? next(rs_nvtx_foreign(domain), wide) : NULL;
	char text[RS_WIDE_BYTES];
	size_t bytes = rs_wide_to_utf8(wide, SIZE_MAX, text);
	return rs_nvtx_string_create(domain, text, bytes, next ? &theirs : NULL);
}

static const void *create_text(const char *name)
{
	const void *(*next)(const char *) = NEXT(
		core2, RS_NVTX_DOMAIN_CREATE_A, const void *, const char *);
	const void *theirs = next ? next(name) : NULL;
	return rs_nvtx_domain_create(name, name ? strlen(name) : 0, next ? &theirs : NULL);
}

static const void *create_wide(const wchar_t *wide)
{
	const void *(*next)(const wchar_t *) = NEXT(
		core2, RS_NVTX_DOMAIN_CREATE_W, const void *, const wchar_t *);
	const void *theirs = next ? next(wide) : NULL;
	char text[RS_WIDE_BYTES];
	size_t bytes = rs_wide_to_utf8(wide, SIZE_MAX, text);
	return rs_nvtx_domain_create(text, bytes, next ? &theirs : NULL);
}

#define FUNCTION(function) ((rs_nvtx_function)(function))

const rs_nvtx_function rs_nvtx_core[RS_NVTX_CORE_N] = {
	[RS_NVTX_MARK_EX] = FUNCTION(mark_ex),
	[RS_NVTX_MARK_A] = FUNCTION(mark_text),
	[RS_NVTX_MARK_W] = FUNCTION(mark_wide),
	[RS_NVTX_START_EX] = FUNCTION(start_ex),
	[RS_NVTX_START_A] = FUNCTION(start_text),
	[RS_NVTX_START_W] = FUNCTION(start_wide),
	[RS_NVTX_END] = FUNCTION(end_range),
	[RS_NVTX_PUSH_EX] = FUNCTION(push_ex),
	[RS_NVTX_PUSH_A] = FUNCTION(push_text),
	[RS_NVTX_PUSH_W] = FUNCTION(push_wide),
	[RS_NVTX_POP] = FUNCTION(pop),
	[RS_NVTX_NAME_THREAD_A] = FUNCTION(name_thread),
	[RS_NVTX_NAME_THREAD_W] = FUNCTION(name_thread_wide),
};

const rs_nvtx_function rs_nvtx_core2[RS_NVTX_CORE2_N] = {
	[RS_NVTX_DOMAIN_MARK_EX] = FUNCTION(domain_mark_ex),
	[RS_NVTX_DOMAIN_START_EX] = FUNCTION(domain_start_ex),
	[RS_NVTX_DOMAIN_END] = FUNCTION(domain_end),
	[RS_NVTX_DOMAIN_PUSH_EX] = FUNCTION(domain_push_ex),
	[RS_NVTX_DOMAIN_POP] = FUNCTION(domain_pop),
	[RS_NVTX_REGISTER_A] = FUNCTION(register_text),
	[RS_NVTX_REGISTER_W] = FUNCTION(register_wide),
	[RS_NVTX_DOMAIN_CREATE_A] = FUNCTION(create_text),
	[RS_NVTX_DOMAIN_CREATE_W] = FUNCTION(create_wide),
};
