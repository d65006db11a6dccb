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

/* Define a callback. Its body may call `next`, the chained tool's callback with this index. `next`
 * is NULL if that tool has none. */
#define CALLBACK(module, index, type, function, parameters, ...)              \
	static type function parameters                                       \
	{                                                                     \
		type(*next) parameters = (type(*) parameters)__atomic_load_n( \
			&rs_nvtx_next_##module[index], __ATOMIC_ACQUIRE);     \
		__VA_ARGS__                                                   \
	}

/* Return the key of a thread's ranges in a domain. */
static uint64_t key_of(const void *domain)
{
	return (uintptr_t)rs_nvtx_domain(domain);
}

/* ---- marks and ranges ---- */

/* Define mark, START and push for one type of message. suffix: end of their names. INDEX: part of
 * the names of their indexes. arguments: those for the chained tool. domain: the domain in which
 * ranges nest. site: the site of the region. */
#define BY_MESSAGE(module, suffix, INDEX, SUFFIX, parameters, arguments, domain, site)            \
	CALLBACK(module, RS_NVTX_##INDEX##MARK_##SUFFIX, void, mark_##suffix, parameters, {       \
		if (next)                                                                         \
			next arguments;                                                           \
		rs_range_mark(site);                                                              \
	})                                                                                        \
	CALLBACK(module, RS_NVTX_##INDEX##START_##SUFFIX, uint64_t, start_##suffix, parameters, { \
		uint64_t id = next ? next arguments : 0;                                          \
		return rs_range_start(site, next ? &id : NULL);                                   \
	})                                                                                        \
	CALLBACK(module, RS_NVTX_##INDEX##PUSH_##SUFFIX, int, push_##suffix, parameters, {        \
		int theirs = next ? next arguments : 0;                                           \
		int level = rs_stack_push_level(key_of(domain), site);                            \
		return next ? theirs : level;                                                     \
	})

/* The attributes for the chained tool. */
#define SEEN(attributes) rs_nvtx_foreign_attributes(attributes, &(struct rs_nvtx_attributes){0})

BY_MESSAGE(core, text, , A, (const char *message), (message), NULL, rs_nvtx_text_region(message))
BY_MESSAGE(core, wide, , W, (const wchar_t *message), (message), NULL, rs_nvtx_wide_region(message))
BY_MESSAGE(core, ex, , EX, (const struct rs_nvtx_attributes *attributes), (SEEN(attributes)), NULL,
	rs_nvtx_region(rs_nvtx_domain(NULL), attributes))
BY_MESSAGE(core2, in_domain, DOMAIN_, EX,
	(const void *domain, const struct rs_nvtx_attributes *attributes),
	(rs_nvtx_foreign(domain), SEEN(attributes)), domain,
	rs_nvtx_region(rs_nvtx_domain(domain), attributes))

CALLBACK(core, RS_NVTX_END, void, end_range, (uint64_t id), {
	rs_range_end(id);
	if (next)
		next(id);
})

CALLBACK(core2, RS_NVTX_DOMAIN_END, void, end_in_domain, (const void *domain, uint64_t id), {
	rs_range_end(id);
	if (next)
		next(rs_nvtx_foreign(domain), id);
})

CALLBACK(core, RS_NVTX_POP, int, pop, (void), {
	int level = rs_stack_pop(key_of(NULL));
	return next ? next() : level;
})

CALLBACK(core2, RS_NVTX_DOMAIN_POP, int, pop_in_domain, (const void *domain), {
	int level = rs_stack_pop(key_of(domain));
	return next ? next(rs_nvtx_foreign(domain)) : level;
})

/* ---- names of threads of this process; a thread is identified by its id from gettid(2) ---- */

static void give_name(uint32_t thread, const char *name, size_t bytes)
{
	if (thread != RS_THREAD_CALLING)
		rs_adapter_name_thread(thread, name, bytes);
	else /* no thread has this id */
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
}

CALLBACK(core, RS_NVTX_NAME_THREAD_A, void, name_thread, (uint32_t thread, const char *name), {
	if (next)
		next(thread, name);
	if (name)
		give_name(thread, name, strlen(name));
})

CALLBACK(core, RS_NVTX_NAME_THREAD_W, void, name_thread_wide,
	(uint32_t thread, const wchar_t *name), {
		char text[RS_WIDE_BYTES];
		if (next)
			next(thread, name);
		if (name)
			give_name(thread, text, rs_wide_to_utf8(name, SIZE_MAX, text));
	})

/* ---- handles ---- */

CALLBACK(core2, RS_NVTX_REGISTER_A, const void *, register_text,
	(const void *domain, const char *text), {
		const void *theirs = next ? next(rs_nvtx_foreign(domain), text) : NULL;
		return rs_nvtx_string_create(
			domain, text, text ? strlen(text) : 0, next ? &theirs : NULL);
	})

CALLBACK(core2, RS_NVTX_REGISTER_W, const void *, register_wide,
	(const void *domain, const wchar_t *wide), {
		const void *theirs = next ? next(rs_nvtx_foreign(domain), wide) : NULL;
		char text[RS_WIDE_BYTES];
		size_t bytes = rs_wide_to_utf8(wide, SIZE_MAX, text);
		return rs_nvtx_string_create(domain, text, bytes, next ? &theirs : NULL);
	})

CALLBACK(core2, RS_NVTX_DOMAIN_CREATE_A, const void *, create_text, (const char *name), {
	const void *theirs = next ? next(name) : NULL;
	return rs_nvtx_domain_create(name, name ? strlen(name) : 0, next ? &theirs : NULL);
})

CALLBACK(core2, RS_NVTX_DOMAIN_CREATE_W, const void *, create_wide, (const wchar_t *wide), {
	const void *theirs = next ? next(wide) : NULL;
	char text[RS_WIDE_BYTES];
	size_t bytes = rs_wide_to_utf8(wide, SIZE_MAX, text);
	return rs_nvtx_domain_create(text, bytes, next ? &theirs : NULL);
})

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
	[RS_NVTX_DOMAIN_MARK_EX] = FUNCTION(mark_in_domain),
	[RS_NVTX_DOMAIN_START_EX] = FUNCTION(start_in_domain),
	[RS_NVTX_DOMAIN_END] = FUNCTION(end_in_domain),
	[RS_NVTX_DOMAIN_PUSH_EX] = FUNCTION(push_in_domain),
	[RS_NVTX_DOMAIN_POP] = FUNCTION(pop_in_domain),
	[RS_NVTX_REGISTER_A] = FUNCTION(register_text),
	[RS_NVTX_REGISTER_W] = FUNCTION(register_wide),
	[RS_NVTX_DOMAIN_CREATE_A] = FUNCTION(create_text),
	[RS_NVTX_DOMAIN_CREATE_W] = FUNCTION(create_wide),
};
