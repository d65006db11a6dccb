/* SPDX-License-Identifier: MIT */
/*
 * Checks of a text before it is parsed. Of yaml.c alone.
 */
#ifndef RS_CONFIG_YAML_CHECK_H
#define RS_CONFIG_YAML_CHECK_H

#include "config/yaml.h"

/* False, with err filled, at the first byte of text[bytes] that is not UTF-8, or the first character that
 * no line shows. */
bool rs_yaml_check_characters(
	const struct rs_yaml *yaml, const char *text, size_t bytes, struct rs_err *err);

/* The character at a place of text[bytes], which has passed the check; NULL: it is behind the end,
 * and place becomes the end itself. */
const char *rs_yaml_find_place(const char *text, size_t bytes, struct rs_yaml_place *place);

#endif
