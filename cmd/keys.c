/* SPDX-License-Identifier: MIT */
/*
 * From options to keys. Nothing is listed here: who adds an option to the table adds its key.
 */
#include "keys.h"

#include <stdio.h>
#include <string.h>

bool rs_key_exists(const struct rs_option *option)
{
	return rs_option_is_taken(option, RS_OPTIONS_RUN) && !(option->key && !*option->key);
}

bool rs_key_is_inverted(const struct rs_option *option)
{
	return option->kind == RS_ARGUMENT_NONE && strncmp(option->word, "no-", 3) == 0;
}

struct rs_key rs_key_of(const struct rs_option *option)
{
	struct rs_key key;
	const char *word = option->key ? option->key : option->word;
	snprintf(key.text, sizeof(key.text), "%s", rs_key_is_inverted(option) ? word + 3 : word);
	for (char *at = key.text; (at = strchr(at, '-')); at++)
		*at = '_';
	return key;
}

bool rs_key_needs_trust(const struct rs_option *option)
{
	return option->is_trusted || (option->argument && strstr(option->argument, "FILE"));
}

bool rs_key_has_regions(const struct rs_option *option)
{
	return rs_key_exists(option) && option->argument && strstr(option->argument, "REGION");
}

const struct rs_option *rs_key_find(const char *key)
{
	for (size_t i = 0; i < rs_options_table_n; i++)
		if (rs_key_exists(&rs_options_table[i]) &&
			strcmp(rs_key_of(&rs_options_table[i]).text, key) == 0)
			return &rs_options_table[i];
	return NULL;
}
