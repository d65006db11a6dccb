/* SPDX-License-Identifier: MIT */
/*
 * This file implements the functions of ITT that are measured, as ittnotify.h describes them, and
 * the table of their names. Tasks nest in their thread and domain. Overlapped tasks, regions,
 * frames and events do not nest, and end by their id or name.
 */
#include "adapters/itt.h"

#include "adapters/pauses.h"
#include "adapters/wide.h"

#define SCOPE_HOST 1 /* the scope of a pause that covers the CPU part of the program */

/* The kind of a call. It is stored in the low bits of the key's first word, which are free because
 * that word is an aligned address. */
enum kind {
	KIND_TASK,
	KIND_REGION,
	KIND_FRAME,
	KIND_EVENT,
};

typedef struct rs_itt_id id_by_value;

static struct rs_open_key key_of(
	enum kind kind, const struct rs_itt_domain *domain, const struct rs_itt_id *id)
{
	struct rs_open_key key = {{(uint64_t)(uintptr_t)rs_itt_domain_name(domain) | kind,
		id ? id->words[0] : 0, id ? id->words[1] : 0, id ? id->words[2] : 0}};
	/* a call without an id belongs to its thread, unless another thread ends it */
	key.thread = id ? 0 : rs_open_thread();
	return key;
}

static void start(enum kind kind, const struct rs_itt_domain *domain, const struct rs_itt_id *id,
	struct regionstat_site_ *site)
{
	struct rs_open_key key = key_of(kind, domain, id);
	/* ittnotify.h: "successive calls with the same ID are ignored until" its end */
	rs_open_start(&key, site, RS_OPEN_KEEPS);
}

static void stop(enum kind kind, const struct rs_itt_domain *domain, const struct rs_itt_id *id)
{
	struct rs_open_key key = key_of(kind, domain, id);
	/* ittnotify.h: without a begin, ends of regions and frames "are ignored", and libraries
	 * rely on that */
	rs_open_stop(
		&key, kind == KIND_TASK ? RS_ADAPTER_COUNT_UNMATCHED : RS_ADAPTER_COUNT_IGNORED);
}

/* ---- tasks ---- */

/* Return the key of tasks that nest in this domain. */
static uint64_t key_of_tasks(const struct rs_itt_domain *domain)
{
	return (uintptr_t)rs_itt_domain_name(domain);
}

static void task_begin(const struct rs_itt_domain *domain, id_by_value id, id_by_value parent,
	const struct rs_itt_string *string)
{
	(void)id, (void)parent;
	rs_stack_push(key_of_tasks(domain), rs_itt_region(domain, string));
}

static void task_begin_fn(const struct rs_itt_domain *domain, id_by_value id, id_by_value parent,
	const void *function)
{
	(void)id, (void)parent;
	rs_stack_push(key_of_tasks(domain), rs_itt_function_region(domain, function));
}

static void task_end(const struct rs_itt_domain *domain)
{
	rs_stack_pop(key_of_tasks(domain));
}

static void task_begin_overlapped(const struct rs_itt_domain *domain, id_by_value id,
	id_by_value parent, const struct rs_itt_string *string)
{
	(void)parent;
	start(KIND_TASK, domain, &id, rs_itt_region(domain, string));
}

static void task_end_overlapped(const struct rs_itt_domain *domain, id_by_value id)
{
	stop(KIND_TASK, domain, &id);
}

/* Define the variant of a function that also gets a time from a clock of the program. The adapter
 * ignores this time. */
#define EX(call, arguments, ...)                                                     \
	static void call##_ex(const struct rs_itt_domain *domain, const void *clock, \
		unsigned long long time, ##__VA_ARGS__)                              \
	{                                                                            \
		(void)clock, (void)time;                                             \
		call arguments;                                                      \
	}
EX(task_begin, (domain, id, parent, string), id_by_value id, id_by_value parent,
	const struct rs_itt_string *string)
EX(task_begin_fn, (domain, id, parent, function), id_by_value id, id_by_value parent,
	const void *function)
EX(task_end, (domain))
EX(task_begin_overlapped, (domain, id, parent, string), id_by_value id, id_by_value parent,
	const struct rs_itt_string *string)
EX(task_end_overlapped, (domain, id), id_by_value id)

/* ---- regions and frames ---- */

static void region_begin(const struct rs_itt_domain *domain, id_by_value id, id_by_value parent,
	const struct rs_itt_string *string)
{
	(void)parent;
	start(KIND_REGION, domain, &id, rs_itt_region(domain, string));
}

static void region_end(const struct rs_itt_domain *domain, id_by_value id)
{
	stop(KIND_REGION, domain, &id);
}

static void frame_begin(const struct rs_itt_domain *domain, const struct rs_itt_id *id)
{
	start(KIND_FRAME, domain, id, rs_itt_frame_region(domain));
}

static void frame_end(const struct rs_itt_domain *domain, const struct rs_itt_id *id)
{
	stop(KIND_FRAME, domain, id);
}

/* A program submits a frame after the frame's end. Count this frame as ignored, because no counter
 * was read at its begin. */
static void frame_submit(const struct rs_itt_domain *domain, const struct rs_itt_id *id,
	unsigned long long begin, unsigned long long end)
{
	(void)domain, (void)id, (void)begin, (void)end;
	rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
}

/* ---- events ---- */

static struct rs_open_key key_of_event(int event)
{
	return (struct rs_open_key){{KIND_EVENT, (uint64_t)event}, rs_open_thread()};
}

/* Begin an event. The program need not end it. Return 0 on success, as ITT's event_start() does. */
static int event_start(int event)
{
	struct regionstat_site_ *site = rs_itt_event_region(event);
	struct rs_open_key key = key_of_event(event);
	if (!site)
		return 1;
	rs_open_start(&key, site, RS_OPEN_RESTARTS);
	return 0;
}

static int event_end(int event)
{
	struct rs_open_key key = key_of_event(event);
	rs_open_stop(&key, RS_ADAPTER_COUNT_UNMATCHED);
	return 0;
}

static int event_create(const char *name, int length)
{
	return rs_itt_event_create(name, name && length > 0 ? strnlen(name, (size_t)length) : 0);
}

static int event_create_wide(const wchar_t *name, int length)
{
	char text[RS_WIDE_BYTES];
	return rs_itt_event_create(
		text, rs_wide_to_utf8(name, length > 0 ? (size_t)length : 0, text));
}

/* ---- pauses ---- */

/* detach() was called; children that are forked later inherit this */
static _Atomic bool is_detached;

static void resume_all(void)
{
	if (atomic_load_explicit(&is_detached, memory_order_relaxed))
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
	else
		rs_resume();
}

/* Detach the collector: pause until the end of the program. */
static void detach(void)
{
	atomic_store_explicit(&is_detached, true, memory_order_relaxed);
	rs_pause();
}

static void pause_scoped(int scope)
{
	if (scope & SCOPE_HOST)
		rs_pause();
	else
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
}

static void resume_scoped(int scope)
{
	if (scope & SCOPE_HOST)
		resume_all();
	else
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
}

/* ---- threads ---- */

static void thread_set_name(const char *name)
{
	if (name)
		rs_adapter_name_thread(RS_THREAD_CALLING, name, strlen(name));
}

static void thread_set_name_wide(const wchar_t *name)
{
	char text[RS_WIDE_BYTES];
	if (name)
		rs_adapter_name_thread(
			RS_THREAD_CALLING, text, rs_wide_to_utf8(name, SIZE_MAX, text));
}

/* ---- the table of functions by name ---- */

#define FUNCTION(name, function)                  \
	{                                         \
		name, (rs_itt_function)(function) \
	}

static const struct {
	const char *name;
	rs_itt_function function;
} functions[] = {
	FUNCTION("domain_create", rs_itt_domain_create),
	FUNCTION("domain_createA", rs_itt_domain_create),
	FUNCTION("domain_createW", rs_itt_domain_create_wide),
	FUNCTION("string_handle_create", rs_itt_string_create),
	FUNCTION("string_handle_createA", rs_itt_string_create),
	FUNCTION("string_handle_createW", rs_itt_string_create_wide),
	FUNCTION("task_begin", task_begin),
	FUNCTION("task_begin_fn", task_begin_fn),
	FUNCTION("task_end", task_end),
	FUNCTION("task_begin_ex", task_begin_ex),
	FUNCTION("task_begin_fn_ex", task_begin_fn_ex),
	FUNCTION("task_end_ex", task_end_ex),
	FUNCTION("task_begin_overlapped", task_begin_overlapped),
	FUNCTION("task_begin_overlapped_ex", task_begin_overlapped_ex),
	FUNCTION("task_end_overlapped", task_end_overlapped),
	FUNCTION("task_end_overlapped_ex", task_end_overlapped_ex),
	FUNCTION("region_begin", region_begin),
	FUNCTION("region_end", region_end),
	FUNCTION("frame_begin_v3", frame_begin),
	FUNCTION("frame_end_v3", frame_end),
	FUNCTION("frame_submit_v3", frame_submit),
	FUNCTION("event_create", event_create),
	FUNCTION("event_createA", event_create),
	FUNCTION("event_createW", event_create_wide),
	FUNCTION("event_start", event_start),
	FUNCTION("event_end", event_end),
	FUNCTION("thread_set_name", thread_set_name),
	FUNCTION("thread_set_nameA", thread_set_name),
	FUNCTION("thread_set_nameW", thread_set_name_wide),
	FUNCTION("pause", rs_pause),
	FUNCTION("resume", resume_all),
	FUNCTION("detach", detach),
	FUNCTION("pause_scoped", pause_scoped),
	FUNCTION("resume_scoped", resume_scoped),
};

rs_itt_function rs_itt_find_function(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	return NULL;
}
