/* SPDX-License-Identifier: MIT */
/*
 * The steps that make a run from a document, in this order. Each returns false if it fails: see
 * struct rs_json_load.
 */
#ifndef RS_RECORD_LOAD_RUN_H
#define RS_RECORD_LOAD_RUN_H

#include "record/document.h"

/* Check the facts of a document, and complete its run. The run refers to the document. */
bool rs_load_facts(const struct rs_json_load *load, struct rs_document *document);

/* Check what was measured, and fill run, except its results. */
bool rs_load_measured(
	const struct rs_json_load *load, struct rs_run *run, struct rs_document *document);

/* Read the array of results, which must be the next value. A file has many results, so only one of
 * them at a time is in memory as a document. */
bool rs_load_results(
	const struct rs_json_load *load, struct rs_run *run, struct rs_document *document);

#endif
