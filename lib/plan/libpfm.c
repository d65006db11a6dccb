/* SPDX-License-Identifier: MIT */
/*
 * This file contains all calls of libpfm4. It encodes event strings, describes events in one line,
 * and lists the names of all PMU models that the library recognizes on this machine.
 */
#include "plan/libpfm.h"

#include <assert.h>
#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 256u

/* The functions of libpfm4. Loading the library takes longer than the rest of regionstat's start,
 * and few runs need it. So it is loaded only when it is needed. */
static struct {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_os_event_encoding) *encode;
	__typeof__(pfm_get_event_info) *event_info;
	__typeof__(pfm_get_event_attr_info) *attribute_info;
	__typeof__(pfm_get_event_next) *event_next;
	__typeof__(pfm_get_pmu_info) *pmu_info;
} pfm;

/* Load libpfm4, unless that is done already, and initialize it. Return the error code of
 * libpfm4. */
static int initialize(void)
{
	static const char *const names[] = {"pfm_initialize", "pfm_get_os_event_encoding",
		"pfm_get_event_info", "pfm_get_event_attr_info", "pfm_get_event_next",
		"pfm_get_pmu_info"};
	void *functions[sizeof(names) / sizeof(names[0])];
	static_assert(sizeof(functions) == sizeof(pfm), "a name for each function");
	if (pfm.initialize)
		return pfm.initialize();
	void *library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!library || !(functions[i] = dlsym(library, names[i])))
			return PFM_ERR_NOTSUPP;
	memcpy(&pfm, functions, sizeof(pfm));
	return pfm.initialize();
}

/* Return a copy of the first line of a description, at most 200 bytes long. */
static const char *first_line(struct rs_arena *arena, const char *text)
{
	return text ? rs_arena_format(arena, "%.*s",
			      (int)(strcspn(text, "\n") < 200 ? strcspn(text, "\n") : 200), text)
		    : NULL;
}

/* Return a line that describes an encoded event: the description of its unit mask, or of the event
 * if it has no unit mask. */
static const char *describe(struct rs_arena *arena, int index, const char *full_name)
{
	pfm_event_info_t event = {.size = sizeof(event)};
	if (pfm.event_info(index, PFM_OS_PERF_EVENT_EXT, &event) != PFM_SUCCESS)
		return NULL;
	const char *colon = full_name ? strstr(full_name, "::") : NULL;
	const char *attribute = colon ? strchr(colon + 2, ':') : NULL;
	int i;
	pfm_for_each_event_attr(i, &event)
	{
		pfm_event_attr_info_t info = {.size = sizeof(info)};
		if (!attribute ||
			pfm.attribute_info(index, i, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS ||
			info.type != PFM_ATTR_UMASK)
			continue;
		size_t length = strcspn(attribute + 1, ":");
		if (strlen(info.name) == length && !strncmp(info.name, attribute + 1, length) &&
			info.desc)
			return first_line(arena, info.desc);
	}
	return first_line(arena, event.desc);
}

bool rs_libpfm_knows_event(int result)
{
	return result != PFM_ERR_NOTFOUND && !rs_libpfm_is_missing(result);
}

bool rs_libpfm_is_missing(int result)
{
	return result == PFM_ERR_NOINIT || result == PFM_ERR_NOTSUPP || result == PFM_ERR_NOMEM;
}

/* Return true if the string has freq=, period=, pinned or cpu=. regionstat sets these fields itself
 * when it opens the event. */
static bool is_for_sampling(const pfm_perf_encode_arg_t *argument)
{
	return argument->attr->sample_period > 0 || argument->attr->pinned || argument->cpu >= 0;
}

int rs_libpfm_encode(
	const char *string, struct perf_event_attr *attr, struct rs_arena *arena, const char **help)
{
	struct perf_event_attr encoded = {0};
	char *full_name = NULL;
	pfm_perf_encode_arg_t argument = {
		.attr = &encoded,
		.fstr = &full_name,
		.size = sizeof(argument),
		.cpu = -1,
	};
	int result = initialize();
	if (result == PFM_SUCCESS)
		result = pfm.encode(
			string, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT_EXT, &argument);
	if (result == PFM_SUCCESS && is_for_sampling(&argument))
		result = RS_LIBPFM_FOR_SAMPLING;
	if (result == PFM_SUCCESS) {
		*attr = encoded;
		attr->size = sizeof(*attr);
		if (help)
			*help = describe(arena, argument.idx, full_name);
	}
	free(full_name);
	return result;
}

static void visit_event(rs_event_visit *visit, void *context, const char *pmu, int index)
{
	pfm_event_info_t event = {.size = sizeof(event)};
	if (pfm.event_info(index, PFM_OS_PERF_EVENT_EXT, &event) != PFM_SUCCESS)
		return;
	bool has_umask = false;
	int i;
	pfm_for_each_event_attr(i, &event)
	{
		pfm_event_attr_info_t info = {.size = sizeof(info)};
		if (pfm.attribute_info(index, i, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS ||
			info.type != PFM_ATTR_UMASK)
			continue;
		has_umask = true;
		char name[NAME_BYTES];
		snprintf(name, sizeof(name), "%s:%s", event.name, info.name);
		visit(context, pmu, name, info.desc ? info.desc : "");
	}
	if (!has_umask)
		visit(context, pmu, event.name, event.desc ? event.desc : "");
}

void rs_libpfm_visit(rs_event_visit *visit, void *context)
{
	if (initialize() != PFM_SUCCESS)
		return;
	pfm_pmu_t pmu;
	pfm_for_all_pmus(pmu)
	{
		pfm_pmu_info_t info = {.size = sizeof(info)};
		if (pfm.pmu_info(pmu, &info) != PFM_SUCCESS || !info.is_present ||
			pmu == PFM_PMU_PERF_EVENT || pmu == PFM_PMU_PERF_EVENT_RAW)
			continue;
		for (int i = info.first_event; i != -1; i = pfm.event_next(i))
			visit_event(visit, context, info.name, i);
	}
}
