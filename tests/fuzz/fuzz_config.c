/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing configuration files with arbitrary bytes. Accepted files keep the promises of
 * config/yaml.h and of options.h. Each error names a line of the file.
 */
#include "fuzz_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/command.h"
#include "../../cmd/config.h"
#include "fuzz_require.h"

/* Replaces the function of verbs.c, which is not linked. */
bool rs_command_is_verb(const char *word)
{
	return strcmp(word, "run") == 0 || strcmp(word, "list") == 0;
}

/* Check a tree of nodes. Return the number of nodes. */
static size_t check_node(const struct rs_yaml_node *node, unsigned depth)
{
	size_t n_nodes = 1, n = 0;
	REQUIRE(node->place.line > 0 && node->place.column > 0);
	REQUIRE(depth <= RS_YAML_MAX_DEPTH);
	REQUIRE((node->kind == RS_YAML_SCALAR) == (node->text != NULL));
	for (const struct rs_yaml_node *member = node->first; member; member = member->next, n++) {
		REQUIRE((node->kind == RS_YAML_MAP) == (member->key != NULL));
		if (member->key)
			REQUIRE(member->key[0] && rs_yaml_find(node, member->key) == member);
		n_nodes += check_node(member, depth + 1);
	}
	REQUIRE(n == node->n);
	return n_nodes;
}

/* Each message about a file begins with "FILE:LINE:COLUMN: ". */
static void check_place(const struct rs_err *err)
{
	unsigned line = 0, column = 0;
	fuzz_require_message(err);
	REQUIRE(sscanf(err->text, "f:%u:%u: ", &line, &column) == 2 ||
		strncmp(err->text, "f: is longer", 12) == 0 ||
		strncmp(err->text, "--profile", 9) == 0);
	REQUIRE(line > 0 || err->text[0] != 'f' || err->text[1] != ':' || err->text[2] == ' ');
}

/* Printed settings can be loaded again. */
static void check_printed(const struct rs_options *options)
{
	char *text = NULL;
	size_t bytes = 0;
	struct rs_options again = {
		.config = {.source = RS_CONFIG_TOLD, .yaml.arena = &again.config.arena}};
	struct rs_err err = {0};
	FILE *stream = open_memstream(&text, &bytes);
	REQUIRE(stream);
	rs_print_config(options, stream);
	fclose(stream);
	if (bytes <= RS_YAML_MAX_BYTES) {
		if (!rs_yaml_load_text(&again.config.yaml, "printed", text, bytes, &err) ||
			!rs_config_apply(&again, &err)) {
			fprintf(stderr, "%s\n%s\n", err.text, text);
			fuzz_fail("what was printed is not taken");
		}
	}
	rs_options_finish(&again);
	free(text);
}

/* Load the bytes as a file that was found if their number is a multiple of four. Use a profile if
 * it is a multiple of three. */
void fuzz_run(const uint8_t *data, size_t bytes)
{
	struct rs_options options = {
		.profile = bytes % 3 ? NULL : "a", .config.yaml.arena = &options.config.arena};
	struct rs_err err = {0};
	options.config.source = bytes % 4 ? RS_CONFIG_TOLD : RS_CONFIG_HERE;
	const struct rs_yaml *yaml = &options.config.yaml;
	bool is_read = rs_yaml_load_text(
		&options.config.yaml, "f", (const char *)data, bytes, &err);
	if (is_read && yaml->root)
		REQUIRE(check_node(yaml->root, 0) == yaml->n_nodes);
	if (!is_read || !rs_config_apply(&options, &err))
		check_place(&err);
	else if (rs_options_settle(&options, RS_OPTIONS_RUN, &err))
		check_printed(&options);
	else
		fuzz_require_message(&err);
	rs_options_finish(&options);
}
