/* SPDX-License-Identifier: MIT */
/*
 * The table of marker APIs, and from what is wanted of it to the program's environment. The contracts
 * by which they load a tool are those of their documents: ld.so(8) for LD_PRELOAD; ITT's and NVTX's
 * headers; the Kokkos wiki on its tools; OpenMP 5.0, section 6.22.
 */
#include "launch/markers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"
#include "base/text.h"
#include "launch/program_kind.h"

#define FILE_OF(name) "libregionstat-" name ".so"
#define PRELOAD                                             \
	{                                                   \
		{                                           \
			"LD_PRELOAD", RS_MARKER_COLON, NULL \
		}                                           \
	}

/* Where XRay keeps what can be patched, on the processors whose trampolines the adapter knows. */
#if defined(__x86_64__)
#define XRAY_SECTION "xray_instr_map"
#else
#define XRAY_SECTION NULL
#endif

const struct rs_marker_api rs_marker_apis[RS_ADAPTER_N] = {
	[RS_ADAPTER_LIKWID] = {RS_ADAPTER_LIKWID, FILE_OF("likwid"), PRELOAD,
		{.wanted = {"likwid_marker*"}}},
	[RS_ADAPTER_ITT] = {RS_ADAPTER_ITT, FILE_OF("itt"),
		/* of its parallel regions libomp tells by begin and end in this mode alone */
		{{"INTEL_LIBITTNOTIFY64", RS_MARKER_REPLACE, "REGIONSTAT_CHAIN_ITT"},
			{"KMP_FORKJOIN_FRAMES_MODE", RS_MARKER_ZERO, NULL}},
		{.known = {"__itt_*"}, .texts = {"INTEL_LIBITTNOTIFY64"}}},
	[RS_ADAPTER_NVTX] = {RS_ADAPTER_NVTX, FILE_OF("nvtx"),
		{{"NVTX_INJECTION64_PATH", RS_MARKER_REPLACE, "REGIONSTAT_CHAIN_NVTX"}},
		{.texts = {"NVTX_INJECTION64_PATH"}}},
	[RS_ADAPTER_KOKKOS] = {RS_ADAPTER_KOKKOS, FILE_OF("kokkos"),
		/* Kokkos 3.7 and later ends the program where both are set and differ, and says of
		 * the old one that it is old */
		{{"KOKKOS_TOOLS_LIBS", RS_MARKER_SEMICOLON, .other = "KOKKOS_PROFILE_LIBRARY"},
			{"KOKKOS_PROFILE_LIBRARY", RS_MARKER_SEMICOLON,
				.other = "KOKKOS_TOOLS_LIBS", .is_old = true}},
		{.known = {"_ZN6Kokkos*"},
			.texts = {"KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"}}},
	[RS_ADAPTER_OMPT] = {RS_ADAPTER_OMPT, FILE_OF("openmp"),
		{{"OMP_TOOL_LIBRARIES", RS_MARKER_ONE, .switch_name = "OMP_TOOL"}},
		{.needed = {"libomp.so", "libiomp5.so"}}},
	[RS_ADAPTER_PAPI] = {RS_ADAPTER_PAPI, FILE_OF("papi"), PRELOAD,
		{.wanted = {"PAPI_hl_*", "papif_hl_*", "PAPIF_HL_*"}}},
	[RS_ADAPTER_CALIPER] = {RS_ADAPTER_CALIPER, FILE_OF("caliper"), PRELOAD,
		{.wanted = {"cali_begin*", "cali_end*", "cali_set*", "_ZN4cali*", "_ZNK4cali*"}}},
	[RS_ADAPTER_UPROF] = {RS_ADAPTER_UPROF, NULL, {{0}}, {.wanted = {"amdProfile*"}}},
	[RS_ADAPTER_FUNCTIONS] = {RS_ADAPTER_FUNCTIONS, FILE_OF("functions"), PRELOAD,
		{.wanted = {"__cyg_profile_func_enter"}, .section = XRAY_SECTION}},
};

/* ---- what is wanted ---- */

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && strncmp(text, word, length) == 0;
}

static bool refuse_name(const char *option, const char *text, size_t length, struct rs_err *err)
{
	char name[64];
	snprintf(name, sizeof(name), "%.*s", (int)length, text);
	struct rs_suggest suggest = {.name = name};
	if (length == 0)
		rs_err_set(err, "%s: a name is missing", option);
	else
		rs_err_set(err, "%s: unknown markers '%s'", option, rs_text_shown(name).text);
	for (uint32_t i = 0; i < RS_ADAPTER_N; i++)
		rs_suggest_offer(&suggest, rs_adapter_word(i));
	if (length > 0 && rs_suggest_add_line(&suggest, err))
		return false;
	rs_err_add_line(err, "there are: likwid, itt, nvtx, kokkos, openmp, papi, caliper, uprof, "
			     "functions; and auto, or none, alone");
	return rs_err_add_line(err, "try: %s auto, or %s likwid,papi", option, option);
}

bool rs_marker_wish_parse(
	struct rs_marker_wish *wish, const char *option, const char *text, struct rs_err *err)
{
	*wish = (struct rs_marker_wish){0};
	if (strcmp(text, "auto") == 0)
		return true;
	wish->is_told = true;
	if (strcmp(text, "none") == 0)
		return true;
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");
		uint32_t adapter = 0;
		while (adapter < RS_ADAPTER_N && !is_word(at, length, rs_adapter_word(adapter)))
			adapter++;
		if (is_word(at, length, "uprof=control")) {
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

static bool no_memory(struct rs_err *err)
{
	return rs_err_set(err, "cannot choose adapters of markers: out of memory");
}

/* What would end a path in a variable: ld.so takes blanks for separators as well. */
static const char *separators_of(const struct rs_marker_variable *variable)
{
	static const char *const separators[] = {[RS_MARKER_REPLACE] = "",
		[RS_MARKER_COLON] = ": \t\n",
		[RS_MARKER_SEMICOLON] = ";",
		[RS_MARKER_ONE] = ":",
		[RS_MARKER_ZERO] = ""};
	return separators[variable->join];
}

/* Where the adapter is. False: it cannot be used, with err filled. */
static bool find_file(const struct rs_marker_api *api, char path[PATH_MAX], rs_adapter_find *find,
	struct rs_err *err)
{
	if (!find(path, api->file, err))
		return rs_err_prefix(err, "--markers %s", rs_adapter_word(api->adapter));
	for (const struct rs_marker_variable *at = api->variables; at->name; at++) {
		if (path[strcspn(path, separators_of(at))] == '\0')
			continue;
		rs_err_set(err, "--markers %s: %s cannot hold the path '%s'",
			rs_adapter_word(api->adapter), at->name, rs_text_shown(path).text);
		rs_err_add_line(err, "a character in it separates paths there");
		return rs_err_add_line(err, "try: regionstat in a directory of another name");
	}
	return true;
}

/* Whether the program has a text among those that are signs of an API. */
static bool has_text(
	const struct rs_marker_found *found, const struct rs_marker_api *api, const char *text)
{
	bool has = false;
	for (size_t i = 0; i < RS_MARKER_TEXTS && api->signs.texts[i]; i++)
		has |= found->has_text[api->adapter][i] && strcmp(api->signs.texts[i], text) == 0;
	return has;
}

/* The user's word that no tool is to be loaded: of OpenMP 5.0, section 6.21, in any letters. */
static bool is_switched_off(const struct rs_marker_variable *variable)
{
	const char *value = variable->switch_name ? getenv(variable->switch_name) : NULL;
	return value && strcasecmp(value, "disabled") == 0;
}

/* Whether a list of which one tool is used begins with another one than ours. */
static bool has_other_tool(const struct rs_marker_variable *variable, const char *path)
{
	const char *before = variable->join == RS_MARKER_ONE ? getenv(variable->name) : NULL;
	return before && *before && !is_word(before, strcspn(before, ":"), path);
}

static bool is_for_program(const struct rs_marker_found *found, const struct rs_marker *marker,
	const struct rs_marker_variable *variable, const char *path)
{
	const struct rs_marker_api *api = marker->api;
	if (!marker->is_asked && (is_switched_off(variable) || has_other_tool(variable, path)))
		return false;
	if (variable->join == RS_MARKER_ZERO)
		return marker->is_asked && !getenv(variable->name);
	return !variable->is_old || getenv(variable->name) ||
	       (has_text(found, api, variable->name) && !has_text(found, api, variable->other));
}

/* One variable, with what was there before. */
static bool join(struct rs_environment *environment, const struct rs_marker_variable *variable,
	const char *path)
{
	const char *before = rs_environment_get(environment, variable->name);
	if (!before && variable->other)
		before = getenv(variable->other); /* as it was, before it was set here */
	if (variable->join == RS_MARKER_ZERO)
		return rs_environment_set(environment, variable->name, "0");
	if (!before || !*before)
		return rs_environment_set(environment, variable->name, "%s", path);
	/* from a regionstat around this one, whose chain goes on */
	size_t length = strlen(path);
	if (strncmp(before, path, length) == 0 && strchr(separators_of(variable), before[length]))
		return rs_environment_set(environment, variable->name, "%s", before);
	if (variable->join == RS_MARKER_REPLACE)
		return rs_environment_set(environment, variable->chain, "%s", before) &&
		       rs_environment_set(environment, variable->name, "%s", path);
	return rs_environment_set(environment, variable->name, "%s%c%s", path,
		variable->join == RS_MARKER_SEMICOLON ? ';' : ':', before);
}

/* To what showed it, what the user's own variables make of it. False: no memory. */
static bool add_to_why(
	struct rs_marker *marker, const struct rs_marker_variable *variable, const char *path)
{
	char *why = NULL;
	const char *shown = marker->why ? marker->why : "";
	if (is_switched_off(variable)) {
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

static bool set_variables(struct rs_markers *markers, struct rs_marker *marker,
	const struct rs_marker_found *found, const char *path)
{
	for (const struct rs_marker_variable *at = marker->api->variables; at->name; at++) {
		if (!add_to_why(marker, at, path))
			return false;
		if (is_for_program(found, marker, at, path) &&
			!join(&markers->environment, at, path))
			return false;
	}
	return true;
}

/* One that is asked for has to be loaded. */
static bool check_switches(const struct rs_marker_api *api, struct rs_err *err)
{
	for (const struct rs_marker_variable *at = api->variables; at->name; at++) {
		if (!is_switched_off(at))
			continue;
		rs_err_set(err, "--markers %s: %s is disabled in the environment",
			rs_adapter_word(api->adapter), at->switch_name);
		rs_err_add_line(err, "the program would load no tool, and nothing be measured");
		return rs_err_add_line(
			err, "try: unset %s, or --markers without that name", at->switch_name);
	}
	return true;
}

/* A line of a variable as the program will have it, if it is set here: one line, whatever it held
 * before. */
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

/* What each of them has set, once all have. */
static bool describe(struct rs_markers *markers)
{
	for (size_t i = 0; i < markers->n; i++) {
		struct rs_marker *marker = &markers->items[i];
		size_t bytes = 0;
		FILE *stream = open_memstream(&marker->environment, &bytes);
		if (!stream)
			return false;
		for (const struct rs_marker_variable *at = marker->api->variables; at->name; at++) {
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

/* The first one is told. */
static void pass_over(struct rs_markers *markers, const struct rs_err *err)
{
	if (*markers->passed_over.text)
		return;
	markers->passed_over = *err;
	rs_err_prefix(&markers->passed_over, "markers are not measured");
}

/* Whether a program survives an adapter that is told to it. One that would load nothing may start
 * others that do. */
static bool check_kind(enum rs_program_kind kind, const char *path, const struct rs_marker_api *api,
	struct rs_err *err)
{
	static const char *const reasons[] = {
		[RS_PROGRAM_32_BITS] = "a program of 32 bits, and regionstat's adapters are of 64",
		[RS_PROGRAM_OTHER_MACHINE] = "a program of another kind of processor",
		[RS_PROGRAM_OTHER_LIBRARY] = "a program whose C library is not glibc, and might "
					     "not start",
	};
	bool is_known = kind < sizeof(reasons) / sizeof(reasons[0]);
	if (!api->file || !is_known || !reasons[kind])
		return true;
	rs_err_set(err, "--markers %s: not loaded into %s", rs_adapter_word(api->adapter),
		rs_text_shown(path).text);
	rs_err_add_line(err, "it is %s", reasons[kind]);
	return rs_err_add_line(err,
		"try: --markers none, or a program that was built for glibc and "
		"64 bits of this machine");
}

/* One that is asked for, or found. */
static bool add(struct rs_markers *markers, const struct rs_marker_api *api, bool is_asked,
	struct rs_marker_found *found, rs_adapter_find *find, struct rs_err *err)
{
	char path[PATH_MAX] = "", **why = &found->why[api->adapter];
	if (api->file && !find_file(api, path, find, err)) {
		if (!is_asked) /* one that only would be of use */
			pass_over(markers, err);
		return !is_asked;
	}
	if (is_asked && !check_switches(api, err))
		return false;
	struct rs_marker *marker = &markers->items[markers->n++];
	*marker = (struct rs_marker){
		.api = api, .is_asked = is_asked, .why = is_asked ? NULL : *why};
	if (!is_asked)
		*why = NULL;
	return set_variables(markers, marker, found, path) || no_memory(err);
}

bool rs_markers_init(struct rs_markers *markers, const struct rs_marker_wish *wish,
	const char *command, rs_adapter_find *find, struct rs_err *err)
{
	struct rs_marker_found found = {0};
	char path[PATH_MAX];
	enum rs_program_kind kind = RS_PROGRAM_UNKNOWN;
	bool done = true;
	*markers = (struct rs_markers){0};
	if (command)
		kind = rs_program_kind_find(path, command);
	if (kind == RS_PROGRAM_OURS && (!wish->is_told || wish->asked[RS_ADAPTER_KOKKOS]))
		rs_markers_find(&found, path); /* of Kokkos: an old one? */
	markers->is_cut_short = found.is_cut_short && !wish->is_told;
	for (uint32_t i = 0; done && i < RS_ADAPTER_N; i++) {
		const struct rs_marker_api *api = &rs_marker_apis[i];
		if (!(wish->is_told ? wish->asked[i] : found.is_found[i]))
			continue;
		if (!check_kind(kind, path, api, err))
			pass_over(markers, err);
		else
			done = add(markers, api, wish->asked[i], &found, find, err);
	}
	if (done && wish->uprof_control)
		done = rs_environment_set(&markers->environment, "REGIONSTAT_UPROF", "control") ||
		       no_memory(err);
	done = done && (describe(markers) || no_memory(err));
	rs_marker_found_finish(&found);
	if (!done)
		rs_markers_finish(markers);
	return done;
}

void rs_markers_finish(struct rs_markers *markers)
{
	if (!markers)
		return;
	for (size_t i = 0; i < markers->n; i++) {
		free(markers->items[i].why);
		free(markers->items[i].environment);
	}
	rs_environment_finish(&markers->environment);
	*markers = (struct rs_markers){0};
}
