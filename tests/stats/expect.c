/* SPDX-License-Identifier: MIT */
/* This file implements expect.h. */
#include "expect.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void show(FILE *stream, const struct rs_value *value, const char *word, size_t length)
{
	struct rs_field field = {0};
	if (length == strlen("status") && strncmp(word, "status", length) == 0)
		field = rs_field_of_text(rs_status_word(value->status));
	for (size_t i = 0; i < RS_STATISTIC_N; i++)
		if (strlen(rs_statistics[i].word) == length &&
			strncmp(rs_statistics[i].word, word, length) == 0)
			field = rs_statistic_of(&rs_statistics[i], NULL, value);
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
