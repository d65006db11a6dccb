/* SPDX-License-Identifier: MIT */
/*
 * This file selects the adapters for a program, by --markers and by the APIs that the program uses.
 * It sets the environment variables that load them.
 */
#include "launch/markers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "launch/program_kind.h"

/* ---- the value of --markers ---- */

static bool refuse_name(const char *option, const char *text, size_t length, struct rs_err *err)
{
	char name[64];
	snprintf(name, sizeof(name), "%.*s", (int)length, text);
	struct rs_suggest suggest = {.name = name};
	if (length == 0)
		rs_err_set(err, "%s: a name is missing", option);
	else if (strcmp(name, "auto") == 0 || strcmp(name, "none") == 0)
		rs_err_set(err, "%s: '%s' cannot have other names beside it", option, name);
	else
		rs_err_set(err, "%s: unknown markers '%s'", option, rs_text_shown(name).text);
	for (uint32_t i = 0; i < RS_ADAPTER_N; i++)
		rs_suggest_offer(&suggest, rs_adapter_word(i));
	if (length > 0 && rs_suggest_add_line(&suggest, err))
		return false;
	rs_err_add_line(err, "there are: likwid, itt, nvtx, kokkos, openmp, papi, caliper, uprof, "
			     "functions, roctx; and auto, or none, alone");
	return rs_err_add_line(err, "try: auto, or likwid,papi");
}

bool rs_marker_wish_parse(
	struct rs_marker_wish *wish, const char *option, const char *text, struct rs_err *err)
{
	*wish = (struct rs_marker_wish){0};
	if (strcmp(text, "auto") == 0)
		return true;
	wish->is_given = true;
	if (strcmp(text, "none") == 0)
		return true;
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");
		uint32_t adapter = 0;
		while (adapter < RS_ADAPTER_N &&
			!rs_marker_is_word(at, length, rs_adapter_word(adapter)))
			adapter++;
		if (rs_marker_is_word(at, length, "uprof=control")) {
			adapter = RS_ADAPTER_UPROF;
			wish->uprof_control = true;
		}
		if (adapter == RS_ADAPTER_N)
			return refuse_name(option, at, length, err);
		wish->asked[adapter] = true;
		at += length;
		if (*at == '\0')
			return true;
	}
}

/* ---- the program's environment ---- */

/* Find the file of an adapter. Return false and set err if it cannot be used. */
static bool find_file(const struct rs_marker_api *api, char path[PATH_MAX], rs_adapter_find *find,
	struct rs_err *err)
{
	if (!find(path, api->file, err))
		return rs_err_prefix(err, "--markers %s", rs_adapter_word(api->adapter));
	for (const struct rs_marker_variable *at = api->variables; at->name; at++) {
		if (path[strcspn(path, rs_marker_separators(at))] == '\0')
			continue;
		rs_err_set(err, "--markers %s: %s cannot hold the path '%s'",
			rs_adapter_word(api->adapter), at->name, rs_text_shown(path).text);
		rs_err_add_line(err, "a character in it separates paths there");
		return rs_err_add_line(err, "try: regionstat in a directory of another name");
	}
	return true;
}

/* Check that the environment does not disable the tools of an API that the user asked for. */
static bool check_switches(const struct rs_marker_api *api, struct rs_err *err)
{
	for (const struct rs_marker_variable *at = api->variables; at->name; at++) {
		if (!rs_marker_is_switched_off(at))
			continue;
		rs_err_set(err, "--markers %s: %s is disabled in the environment",
			rs_adapter_word(api->adapter), at->switch_name);
		rs_err_add_line(
			err, "the program would load no tool, so nothing would be measured");
		return rs_err_add_line(
			err, "try: unset %s, or --markers without that name", at->switch_name);
	}
	return true;
}

/* Record why an adapter is not used. Only the first reason is reported. */
static void pass_over(struct rs_markers *markers, const struct rs_err *err)
{
	if (*markers->passed_over.text)
		return;
	markers->passed_over = *err;
	rs_err_prefix(&markers->passed_over, "markers are not measured");
}

/* Check that an adapter in the environment cannot break the program. A program that loads nothing
 * passes the check, because its child processes may load adapters. */
static bool check_kind(enum rs_program_kind kind, const char *path, const struct rs_marker_api *api,
	struct rs_err *err)
{
	static const char *const reasons[] = {
		[RS_PROGRAM_32_BITS] = "a program of 32 bits, and regionstat's adapters are of 64",
		[RS_PROGRAM_OTHER_MACHINE] = "a program of another kind of processor",
		[RS_PROGRAM_OTHER_LIBRARY] =
			"a program whose C library is not glibc, and might not start",
	};
	bool is_known = kind < sizeof(reasons) / sizeof(reasons[0]);
	if (!api->file || !is_known || !reasons[kind])
		return true;
	rs_err_set(err, "--markers %s: not loaded into %s", rs_adapter_word(api->adapter),
		rs_text_shown(path).text);
	rs_err_add_line(err, "it is %s", reasons[kind]);
	return rs_err_add_line(err, "try: --markers none, or a program that was built for glibc "
				    "and 64 bits of this machine");
}

/* Check that no sanitizer would end the program because of the adapter. */
static bool check_sanitizer(const struct rs_marker_api *api, const struct rs_marker_found *found,
	const char *path, struct rs_err *err)
{
	const char *sanitizer = rs_marker_hindering_sanitizer(found, api);
	if (!sanitizer)
		return true;
	rs_err_set(err, "--markers %s: not loaded into %s", rs_adapter_word(api->adapter),
		rs_text_shown(path).text);
	rs_err_add_line(err, "it needs %s, and exits if another library comes before it",
		rs_text_shown(sanitizer).text);
	return rs_err_add_line(err,
		"try: LD_PRELOAD=%s, so that the adapter comes after it, or a program built with "
		"a newer compiler",
		rs_text_shown(sanitizer).text);
}

/* Add an adapter that was asked for, or whose API the program uses. */
static bool add(struct rs_markers *markers, const struct rs_marker_api *api, bool is_asked,
	const struct rs_marker_found *found, rs_adapter_find *find, struct rs_err *err)
{
	char path[PATH_MAX] = "";
	if (api->file && !find_file(api, path, find, err)) {
		if (!is_asked) /* the API was found, not asked for */
			pass_over(markers, err);
		return !is_asked;
	}
	if (is_asked && !check_switches(api, err))
		return false;
	struct rs_marker *marker = &markers->items[markers->n++];
	*marker = (struct rs_marker){.api = api,
		.is_asked = is_asked,
		.why = is_asked ? NULL : found->why[api->adapter]};
	rs_marker_set_variables(markers, marker, found, path);
	return true;
}

/* Set REGIONSTAT_UPROF. Programs are linked with the implementation of uProf's markers, so only
 * this variable can disable them. An outer regionstat or the user may have set it differently. */
static void set_uprof(struct rs_markers *markers, const struct rs_marker_wish *wish)
{
	const char *before = getenv("REGIONSTAT_UPROF"), *word = NULL;
	if (wish->uprof_control)
		word = "control";
	else if (wish->is_given && !wish->asked[RS_ADAPTER_UPROF])
		word = "off";
	else if (before && (wish->is_given || strcmp(before, "off") == 0))
		word = "region";
	if (word)
		rs_environment_set(&markers->environment, "REGIONSTAT_UPROF", "%s", word);
}

/* Return true if the program's files must be searched. The search selects adapters, reports APIs
 * that were not selected, and finds sanitizers that conflict with an adapter. */
static bool has_to_look(const struct rs_marker_wish *wish)
{
	bool has = !wish->is_given;
	for (size_t i = 0; i < RS_ADAPTER_N; i++)
		has |= wish->asked[i];
	return has;
}

/* The arguments of rs_markers_init(), and its result. */
struct selection {
	struct rs_markers *markers;
	const struct rs_marker_wish *wish;
	const char *command;
	rs_adapter_find *find;
	struct rs_err *err;
	bool done;
};

static void select_adapters(void *context)
{
	struct selection *selection = context;
	struct rs_markers *markers = selection->markers;
	const struct rs_marker_wish *wish = selection->wish;
	struct rs_err *err = selection->err;
	struct rs_marker_found found = {0};
	char path[PATH_MAX];
	enum rs_program_kind kind = RS_PROGRAM_UNKNOWN;
	bool done = true;
	if (selection->command)
		kind = rs_program_kind_find(path, selection->command);
	if (kind == RS_PROGRAM_OURS && has_to_look(wish))
		rs_markers_find(&found, &markers->environment.arena, path);
	markers->is_cut_short = found.is_cut_short && !wish->is_given;
	for (uint32_t i = 0; done && i < RS_ADAPTER_N; i++) {
		const struct rs_marker_api *api = &rs_marker_apis[i];
		/* for messages: the program uses it, but --markers does not name it */
		if (wish->is_given && !wish->asked[i] && found.why[i])
			markers->items[markers->n++] = (struct rs_marker){
				.api = api, .is_other = true, .why = found.why[i]};
		if (!(wish->is_given ? wish->asked[i] : found.why[i] != NULL))
			continue;
		bool fits = check_kind(kind, path, api, err);
		bool is_hindered = fits && !check_sanitizer(api, &found, path, err);
		if (!fits || is_hindered)
			pass_over(markers, err);
		/* If the adapter cannot be loaded, add() records why. */
		if (fits && !(is_hindered && wish->asked[i]))
			done = add(markers, api, wish->asked[i], &found, selection->find, err);
	}
	set_uprof(markers, wish);
	rs_markers_describe(markers);
	selection->done = done;
}

bool rs_markers_init(struct rs_markers *markers, const struct rs_marker_wish *wish,
	const char *command, rs_adapter_find *find, struct rs_err *err)
{
	struct selection selection = {markers, wish, command, find, err, false};
	*markers = (struct rs_markers){0};
	bool done = rs_arena_guard(select_adapters, &selection)
			    ? selection.done
			    : rs_err_set(err, "cannot choose adapters of markers: out of memory");
	if (!done)
		rs_markers_finish(markers);
	return done;
}

void rs_markers_finish(struct rs_markers *markers)
{
	rs_environment_finish(&markers->environment);
	*markers = (struct rs_markers){0};
}
