/* SPDX-License-Identifier: MIT */
/*
 * This file is the Kokkos tool that KOKKOS_TOOLS_LIBS names. Kernels, fences, profile regions and
 * deep copies are calls that nest on their thread. Sections may stop in any order and on any
 * thread. Events are calls without duration. Each kernel or fence begins and ends in one function
 * of Kokkos (Kokkos_Parallel.hpp), and its id is a key of the thread's stack (stacks.h). The id
 * comes from the chained tool, or else from this file. The adapter requests no fences and ignores
 * all other callbacks. It passes every callback to the chained tool (the tool that the user chose).
 *
 * The adapter calls the chained tool before its own BEGIN and after its own END, so that the
 * measured time does not include that tool.
 */
#include "adapters/kokkos_interface.h"

#include <stdio.h>

#include "adapters/stacks.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_KOKKOS;

#define N_SECTIONS 4096u
#define SECTION_IS_OURS (UINT32_C(1) << 31)

/* Kokkos ends two kinds of calls without a name or an id. These are the keys for them, and the
 * lowest bits of the keys of others. */
enum key { KEY_REGION = 1, KEY_DEEP_COPY, KEY_KERNEL };

enum section_state { SECTION_FREE, SECTION_BUSY, SECTION_IDLE, SECTION_RUNNING };
struct section {
	_Atomic uint32_t state;
	uint32_t chained; /* the section's id in the chained tool */
	struct regionstat_site_ *site;
	struct regionstat_call call; /* valid while the section is running */
};

static struct section sections[N_SECTIONS];
/* sections that were created when all elements of sections[] were in use */
static _Atomic uint32_t sections_beyond;
static _Atomic bool is_on; /* regionstat measures, and the version of Kokkos is known */

static bool on(void)
{
	/* acquire: pairs with the release in init_library; the chained tool was loaded before
	 * that */
	return atomic_load_explicit(&is_on, memory_order_acquire);
}

/* ---- start and end of the program ---- */

void kokkosp_init_library(int sequence, uint64_t version, uint32_t n_devices, void *devices)
{
	rs_adapter_note_once(RS_ADAPTER_COUNT_LOADED);
	bool is_known = version >= RS_KOKKOS_VERSION_FIRST && version <= RS_KOKKOS_VERSION_NEWEST;
	if (!is_known)
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
	rs_kokkos_chain_enter();
	rs_kokkos_chain_load();
	RS_KOKKOS_PASS_ON(init_library, sequence, version, n_devices, devices);
	rs_kokkos_chain_leave();
	atomic_store_explicit(&is_on, is_known && regionstat_table_(), memory_order_release);
}

void kokkosp_finalize_library(void)
{
	RS_KOKKOS_PASS_ON(finalize_library);
}

void kokkosp_parse_args(int n_words, char **words)
{
	RS_KOKKOS_PASS_ON(parse_args, n_words, words);
}

void kokkosp_print_help(char *program)
{
	if (!rs_kokkos_chained.print_help)
		dprintf(1, "regionstat's tool for Kokkos has no options: see regionstat(1)\n");
	RS_KOKKOS_PASS_ON(print_help, program);
}

/* Tell Kokkos that callbacks need no fences around them. If there is a chained tool, let that tool
 * decide. If that tool does not have this callback, Kokkos inserts fences. */
void kokkosp_request_tool_settings(uint32_t n_settings, struct rs_kokkos_settings *settings)
{
	if (!rs_kokkos_chained.is_there && n_settings >= 1 && settings)
		settings->requires_global_fencing = false;
	RS_KOKKOS_PASS_ON(request_tool_settings, n_settings, settings);
}

void kokkosp_provide_tool_programming_interface(
	uint32_t n_actions, struct rs_kokkos_actions actions)
{
	RS_KOKKOS_PASS_ON(provide_tool_programming_interface, n_actions, actions);
}

static void close_last(uint64_t key)
{
	if (on())
		rs_stack_pop(key);
}

/* ---- kernels and fences, which are identified by an id ---- */

typedef void begin_function(const char *name, uint32_t device, uint64_t *id);
typedef void end_function(uint64_t id);

/* The key of a kernel or fence. Its lowest bits differ from the other keys. */
static uint64_t key_of(uint64_t id)
{
	return id << 2 | KEY_KERNEL;
}

/* Begin a kernel or, if is_fence is true, a fence. Fences that Kokkos inserts for tools have names
 * from Kokkos. */
static void begin(
	const char *name, uint32_t device, uint64_t *id, bool is_fence, begin_function *chained)
{
	static _Atomic uint64_t last;
	uint64_t unused = 0;
	if (chained)
		chained(name, device, id ? id : &unused);
	else if (on() && id)
		*id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
	if (!on() || !id)
		return;
	if (is_fence)
		name = name && !strncmp(name, "Kokkos::Tools::", 15) ? "Kokkos::Tools::fence"
								     : "Kokkos::fence";
	rs_stack_push(key_of(*id), rs_adapter_site_text(name));
}

static void end(uint64_t id, end_function *chained)
{
	close_last(key_of(id));
	if (chained)
		chained(id);
}

#define BY_ID(what, is_fence)                                                      \
	void kokkosp_begin_##what(const char *name, uint32_t device, uint64_t *id) \
	{                                                                          \
		begin(name, device, id, is_fence, rs_kokkos_chained.begin_##what); \
	}                                                                          \
	void kokkosp_end_##what(uint64_t id)                                       \
	{                                                                          \
		end(id, rs_kokkos_chained.end_##what);                             \
	}

BY_ID(parallel_for, false)
BY_ID(parallel_reduce, false)
BY_ID(parallel_scan, false)
BY_ID(fence, true)

/* ---- profile regions and deep copies, which nest on their thread ---- */

void kokkosp_push_profile_region(const char *name)
{
	RS_KOKKOS_PASS_ON(push_profile_region, name);
	if (on())
		rs_stack_push(KEY_REGION, rs_adapter_site_text(name));
}

void kokkosp_pop_profile_region(void)
{
	close_last(KEY_REGION);
	RS_KOKKOS_PASS_ON(pop_profile_region);
}

void kokkosp_begin_deep_copy(struct rs_kokkos_space to, const char *to_label, const void *to_data,
	struct rs_kokkos_space from, const char *from_label, const void *from_data, uint64_t bytes)
{
	RS_KOKKOS_PASS_ON(
		begin_deep_copy, to, to_label, to_data, from, from_label, from_data, bytes);
	if (on())
		rs_stack_push(KEY_DEEP_COPY, rs_adapter_site_text("Kokkos::deep_copy"));
}

void kokkosp_end_deep_copy(void)
{
	close_last(KEY_DEEP_COPY);
	RS_KOKKOS_PASS_ON(end_deep_copy);
}

void kokkosp_profile_event(const char *name)
{
	RS_KOKKOS_PASS_ON(profile_event, name);
	if (!on())
		return;
	regionstat_ticket_ ticket = regionstat_scope_begin_(rs_adapter_site_text(name));
	regionstat_scope_end_(&ticket);
}

/* ---- sections, which stop in any order and on any thread ---- */

/* If the section with this id is in this state, set its state to BUSY and return it. No other
 * thread uses it until the caller sets another state. Otherwise return NULL. */
static struct section *take_section(uint32_t id, enum section_state state)
{
	uint32_t expected = state, index = id & ~SECTION_IS_OURS;
	/* acquire: pairs with the releases in give_section() */
	if (id & SECTION_IS_OURS && index < N_SECTIONS &&
		atomic_compare_exchange_strong_explicit(&sections[index].state, &expected,
			SECTION_BUSY, memory_order_acquire, memory_order_relaxed))
		return &sections[index];
	return NULL;
}

static void give_section(struct section *section, enum section_state state)
{
	atomic_store_explicit(&section->state, state, memory_order_release);
}

/* Return the chained tool's id for a section. If id has no bit SECTION_IS_OURS, it already comes
 * from the chained tool. */
static uint32_t chained_section(uint32_t id)
{
	uint32_t index = id & ~SECTION_IS_OURS;
	return id & SECTION_IS_OURS && index < N_SECTIONS ? sections[index].chained : id;
}

void kokkosp_create_profile_section(const char *name, uint32_t *id)
{
	uint32_t other = id ? *id : 0;
	RS_KOKKOS_PASS_ON(create_profile_section, name, &other);
	if (!id)
		return;
	*id = other;
	static _Atomic uint32_t next;
	uint32_t first = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
	for (uint32_t i = 0; on() && i < N_SECTIONS; i++) {
		uint32_t index = (first + i) % N_SECTIONS;
		struct section *section = take_section(SECTION_IS_OURS | index, SECTION_FREE);
		if (!section)
			continue;
		section->chained = other;
		section->site = rs_adapter_site_text(name);
		give_section(section, SECTION_IDLE);
		*id = SECTION_IS_OURS | index;
		return;
	}
	if (on())
		rs_adapter_begin_beyond(&sections_beyond);
}

/* Count a start or stop of a section that is unknown or in the wrong state. Do not count an unknown
 * section if the table of sections has ever been full. */
static void note_unmatched(uint32_t id)
{
	if (id & SECTION_IS_OURS || !atomic_load_explicit(&sections_beyond, memory_order_relaxed))
		rs_adapter_note(RS_ADAPTER_COUNT_UNMATCHED);
}

void kokkosp_start_profile_section(uint32_t id)
{
	RS_KOKKOS_PASS_ON(start_profile_section, chained_section(id));
	if (!on())
		return;
	struct section *section = take_section(id, SECTION_IDLE);
	if (!section) {
		/* the section already runs, or does not exist */
		note_unmatched(id);
		return;
	}
	section->call = regionstat_start_site_(section->site);
	give_section(section, SECTION_RUNNING);
}

void kokkosp_stop_profile_section(uint32_t id)
{
	struct section *section = on() ? take_section(id, SECTION_RUNNING) : NULL;
	if (section) {
		regionstat_stop(section->call);
		give_section(section, SECTION_IDLE);
	} else if (on()) {
		note_unmatched(id);
	}
	RS_KOKKOS_PASS_ON(stop_profile_section, chained_section(id));
}

void kokkosp_destroy_profile_section(uint32_t id)
{
	uint32_t other = chained_section(id);
	struct section *section = on() ? take_section(id, SECTION_IDLE) : NULL;
	if (!section && on())
		/* if the section is running, drop its call, because nobody can stop it any more */
		section = take_section(id, SECTION_RUNNING);
	if (section)
		give_section(section, SECTION_FREE);
	RS_KOKKOS_PASS_ON(destroy_profile_section, other);
}

/* ---- callbacks that are ignored ---- */

#define IGNORE(name, parameters, ...)                              \
	void kokkosp_##name parameters                             \
	{                                                          \
		if (on())                                          \
			rs_adapter_note(RS_ADAPTER_COUNT_IGNORED); \
		RS_KOKKOS_PASS_ON(name, __VA_ARGS__);              \
	}

IGNORE(allocate_data,
	(struct rs_kokkos_space space, const char *label, const void *data, uint64_t bytes), space,
	label, data, bytes)
IGNORE(deallocate_data,
	(struct rs_kokkos_space space, const char *label, const void *data, uint64_t bytes), space,
	label, data, bytes)
IGNORE(dual_view_sync, (const char *label, const void *data, bool is_device), label, data,
	is_device)
IGNORE(dual_view_modify, (const char *label, const void *data, bool is_device), label, data,
	is_device)
IGNORE(declare_metadata, (const char *name, const char *value), name, value)
