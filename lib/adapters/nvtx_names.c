/* SPDX-License-Identifier: MIT */
/*
 * This file maps NVTX's handles, which the program stores, to domains and registered strings.
 * Handles of the adapter are addresses of its names and sites. If there is a chained tool, the
 * program gets that tool's handles, because the tool must recognize them. This file then attaches
 * the adapter's domains and strings to these handles.
 */
#include "adapters/nvtx.h"

#include "adapters/wide.h"

static struct rs_name global; /* the domain of calls without a domain */
static _Atomic bool has_foreign_handles; /* set before any object makes calls */

void rs_nvtx_use_foreign_handles(void)
{
	atomic_store_explicit(&has_foreign_handles, true, memory_order_relaxed);
}

static bool is_foreign(void)
{
	return atomic_load_explicit(&has_foreign_handles, memory_order_relaxed);
}

const struct rs_name *rs_nvtx_domain(const void *handle)
{
	const struct rs_name *domain = handle && is_foreign() ? rs_address_get(handle) : handle;
	return domain ? domain : &global;
}

/* Return the key of a string's handle. It differs from the key of a domain with the same handle,
 * because a tool may use one handle for both. */
static const void *string_key(const void *handle)
{
	return (const void *)(uintptr_t)((uint64_t)(uintptr_t)handle ^ UINT64_C(1) << 63);
}

/* Return the handle of an object for the program: the chained tool's, or ours if there is no
 * chained tool. */
static const void *handle_of(const void *thing, const void *const *foreign, bool is_string)
{
	const void *handle = foreign ? *foreign : thing;
	/* attach NULL too, because the tool may reuse a handle */
	if (is_foreign() && handle)
		rs_address_set(is_string ? string_key(handle) : handle, (void *)(uintptr_t)thing);
	return handle;
}

const void *rs_nvtx_foreign(const void *handle)
{
	return handle && rs_address_get(handle) == handle ? NULL : handle;
}

const struct rs_nvtx_attributes *rs_nvtx_foreign_attributes(
	const struct rs_nvtx_attributes *attributes, struct rs_nvtx_attributes *copy)
{
	if (!attributes || attributes->bytes < sizeof(*copy) ||
		attributes->message_type != RS_NVTX_MESSAGE_REGISTERED || !attributes->message ||
		rs_address_get(string_key(attributes->message)) != attributes->message)
		return attributes;
	*copy = *attributes;
	copy->bytes = sizeof(*copy);
	copy->message = NULL;
	return copy;
}

const void *rs_nvtx_domain_create(const char *name, size_t bytes, const void *const *foreign)
{
	return handle_of(bytes ? rs_name_of(name, bytes) : NULL, foreign, false);
}

static struct regionstat_site_ *region_of(
	const struct rs_name *domain, const char *text, size_t bytes)
{
	return rs_adapter_site_of(domain->text, domain->bytes, text, bytes);
}

const void *rs_nvtx_string_create(
	const void *domain, const char *text, size_t bytes, const void *const *foreign)
{
	return handle_of(region_of(rs_nvtx_domain(domain), text, bytes), foreign, true);
}

static struct regionstat_site_ *wide_region(const struct rs_name *domain, const wchar_t *wide)
{
	char text[RS_WIDE_BYTES];
	return region_of(domain, text, rs_wide_to_utf8(wide, SIZE_MAX, text));
}

struct regionstat_site_ *rs_nvtx_region(
	const struct rs_name *domain, const struct rs_nvtx_attributes *attributes)
{
	const void *message = NULL;
	int type = 0;
	if (attributes && (attributes->version > RS_NVTX_VERSION ||
				  attributes->bytes < sizeof(*attributes))) {
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
	} else if (attributes) {
		message = attributes->message;
		type = attributes->message_type;
	}
	if (message && type == RS_NVTX_MESSAGE_REGISTERED) {
		/* the site is attached to the handle, or the handle is the site */
		const void *site = is_foreign() ? rs_address_get(string_key(message)) : message;
		if (site)
			return (struct regionstat_site_ *)(uintptr_t)site;
	}
	if (message && type == RS_NVTX_MESSAGE_ASCII)
		return region_of(domain, message, strlen(message));
	if (message && type == RS_NVTX_MESSAGE_WIDE)
		return wide_region(domain, message);
	return region_of(domain, NULL, 0);
}

struct regionstat_site_ *rs_nvtx_text_region(const char *text)
{
	return region_of(&global, text, text ? strlen(text) : 0);
}

struct regionstat_site_ *rs_nvtx_wide_region(const wchar_t *wide)
{
	return wide_region(&global, wide);
}
