/* SPDX-License-Identifier: MIT */
/*
 * What the reader of a report should know beside the numbers: warnings that advise, and notes.
 */
#ifndef RS_STATS_WARNINGS_H
#define RS_STATS_WARNINGS_H

#include "stats/messages.h"
#include "stats/summary.h"

/* What the messages are made from. All borrowed. */
struct rs_warnings_source {
	const struct rs_record_how *how;
	const struct rs_plan *plan;
	const struct rs_collection *collection; /* NULL: it could not be read */
	const struct rs_outcome *outcome;
	const struct rs_summary *summary; /* with run, regions and columns filled */
};

/* Of regions: markers that do not match, calls that were not counted, names that were cut. */
void rs_warnings_of_regions(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source);

/* Of --only: globs that no region's name matches. */
void rs_warnings_of_only(struct rs_messages *warnings, const struct rs_warnings_source *source);

/* Of --slow: calls that were not told of, and rules by which none can be. */
void rs_warnings_of_slow(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source);

/* Of adapters of other marker APIs: what they met, and what they could not do. */
void rs_warnings_of_markers(struct rs_messages *warnings, struct rs_messages *details,
	const struct rs_warnings_source *source);

/* Of regions by address: those whose names could not be found, and where the others are. */
void rs_warnings_of_names(struct rs_messages *warnings, struct rs_messages *details,
	const struct rs_warnings_source *source);

/* Of WORK: what was told of no call, and more than can be added up. */
void rs_warnings_of_work(struct rs_messages *warnings, const struct rs_warnings_source *source);

/* Of regions whose on-CPU time is not known. */
void rs_warnings_of_off_cpu(struct rs_messages *details, const struct rs_warnings_source *source);

/* Of processes and of the run: what could not be opened, loaded, answered or read. */
void rs_warnings_of_run(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source);

/* Of events that were not counted all the time, and what follows for figures. */
void rs_warnings_of_turns(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source);

/* Of regions whose average lies above their 90th percentile. */
void rs_warnings_of_tails(struct rs_messages *notes, const struct rs_warnings_source *source);

/* Of regions off a CPU, and of cycles that were not equally long, as task-clock has it. */
void rs_warnings_of_cpu(struct rs_messages *notes, const struct rs_warnings_source *source);

/* Of regions whose work threads share unevenly. */
void rs_warnings_of_threads(struct rs_messages *notes, const struct rs_warnings_source *source);

/* Of regions with so few calls that a percentile is no other than the slowest of them. */
void rs_warnings_of_few(struct rs_messages *details, const struct rs_warnings_source *source);

/* Of sampled regions whose total rests on a few long calls. */
void rs_warnings_of_sampled(struct rs_messages *notes, const struct rs_warnings_source *source);

/* Of metrics that were asked for and have no value. */
void rs_warnings_of_metrics(struct rs_messages *notes, const struct rs_warnings_source *source);

/* Of user_time and system_time, where the kernel accounts them in ticks. */
void rs_warnings_of_usage(struct rs_messages *notes, const struct rs_warnings_source *source);

/* Of time that a hypervisor took: a note where it is much. */
void rs_warnings_of_steal(struct rs_messages *notes, struct rs_messages *details,
	const struct rs_warnings_source *source);

/* What only a reader wants to know who asked for more. */
void rs_warnings_details(struct rs_messages *details, const struct rs_warnings_source *source);

/* Where no region was measured, why. source->collection: there is one. */
void rs_warnings_of_no_regions(
	struct rs_messages *warnings, const struct rs_warnings_source *source);

#endif
