/* SPDX-License-Identifier: MIT */
/*
 * A minimal static part of ITT, written from the published contract (see lib/adapters/itt.h). Each
 * object that includes this has its own. It loads the collector that INTEL_LIBITTNOTIFY64 names,
 * and passes its list of functions. Without a collector these are NULL, and the macros call
 * nothing.
 */
#ifndef ITT_PART_H
#define ITT_PART_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

struct itt_id {
	unsigned long long d1, d2, d3;
};

struct itt_domain {
	volatile int flags;
	const char *name_a;
	const wchar_t *name_w;
	int extra1;
	void *extra2;
	struct itt_domain *next;
};

struct itt_string {
	const char *str_a;
	const wchar_t *str_w;
	int extra1;
	void *extra2;
	struct itt_string *next;
};

struct itt_entry {
	const char *name;
	void (**func_ptr)(void);
	void (*init_func)(void);
	void (*null_func)(void);
	int group;
};

struct itt_global {
	unsigned char magic[8];
	unsigned long version_major, version_minor, version_build;
	volatile long api_initialized, mutex_initialized, atomic_counter;
	pthread_mutex_t mutex;
	void *lib;
	void *error_handler;
	const char **dll_path_ptr;
	struct itt_entry *api_list_ptr;
	struct itt_global *next;
	void *thread_list;
	struct itt_domain *domain_list;
	struct itt_string *string_list;
	int state;
};

enum {
	ITT_GROUP_CONTROL = 1 << 1,
	ITT_GROUP_THREAD = 1 << 2,
	ITT_GROUP_MARK = 1 << 3,
	ITT_GROUP_SYNC = 1 << 4,
	ITT_GROUP_STRUCTURE = 1 << 12,
	ITT_GROUP_ALL = -1,
};

/* Result, name, parameters and group of each function. */
#define ITT_FUNCTIONS(X)                                                                           \
	X(struct itt_domain *, domain_create, (const char *), ITT_GROUP_STRUCTURE)                 \
	X(struct itt_domain *, domain_createW, (const wchar_t *), ITT_GROUP_STRUCTURE)             \
	X(struct itt_string *, string_handle_create, (const char *), ITT_GROUP_STRUCTURE)          \
	X(struct itt_string *, string_handle_createW, (const wchar_t *), ITT_GROUP_STRUCTURE)      \
	X(void, task_begin,                                                                        \
		(const struct itt_domain *, struct itt_id, struct itt_id, struct itt_string *),    \
		ITT_GROUP_STRUCTURE)                                                               \
	X(void, task_begin_fn, (const struct itt_domain *, struct itt_id, struct itt_id, void *),  \
		ITT_GROUP_STRUCTURE)                                                               \
	X(void, task_end, (const struct itt_domain *), ITT_GROUP_STRUCTURE)                        \
	X(void, task_begin_ex,                                                                     \
		(const struct itt_domain *, void *, unsigned long long, struct itt_id,             \
			struct itt_id, struct itt_string *),                                       \
		ITT_GROUP_STRUCTURE)                                                               \
	X(void, task_end_ex, (const struct itt_domain *, void *, unsigned long long),              \
		ITT_GROUP_STRUCTURE)                                                               \
	X(void, task_begin_overlapped,                                                             \
		(const struct itt_domain *, struct itt_id, struct itt_id, struct itt_string *),    \
		ITT_GROUP_STRUCTURE)                                                               \
	X(void, task_end_overlapped, (const struct itt_domain *, struct itt_id),                   \
		ITT_GROUP_STRUCTURE)                                                               \
	X(void, region_begin,                                                                      \
		(const struct itt_domain *, struct itt_id, struct itt_id, struct itt_string *),    \
		ITT_GROUP_STRUCTURE)                                                               \
	X(void, region_end, (const struct itt_domain *, struct itt_id), ITT_GROUP_STRUCTURE)       \
	X(void, frame_begin_v3, (const struct itt_domain *, struct itt_id *), ITT_GROUP_STRUCTURE) \
	X(void, frame_end_v3, (const struct itt_domain *, struct itt_id *), ITT_GROUP_STRUCTURE)   \
	X(void, frame_submit_v3,                                                                   \
		(const struct itt_domain *, struct itt_id *, unsigned long long,                   \
			unsigned long long),                                                       \
		ITT_GROUP_STRUCTURE)                                                               \
	X(int, event_create, (const char *, int), ITT_GROUP_MARK)                                  \
	X(int, event_start, (int), ITT_GROUP_MARK)                                                 \
	X(int, event_end, (int), ITT_GROUP_MARK)                                                   \
	X(void, pause, (void), ITT_GROUP_CONTROL)                                                  \
	X(void, resume, (void), ITT_GROUP_CONTROL)                                                 \
	X(void, pause_scoped, (int), ITT_GROUP_CONTROL)                                            \
	X(void, resume_scoped, (int), ITT_GROUP_CONTROL)                                           \
	X(void, detach, (void), ITT_GROUP_CONTROL)                                                 \
	X(void, thread_set_name, (const char *), ITT_GROUP_THREAD)                                 \
	X(void, sync_prepare, (void *), ITT_GROUP_SYNC)

#define ITT_POINTER(result, name, parameters, group) static result(*itt_##name) parameters;
ITT_FUNCTIONS(ITT_POINTER)

static void itt_before(void)
{
}

#define ITT_ENTRY(result, name, parameters, group) \
	{"__itt_" #name, (void (**)(void))(void *)&itt_##name, itt_before, NULL, group},
static struct itt_entry itt_entries[] = {ITT_FUNCTIONS(ITT_ENTRY){NULL, NULL, NULL, NULL, 0}};

static struct itt_global itt_part = {
	.magic = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30},
	.version_major = 3,
	.version_build = 20180723,
	.api_list_ptr = itt_entries,
};

/* Return what the function returns before the static part has started: a domain of its own. */
static inline struct itt_domain *itt_early_domain(const char *name, int flags)
{
	struct itt_domain *domain = calloc(1, sizeof(*domain)), **end = &itt_part.domain_list;
	domain->flags = flags;
	domain->name_a = strdup(name);
	while (*end)
		end = &(*end)->next;
	return *end = domain;
}

static inline struct itt_string *itt_early_string(const char *text)
{
	struct itt_string *string = calloc(1, sizeof(*string)), **end = &itt_part.string_list;
	string->str_a = strdup(text);
	while (*end)
		end = &(*end)->next;
	return *end = string;
}

/* Start the static part, as its first call does. Return whether there is a collector. */
static inline int itt_start(int groups)
{
	void (*init)(struct itt_global *, int) = NULL;
	const char *path = getenv("INTEL_LIBITTNOTIFY64");
	if (path)
		itt_part.lib = dlopen(path, RTLD_LAZY);
	if (itt_part.lib)
		*(void **)&init = dlsym(itt_part.lib, "__itt_api_init");
	if (init)
		init(&itt_part, groups);
	itt_part.api_initialized = 1;
	return init != NULL;
}

#define ITT_NULL ((struct itt_id){0, 0, 0})

/* Like the public macros, do nothing if the domain is off or the function is missing. */
#define ITT_CALL(name, domain, ...)                                  \
	do {                                                         \
		const struct itt_domain *itt_domain_ = (domain);     \
		if (itt_domain_ && itt_domain_->flags && itt_##name) \
			itt_##name(itt_domain_, ##__VA_ARGS__);      \
	} while (0)
#define ITT_BEGIN(domain, string) ITT_CALL(task_begin, domain, ITT_NULL, ITT_NULL, string)
#define ITT_END(domain)                                                \
	do {                                                           \
		const struct itt_domain *itt_domain_ = (domain);       \
		if (itt_domain_ && itt_domain_->flags && itt_task_end) \
			itt_task_end(itt_domain_);                     \
	} while (0)
#define ITT_DOMAIN(name) (itt_domain_create ? itt_domain_create(name) : NULL)
#define ITT_STRING(name) (itt_string_handle_create ? itt_string_handle_create(name) : NULL)

#endif
