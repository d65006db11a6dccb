/* SPDX-License-Identifier: MIT */
/*
 * This file computes the variables that load adapters, from their values in the launcher's
 * environment and the paths of adapters. Other tools that the variables name are kept if the API
 * can load several. The results are also described for messages.
 */
#include "launch/markers_environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

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

/* ---- sanitizers, whose libraries come first ---- */

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
static bool join_preload(
	struct rs_environment *environment, const char *name, const char *path, const char *before)
{
	size_t end = sanitizers_end(before);
	if (has_item(before, path))
		return rs_environment_set(environment, name, "%s", before);
	if (end == 0)
		return rs_environment_set(environment, name, "%s:%s", path, before);
	return rs_environment_set(
		environment, name, "%.*s:%s%s", (int)end, before, path, before + end);
}

/* ---- the new values ---- */

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
static bool join(struct rs_environment *environment, const struct rs_marker_variable *variable,
	const char *path)
{
	const char *before = rs_environment_get(environment, variable->name);
	if (!before && variable->other)
		/* value of the other variable before regionstat sets it */
		before = getenv(variable->other);
	if (variable->join == RS_MARKER_ZERO)
		return rs_environment_set(environment, variable->name, "0");
	if (variable->join == RS_MARKER_NO_CHECK)
		return (before && strstr(before, NO_CHECK)) ||
		       rs_environment_set(environment, variable->name, "%s%s" NO_CHECK,
			       before ? before : "", before && *before ? ":" : "");
	if (!before || !*before || variable->join == RS_MARKER_ALONE)
		return rs_environment_set(environment, variable->name, "%s", path);
	if (variable->join == RS_MARKER_PRELOAD)
		return join_preload(environment, variable->name, path, before);
	/* An outer regionstat may have put the adapter first already. Then keep the value and its
	 * chain. */
	size_t length = strlen(path);
	if (strncmp(before, path, length) == 0 &&
		strchr(rs_marker_separators(variable), before[length]))
		return rs_environment_set(environment, variable->name, "%s", before);
	if (variable->join == RS_MARKER_REPLACE)
		return rs_environment_set(environment, variable->chain, "%s", before) &&
		       rs_environment_set(environment, variable->name, "%s", path);
	return rs_environment_set(environment, variable->name, "%s%c%s", path,
		variable->join == RS_MARKER_SEMICOLON ? ';' : ':', before);
}

/* Append to marker->why how the user's variables and sanitizers affect the adapter. Return false if
 * memory runs out. */
static bool add_to_why(struct rs_marker *marker, const struct rs_marker_found *found,
	const struct rs_marker_variable *variable, const char *path)
{
	char *why = NULL;
	const char *shown = marker->why ? marker->why : "";
	const char *sanitizer = variable->join == RS_MARKER_PRELOAD
					? rs_marker_hindering_sanitizer(found, marker->api)
					: NULL;
	if (sanitizer) {
		if (asprintf(&why,
			    "%s; not loaded, since the program needs %s, and would end with "
			    "another library before it: LD_PRELOAD=%s lets it be loaded",
			    shown, sanitizer, sanitizer) < 0)
			return false;
	} else if (rs_marker_is_switched_off(variable)) {
		if (asprintf(&why, "%s; not loaded, since %s is disabled", shown,
			    variable->switch_name) < 0)
			return false;
	} else if (!has_other_tool(variable, path)) {
		return true;
	} else if (asprintf(&why,
			   marker->is_asked
				   ? "%sthe tool that %s named before is not used: one alone is"
				   : "%s; not loaded, since %s names a tool already, and one "
				     "alone is used",
			   shown, variable->name) < 0) {
		return false;
	}
	free(marker->why);
	marker->why = why;
	return true;
}

bool rs_marker_set_variables(struct rs_markers *markers, struct rs_marker *marker,
	const struct rs_marker_found *found, const char *path)
{
	for (const struct rs_marker_variable *at = marker->api->variables; at->name; at++) {
		if (!add_to_why(marker, found, at, path))
			return false;
		if (is_for_program(found, marker, at, path) &&
			!join(&markers->environment, at, path))
			return false;
	}
	return true;
}

/* Print a variable as the program will see it, in one line: unsafe characters are escaped. */
static void print_variable(const struct rs_environment *environment, const char *name, FILE *stream)
{
	if (!name || !rs_environment_has(environment, name))
		return;
	fprintf(stream, "%s%s=", ftell(stream) > 0 ? "\n" : "", name);
	const char *value = rs_environment_get(environment, name);
	for (size_t left = strlen(value), taken; left > 0; left -= taken, value += taken) {
		char shown[RS_TEXT_SHOWN_BYTES];
		taken = rs_text_show_next(value, left, shown);
		fputs(shown, stream);
	}
}

/* Describe the variables of all adapters, after all were set. */
bool rs_markers_describe(struct rs_markers *markers)
{
	for (size_t i = 0; i < markers->n; i++) {
		struct rs_marker *marker = &markers->items[i];
		const struct rs_marker_variable *at = marker->api->variables;
		size_t bytes = 0;
		FILE *stream = open_memstream(&marker->environment, &bytes);
		if (!stream)
			return false;
		for (; !marker->is_other && at->name; at++) {
			print_variable(&markers->environment, at->name, stream);
			print_variable(&markers->environment, at->chain, stream);
		}
		if (marker->api->adapter == RS_ADAPTER_UPROF)
			print_variable(&markers->environment, "REGIONSTAT_UPROF", stream);
		if (fclose(stream) != 0)
			return false;
	}
	return true;
}
