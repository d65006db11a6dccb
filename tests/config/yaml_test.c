/* SPDX-License-Identifier: MIT */
/* Tests of reading YAML. Expected lines and columns are counted by hand in the text beside them.
 * cli/command_config_wrong.py tests files that are refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "config/yaml.h"

static struct rs_arena arena;
static struct rs_yaml yaml = {.arena = &arena};
static struct rs_err err;

static void finish(void)
{
	rs_arena_finish(&arena);
}

TestSuite(yaml, .fini = finish);

static void load(const char *text)
{
	finish();
	cr_assert(rs_yaml_load_text(&yaml, "f", text, strlen(text), &err), "%s", err.text);
}

Test(yaml, a_document_of_every_kind)
{
	load("\xef\xbb\xbf# settings\n"
	     "events: [cycles, 'r1a8']\n"
	     "slow:\n"
	     "  - \"a\\tb\"\n"
	     "deep: {\xc3\xa9\xe2\x82\xac: {x: 1}}\n"
	     "last: |\n"
	     "  one\n"
	     "  two\n");
	const struct rs_yaml_node *events = rs_yaml_find(yaml.root, "events");
	const struct rs_yaml_node *slow = rs_yaml_find(yaml.root, "slow");
	const struct rs_yaml_node *deep = rs_yaml_find(yaml.root, "deep");
	const struct rs_yaml_node *last = rs_yaml_find(yaml.root, "last");
	cr_assert(events && slow && deep && last);
	cr_expect_eq(yaml.root->n, 4);
	cr_expect_eq(events->n, 2);
	cr_expect_eq(events->key_place.line, 2);
	cr_expect_eq(events->key_place.column, 1);
	cr_expect_eq(events->place.column, 9);
	cr_expect_str_eq(events->first->text, "cycles");
	cr_expect_not(events->first->is_quoted);
	cr_expect(events->first->next->is_quoted);
	cr_expect_eq(events->first->next->place.column, 18);
	cr_expect_str_eq(slow->first->text, "a\tb");
	cr_expect_eq(slow->first->place.line, 4);
	cr_expect_eq(slow->first->place.column, 5);
	cr_assert(deep->first && deep->first->first);
	cr_expect_eq(deep->first->first->place.column, 16, "characters, not bytes");
	cr_expect_str_eq(last->text, "one\ntwo\n");
	cr_expect_null(rs_yaml_find(yaml.root, "event"));
	cr_expect_null(rs_yaml_find(events, "x"));
	cr_expect_null(rs_yaml_find(NULL, "x"));
	finish();
}

Test(yaml, empty_documents)
{
	static const char *const texts[] = {"", "\n\n", "# nothing\n", "---\n", "---\n...\n"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		load(texts[i]);
		cr_expect_null(yaml.root);
	}
}
