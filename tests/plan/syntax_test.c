/* SPDX-License-Identifier: MIT */
/*
 * Tests of parsing event strings, and of the messages for wrong ones. Expected values follow from
 * the grammar in lib/plan/syntax.h.
 */
#include <criterion/criterion.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/syntax.h"

static struct rs_arena arena;
static struct rs_syntax syntax;
static struct rs_err err;

static void finish(void)
{
	rs_arena_finish(&arena);
	syntax = (struct rs_syntax){.arena = &arena};
}

TestSuite(syntax, .fini = finish);

static bool parse(const char *text)
{
	finish();
	err.text[0] = '\0';
	return rs_syntax_parse(&syntax, text, &err);
}

/* Return the parsed events in a notation for these tests: "G0 head/a=b,c/mods+groupmods; ..." */
static const char *describe(void)
{
	static char out[1024];
	FILE *stream = fmemopen(out, sizeof(out), "w");
	for (size_t i = 0; i < syntax.n_events; i++) {
		const struct rs_syntax_event *event = &syntax.events[i];
		fputs(i > 0 ? "; " : "", stream);
		if (event->group >= 0)
			fprintf(stream, "G%d ", event->group);
		fputs(event->head, stream);
		for (size_t t = 0; t < event->n_terms; t++)
			fprintf(stream, "%s%s%s%s", t > 0 ? "," : "/", event->terms[t].name,
				event->terms[t].value ? "=" : "",
				event->terms[t].value ? event->terms[t].value : "");
		fprintf(stream, "%s%s%s%s", event->has_terms ? "/" : "", event->modifiers,
			*event->group_modifiers ? "+" : "", event->group_modifiers);
	}
	fclose(stream);
	return out;
}

Test(syntax, accepts)
{
	static const struct {
		const char *text;
		const char *parsed;
	} cases[] = {
		{"cycles", "cycles"},
		{"cycles,instructions", "cycles; instructions"},
		{" cycles , instructions\n", "cycles; instructions"},
		{"cycles:u,instructions:kp", "cycles:u; instructions:kp"},
		{"{cycles,instructions}", "G0 cycles; G0 instructions"},
		{"{cycles,instructions}:u,cs", "G0 cycles+u; G0 instructions+u; cs"},
		{"a,{b},{c,d:k}:W", "a; G0 b; G1 c+W; G1 d:k+W"},
		{"{a, b}, c", "G0 a; G0 b; c"},
		{"sched:sched_switch", "sched:sched_switch"},
		{"skl::INST_RETIRED:ANY_P:u", "skl::INST_RETIRED:ANY_P:u"},
		{"r1a8", "r1a8"},
		{"cpu/event=0x3c/", "cpu/event=0x3c/"},
		{"cpu/event=0x3c,umask=1,edge/u", "cpu/event=0x3c,umask=1,edge/u"},
		{"cpu/event=0x3c/:k", "cpu/event=0x3c/k"},
		{"cpu/instructions/,cycles", "cpu/instructions/; cycles"},
		{"{cpu/event=1,umask=2/p,cs}:k", "G0 cpu/event=1,umask=2/p+k; G0 cs+k"},
		{"cpu/event=1,name=foo/", "cpu/event=1,name=foo/"},
		{"cpu/event=1,name='a,b/{c}'/", "cpu/event=1,name=a,b/{c}/"},
		{"cpu/event=1,name=\"it's\"/", "cpu/event=1,name=it's/"},
		{"cpu/name='h\303\251'/", "cpu/name=h\303\251/"},
		{"cpu//", "cpu/"},
		{"cycles,cycles", "cycles; cycles"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect(parse(cases[i].text), "%s: %s", cases[i].text, err.text);
		cr_expect_str_eq(describe(), cases[i].parsed);
	}
}

Test(syntax, keeps_what_was_written)
{
	cr_assert(parse("{ cpu/event=1,name='x'/:u , cs:k }:p"));
	cr_assert_eq(syntax.n_events, 2);
	cr_expect_str_eq(syntax.events[0].text, "cpu/event=1,name='x'/:u");
	cr_expect_str_eq(syntax.events[1].text, "cs:k");
}

Test(syntax, numbers_groups_over_several_strings)
{
	cr_assert(parse("{a,b}"));
	cr_assert(rs_syntax_parse(&syntax, "{c,d}:u", &err));
	cr_expect_str_eq(describe(), "G0 a; G0 b; G1 c+u; G1 d+u");
	cr_expect_eq(syntax.n_groups, 2);
}

Test(syntax, names_the_place_and_what_was_expected)
{
	static const struct {
		const char *text;
		const char *message; /* first line without "bad event list: " */
	} cases[] = {
		{"", "expected an event name, at position 1"},
		{"   ", "expected an event name, at position 4"},
		{",", "expected an event name, at position 1"},
		{"cycles,,cs", "expected an event name, at position 8"},
		{"cycles,", "expected an event name, at position 8"},
		{"{}", "expected an event name, at position 2"},
		{"{cycles,}", "expected an event name, at position 9"},
		{"{cycles", "the '{' is never closed, at position 1"},
		{"cs,{cycles,", "the '{' is never closed, at position 4"},
		{"cycles}", "'}' without '{', at position 7"},
		{"{a,{b}}", "a group inside a group, at position 4"},
		{"a{b}", "'{' inside an event, at position 2"},
		{"{a}b", "expected ',' or the end, at position 4"},
		{"{a}:u1", "expected modifier letters, ',' or the end, at position 6"},
		{"a b", "expected ',' or the end, at position 3"},
		{"{a b}", "expected ',' or '}', at position 4"},
		{"/event=1/", "expected an event name, at position 1"},
		{"cpu/event=1", "the '/' is never closed, at position 4"},
		{"cpu/", "expected a term such as event=0x3c, at position 5"},
		{"cpu/,/", "expected a term such as event=0x3c, at position 5"},
		{"cpu/event=1,/", "expected a term after ',', at position 13"},
		{"cpu/event=/", "expected a value after '=', at position 11"},
		{"cpu/=1/", "expected a term such as event=0x3c, at position 5"},
		{"cpu/a b/", "expected ',' or '/' after a term, at position 6"},
		{"cpu/event=1/u2", "expected modifier letters, ',' or the end, at position 14"},
		{"cpu/name='x", "the quote is never closed, at position 10"},
		{"cpu/name='x\001'/", "a control character in a quoted value, at position 12"},
		{"cy\033[31mcles", "a control character, at position 3"},
		{"cpu/ev\001ent/", "expected ',' or '/' after a term, at position 7"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect_not(parse(cases[i].text), "%s", cases[i].text);
		char expected[256];
		snprintf(expected, sizeof(expected), "bad event list: %s\n", cases[i].message);
		cr_expect(strncmp(err.text, expected, strlen(expected)) == 0, "%s: %s",
			cases[i].text, err.text);
		cr_expect(strstr(err.text, "\n  try: -e "), "%s", err.text);
	}
}

Test(syntax, points_at_the_place)
{
	cr_expect_not(parse("cycles,,cs"));
	cr_expect(strstr(err.text, "\n  cycles,,cs\n         ^\n"), "%s", err.text);
}

/* Expect that every byte of a message is printable, whatever the user typed. */
static void expect_clean_message(void)
{
	for (const char *at = err.text; *at; at++)
		cr_expect(
			*at == '\n' || (*at >= ' ' && *at <= '~'), "byte %d in: %s", *at, err.text);
}

Test(syntax, long_strings_show_an_excerpt)
{
	char text[10241];
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	cr_expect_not(parse(text));
	cr_expect(strstr(err.text, "an event of 10240 bytes, more than 511"), "%s", err.text);
	cr_expect(strlen(err.text) < 400);

	for (size_t i = 5; i < sizeof(text) - 1; i += 6)
		text[i] = ',';
	text[5004] = ','; /* after the comma at 5 + 6 * 833 */
	cr_expect_not(parse(text));
	cr_expect(strlen(err.text) < 400);
}

/* Random strings of the grammar's characters: no crash, no leak, and a clean message. */
Test(syntax, survives_noise)
{
	static const char alphabet[] = "ab{},,//=':\"uk \001\377";
	uint32_t state = 12345;
	for (int round = 0; round < 20000; round++) {
		char text[24];
		size_t length = 0;
		for (; length < sizeof(text) - 1; length++) {
			state = state * 1664525u + 1013904223u;
			text[length] = alphabet[(state >> 16) % (sizeof(alphabet) - 1)];
			if ((state >> 8) % 12 == 0)
				break;
		}
		text[length] = '\0';
		if (!parse(text))
			expect_clean_message();
		for (size_t i = 0; i < syntax.n_events && !*err.text; i++)
			cr_expect(*syntax.events[i].head, "%s", text);
	}
}
