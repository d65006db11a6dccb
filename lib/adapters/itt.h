/* SPDX-License-Identifier: MIT */
/*
 * The static part of ITT (Instrumentation and Tracing Technology) that is compiled into programs,
 * as a collector needs it. The structs are those of the public headers (github.com/intel/ittapi:
 * include/ittnotify.h, src/ittnotify/ittnotify_config.h and ittnotify_types.h), the same from
 * build 20111111 to 20250807. Members behind those named here exist in newer ones.
 */
#ifndef RS_ADAPTERS_ITT_H
#define RS_ADAPTERS_ITT_H

#include <pthread.h>
#include <wchar.h>

#include "adapters/names.h"
#include "adapters/open_calls.h"
#include "adapters/stacks.h"

typedef void (*rs_itt_function)(void);

/* One function of the API: the program calls what *function is, unless it is NULL. */
struct rs_itt_entry {
	const char *name;
	rs_itt_function *function;
	rs_itt_function init_function; /* its first value: starts the static part */
	rs_itt_function null_function; /* its value when it is disabled; may be NULL */
	int group;
};

/* Both are shared with the program. extra: the collector's own. */
struct rs_itt_domain {
	volatile int flags; /* 0: the program calls nothing with it */
	const char *name;
	const wchar_t *name_wide;
	int extra_number;
	void *extra; /* struct rs_name, NULL until it is needed */
	struct rs_itt_domain *next;
};

struct rs_itt_string {
	const char *text;
	const wchar_t *text_wide;
	int extra_number;
	struct rs_list regions; /* its place for what is the collector's */
	struct rs_itt_string *next;
};

/* Passed by value. */
struct rs_itt_id {
	unsigned long long words[3];
};

/* A static part. */
struct rs_itt_global {
	unsigned char magic[8];
	unsigned long version_major;
	unsigned long version_minor;
	unsigned long version_build; /* YYYYMMDD */
	volatile long api_initialized;
	volatile long mutex_initialized;
	volatile long atomic_counter;
	pthread_mutex_t mutex;
	void *library; /* what dlopen() gave for the collector */
	void *error_handler;
	const char **path;
	struct rs_itt_entry *entries; /* up to one without a name */
	struct rs_itt_global *next;
	void *threads;
	struct rs_itt_domain *domains; /* made before the collector came */
	struct rs_itt_string *strings;
};

#if defined(__LP64__) && defined(__x86_64__)
static_assert(offsetof(struct rs_itt_global, library) == 96, "ABI");
static_assert(offsetof(struct rs_itt_global, entries) == 120, "ABI");
static_assert(offsetof(struct rs_itt_global, domains) == 144, "ABI");
#endif
#if defined(__LP64__)
static_assert(sizeof(struct rs_itt_entry) == 40, "ABI");
static_assert(sizeof(struct rs_itt_domain) == 48, "ABI");
static_assert(sizeof(struct rs_itt_string) == 40, "ABI");
#endif
static_assert(sizeof(struct rs_itt_id) == 24, "ABI");

/* ---- itt.c ---- */

/* A static part calls this, once it is loaded, as often as it is started. */
RS_ADAPTER_EXPORT void __itt_api_init(struct rs_itt_global *global, int groups);

/* ---- itt_calls.c ---- */

/* The collector's function of that name; NULL: there is none. */
rs_itt_function rs_itt_find_function(const char *name);

/* ---- itt_names.c: domains, strings and regions. Any thread. ---- */

/* A domain or a string of a name, the same for the same one; NULL for NULL, or without memory. They
 * are the process's, not those of a static part, which may be unloaded and frees what is its
 * own. */
struct rs_itt_domain *rs_itt_domain_create(const char *name);
struct rs_itt_domain *rs_itt_domain_create_wide(const wchar_t *name);
struct rs_itt_string *rs_itt_string_create(const char *text);
struct rs_itt_string *rs_itt_string_create_wide(const wchar_t *text);

/* The name of a domain, of any static part; never NULL. */
struct rs_name *rs_itt_domain_name(const struct rs_itt_domain *domain);

/* The region that string names in domain; or a place in the code; or the domain itself, for
 * frames. */
struct regionstat_site_ *rs_itt_region(
	const struct rs_itt_domain *domain, const struct rs_itt_string *string);
struct regionstat_site_ *rs_itt_function_region(
	const struct rs_itt_domain *domain, const void *address);
struct regionstat_site_ *rs_itt_frame_region(const struct rs_itt_domain *domain);

/* A number for an event of a name, from 1 on; 0: there is none. And its region, NULL for none. */
int rs_itt_event_create(const char *name, size_t bytes);
struct regionstat_site_ *rs_itt_event_region(int event);

#endif
