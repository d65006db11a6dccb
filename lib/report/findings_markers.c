/* SPDX-License-Identifier: MIT */
/*
 * This file makes the findings about adapters for other marker APIs. The findings say what each
 * adapter measured, which adapters --markers named but the program never called, and which failed
 * in part. The file reads the list of the program's adapters and the counts that adapters wrote to
 * the segment.
 */
#include <inttypes.h>

#include "report/finder.h"
#include "segment/adapters.h"

static const struct rs_run_marker *find_marker(const struct rs_finder *finder, const char *word)
{
	for (size_t i = 0; i < finder->how->n_markers; i++)
		if (!strcmp(finder->how->markers[i].word, word))
			return &finder->how->markers[i];
	return NULL;
}

/* Return "; 5 calls ignored", or "" if n is 0. */
static const char *part(struct rs_finder *finder, uint64_t n, const char *one, const char *many)
{
	return n > 0 ? rs_text(finder, "; %s %s", rs_finder_count(finder, n), n == 1 ? one : many)
		     : "";
}

/* Return why regionstat loaded the adapter, and the environment variables that it set to load it.
 * Return "" if the reason is unknown. */
static const char *reason_of(struct rs_finder *finder, const struct rs_run_marker *marker)
{
	const char *variables = "";
	if (!marker)
		return "";
	for (const char *at = marker->environment; *at;) {
		size_t length = strcspn(at, "\n");
		variables = rs_text(finder, "%s\n  %s", variables,
			rs_shown(finder, rs_text(finder, "%.*s", (int)length, at)));
		at += length + (at[length] == '\n');
	}
	return rs_text(finder, "\n  %s%s%s",
		marker->is_other ? "not loaded, since --markers names others: " : "",
		marker->is_asked ? "asked for by --markers"
		: marker->why	 ? rs_shown(finder, marker->why)
				 : "the program seems to use it",
		variables);
}

static void find_called(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	for (size_t i = 0; i < run->n_adapters; i++) {
		const struct rs_run_adapter *adapter = &run->adapters[i];
		const uint64_t *counts = adapter->counts;
		uint64_t loaded = counts[RS_ADAPTER_COUNT_LOADED];
		const char *met = rs_text(finder, " in %" PRIu64 " process%s%s%s%s%s", loaded,
			loaded == 1 ? "" : "es",
			loaded > 1 ? ", those of each counted by themselves" : "",
			part(finder, counts[RS_ADAPTER_COUNT_IGNORED], "call ignored",
				"calls ignored"),
			part(finder, counts[RS_ADAPTER_COUNT_CHAINED], "tool called as well",
				"tools called as well"),
			reason_of(finder, find_marker(finder, adapter->word)));
		rs_finder_add(finder, kind,
			RS_FOUND(.n = counts[RS_ADAPTER_COUNT_REGIONS],
				.event = rs_shown(finder, adapter->word), .text = met));
	}
}

static void find_not_called(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	for (size_t i = 0; finder->summary->counts && i < finder->how->n_markers; i++) {
		const struct rs_run_marker *marker = &finder->how->markers[i];
		if (!rs_finder_has_adapter(finder, marker->word))
			rs_finder_add(finder, kind,
				RS_FOUND(.event = rs_shown(finder, marker->word),
					.text = reason_of(finder, marker)));
	}
}

/* Return a comma-separated list of adapters that the program seems to use and --markers did not
 * name. Return "" if there are none. */
static const char *others(struct rs_finder *finder)
{
	const char *words = "";
	for (size_t i = 0; i < finder->how->n_markers; i++)
		if (finder->how->markers[i].is_other)
			words = rs_text(finder, "%s%s%s", words, *words ? "," : "",
				rs_shown(finder, finder->how->markers[i].word));
	return words;
}

/* Report adapters that --markers named and no process called. A program calls an adapter in
 * LD_PRELOAD only if the dynamic linker finds it before the API's own library. RTLD_DEEPBIND, for
 * example, changes this order. */
static void find_uncalled(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const char *instead = others(finder);
	for (size_t i = 0; finder->summary->counts && i < finder->how->n_markers; i++) {
		const struct rs_run_marker *marker = &finder->how->markers[i];
		if (!marker->is_asked || rs_finder_has_adapter(finder, marker->word))
			continue;
		rs_finder_add(finder, kind,
			RS_FOUND(.number = 1, .event = rs_shown(finder, marker->word),
				.text = !strncmp(marker->environment, "LD_PRELOAD=", 11)
						? ", or is one that opens the API's library by "
						  "RTLD_DEEPBIND, dlsym(HANDLE, ...), ctypes or "
						  "cffi"
					: !strcmp(marker->word, rs_adapter_word(RS_ADAPTER_OMPT))
						? ", or uses gcc's libgomp, which has no OMPT "
						  "(link LLVM's libomp instead)"
						: "",
				.remedy = *instead ? rs_text(finder,
							     "use --markers auto: the program "
							     "seems to "
							     "use %s",
							     instead)
						   : NULL));
	}
}

/* Report adapters that --markers named and that are loaded instead of the user's own tool. */
static void find_replaced(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	for (size_t i = 0; finder->summary->counts && i < finder->how->n_markers; i++) {
		const struct rs_run_marker *marker = &finder->how->markers[i];
		if (marker->is_asked && marker->why)
			rs_finder_add(finder, kind,
				RS_FOUND(.number = 1, .event = rs_shown(finder, marker->word),
					.text = rs_shown(finder, marker->why)));
	}
}

/* Report one of the counts of each adapter. arg: enum rs_adapter_count. of: 0: all adapters except
 * XRay's, 1: XRay's only, 2: all. */
static void find_count(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	for (size_t i = 0; i < run->n_adapters; i++) {
		const struct rs_run_adapter *adapter = &run->adapters[i];
		uint64_t n = adapter->counts[kind->arg];
		bool is_xray = !strcmp(adapter->word, rs_adapter_word(RS_ADAPTER_FUNCTIONS));
		if (n > 0 && (kind->of == 2 || kind->of == is_xray))
			rs_finder_add(finder, kind,
				RS_FOUND(.n = n, .text = n == 1 ? "" : "es",
					.event = rs_shown(finder, adapter->word)));
	}
}

const struct rs_finding_kind rs_findings_markers[] = {
	{"markers-refused", RS_WARNING, find_count, RS_ADAPTER_COUNT_REFUSED, true,
		"markers functions: the XRay sleds of {n} process{text} could not be used, or only "
		"for a part of the run",
		"use a program that is not stripped and has no XRay handler of its own; remove "
		"xray_mode from XRAY_OPTIONS; let XRay write into the program's code"},
	{"markers-refused", RS_WARNING, find_count, RS_ADAPTER_COUNT_REFUSED, false,
		"markers {event}: {n} time{s} regionstat could not measure: the API's version is "
		"unknown, or "
		"another tool was loaded first",
		"regionstat-markers(7) names versions; -v shows the environment"},
	{"markers-unmatched", RS_WARNING, find_count, RS_ADAPTER_COUNT_UNMATCHED, 2,
		"markers {event}: {n} end{s} without a begin dropped",
		"begin each call before its end, on the same thread"},
	{"markers-memory", RS_WARNING, find_count, RS_ADAPTER_COUNT_MEMORY, 2,
		"markers {event}: {n} time{s} there was no memory for a name (its calls count as "
		"'(other)') or for an open call (it is not measured)",
		"use fewer different names, and end each call; limits: CAVEATS in "
		"regionstat-markers(7)"},
	{"markers-replaced", RS_WARNING, find_replaced, 0, 0, "--markers {event}: {text}",
		"use --markers auto to keep that tool"},
	{"markers-uncalled", RS_WARNING, find_uncalled, 0, 0,
		"--markers {event}: no process called it; its markers were not reached, were "
		"compiled away, or lie in a program that is static, is set-user-ID or clears its "
		"environment{text}",
		"--dry-run with --markers auto shows which APIs the program uses"},
	{"markers", RS_DETAIL, find_called, 0, 0, "markers {event}: {n} region{s}{text}", NULL},
	{"markers", RS_DETAIL, find_not_called, 0, 0, "markers {event}: not called{text}", NULL},
	{0},
};
