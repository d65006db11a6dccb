/* SPDX-License-Identifier: MIT */
/*
 * This file makes the findings about options that name regions. They report names in --sample,
 * --only and --slow that match no region, --by-work without work, and slow calls that were not
 * written.
 */
#include "base/glob.h"
#include "base/suggest.h"
#include "report/finder.h"

#define MOST_NEAR 4u /* a message suggests similar names for this many globs */

static void find_unknown_samples(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	struct rs_names names = {0};
	if (run->n_results == 0)
		return; /* another finding reports that no region was called */
	for (size_t i = 0; i < finder->how->n_samples; i++) {
		bool is_called = false;
		for (size_t r = 0; r < run->n_regions; r++)
			is_called |= finder->counts->regions[r].is_called &&
				     !strcmp(run->regions[r].name, finder->how->samples[i].name);
		if (!is_called)
			rs_names_add(&names, finder, finder->how->samples[i].name, 0);
	}
	rs_finder_add(finder, kind, RS_FOUND(.list = &names));
}

/* Remove the wildcards of a glob. Append the names of regions that are similar to the result. */
static void add_near(struct rs_names *near, struct rs_finder *finder, const char *glob)
{
	const struct rs_run *run = finder->run;
	char name[RS_GLOB_BYTES];
	size_t n = 0;
	for (; *glob && n + 1 < sizeof(name); glob++)
		if (!strchr("*?[]\\", *glob))
			name[n++] = *glob;
	name[n] = '\0';
	struct rs_suggest suggest = {.name = name};
	for (size_t i = 1; i < run->n_regions; i++)
		if (run->regions[i].ready)
			rs_suggest_offer(&suggest, run->regions[i].name);
	for (size_t i = 0; i < suggest.n_near; i++)
		rs_names_add(near, finder, suggest.near[i], 0);
}

static bool is_matched(const struct rs_run *run, const char *glob)
{
	for (size_t i = 1; i < run->n_regions; i++)
		if (run->regions[i].ready && rs_glob_matches(glob, run->regions[i].name))
			return true;
	return false;
}

static void find_unmatched_only(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	struct rs_names names = {0}, near = {0}, others = {0};
	for (size_t i = 0; finder->summary->counts && i < finder->how->n_only; i++) {
		if (is_matched(run, finder->how->only[i]))
			continue;
		rs_names_add(&names, finder, finder->how->only[i], 0);
		if (names.n <= MOST_NEAR)
			add_near(&near, finder, finder->how->only[i]);
	}
	for (size_t i = 1; i < run->n_regions; i++)
		if (run->regions[i].flags & RS_REGION_IS_FILTERED)
			rs_names_add(&others, finder, run->regions[i].name, 0);
	/* otherwise another finding reports that no region was called */
	bool is_called = run->n_results > 0 || others.n > 0;
	if (names.n == 0 || !is_called)
		return;
	const char *text = "";
	if (near.n > 0)
		text = rs_text(finder, "; similar names: %s", rs_names_text(&near, finder));
	else if (others.n > 0)
		text = rs_text(finder, "; filtered regions are %s", rs_names_text(&others, finder));
	rs_finder_add(finder, kind,
		RS_FOUND(.n = names.n, .names = rs_names_text(&names, finder), .text = text));
}

static void find_by_no_work(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary *summary = finder->summary;
	bool is_wanted = finder->how->by_work && summary->n_merged > 0;
	for (size_t i = 0; i < summary->n_merged; i++)
		is_wanted &= summary->merged[i].work.calls == 0;
	if (is_wanted)
		rs_finder_add(finder, kind, RS_FOUND(0));
}

/* ---- --slow ---- */

static void find_unmatched_slow(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	struct rs_names names = {0};
	if (run->n_results == 0)
		return; /* another finding reports that no region was called */
	for (size_t i = 0; finder->summary->counts && i < finder->how->n_slow; i++) {
		const char *glob = finder->how->slow[i].region;
		bool is_there = false;
		for (size_t r = 0; r < run->n_regions; r++)
			is_there |= run->regions[r].ready && rs_run_owner(run, (uint32_t)r) == r &&
				    !(run->regions[r].flags & RS_REGION_IS_FILTERED) &&
				    rs_glob_matches(glob, run->regions[r].name);
		if (!is_there)
			rs_names_add(&names, finder, glob, 0);
	}
	rs_finder_add(finder, kind, RS_FOUND(.list = &names));
}

/* Warn that --slow cannot see the calls that --sample skipped. */
static void find_slow_sampled(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	const struct rs_run_how *how = finder->how;
	struct rs_names names = {0};
	for (size_t i = 0; i < run->n_regions; i++) {
		const char *name = run->regions[i].name;
		bool is_watched = false;
		for (size_t s = 0; s < how->n_slow; s++)
			is_watched |= rs_glob_matches(how->slow[s].region, name);
		if (is_watched && finder->counts->regions[i].skipped > 0)
			rs_names_add(&names, finder, name, finder->counts->regions[i].skipped);
	}
	rs_finder_add(finder, kind, RS_FOUND(.list = &names));
}

enum slow_count { SLOW_OVER_RATE, SLOW_LOST, SLOW_UNWRITTEN };

/* Report how many slow calls were not written for one reason. arg: enum slow_count. */
static void find_slow_count(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run_how *how = finder->how;
	const uint64_t counts[] = {how->slow_over_limit, how->slow_lost, how->slow_unwritten};
	if (how->n_slow > 0 && counts[kind->arg] > 0)
		rs_finder_add(finder, kind,
			RS_FOUND(.n = counts[kind->arg],
				.text = kind->arg == SLOW_OVER_RATE
						? rs_finder_count(finder, how->slow_lines)
					: how->slow_errno > 0
						? strerror(how->slow_errno)
						: "the file is full, or nobody reads the pipe"));
}

const struct rs_finding_kind rs_findings_options[] = {
	{"sample-unknown", RS_WARNING, find_unknown_samples, 0, 0,
		"no region has the name that --sample gives: {names}",
		"use the exact names of this report"},
	{"only-unmatched", RS_WARNING, find_unmatched_only, 0, 0,
		"no region matches --only: {names}{text}",
		"use the names of a report without --only; '*' matches any text"},
	{"by-work-unused", RS_WARNING, find_by_no_work, 0, 0,
		"--by-work has no effect: no region used REGIONSTAT_WORK()",
		"use REGIONSTAT_WORK() in the regions whose calls differ in their work"},
	{"slow-unmatched", RS_WARNING, find_unmatched_slow, 0, 0,
		"no region matches --slow: {names}",
		"use the names of this report; '*' matches any text"},
	{"slow-sampled", RS_WARNING, find_slow_sampled, 0, 0,
		"--slow sees only measured calls, and sampling skipped others: {names}",
		"use --sample REGION:1 for regions whose slow calls matter"},
	{"slow-lost", RS_WARNING, find_slow_count, SLOW_LOST, 0,
		"{n} slow call{s} without a line: there were too many to read in time, or their "
		"process was killed",
		"use a higher limit of --slow"},
	{"slow-unwritten", RS_WARNING, find_slow_count, SLOW_UNWRITTEN, 0,
		"{n} line{s} of --slow could not be written: {text}",
		"use --slow-output FILE with room for them"},
	{"slow-over-rate", RS_NOTE, find_slow_count, SLOW_OVER_RATE, 0,
		"{text} slow calls have a line; {n} more exceeded --slow-rate",
		"use --slow-rate N, or a higher limit"},
	{0},
};
