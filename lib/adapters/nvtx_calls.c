/* SPDX-License-Identifier: MIT */
/*
 * This file implements the callbacks of NVTX that are measured, as nvToolsExt.h describes them.
 * Push and pop nest in their thread and domain, START and END have an id, and a mark is a call
 * without duration. If there is a chained tool, each callback calls that tool outside the measured
 * time, and returns its result.
 */
#include "adapters/nvtx.h"

#include "adapters/wide.h"

rs_nvtx_function rs_nvtx_next_core[RS_NVTX_CORE_N];
rs_nvtx_function rs_nvtx_next_core2[RS_NVTX_CORE2_N];

typedef const struct rs_nvtx_attributes *attributes_pointer;

/* The chained tool's callback with this index, converted to its type; NULL if it has none. */
#define NEXT(module, index, type, ...) \
	((type(*)(__VA_ARGS__))__atomic_load_n(&rs_nvtx_next_##module[index], __ATOMIC_ACQUIRE))

/* Return the key of a thread's ranges in a domain. */
static uint64_t key_of(const void *domain)
{
	return (uintptr_t)rs_nvtx_domain(domain);
}

/* The attributes for the chained tool. */
#define SEEN(attributes) rs_nvtx_foreign_attributes(attributes, &(struct rs_nvtx_attributes){0})

/* ---- the global domain ---- */

/* Define mark, START and push for one type of message. seen: the message for the chained tool.
 * site: the region. */
#define BY_MESSAGE(suffix, SUFFIX, type, seen, site)                                         \
	static void mark_##suffix(type message)                                              \
	{                                                                                    \
		void (*next)(type) = NEXT(core, RS_NVTX_MARK_##SUFFIX, void, type);          \
		if (next)                                                                    \
			next(seen);                                                          \
		rs_range_mark(site);                                                         \
	}                                                                                    \
	static uint64_t start_##suffix(type message)                                         \
	{                                                                                    \
		uint64_t (*next)(type) = NEXT(core, RS_NVTX_START_##SUFFIX, uint64_t, type); \
		uint64_t id = next ? next(seen) : 0;                                         \
		return rs_range_start(site, next ? &id : NULL);                              \
	}                                                                                    \
	static int push_##suffix(type message)                                               \
	{                                                                                    \
		int (*next)(type) = NEXT(core, RS_NVTX_PUSH_##SUFFIX, int, type);            \
		int theirs = next ? next(seen) : 0;                                          \
		int level = rs_stack_push_level(key_of(NULL), site);                         \
		return next ? theirs : level;                                                \
	}

BY_MESSAGE(ex, EX, attributes_pointer, SEEN(message), rs_nvtx_region(rs_nvtx_domain(NULL), message))
BY_MESSAGE(text, A, const char *, message, rs_nvtx_text_region(message))
BY_MESSAGE(wide, W, const wchar_t *, message, rs_nvtx_wide_region(message))

static void end_range(uint64_t id)
{
	rs_range_end(id);
	void (*next)(uint64_t) = NEXT(core, RS_NVTX_END, void, uint64_t);
	if (next)
		next(id);
}

static int pop(void)
{
	int level = rs_stack_pop(key_of(NULL));
	int (*next)(void) = NEXT(core, RS_NVTX_POP, int, void);
	return next ? next() : level;
}

/* ---- other domains ---- */

static void domain_mark_ex(const void *domain, attributes_pointer attributes)
{
	void (*next)(const void *, attributes_pointer) = NEXT(
		core2, RS_NVTX_DOMAIN_MARK_EX, void, const void *, attributes_pointer);
	if (next)
		next(rs_nvtx_foreign(domain), SEEN(attributes));
	rs_range_mark(rs_nvtx_region(rs_nvtx_domain(domain), attributes));
}

static uint64_t domain_start_ex(const void *domain, attributes_pointer attributes)
{
	uint64_t (*next)(const void *, attributes_pointer) = NEXT(
		core2, RS_NVTX_DOMAIN_START_EX, uint64_t, const void *, attributes_pointer);
	uint64_t id = next ? next(rs_nvtx_foreign(domain), SEEN(attributes)) : 0;
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

static int domain_push_ex(const void *domain, attributes_pointer attributes)
{
	int (*next)(const void *, attributes_pointer) = NEXT(
		core2, RS_NVTX_DOMAIN_PUSH_EX, int, const void *, attributes_pointer);
	int theirs = next ? next(rs_nvtx_foreign(domain), SEEN(attributes)) : 0;
	int level = rs_stack_push_level(
		key_of(domain), rs_nvtx_region(rs_nvtx_domain(domain), attributes));
	return next ? theirs : level;
}

static int domain_pop(const void *domain)
{
	int level = rs_stack_pop(key_of(domain));
	int (*next)(const void *) = NEXT(core2, RS_NVTX_DOMAIN_POP, int, const void *);
	return next ? next(rs_nvtx_foreign(domain)) : level;
}

/* ---- names of threads of this process, by the thread id of gettid(2) ---- */

static void give_name(uint32_t thread, const char *name, size_t bytes)
{
	if (thread != RS_THREAD_CALLING)
		rs_adapter_name_thread(thread, name, bytes);
	else /* no thread has this id */
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
