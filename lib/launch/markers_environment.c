/* SPDX-License-Identifier: MIT */
/*
 * This file computes the variables that load adapters, from their values in the launcher's
 * environment and the paths of adapters. Other tools that the variables name are kept if the API
 * can load several. The results are also described for messages.
 */
#include "launch/markers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool rs_marker_is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* Return the characters that end a path in a variable. The dynamic linker also separates LD_PRELOAD
 * by blanks. */
const char *rs_marker_separators(const struct rs_marker_variable *variable)
{
	static const char *const separators[] = {[RS_MARKER_REPLACE] = "",
		[RS_MARKER_PRELOAD] = ": \t\n",
		[RS_MARKER_SEMICOLON] = ";",
		[RS_MARKER_ONE] = ":",
		[RS_MARKER_ALONE] = "",
		[RS_MARKER_ZERO] = "",
		[RS_MARKER_NO_CHECK] = ""};
	return separators[variable->join];
}

/* Return true if the program contains this text of an API's signs. */
static bool has_text(
	const struct rs_marker_found *found, const struct rs_marker_api *api, const char *text)
{
	bool has = false;
	for (size_t i = 0; i < RS_MARKER_TEXTS && api->signs.texts[i]; i++)
		has |= found->has_text[api->adapter][i] && strcmp(api->signs.texts[i], text) == 0;
	return has;
}

/* Return true if the user disabled tools (OpenMP 5.0, section 6.21). Case is ignored. */
bool rs_marker_is_switched_off(const struct rs_marker_variable *variable)
{
	const char *value = variable->switch_name ? getenv(variable->switch_name) : NULL;
	return value && strcasecmp(value, "disabled") == 0;
}

/* Return true if a variable that selects a single tool already names another one. */
static bool has_other_tool(const struct rs_marker_variable *variable, const char *path)
{
	bool is_one = variable->join == RS_MARKER_ONE || variable->join == RS_MARKER_ALONE;
	const char *before = is_one ? getenv(variable->name) : NULL;
	return before && *before &&
	       !rs_marker_is_word(before, strcspn(before, rs_marker_separators(variable)), path);
}

/* ---- libraries of sanitizers, which come first ---- */

#define NO_CHECK RS_MARKER_NO_CHECK_OPTION "=0"

static bool is_sanitizer(const char *path, size_t length)
{
	static const char *const names[] = {"libasan.so", "libtsan.so", "liblsan.so", "libubsan.so",
		"libhwasan.so", "libclang_rt."};
	const char *slash = memrchr(path, '/', length), *name = slash ? slash + 1 : path;
	bool is = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is |= length - (size_t)(name - path) >= strlen(names[i]) &&
		      strncmp(name, names[i], strlen(names[i])) == 0;
	return is;
}

/* Return the length of a list of libraries up to its last sanitizer, or 0 if it has none. */
static size_t sanitizers_end(const char *list)
{
	size_t end = 0;
	for (size_t at = 0, length; list[at]; at += length + (list[at + length] != '\0')) {
		length = strcspn(list + at, ": \t\n");
		if (is_sanitizer(list + at, length))
			end = at + length;
	}
	return end;
}

const char *rs_marker_hindering_sanitizer(
	const struct rs_marker_found *found, const struct rs_marker_api *api)
{
	const char *before = getenv("LD_PRELOAD");
	bool is_preloaded = api->variables[0].name && api->variables[0].join == RS_MARKER_PRELOAD;
	bool is_first = before && sanitizers_end(before) > 0;
	return is_preloaded && !is_first && found->strict_sanitizer[0] ? found->strict_sanitizer
								       : NULL;
}

static bool has_item(const char *list, const char *path)
{
	bool has = false;
	for (size_t at = 0, length; list[at]; at += length + (list[at + length] != '\0')) {
		length = strcspn(list + at, ": \t\n");
		has |= rs_marker_is_word(list + at, length, path);
	}
	return has;
}

/* Insert the adapter after all sanitizers. An outer regionstat may have inserted it already. */
static void join_preload(
	struct rs_environment *environment, const char *name, const char *path, const char *before)
{
	size_t end = sanitizers_end(before);
	if (has_item(before, path))
		rs_environment_set(environment, name, "%s", before);
	else
		rs_environment_set(environment, name, "%.*s%s%s%s%s", (int)end, before,
			end > 0 ? ":" : "", path, end > 0 ? "" : ":", before + end);
}

/* ---- the new values of the variables ---- */

static bool is_for_program(const struct rs_marker_found *found, const struct rs_marker *marker,
	const struct rs_marker_variable *variable, const char *path)
{
	const struct rs_marker_api *api = marker->api;
	if (!marker->is_asked &&
		(rs_marker_is_switched_off(variable) || has_other_tool(variable, path)))
		return false;
	if (rs_marker_hindering_sanitizer(found, api))
		return false;
	if (variable->join == RS_MARKER_ZERO)
		return marker->is_asked && found->wants_kmpc && !found->wants_gomp &&
		       !getenv(variable->name);
	return !variable->is_old || getenv(variable->name) ||
	       (has_text(found, api, variable->name) && !has_text(found, api, variable->other));
}

/* Set one variable to its previous value combined with the adapter's path. */
static void join(struct rs_environment *environment, const struct rs_marker_variable *variable,
	const char *path)
{
	const char *before = rs_environment_get(environment, variable->name);
	const char *name = variable->name;
	size_t length = strlen(path);
	if (!before && variable->other)
		/* value of the other variable before regionstat sets it */
		before = getenv(variable->other);
	before = before ? before : "";
	/* An outer regionstat may have put the adapter first already. Then keep the value, and the
	 * value of the variable `chain`. */
	bool is_first = strncmp(before, path, length) == 0 &&
			strchr(rs_marker_separators(variable), before[length]);
	if (variable->join == RS_MARKER_ZERO) {
		rs_environment_set(environment, name, "0");
	} else if (variable->join == RS_MARKER_NO_CHECK) {
		if (!strstr(before, NO_CHECK))
			rs_environment_set(
				environment, name, "%s%s" NO_CHECK, before, *before ? ":" : "");
	} else if (!*before || variable->join == RS_MARKER_ALONE) {
		rs_environment_set(environment, name, "%s", path);
	} else if (variable->join == RS_MARKER_PRELOAD) {
		join_preload(environment, name, path, before);
	} else if (is_first) {
		rs_environment_set(environment, name, "%s", before);
	} else if (variable->join == RS_MARKER_REPLACE) {
		rs_environment_set(environment, variable->chain, "%s", before);
		rs_environment_set(environment, name, "%s", path);
	} else {
		rs_environment_set(environment, name, "%s%c%s", path,
			variable->join == RS_MARKER_SEMICOLON ? ';' : ':', before);
	}
}

/* Append to marker->why how the user's variables and sanitizers affect the adapter. */
static void add_to_why(struct rs_marker *marker, const struct rs_marker_found *found,
	const struct rs_marker_variable *variable, const char *path, struct rs_arena *arena)
{
	const char *shown = marker->why ? marker->why : "";
	const char *sanitizer = variable->join == RS_MARKER_PRELOAD
					? rs_marker_hindering_sanitizer(found, marker->api)
					: NULL;
	if (sanitizer)
		marker->why = rs_arena_format(arena,
			"%s; not loaded, since the program needs %s, and exits if another library "
			"comes before it: LD_PRELOAD=%s lets it be loaded",
			shown, sanitizer, sanitizer);
	else if (rs_marker_is_switched_off(variable))
		marker->why = rs_arena_format(arena, "%s; not loaded, since %s is disabled", shown,
			variable->switch_name);
	else if (has_other_tool(variable, path))
		marker->why = rs_arena_format(arena,
			marker->is_asked
				? "%sthe tool that %s named before is not used: only one is"
				: "%s; not loaded, since %s already names a tool, and only one is "
				  "used",
			shown, variable->name);
}

void rs_marker_set_variables(struct rs_markers *markers, struct rs_marker *marker,
	const struct rs_marker_found *found, const char *path)
{
	struct rs_environment *environment = &markers->environment;
	for (const struct rs_marker_variable *at = marker->api->variables; at->name; at++) {
		add_to_why(marker, found, at, path, &environment->arena);
		if (is_for_program(found, marker, at, path))
			join(environment, at, path);
	}
}

/* Append a variable as the program will see it, in one line: unsafe characters are escaped. */
static void add_variable(
	struct rs_marker *marker, struct rs_environment *environment, const char *name)
{
	struct rs_arena *arena = &environment->arena;
	if (name && rs_environment_has(environment, name))
		marker->environment = rs_arena_format(arena, "%s%s%s=%s", marker->environment,
			*marker->environment ? "\n" : "", name,
			rs_arena_shown(arena, rs_environment_get(environment, name)));
}

void rs_markers_describe(struct rs_markers *markers)
{
	for (size_t i = 0; i < markers->n; i++) {
		struct rs_marker *marker = &markers->items[i];
		const struct rs_marker_variable *at = marker->api->variables;
		marker->environment = "";
		for (; !marker->is_other && at->name; at++) {
			add_variable(marker, &markers->environment, at->name);
			add_variable(marker, &markers->environment, at->chain);
		}
		if (marker->api->adapter == RS_ADAPTER_UPROF)
			add_variable(marker, &markers->environment, "REGIONSTAT_UPROF");
	}
}
