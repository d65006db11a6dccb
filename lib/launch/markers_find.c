/* SPDX-License-Identifier: MIT */
/*
 * This file finds the marker APIs that a program uses. It searches the program and all libraries
 * that it needs, directly or indirectly, for symbols, strings and library names that belong to one
 * API. Each file is read once. Files that cannot be read are ignored, because the program's start
 * will report them.
 */
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "launch/library_path.h"
#include "launch/markers.h"

/* System libraries that use no API, and need no library that uses one. */
static const char *const plain_libraries[] = {"libc.so.6", "libm.so.6", "libpthread.so.0",
	"libdl.so.2", "librt.so.1", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux"};

struct search {
	struct rs_marker_found *found;
	struct rs_arena *arena;
	size_t budget; /* bytes of constants that are still searched */
	struct rs_library_list objects;
	/* the current object; the next members say which functions it needs */
	struct rs_object object;
	bool wants_dlopen;
	bool wants_getenv;
	bool is_openmp; /* the current object is LLVM's OpenMP library, whatever its name */
};

/* ---- the signs in one object ---- */

static void set_found(struct search *search, enum rs_adapter adapter, const char *what)
{
	struct rs_marker_found *found = search->found;
	if (!found->why[adapter])
		found->why[adapter] = rs_arena_format(
			search->arena, "%s has %s", rs_text_file_name(search->object.path), what);
}

static bool is_sign(const char *name, const char *sign)
{
	size_t length = strlen(sign);
	return length > 0 && sign[length - 1] == '*' ? strncmp(name, sign, length - 1) == 0
						     : strcmp(name, sign) == 0;
}

static bool visit_symbol(void *context, const char *name, bool is_defined)
{
	struct search *search = context;
	search->wants_dlopen |= !is_defined && strcmp(name, "dlopen") == 0;
	search->wants_getenv |= !is_defined &&
				(strcmp(name, "getenv") == 0 || strcmp(name, "secure_getenv") == 0);
	if (is_defined && strcmp(name, "__kmpc_fork_call") == 0) {
		search->is_openmp = true;
		set_found(search, RS_ADAPTER_OMPT, name);
	}
	search->found->wants_kmpc |= !is_defined && strncmp(name, "__kmpc_", 7) == 0;
	search->found->wants_gomp |= !is_defined && strncmp(name, "GOMP_", 5) == 0;
	for (size_t a = 0; a < RS_ADAPTER_N; a++) {
		const struct rs_marker_signs *signs = &rs_marker_apis[a].signs;
		bool is = false;
		if (search->found->why[a])
			continue;
		for (size_t i = 0; !is_defined && signs->wanted[i]; i++)
			is |= is_sign(name, signs->wanted[i]);
		for (size_t i = 0; signs->known[i]; i++)
			is |= is_sign(name, signs->known[i]);
		if (is)
			set_found(search, (enum rs_adapter)a, name);
	}
	return true;
}

/* Return true if an API has a variable with an old name. Whether it is set depends on which of the
 * API's variables the program knows. */
static bool has_old_variable(const struct rs_marker_api *api)
{
	bool is = false;
	for (const struct rs_marker_variable *at = api->variables; at->name; at++)
		is |= at->is_old;
	return is;
}

/* The texts to search for in one object, and whether they were found. */
struct wanted_texts {
	const char *texts[(RS_MARKER_TEXTS + 1) * RS_ADAPTER_N];
	bool is_there[(RS_MARKER_TEXTS + 1) * RS_ADAPTER_N];
	size_t n;
};

/* Return true if the search for the API's texts is not complete. */
static bool is_open(const struct search *search, size_t adapter)
{
	return !search->found->why[adapter] || has_old_variable(&rs_marker_apis[adapter]);
}

static void want_texts(struct wanted_texts *wanted, const struct search *search)
{
	wanted->n = 0;
	for (size_t a = 0; a < RS_ADAPTER_N; a++) {
		const struct rs_marker_signs *signs = &rs_marker_apis[a].signs;
		if (!signs->entry || !is_open(search, a))
			continue;
		wanted->texts[wanted->n++] = signs->entry;
		for (size_t i = 0; i < RS_MARKER_TEXTS && signs->texts[i]; i++)
			wanted->texts[wanted->n++] = signs->texts[i];
	}
}

/* Record which texts were found. For each API, the name of its function comes first. */
static void take_texts(const struct wanted_texts *wanted, struct search *search)
{
	size_t next = 0;
	for (size_t a = 0; a < RS_ADAPTER_N; a++) {
		const struct rs_marker_signs *signs = &rs_marker_apis[a].signs;
		if (!signs->entry || !is_open(search, a))
			continue;
		bool has_entry = wanted->is_there[next++];
		for (size_t i = 0; i < RS_MARKER_TEXTS && signs->texts[i]; i++) {
			if (!wanted->is_there[next++] || !has_entry)
				continue;
			search->found->has_text[a][i] = true;
			set_found(search, (enum rs_adapter)a, signs->texts[i]);
		}
	}
}

/* Search the object for texts if it needs dlopen and getenv. An object that does not need both
 * cannot load a library that a variable names. LLVM's OpenMP library also uses ITT, but tools get
 * the same data through OpenMP. */
static void look_for_texts(struct search *search)
{
	struct wanted_texts wanted = {0};
	if (!search->wants_dlopen || !search->wants_getenv || search->is_openmp)
		return;
	want_texts(&wanted, search);
	rs_object_find_texts(
		&search->object, wanted.texts, wanted.is_there, wanted.n, &search->budget);
	take_texts(&wanted, search);
}

/* Record an AddressSanitizer library that ends programs if another library comes first. Newer
 * versions have an option that prevents this, and contain its name. */
static void look_at_sanitizer(struct search *search)
{
	static const char *const option = RS_MARKER_NO_CHECK_OPTION;
	const char *name = rs_text_file_name(search->object.path);
	size_t budget = RS_MARKER_MOST_TEXT_BYTES;
	bool knows = false;
	if (strncmp(name, "libasan.so", 10) != 0 && strncmp(name, "libclang_rt.asan", 16) != 0)
		return;
	rs_object_find_texts(&search->object, &option, &knows, 1, &budget);
	if (!knows)
		snprintf(search->found->strict_sanitizer, sizeof(search->found->strict_sanitizer),
			"%s", name);
}

static void look_for_sections(struct search *search)
{
	for (uint32_t a = 0; a < RS_ADAPTER_N; a++) {
		const char *section = rs_marker_apis[a].signs.section;
		if (section && rs_elf_has_section(search->object.elf, section))
			set_found(search, (enum rs_adapter)a, section);
	}
}

/* ---- all objects ---- */

static bool is_plain(const char *name)
{
	for (size_t i = 0; i < sizeof(plain_libraries) / sizeof(plain_libraries[0]); i++)
		if (strncmp(name, plain_libraries[i], strlen(plain_libraries[i])) == 0)
			return true;
	return false;
}

static void take_needed(struct search *search, const struct rs_library_item *item, const char *name)
{
	for (uint32_t a = 0; a < RS_ADAPTER_N; a++)
		for (size_t i = 0; rs_marker_apis[a].signs.needed[i]; i++) {
			const char *sign = rs_marker_apis[a].signs.needed[i];
			if (strncmp(name, sign, strlen(sign)) == 0)
				set_found(search, (enum rs_adapter)a, name);
		}
	if (!is_plain(name))
		rs_library_add_needed(&search->objects, item, name);
}

static void look_at(struct search *search, const struct rs_library_item *item)
{
	search->wants_dlopen = search->wants_getenv = search->is_openmp = false;
	rs_object_visit_symbols(&search->object, visit_symbol, search);
	look_for_texts(search);
	look_at_sanitizer(search);
	if (!item->above)
		look_for_sections(search);
	for (size_t i = 0; i < search->object.n_needed; i++)
		take_needed(search, item, search->object.needed[i]);
}

void rs_markers_find(struct rs_marker_found *found, struct rs_arena *arena, const char *program)
{
	*found = (struct rs_marker_found){0};
	if (rs_is_same_file(program, "/proc/self/exe")) /* regionstat itself has all the texts */
		return;
	struct search *search = rs_arena_array(arena, 1, sizeof(*search));
	search->found = found;
	search->arena = arena;
	search->budget = RS_MARKER_MOST_TEXT_BYTES;
	search->objects.cache.arena = arena;
	rs_library_add(&search->objects, program, NULL);
	for (size_t i = 0; i < search->objects.n; i++) {
		struct rs_library_item *item = &search->objects.items[i];
		if (rs_library_open(&search->objects, item, &search->object))
			look_at(search, item);
		rs_object_finish(&search->object);
	}
	found->is_cut_short = search->budget == 0;
}
