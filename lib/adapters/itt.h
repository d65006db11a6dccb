/* SPDX-License-Identifier: MIT */
/*
 * Declarations of ITT (Instrumentation and Tracing Technology). A program contains a static part of
 * ITT, which loads a collector such as this adapter. The structs are those of the public headers
 * (github.com/intel/ittapi: include/ittnotify.h, src/ittnotify/ittnotify_config.h and
 * ittnotify_types.h). Builds 20111111 to 20250807 have these structs. Newer builds have more
 * members at the end.
 */
#ifndef RS_ADAPTERS_ITT_H
#define RS_ADAPTERS_ITT_H

#include <pthread.h>
#include <wchar.h>

#include "adapters/names.h"
#include "adapters/open_calls.h"
#include "adapters/stacks.h"

typedef void (*rs_itt_function)(void);

/* One function of the API. The program calls *function unless it is NULL. */
struct rs_itt_entry {
	const char *name;
	rs_itt_function *function;
	/* the initial value of *function; this function initializes the static part and then calls
	 * *function */
	rs_itt_function init_function;
	rs_itt_function null_function; /* value of *function if ITT is disabled; may be NULL */
	int group;
};

/* Domains and strings, which the program also reads. The member `extra` of each struct belongs to
 * the collector. */
struct rs_itt_domain {
	volatile int flags; /* 0: the program makes no calls for this domain */
	const char *name;
	const wchar_t *name_wide;
	int extra_number;
	void *extra; /* struct rs_name, or NULL until it is needed */
	struct rs_itt_domain *next;
};

struct rs_itt_string {
	const char *text;
	const wchar_t *text_wide;
	int extra_number;
	struct rs_list regions; /* uses the space that ITT reserves for the collector */
	struct rs_itt_string *next;
};

/* An id, which the program passes by value. */
struct rs_itt_id {
	unsigned long long words[3];
};

/* The static part of ITT in one object of the program. */
struct rs_itt_global {
	unsigned char magic[8];
	unsigned long version_major;
	unsigned long version_minor;
	unsigned long version_build; /* the date of the build as YYYYMMDD */
	volatile long api_initialized;
	volatile long mutex_initialized;
	volatile long atomic_counter;
	pthread_mutex_t mutex;
	void *library; /* handle of the collector, from dlopen() */
	void *error_handler;
	const char **path;
	struct rs_itt_entry *entries; /* the last one has no name */
	struct rs_itt_global *next;
	void *threads;
	/* domains that were created before the collector was loaded */
	struct rs_itt_domain *domains;
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

/* Initialize a static part of ITT. Each time that a static part is initialized, it loads the
 * collector, and then calls this function. */
RS_ADAPTER_EXPORT void __itt_api_init(struct rs_itt_global *global, int groups);

/* ---- itt_calls.c ---- */

/* Return the adapter's implementation of the function of this name, or NULL if there is none. */
rs_itt_function rs_itt_find_function(const char *name);

/* ---- itt_names.c: domains, strings and regions. Any thread may call these. ---- */

/* Return the domain or string of a name. Equal names give the same object. Return NULL if name is
 * NULL or memory runs out. These objects belong to the process. A static part frees only its own
 * objects when it is unloaded. */
struct rs_itt_domain *rs_itt_domain_create(const char *name);
struct rs_itt_domain *rs_itt_domain_create_wide(const wchar_t *name);
struct rs_itt_string *rs_itt_string_create(const char *text);
struct rs_itt_string *rs_itt_string_create_wide(const wchar_t *text);

/* Return the name of a domain of any static part; never NULL. */
struct rs_name *rs_itt_domain_name(const struct rs_itt_domain *domain);

/* Each of these functions returns a region: the one that `string` names in a domain, that of the
 * function at `address`, or that of a domain's frames. The region of frames has the domain's
 * name. */
struct regionstat_site_ *rs_itt_region(
	const struct rs_itt_domain *domain, const struct rs_itt_string *string);
struct regionstat_site_ *rs_itt_function_region(
	const struct rs_itt_domain *domain, const void *address);
struct regionstat_site_ *rs_itt_frame_region(const struct rs_itt_domain *domain);

/* Return an id of at least 1 for an event of this name, or 0 if there are too many events.
 * rs_itt_event_region() returns the region of an event, or NULL. */
int rs_itt_event_create(const char *name, size_t bytes);
struct regionstat_site_ *rs_itt_event_region(int event);

#endif
