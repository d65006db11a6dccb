/* SPDX-License-Identifier: MIT */
/*
 * Documents of saved runs for fuzzing: a valid one that the input changes.
 */
#ifndef RS_TEST_FUZZ_DOCUMENT_H
#define RS_TEST_FUZZ_DOCUMENT_H

#include <stddef.h>
#include <stdint.h>

#include "report/formats.h"
#include "stats/summary.h"

/* Return the document of a valid run, which has a place in a series. data[bytes] changes its
 * values, or bytes of its text if the first byte is 0xf0 or more. Without data it is valid. The
 * caller frees it. */
char *fuzz_document(const uint8_t *data, size_t bytes, size_t *n);

/* Write a report in one format. The caller frees it. */
char *fuzz_write_report(
	const struct rs_summary *summary, const struct rs_report_format *format, size_t *bytes);

/* All collected or merged data can be saved, and loaded again. */
void fuzz_check_saved(const struct rs_summary *summary);

#endif
