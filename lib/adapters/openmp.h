/* SPDX-License-Identifier: MIT */
/*
 * Shared declarations of the OpenMP adapter: kinds of constructs, and the open calls of a task.
 * Types and numbers are those of OMPT (OpenMP API 5.2, chapter 19 and its omp-tools.h).
 */
#ifndef RS_ADAPTERS_OPENMP_H
#define RS_ADAPTERS_OPENMP_H

#include "adapters/adapter.h"

union rs_ompt_data {
	uint64_t value;
	void *ptr;
};

enum rs_openmp_kind {
	RS_OPENMP_PARALLEL,
	RS_OPENMP_TEAMS,
	RS_OPENMP_PART,
	RS_OPENMP_LOOP,
	RS_OPENMP_SECTIONS,
	RS_OPENMP_SINGLE,
	RS_OPENMP_WORKSHARE,
	RS_OPENMP_DISTRIBUTE,
	RS_OPENMP_TASKLOOP,
	RS_OPENMP_SCOPE,
	RS_OPENMP_MASKED,
	RS_OPENMP_KINDS
};

/* ---- openmp_tasks.c: data belongs to a task, and one thread at a time uses it ---- */

/* Begin the calling thread's part of a parallel region (its implicit task). site: NULL if the name
 * of the region is unknown. */
void rs_openmp_part_begin(union rs_ompt_data *data, struct regionstat_site_ *site);

/* End the calling thread's part of a parallel region. Do not end calls that are still open in it.
 * Do nothing if no part has begun. */
void rs_openmp_part_end(union rs_ompt_data *data);

/* Begin or end a worksharing construct in a task. Constructs may nest to any depth. Count an END
 * without a BEGIN as unmatched. */
void rs_openmp_work_begin(
	union rs_ompt_data *data, enum rs_openmp_kind kind, struct regionstat_site_ *site);
void rs_openmp_work_end(union rs_ompt_data *data, enum rs_openmp_kind kind);

#endif
