/* SPDX-License-Identifier: MIT */
/*
 * One table of the statuses: the word that scripts rely on, and what people read.
 */
#include "report/status.h"

static const struct {
	const char *word;
	const char *words;
} texts[] = {
	[RS_VALUE_OK] = {"ok", "<not counted>"},
	[RS_VALUE_SCALED] = {"scaled", "<not counted>"},
	[RS_VALUE_NOT_COUNTED] = {"not-counted", "<not counted>"},
	[RS_VALUE_NOT_SUPPORTED] = {"not-supported", "<not supported>"},
	[RS_VALUE_NOT_PERMITTED] = {"not-permitted", "<not permitted>"},
	[RS_VALUE_UNDEFINED] = {"undefined", "<undefined>"},
};

const char *rs_status_word(enum rs_value_status status)
{
	return texts[status].word;
}

const char *rs_status_words(enum rs_value_status status)
{
	return texts[status].words;
}
