/* SPDX-License-Identifier: MIT */
/*
 * A fuzzing target makes an input for the code from a string of bytes. The results must keep every
 * promise of the interfaces. fuzz_target.c collects, summarizes and reports a valid segment that
 * the bytes change. fuzz_events.c has event strings, fuzz_options.c command lines, fuzz_config.c
 * configuration files, fuzz_formulas.c formulas of metrics. fuzz_records.c has calls and their
 * statistics, fuzz_saved.c documents of saved runs, fuzz_series.c series of them, fuzz_merge.c runs
 * to merge, fuzz_slow.c the ring of slow calls. fuzz_rings.c has the rings of traces.
 */
#ifndef RS_TEST_FUZZ_TARGET_H
#define RS_TEST_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of one change in fuzz_target.c; a shorter rest is ignored. */
#define FUZZ_CHANGE_BYTES 16

/* Run one input. Abort with a message on stderr if a promise is broken. */
void fuzz_run(const uint8_t *data, size_t bytes);

#endif
