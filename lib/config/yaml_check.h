/* SPDX-License-Identifier: MIT */
/* Checks of a document's text before it is parsed. Only yaml.c includes this file. */
#ifndef RS_CONFIG_YAML_CHECK_H
#define RS_CONFIG_YAML_CHECK_H

#include "config/yaml.h"

/* Return true if text is valid UTF-8 and all its characters can be shown. Otherwise return false,
 * and set err to a message about the first byte or character that is not. file: its name. */
bool rs_yaml_check_characters(const char *file, const char *text, size_t bytes, struct rs_err *err);

/* Return a pointer to the character at a place of text. text must have passed
 * rs_yaml_check_characters(). If the place is beyond the end, set it to the end and return NULL. */
const char *rs_yaml_find_place(const char *text, size_t bytes, struct rs_yaml_place *place);

#endif
