/* SPDX-License-Identifier: MIT */
/*
 * This file converts nodes to values. If a node is not of the expected kind, the message says where
 * the node is and what was expected.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "config/yaml.h"

bool rs_yaml_refuse(const struct rs_yaml_place *place, struct rs_err *err, const char *format, ...)
{
	char text[RS_ERR_BYTES];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return rs_err_set(err, "%s:%u:%u: %s", place->file, place->line, place->column, text);
}

struct rs_yaml_title rs_yaml_title(const struct rs_yaml_node *node)
{
	struct rs_yaml_title title = {"it"};
	if (node->key)
		snprintf(title.text, sizeof(title.text), "'%s'", rs_text_shown(node->key).text);
	return title;
}

const struct rs_yaml_node *rs_yaml_find(const struct rs_yaml_node *map, const char *key)
{
	if (!map || map->kind != RS_YAML_MAP)
		return NULL;
	for (const struct rs_yaml_node *node = map->first; node; node = node->next)
		if (strcmp(node->key, key) == 0)
			return node;
	return NULL;
}

/* Return true if the value is missing or null. */
static bool is_empty(const struct rs_yaml_node *node)
{
	static const char *const nothing[] = {"", "~", "null", "Null", "NULL"};
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		if (node->kind == RS_YAML_SCALAR && !node->is_quoted &&
			strcmp(node->text, nothing[i]) == 0)
			return true;
	return false;
}

/* Return words for the kind of the node, for messages. */
static const char *name_kind(const struct rs_yaml_node *node)
{
	return is_empty(node)			? "it is empty"
	       : node->kind == RS_YAML_MAP	? "this is a map"
	       : node->kind == RS_YAML_SEQUENCE ? "this is a list"
						: "this is a single value";
}

/* Report a wrong node. `what` is what was expected, with its article. `found` is what is there. */
static bool refuse(const struct rs_yaml_node *node, const char *what, const char *found,
	const char *example, struct rs_err *err)
{
	rs_yaml_refuse(
		&node->place, err, "%s must be %s, and %s", rs_yaml_title(node).text, what, found);
	return rs_err_add_line(err, "try: %s%s%s", node->key ? rs_text_shown(node->key).text : "",
		node->key ? ": " : "", example);
}

bool rs_yaml_check_map(const struct rs_yaml_node *node, struct rs_err *err)
{
	return node->kind == RS_YAML_MAP ||
	       refuse(node, "a map", name_kind(node), "{KEY: VALUE}, or a line for each KEY", err);
}

bool rs_yaml_check_sequence(const struct rs_yaml_node *node, struct rs_err *err)
{
	return node->kind == RS_YAML_SEQUENCE ||
	       refuse(node, "a list", name_kind(node), "[ONE, ANOTHER]", err);
}

bool rs_yaml_refuse_key(const struct rs_yaml_node *node, const char *const *known, size_t n_known,
	struct rs_err *err)
{
	struct rs_suggest suggest = {.name = node->key};
	rs_yaml_refuse(&node->key_place, err, "unknown key '%s'", rs_text_shown(node->key).text);
	for (size_t i = 0; i < n_known; i++)
		rs_suggest_offer(&suggest, known[i]);
	if (rs_suggest_add_line(&suggest, err))
		return false;
	/* If there are no near names, list all known keys. */
	char words[512] = "";
	for (size_t i = 0; i < n_known; i++)
		rs_text_list(words, sizeof(words), known[i]);
	return n_known == 0 || rs_err_add_line(err, "known are: %s%s", words,
				       strlen(words) + 1 == sizeof(words) ? "..." : "");
}

bool rs_yaml_check_keys(const struct rs_yaml_node *map, const char *const *known, size_t n_known,
	struct rs_err *err)
{
	for (const struct rs_yaml_node *node = map->first; node; node = node->next) {
		bool is_known = false;
		for (size_t i = 0; i < n_known && !is_known; i++)
			is_known = strcmp(node->key, known[i]) == 0;
		if (!is_known) {
			rs_yaml_refuse_key(node, known, n_known, err);
			return false;
		}
	}
	return true;
}

bool rs_yaml_get_text(const struct rs_yaml_node *node, const char **text, struct rs_err *err)
{
	*text = node->text;
	return (node->kind == RS_YAML_SCALAR && !is_empty(node)) ||
	       refuse(node, "a text", name_kind(node), "'TEXT'", err);
}

bool rs_yaml_get_bool(const struct rs_yaml_node *node, bool *value, struct rs_err *err)
{
	const char *text = node->kind == RS_YAML_SCALAR && !node->is_quoted ? node->text : "";
	char found[200];
	*value = strcmp(text, "true") == 0;
	if (*value || strcmp(text, "false") == 0)
		return true;
	if (node->kind != RS_YAML_SCALAR || is_empty(node))
		return refuse(node, "true or false", name_kind(node), "true", err);
	/* If the scalar is in quotes, the quotes are the error. */
	snprintf(found, sizeof(found), "'%s' is %s", rs_text_shown(node->text).text,
		node->is_quoted ? "a text, in quotes" : "none");
	return refuse(node, "true or false", found, "true", err);
}
