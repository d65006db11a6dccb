/* SPDX-License-Identifier: MIT */
/*
 * A target makes an input of the code from a string of bytes. The results must keep every promise
 * of the interfaces. fuzz_target.c collects, sums up and reports a valid segment that the bytes
 * change. fuzz_events.c has event strings, fuzz_options.c command lines, fuzz_config.c files of
 * settings, fuzz_formulas.c formulas of metrics. fuzz_records.c has calls and their statistics,
 * fuzz_saved.c documents of saved runs, fuzz_slow.c the ring of slow calls.
 */
#ifndef RS_TEST_FUZZ_TARGET_H
#define RS_TEST_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* fuzz_target.c: bytes that make one change; a shorter rest is ignored. */
#define FUZZ_CHANGE_BYTES 16

/* Run one input. Aborts, with a message on stderr, where a promise is broken. */
void fuzz_run(const uint8_t *data, size_t bytes);

/* fuzz_target.c: the results of the inputs so far, so that a run can show that it reached deep. */
struct fuzz_counts {
	uint64_t runs;
	uint64_t refused; /* header or event plan */
	uint64_t damaged; /* collected, with damage reported */
	uint64_t whole;
	uint64_t cells;
};
extern struct fuzz_counts fuzz_counts;

#endif
