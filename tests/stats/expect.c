/* SPDX-License-Identifier: MIT */
/* This file implements expect.h. */
#include "expect.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MEMBER(name)                                   \
	{                                              \
#name, offsetof(struct rs_value, name) \
	}

static const struct {
	const char *word;
	size_t offset;
} members[] = {MEMBER(sum), MEMBER(weight), MEMBER(slowest), MEMBER(enabled_ns), MEMBER(running_ns),
	{"buckets", offsetof(struct rs_value, histogram.n)}};

static bool is_word(const char *text, size_t length, const char *word)
{
	return length == strlen(word) && strncmp(text, word, length) == 0;
}

static void show(FILE *stream, const struct rs_value *value, const char *word, size_t length)
{
	struct rs_field field = {0};
	int n_found = 0;
	if (is_word(word, length, "status") && ++n_found)
		field = rs_field_of_text(rs_status_word(value->status));
	if (is_word(word, length, "square") && ++n_found)
		field = rs_field_of_real(value->square);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (is_word(word, length, members[i].word) && ++n_found)
			field = rs_field_of_integer(
				*(const uint64_t *)(const void *)((const char *)value +
								  members[i].offset));
	for (size_t i = 0; i < RS_STATISTIC_N; i++)
		if (is_word(word, length, rs_statistics[i].word) && ++n_found)
			field = rs_statistic_of(&rs_statistics[i], NULL, value);
	cr_assert_eq(n_found, 1, "%.*s", (int)length, word);
	switch (field.kind) {
	case RS_FIELD_ABSENT:
		fputs("-", stream);
		break;
	case RS_FIELD_INTEGER:
		fprintf(stream, "%" PRIu64, field.integer);
		break;
	case RS_FIELD_REAL:
		fprintf(stream, "%.10g", field.real);
		break;
	case RS_FIELD_TEXT:
		fputs(field.text, stream);
		break;
	}
}

const char *expect_shown(const struct rs_value *value, const char *text)
{
	static char shown[512];
	FILE *stream = fmemopen(shown, sizeof(shown), "w");
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "=");
		fprintf(stream, "%s%.*s=", at == text ? "" : " ", (int)length, at);
		show(stream, value, at, length);
		at += strcspn(at, " ");
		at += *at == ' ';
	}
	fclose(stream);
	return shown;
}
