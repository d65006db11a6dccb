/* SPDX-License-Identifier: MIT */
/*
 * Checking promises in fuzzing: report a broken promise and abort the process.
 */
#ifndef RS_TEST_FUZZ_REQUIRE_H
#define RS_TEST_FUZZ_REQUIRE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static inline void fuzz_fail(const char *what)
{
	fprintf(stderr, "broken promise: %s\n", what);
	abort();
}

#define REQUIRE(condition) ((condition) ? (void)0 : fuzz_fail(#condition))

/* A failure has a message, without control characters for a terminal. */
static inline void fuzz_require_message(const struct rs_err *err)
{
	REQUIRE(err->text[0] != '\0');
	for (const char *at = err->text; *at; at++)
		REQUIRE(*at == '\n' || ((unsigned char)*at >= ' ' && *at != 0x7f));
}

/* Return the input as text. The caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t bytes)
{
	char *text = calloc(1, bytes + 1);
	REQUIRE(text);
	if (bytes > 0)
		memcpy(text, data, bytes);
	return text;
}

#endif
