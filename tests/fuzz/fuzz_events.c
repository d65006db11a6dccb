/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing event strings of -e with arbitrary bytes: parse them, and make a plan of them on an
 * invented machine. Results keep the promises of plan/syntax.h and plan/plan.h.
 */
#include "fuzz_target.h"

#include <stdlib.h>
#include <string.h>

#include "../plan/machine.h"
#include "fuzz_require.h"
#include "plan/plan.h"
#include "plan/syntax.h"
#include "segment/layout.h"

static void prepare(void)
{
	static bool is_done;
	if (is_done)
		return;
	is_done = true;
	machine_init();
	machine_add_intel_pmu();
	machine_add_file("cpu", "events/slots", "event=0x00,umask=0x4");
}

/* The text of a parsed event parses to the same event. */
static void check_again(const struct rs_syntax_event *event)
{
	struct rs_arena arena = {0};
	struct rs_syntax again = {.arena = &arena};
	struct rs_err err = {0};
	REQUIRE(rs_syntax_parse(&again, event->text, &err));
	REQUIRE(again.n_events == 1 && again.n_groups == 0);
	REQUIRE(strcmp(again.events[0].head, event->head) == 0);
	REQUIRE(strcmp(again.events[0].modifiers, event->modifiers) == 0);
	REQUIRE(again.events[0].has_terms == event->has_terms);
	REQUIRE(again.events[0].n_terms == event->n_terms);
	for (size_t i = 0; i < event->n_terms; i++)
		REQUIRE(strcmp(again.events[0].terms[i].name, event->terms[i].name) == 0);
	rs_arena_finish(&arena);
}

/* Return true if the text has the syntax of events. */
static bool check_syntax(const char *text)
{
	struct rs_arena arena = {0};
	struct rs_syntax syntax = {.arena = &arena};
	struct rs_err err = {0};
	int last = -1;
	if (!rs_syntax_parse(&syntax, text, &err)) {
		fuzz_require_message(&err);
		rs_arena_finish(&arena);
		return false;
	}
	REQUIRE(syntax.n_events > 0);
	for (size_t i = 0; i < syntax.n_events; i++) {
		const struct rs_syntax_event *event = &syntax.events[i];
		REQUIRE(event->head[0] && strstr(text, event->text));
		REQUIRE(strlen(event->text) < RS_SYNTAX_EVENT_BYTES);
		REQUIRE(event->group >= -1 && event->group < syntax.n_groups);
		REQUIRE(event->group < 0 || event->group == last || event->group == last + 1);
		REQUIRE(event->n_terms == 0 || event->has_terms);
		for (size_t t = 0; t < event->n_terms; t++)
			REQUIRE(event->terms[t].name[0]);
		last = event->group >= 0 ? event->group : last;
		check_again(event);
	}
	rs_arena_finish(&arena);
	return true;
}

static void check_plan(const char *text)
{
	const struct rs_plan_options options = {.event_strings = &text, .n_event_strings = 1};
	struct rs_plan plan = {0};
	struct rs_err err = {0};
	size_t n_grouped = 0;
	bool is_made = rs_plan_init_on(&plan, &options, &machine.host, &err);
	REQUIRE(machine.n_open == 0);
	if (!is_made) {
		fuzz_require_message(&err);
		REQUIRE(plan.n_events == 0);
		return;
	}
	REQUIRE(plan.n_events <= RS_MAX_EVENTS && plan.n_groups <= RS_MAX_GROUPS);
	for (size_t g = 0; g < plan.n_groups; g++) {
		REQUIRE(plan.groups[g].n_events > 0);
		REQUIRE(plan.groups[g].first + plan.groups[g].n_events <= plan.n_events);
		for (size_t i = 0; i < plan.groups[g].n_events; i++)
			REQUIRE(plan.events[plan.groups[g].first + i].group == (int)g);
		n_grouped += plan.groups[g].n_events;
	}
	for (size_t i = 0; i < plan.n_events; i++) {
		const struct rs_event *event = &plan.events[i];
		REQUIRE(event->name && event->name[0] && event->unit);
		REQUIRE((event->status == RS_EVENT_OK) == (event->group >= 0));
		REQUIRE((event->status == RS_EVENT_OK) == (event->reason == NULL));
		n_grouped -= event->group >= 0;
	}
	REQUIRE(n_grouped == 0);
	rs_plan_finish(&plan);
}

void fuzz_run(const uint8_t *data, size_t bytes)
{
	char *text = fuzz_text(data, bytes);
	prepare();
	if (check_syntax(text)) /* Otherwise the plan reports the same error, more slowly. */
		check_plan(text);
	free(text);
}
