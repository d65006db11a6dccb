/* SPDX-License-Identifier: MIT */
/*
 * Tests that the installed schema agrees with the tables by which documents are written and read.
 * Each key of one is in the other, with the same type and words.
 */
#include <criterion/criterion.h>

#include <string.h>

#include <jansson.h>

#include "record/document.h"

/* Place in the document, for messages of the comparison. */
struct path {
	const struct path *above;
	const char *key;
};

static const char *name(const struct path *path)
{
	static char text[256];
	size_t used;
	if (!path)
		return strcpy(text, "");
	name(path->above);
	used = strlen(text);
	snprintf(text + used, sizeof(text) - used, "/%s", path->key);
	return text;
}

/* Return a $ref of the schema: "#/$defs/NAME". */
static const char *ref_of(const json_t *node)
{
	const char *ref = json_string_value(json_object_get(node, "$ref"));
	return ref ? strrchr(ref, '/') + 1 : "";
}

static bool has_type(const json_t *node, const char *type)
{
	const char *string = json_string_value(json_object_get(node, "type"));
	return string && strcmp(string, type) == 0;
}

/* Compare the words of a member with those of the schema. */
static void compare_words(
	const struct rs_json_member *member, const json_t *words, const struct path *path)
{
	size_t n = 0;
	for (size_t i = 0; i < member->n_words; i++) {
		bool found = !member->words[i];
		n += !found;
		for (size_t w = 0; !found && w < json_array_size(words); w++)
			found = strcmp(member->words[i],
					json_string_value(json_array_get(words, w))) == 0;
		cr_expect(found, "%s: %s is not in the schema", name(path), member->words[i]);
	}
	cr_expect_eq(json_array_size(words), n, "%s: %zu words in the schema, %zu in the table",
		name(path), json_array_size(words), n);
}

static void compare_counts(
	const struct rs_json_member *member, const json_t *node, const struct path *path)
{
	json_t *keys = json_array(), *node_of;
	const char *key;
	json_object_foreach(json_object_get(node, "properties"), key, node_of)
		json_array_append_new(keys, json_string(key));
	compare_words(member, keys, path);
	json_decref(keys);
}

static void compare_table(
	const struct rs_json_table *table, const json_t *node, const struct path *path);

static void compare_member(
	const struct rs_json_member *member, const json_t *node, const struct path *path)
{
	bool is_same = true;
	switch (member->kind) {
	case RS_JSON_BOOL:
		is_same = has_type(node, "boolean");
		break;
	case RS_JSON_SIGNED:
		is_same = has_type(node, "integer");
		break;
	case RS_JSON_INDEX:
		if (!member->key) /* in an array, null is allowed beside the number */
			node = json_array_get(json_object_get(node, "anyOf"), 0);
		is_same = strcmp(ref_of(node), "unsigned") == 0;
		break;
	case RS_JSON_UNSIGNED:
	case RS_JSON_AFTER:
		is_same = strcmp(ref_of(node), "unsigned") == 0;
		break;
	case RS_JSON_REAL:
		is_same = json_array_size(json_object_get(node, "type")) == 2;
		break;
	case RS_JSON_CHARS:
	case RS_JSON_TEXT:
	case RS_JSON_NAME:
		is_same = strcmp(ref_of(node), "bytes") == 0 || json_object_get(node, "enum");
		break;
	case RS_JSON_WORD:
		compare_words(member, json_object_get(node, "enum"), path);
		break;
	case RS_JSON_FLAGS:
		compare_words(
			member, json_object_get(json_object_get(node, "items"), "enum"), path);
		break;
	case RS_JSON_COUNTS:
		compare_counts(member, node, path);
		break;
	case RS_JSON_OBJECT:
		compare_table(member->of, node, path);
		break;
	default:
		is_same = has_type(node, "array");
		compare_table(member->of, json_object_get(node, "items"), path);
	}
	cr_expect(is_same, "%s is of another type in the schema", name(path));
}

/* Find each key of a table in the schema, and return their number. */
static size_t find_keys(
	const struct rs_json_table *table, const json_t *properties, const struct path *above)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct rs_json_member *member = &table->members[i];
		const struct path path = {above, member->key};
		const json_t *node = json_object_get(properties, member->key);
		cr_expect(node, "%s is not in the schema", name(&path));
		if (node)
			compare_member(member, node, &path);
	}
	return table->n;
}

/* Compare the keys that both require. */
static void compare_required(
	const struct rs_json_table *table, const json_t *required, const struct path *path)
{
	size_t n = 0;
	for (size_t i = 0; i < table->n; i++) {
		bool found = table->members[i].kind != RS_JSON_NAME;
		n += !found;
		for (size_t r = 0; !found && r < json_array_size(required); r++)
			found = strcmp(table->members[i].key,
					json_string_value(json_array_get(required, r))) == 0;
		cr_expect(found, "%s/%s is not required", name(path), table->members[i].key);
	}
	cr_expect_eq(json_array_size(required), n, "%s: more is required", name(path));
}

/* Compare a table with the schema, which must have no further keys. */
static void compare_table(
	const struct rs_json_table *table, const json_t *node, const struct path *path)
{
	const json_t *properties = json_object_get(node, "properties");
	if (table->members[0].key) {
		cr_expect_eq(json_object_size(properties), find_keys(table, properties, path),
			"%s: the schema has keys that no document has", name(path));
		compare_required(table, json_object_get(node, "required"), path);
	} else if (table->n == 1) {
		compare_member(&table->members[0], node, path);
	} else {
		for (size_t i = 0; i < table->n; i++)
			compare_member(&table->members[i], json_object_get(node, "items"), path);
		cr_expect_eq(
			(size_t)json_integer_value(json_object_get(node, "minItems")), table->n);
		cr_expect_eq(
			(size_t)json_integer_value(json_object_get(node, "maxItems")), table->n);
	}
}

Test(document, its_schema_has_the_same_keys)
{
	static const char *const others[] = {"regionstat", "schema", "series", "rows", "messages"};
	const size_t n_others = sizeof(others) / sizeof(others[0]);
	const struct path results = {NULL, "results"}, series = {NULL, "series"};
	json_t *schema = json_load_file(SCHEMA, JSON_REJECT_DUPLICATES, NULL);
	cr_assert(schema, "cannot read %s", SCHEMA);
	const json_t *properties = json_object_get(schema, "properties");
	size_t n = find_keys(&rs_document_facts, properties, NULL) +
		   find_keys(&rs_document_measured, properties, NULL);
	compare_table(&rs_document_result,
		json_object_get(json_object_get(properties, "results"), "items"), &results);
	find_keys(&rs_document_series,
		json_object_get(json_object_get(properties, "series"), "properties"), &series);
	cr_expect_eq(json_object_size(
			     json_object_get(json_object_get(properties, "series"), "properties")),
		rs_document_series.n);
	for (size_t i = 0; i < n_others; i++)
		cr_expect(json_object_get(properties, others[i]), "%s", others[i]);
	cr_expect_eq(json_object_size(properties), n + 1 + n_others);
	cr_expect_eq(
		json_integer_value(json_object_get(json_object_get(properties, "schema"), "const")),
		RS_RECORD_SCHEMA);
	json_decref(schema);
}
