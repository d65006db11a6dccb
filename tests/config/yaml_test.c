/* SPDX-License-Identifier: MIT */
/* Tests of reading YAML. Expected lines and columns are counted by hand in the text beside them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/yaml.h"

static struct rs_yaml yaml;
static struct rs_err err;

static void finish(void)
{
	rs_yaml_finish(&yaml);
}

TestSuite(yaml, .fini = finish);

static void load(const char *text)
{
	finish();
	cr_assert(rs_yaml_load_text(&yaml, "f", text, strlen(text), &err), "%s", err.text);
}

/* Expect an error, and compare the first line of its message. */
static void expect_refused(const char *text, size_t bytes, const char *expected)
{
	finish();
	cr_assert_not(rs_yaml_load_text(&yaml, "f", text, bytes, &err), "taken: %s", text);
	err.text[strcspn(err.text, "\n")] = '\0';
	cr_expect_str_eq(err.text, expected);
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

Test(yaml, what_is_refused_where_it_stands)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"a: 1\nb: 2\n'a': 3\n", "f:3:1: key 'a' stands in this map already, in line 1"},
		{"a: {x: 1, x: 2}", "f:1:11: key 'x' stands in this map already, in line 1"},
		{"a: 1\nb: *a\n", "f:2:4: aliases (*NAME) are not taken"},
		{"a: &x 1\n", "f:1:4: anchors (&NAME) are not taken"},
		{"a: &x [1]\n", "f:1:4: anchors (&NAME) are not taken"},
		{"a:\n  - &x {y: 1}\n", "f:2:5: anchors (&NAME) are not taken"},
		{"a: !!str 1\n", "f:1:4: tags (!NAME) are not taken"},
		{"a: ! 1\n", "f:1:4: tags (!NAME) are not taken"},
		{"%TAG ! tag:x,1:\n---\na: 1\n", "f:1:1: %TAG is not taken"},
		{"a: 1\n---\nb: 1\n", "f:2:1: a second document begins"},
		{"[a, b]: 1\n", "f:1:1: a key must be a single word, not a map or a list"},
		{"? {a: b}\n: 1\n", "f:1:3: a key must be a single word, not a map or a list"},
		{"a: 1\n'': 2\n", "f:2:1: a key is empty"},
		{"a:\n  - 1\n\t- 2\n", "f:3:1: a tab cannot indent"},
		{"a: @x\n", "f:1:4: a value cannot begin with '@'"},
		{"a: \xe9\n", "f:1:4: byte 0xe9 is not UTF-8"},
		{"a: x\xc3\xa9\x1b[2J\n", "f:1:6: character U+001B cannot stand here"},
		{"a: \xe2\x80\xa8\n", "f:1:4: character U+2028 cannot stand here"},
		{"a: \"x\\0y\"\n", "f:1:4: a text holds the character NUL"},
		{"a: [1, 2\nb: 3\n", "f:2:2: this is no YAML: while parsing a flow sequence, did "
				     "not find expected ',' or ']'"},
		{"a: 'x\n", "f:2:1: this is no YAML: while scanning a quoted scalar, found "
			    "unexpected end of stream"},
		{"a: b: c\n", "f:1:5: this is no YAML: mapping values are not allowed in this "
			      "context"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_refused(cases[i].text, strlen(cases[i].text), cases[i].message);
	expect_refused("a: \0", 4, "f:1:4: character U+0000 cannot stand here");
	expect_refused("\xff\xfe"
		       "a\0",
		4, "f:1:1: byte 0xff is not UTF-8");
}

/* Return n copies of a word. */
static char *repeat(const char *word, size_t n)
{
	size_t length = strlen(word);
	char *text = malloc(length * n + 1);
	cr_assert_not_null(text);
	for (size_t i = 0; i < n; i++)
		memcpy(text + i * length, word, length);
	text[length * n] = '\0';
	return text;
}

Test(yaml, limits)
{
	static const struct {
		const char *word;
		size_t n;
		const char *message; /* NULL: the document is valid */
	} cases[] = {
		{"[", 100000, "f:1:33: more than 32 maps and lists are in one another"},
		{"{a: ", 100000, "f:1:129: more than 32 maps and lists are in one another"},
		{"- ", 100000, "f:1:65: more than 32 maps and lists are in one another"},
		{"-\n", RS_YAML_MAX_NODES - 1, NULL},
		{"-\n", RS_YAML_MAX_NODES, "f:8192:2: there are more than 8192 values"},
		{"#\n", RS_YAML_MAX_BYTES / 2, NULL},
		{"#\n", RS_YAML_MAX_BYTES / 2 + 1, "f: is longer than 1048576 bytes"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = repeat(cases[i].word, cases[i].n);
		if (cases[i].message)
			expect_refused(text, strlen(text), cases[i].message);
		else
			load(text);
		free(text);
	}
}

/* Files without an end are read only up to the limit. */
Test(yaml, files)
{
	cr_expect_not(rs_yaml_load_file(&yaml, "/dev/zero", &err));
	cr_expect_eq(strncmp(err.text, "/dev/zero: is longer than 1048576 bytes", 39), 0, "%s",
		err.text);
	cr_expect_not(rs_yaml_load_file(&yaml, "/nowhere/x", &err));
	cr_expect_str_eq(err.text, "cannot read '/nowhere/x': No such file or directory (ENOENT)");
	cr_expect_not(rs_yaml_load_file(&yaml, "/", &err));
	cr_expect_str_eq(err.text, "cannot read '/': Is a directory (EISDIR)");
	cr_assert(rs_yaml_load_file(&yaml, "/dev/null", &err), "%s", err.text);
	cr_expect_null(yaml.root);
	finish();
	int ends[2];
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], "a: \n  [1", 8), 8);
	close(ends[1]);
	cr_expect_not(rs_yaml_load_fd(&yaml, ends[0], "a\nname", &err));
	cr_expect_eq(strncmp(err.text, "a\\nname:2:5: ", 13), 0, "%s", err.text);
	close(ends[0]);
}

Test(yaml, values)
{
	const char *text;
	bool flag;
	load("t: 12\nq: '12'\nb: true\nw: 'true'\n");
	const struct rs_yaml_node *t = yaml.root->first, *q = t->next, *b = q->next, *w = b->next;
	cr_expect(rs_yaml_get_text(t, &text, &err) && strcmp(text, "12") == 0);
	cr_expect(rs_yaml_get_text(q, &text, &err) && strcmp(text, "12") == 0);
	cr_expect(rs_yaml_get_bool(b, &flag, &err) && flag);
	cr_expect_not(rs_yaml_get_bool(t, &flag, &err));
	cr_expect_not(rs_yaml_get_bool(w, &flag, &err));
	cr_expect_str_eq(err.text, "f:4:4: 'w' must be true or false, and 'true' is a text, in "
				   "quotes\n  try: w: true");
}

Test(yaml, values_of_another_kind)
{
	const char *text;
	bool flag;
	load("a:\nb: [1]\nc: {x: 1}\nf: yes\ng: ''\nh: ~\n");
	const struct rs_yaml_node *a = yaml.root->first, *b = a->next, *c = b->next, *f = c->next,
				  *g = f->next, *h = g->next;
	cr_expect_not(rs_yaml_get_text(a, &text, &err));
	cr_expect_str_eq(err.text, "f:1:3: 'a' must be a text, and it is empty\n  try: a: 'TEXT'");
	cr_expect_not(rs_yaml_get_text(h, &text, &err));
	cr_expect_not(rs_yaml_get_text(b, &text, &err));
	cr_expect_str_eq(
		err.text, "f:2:4: 'b' must be a text, and this is a list\n  try: b: 'TEXT'");
	cr_expect_not(rs_yaml_check_sequence(c, &err));
	cr_expect_str_eq(
		err.text, "f:3:4: 'c' must be a list, and this is a map\n  try: c: [ONE, ANOTHER]");
	cr_expect_not(rs_yaml_check_map(b, &err));
	cr_expect_not(rs_yaml_get_bool(f, &flag, &err));
	cr_expect_str_eq(
		err.text, "f:4:4: 'f' must be true or false, and 'yes' is none\n  try: f: true");
	cr_expect(rs_yaml_get_text(g, &text, &err) && text[0] == '\0');
}

Test(yaml, unknown_keys)
{
	static const char *const known[] = {"events", "sample"};
	load("sample: 1\nevent: 2\n");
	cr_expect_not(rs_yaml_check_keys(yaml.root, known, 2, &err));
	cr_expect_str_eq(err.text, "f:2:1: unknown key 'event'\n  try: events");
	load("quite: 1\n");
	cr_expect_not(rs_yaml_check_keys(yaml.root, known, 2, &err));
	cr_expect_str_eq(err.text, "f:1:1: unknown key 'quite'\n  known are: events, sample");
	load("events: 1\n");
	cr_expect(rs_yaml_check_keys(yaml.root, known, 2, &err));
}
