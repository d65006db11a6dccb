/* SPDX-License-Identifier: MIT */
/*
 * This file maps ITT's names to regions. The program stores the addresses of domains and strings,
 * and the ids of events. A region's name consists of its domain and its string. Its site
 * (adapter.h) is looked up once, and stored with the string.
 */
#include "adapters/itt.h"

#include "adapters/places.h"
#include "adapters/wide.h"

#define MAX_EVENTS 4096

/* The site of the region whose name consists of a domain and a string. Each string has a list of
 * such structs. */
struct region {
	struct rs_listed listed;
	const struct rs_name *domain;
	struct regionstat_site_ *site;
};

static struct rs_name nameless; /* for a domain without a name, or if memory ran out */
static _Atomic(struct regionstat_site_ *) events[MAX_EVENTS];

/* Return the object of this kind (a domain or a string) that is attached to a name. If there is
 * none, create it as a copy of first[bytes]. */
static void *find_thing(struct rs_name *name, enum rs_name_use use, const void *first, size_t bytes)
{
	if (!name)
		return NULL;
	/* acquire: pairs with the exchange below */
	void *thing = atomic_load_explicit(&name->things[use], memory_order_acquire);
	if (thing)
		return thing;
	void *made = rs_adapter_allocate(bytes);
	if (!made) {
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
		return NULL;
	}
	memcpy(made, first, bytes);
	return atomic_compare_exchange_strong_explicit(
		       &name->things[use], &thing, made, memory_order_acq_rel, memory_order_acquire)
		       ? made
		       : thing;
}

static struct rs_itt_domain *domain_of(struct rs_name *name)
{
	struct rs_itt_domain first = {.flags = 1, .name = name ? name->text : NULL, .extra = name};
	return find_thing(name, RS_NAME_DOMAIN, &first, sizeof(first));
}

static struct rs_itt_string *string_of(struct rs_name *name)
{
	struct rs_itt_string first = {.text = name ? name->text : NULL};
	return find_thing(name, RS_NAME_STRING, &first, sizeof(first));
}

static struct rs_name *name_of_wide(const wchar_t *wide)
{
	char text[RS_WIDE_BYTES];
	return rs_name_of(text, rs_wide_to_utf8(wide, SIZE_MAX, text));
}

struct rs_itt_domain *rs_itt_domain_create(const char *name)
{
	return name ? domain_of(rs_name_of(name, strlen(name))) : NULL;
}

struct rs_itt_domain *rs_itt_domain_create_wide(const wchar_t *name)
{
	return name ? domain_of(name_of_wide(name)) : NULL;
}

struct rs_itt_string *rs_itt_string_create(const char *text)
{
	return text ? string_of(rs_name_of(text, strlen(text))) : NULL;
}

struct rs_itt_string *rs_itt_string_create_wide(const wchar_t *text)
{
	return text ? string_of(name_of_wide(text)) : NULL;
}

struct rs_name *rs_itt_domain_name(const struct rs_itt_domain *domain)
{
	if (!domain)
		return &nameless;
	/* the member is writable; only the program's pointer is const */
	void **extra = (void **)(uintptr_t)&domain->extra;
	/* acquire: pairs with the store below; the name was written before that store */
	struct rs_name *name = __atomic_load_n(extra, __ATOMIC_ACQUIRE);
	if (name)
		return name;
	name = domain->name ? rs_name_of(domain->name, strlen(domain->name))
			    : name_of_wide(domain->name_wide);
	if (!name)
		return &nameless;
	__atomic_store_n(extra, name, __ATOMIC_RELEASE);
	return name;
}

static struct regionstat_site_ *find_site(
	const struct rs_name *domain, const struct rs_itt_string *string)
{
	char wide[RS_WIDE_BYTES];
	const char *text = string ? string->text : NULL;
	size_t bytes = text ? strlen(text) : 0;
	if (!text && string && string->text_wide) {
		bytes = rs_wide_to_utf8(string->text_wide, SIZE_MAX, wide);
		text = wide;
	}
	return rs_adapter_site_of(domain->text, domain->bytes, text, bytes);
}

static inline bool is_of_domain(const struct rs_listed *one, const void *region)
{
	return ((const struct region *)(const void *)one)->domain ==
	       ((const struct region *)region)->domain;
}

static struct rs_listed *copy_region(const void *region)
{
	struct region *copy = rs_adapter_allocate(sizeof(*copy));
	return copy ? memcpy(copy, region, sizeof(*copy)) : NULL;
}

struct regionstat_site_ *rs_itt_region(
	const struct rs_itt_domain *domain, const struct rs_itt_string *string)
{
	struct region region = {.domain = rs_itt_domain_name(domain)};
	if (!string)
		return find_site(region.domain, NULL);
	/* the member is writable; only the program's pointer is const */
	struct rs_list *regions = (struct rs_list *)(uintptr_t)&string->regions;
	const struct region *found = (const void *)rs_list_find(regions, is_of_domain, &region);
	if (found)
		return found->site;
	region.site = find_site(region.domain, string);
	rs_list_get(regions, is_of_domain, copy_region, &region, NULL);
	return region.site;
}

/* Write an address in C's form 0x... into text[2 + 16], without a NUL. Return how many bytes were
 * written. */
static size_t write_address(const void *address, char *text)
{
	uint64_t rest = (uint64_t)(uintptr_t)address;
	size_t n_digits = 1;
	while (n_digits < 16 && rest >> (4 * n_digits))
		n_digits++;
	text[0] = '0';
	text[1] = 'x';
	for (size_t i = n_digits; i > 0; i--, rest >>= 4)
		text[1 + i] = "0123456789abcdef"[rest & 15];
	return 2 + n_digits;
}

struct regionstat_site_ *rs_itt_function_region(
	const struct rs_itt_domain *domain, const void *address)
{
	/* the region's name does not begin with a domain, because the launcher finds the function's
	 * name after the run */
	struct regionstat_site_ *site = rs_adapter_place_site(rs_adapter_place_of(address), 0, "");
	char text[2 + 16];
	if (site && site != &rs_adapter_nowhere)
		return site;
	/* do not store this site: the next call may find the function, or pass another domain */
	const struct rs_name *name = rs_itt_domain_name(domain);
	return rs_adapter_site_of(name->text, name->bytes, text, write_address(address, text));
}

struct regionstat_site_ *rs_itt_frame_region(const struct rs_itt_domain *domain)
{
	struct rs_name *name = rs_itt_domain_name(domain);
	struct regionstat_site_ *site = atomic_load_explicit(
		&name->things[RS_NAME_SITE], memory_order_acquire);
	if (site)
		return site;
	site = rs_adapter_site(name->text, name->bytes);
	/* release: pairs with the load above */
	atomic_store_explicit(&name->things[RS_NAME_SITE], site, memory_order_release);
	return site;
}

int rs_itt_event_create(const char *name, size_t bytes)
{
	struct regionstat_site_ *site = rs_adapter_site(name, bytes);
	for (int i = 0; i < MAX_EVENTS; i++) {
		struct regionstat_site_ *seen = NULL;
		/* release and acquire: pair with the load in rs_itt_event_region() */
		if (atomic_compare_exchange_strong_explicit(
			    &events[i], &seen, site, memory_order_acq_rel, memory_order_acquire) ||
			seen == site)
			return i + 1;
	}
	rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
	return 0;
}

struct regionstat_site_ *rs_itt_event_region(int event)
{
	return event < 1 || event > MAX_EVENTS
		       ? NULL
		       : atomic_load_explicit(&events[event - 1], memory_order_acquire);
}
