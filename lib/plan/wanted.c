/* SPDX-License-Identifier: MIT */
/*
 * This file adds the events of metrics to the list of events that the user wrote. It gives them
 * groups, so that the rest of lib/plan treats them as if the user had written them.
 */
#include "plan/builder.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "plan/probe.h"
#include "plan/resolve.h"
#include "segment/layout.h"

#define NOT_THERE SIZE_MAX
#define ELSEWHERE "try: regionstat list metrics --countable, for those that are possible here"
/* limit of the events that are looked up; it exceeds RS_MAX_EVENTS, because some events can be
 * unsupported */
#define MOST_EVENTS (4u * RS_MAX_EVENTS)

/* An event that a metric needs. */
struct need {
	const char *text;
	size_t index; /* index in syntax->events, or NOT_THERE */
	struct perf_event_attr attr; /* attributes that the kernel accepts */
	bool competes; /* the event needs a counter of a PMU */
};

struct adder {
	struct rs_plan *plan;
	struct rs_syntax *syntax;
	const struct rs_host *host;
	int first_group; /* first group that is made for metrics; those before it are the user's */
	const struct rs_metric_rule *rule; /* the rule whose events are added now */
	struct need needs[RS_METRIC_MAX_EVENTS];
	struct rs_err why; /* the reason why the metric is not possible; "" if it is possible */
	struct rs_err *err;
};

/* Resolve an event and try it. Return false and set why if it cannot be counted. */
static bool look_up(const struct adder *adder, const struct rs_syntax_event *written,
	struct need *need, struct rs_err *why)
{
	struct rs_resolved resolved;
	if (!rs_resolve(&resolved, adder->syntax->arena, adder->host, written, why))
		return false;
	int error = rs_parts_probe(&resolved, adder->host, &adder->plan->core_pmus).error;
	need->attr = resolved.attr;
	need->competes = rs_attr_needs_pmu(&resolved.attr);
	if (error) {
		struct rs_reason reason;
		rs_reason_explain(&reason, adder->host, &resolved, error);
		rs_err_set(why, "%s", reason.text.text);
		rs_err_prefix(why, "its event '%s'", rs_text_shown(written->text).text);
	}
	return !error;
}

/* Return the generic event that an event names, or NULL. Set *modifiers to the text after the
 * name. */
static const struct rs_name *generic_of(const struct rs_syntax_event *event, const char **modifiers)
{
	char name[RS_SYNTAX_EVENT_BYTES];
	size_t length = rs_modifiers_split(event->head);
	*modifiers = event->head + length;
	if (event->has_terms)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)length, event->head);
	return rs_names_find(name);
}

/* Return true if two events have the same text. Aliases of a generic name count as the same
 * text. */
static bool is_same(const struct rs_syntax_event *a, const struct rs_syntax_event *b)
{
	const char *of_a, *of_b;
	bool is_plain = !a->group_modifiers[strspn(a->group_modifiers, "W")];
	const struct rs_name *name = generic_of(a, &of_a);
	if (!is_plain)
		return false;
	if (strcasecmp(a->text, b->text) == 0)
		return true;
	return name && name == generic_of(b, &of_b) && strcmp(of_a, of_b) == 0;
}

/* Look up each event that the metric needs. Set adder->why if the metric is not possible. */
static bool find_needs(struct adder *adder)
{
	for (size_t i = 0; i < adder->rule->n_events && !adder->why.text[0]; i++) {
		struct need *need = &adder->needs[i];
		struct rs_syntax one = {.arena = adder->syntax->arena};
		*need = (struct need){.text = adder->rule->events[i], .index = NOT_THERE};
		bool done = rs_syntax_parse(&one, need->text, adder->err);
		if (done && (one.n_events != 1 || one.n_groups > 0))
			done = rs_err_set(adder->err, "'%s' is not one event",
				rs_text_shown(need->text).text);
		if (done && look_up(adder, &one.events[0], need, &adder->why))
			for (size_t e = 0; need->index == NOT_THERE && e < adder->syntax->n_events;
				e++)
				if (is_same(&adder->syntax->events[e], &one.events[0]))
					need->index = e;
		if (!done)
			return rs_err_prefix(adder->err, "%s: the metric '%s'", adder->rule->place,
				adder->rule->name);
	}
	return true;
}

/* Return true if the PMU can count these events together. */
static bool fits(const struct adder *adder, const struct perf_event_attr *attrs, size_t n)
{
	const struct perf_event_attr *pointers[MOST_EVENTS] = {NULL};
	int error;
	for (size_t i = 0; i < n; i++)
		pointers[i] = &attrs[i];
	return n <= RS_MAX_EVENTS && rs_probe_group(adder->host, pointers, n, &error) == n;
}

/* Return the index of the user's {group} that contains an event, or -1. */
static int written_group(const struct adder *adder, const struct need *need)
{
	int group = need->index == NOT_THERE ? -1 : adder->syntax->events[need->index].group;
	return group < adder->first_group ? group : -1;
}

/* Check the user's groups. If a group contains some events of the metric but not all of them, set
 * adder->why and return false. */
static bool check_written_groups(struct adder *adder)
{
	const struct need *inside = NULL, *outside = NULL;
	int group = -1;
	for (size_t i = 0; i < adder->rule->n_events; i++) {
		const struct need *need = &adder->needs[i];
		if (!need->competes)
			continue;
		int own = written_group(adder, need);
		if (own >= 0 && !inside) {
			inside = need;
			group = own;
		}
	}
	for (size_t i = 0; inside && i < adder->rule->n_events; i++)
		if (adder->needs[i].competes && written_group(adder, &adder->needs[i]) != group)
			outside = &adder->needs[i];
	if (!outside)
		return true;
	rs_err_set(&adder->why, "'%s' is in a {group} of -e, and '%s' is not in it",
		rs_text_shown(inside->text).text, rs_text_shown(outside->text).text);
	rs_err_add_line(&adder->why, "the events of a metric must be counted together");
	return rs_err_add_line(&adder->why, "try: all of its events in that {group}, or none");
}

/* Append an event that is in no group yet. */
static bool add_event(struct adder *adder, struct need *need)
{
	if (adder->syntax->n_events >= MOST_EVENTS) {
		rs_err_set(adder->err, "the metrics need more than %u events", MOST_EVENTS);
		return rs_err_add_line(adder->err, "try: several runs with fewer metrics each");
	}
	need->index = adder->syntax->n_events;
	return rs_syntax_parse(adder->syntax, need->text, adder->err);
}

/* Put an event into a group with the modifier W. regionstat splits such a group if it does not fit
 * a type of core. */
static void set_group(const struct adder *adder, size_t index, int group)
{
	adder->syntax->events[index].group_modifiers = "W";
	adder->syntax->events[index].group = group;
}

/* Return true if the event is in the same group as an event that the metric needs. */
static bool is_in_touched_group(const struct adder *adder, size_t index)
{
	int group = adder->syntax->events[index].group;
	for (size_t i = 0; group >= 0 && i < adder->rule->n_events; i++) {
		const struct need *need = &adder->needs[i];
		if (need->competes && need->index != NOT_THERE &&
			adder->syntax->events[need->index].group == group)
			return true;
	}
	return false;
}

/* Try to put the metric's events into one group. If `joins` is true, all groups that contain any of
 * them become part of this group. Otherwise an event that is in a group already is counted in both.
 * Set *done, and make the group, if it fits the PMU. */
static bool group_needs(struct adder *adder, bool joins, bool *done)
{
	struct perf_event_attr attrs[MOST_EVENTS + RS_METRIC_MAX_EVENTS] = {0};
	size_t members[MOST_EVENTS], n_members = 0, n = 0;
	int group = adder->syntax->n_groups;
	for (size_t e = 0; joins && e < adder->syntax->n_events && e < MOST_EVENTS; e++) {
		struct rs_err ignored;
		struct need member = {0};
		if (!is_in_touched_group(adder, e) ||
			!look_up(adder, &adder->syntax->events[e], &member, &ignored))
			continue;
		members[n_members++] = e;
		attrs[n++] = member.attr;
	}
	for (size_t i = 0; i < adder->rule->n_events; i++) {
		const struct need *need = &adder->needs[i];
		bool is_member = joins && need->index != NOT_THERE &&
				 is_in_touched_group(adder, need->index);
		if (need->competes && !is_member)
			attrs[n++] = need->attr;
	}
	*done = fits(adder, attrs, n);
	if (!*done)
		return true;
	for (size_t i = 0; i < n_members; i++)
		set_group(adder, members[i], group);
	for (size_t i = 0; i < adder->rule->n_events; i++) {
		struct need *need = &adder->needs[i];
		if (!need->competes)
			continue;
		int own = need->index == NOT_THERE ? -1 : adder->syntax->events[need->index].group;
		if ((need->index == NOT_THERE || (own >= 0 && own != group)) &&
			!add_event(adder, need))
			return false;
		set_group(adder, need->index, group);
	}
	adder->syntax->n_groups++;
	return true;
}

static bool place_needs(struct adder *adder)
{
	size_t n_competing = 0;
	bool done = true, are_written = true;
	for (size_t i = 0; i < adder->rule->n_events; i++) {
		const struct need *need = &adder->needs[i];
		n_competing += need->competes;
		are_written &= !need->competes || written_group(adder, need) >= 0;
	}
	if (n_competing > 1 && !check_written_groups(adder))
		return true;
	if (n_competing > 1 && !are_written &&
		(!group_needs(adder, true, &done) || (!done && !group_needs(adder, false, &done))))
		return false;
	if (!done) {
		rs_err_set(&adder->why, "its %zu events do not fit the PMU together", n_competing);
		rs_err_add_line(&adder->why, "the events of a metric must be counted together, "
					     "and there are not enough counters");
		rs_err_add_line(&adder->why, ELSEWHERE);
	}
	for (size_t i = 0; i < adder->rule->n_events && !adder->why.text[0]; i++)
		if (adder->needs[i].index == NOT_THERE && !add_event(adder, &adder->needs[i]))
			return false;
	return true;
}

static void check_cpu(struct adder *adder)
{
	struct rs_cpu cpu;
	rs_cpu_find(&cpu, adder->host);
	if (rs_metric_is_for(adder->rule, cpu.words, cpu.n))
		return;
	rs_err_set(&adder->why, "it is for other CPUs: %s%s", adder->rule->cpus[0],
		adder->rule->n_cpus > 1 ? ", ..." : "");
	if (cpu.n > 0)
		rs_err_add_line(&adder->why, "this one is %s", cpu.words[0]);
	rs_err_add_line(&adder->why, ELSEWHERE);
}

static bool add_metric(struct adder *adder, struct rs_plan_metric *metric)
{
	adder->rule = metric->rule;
	adder->why.text[0] = '\0';
	check_cpu(adder);
	if (!find_needs(adder) || (!adder->why.text[0] && !place_needs(adder)))
		return false;
	for (size_t i = 0; i < metric->rule->n_events; i++)
		metric->positions[i] = adder->needs[i].index;
	if (adder->why.text[0])
		metric->reason = rs_arena_format(&adder->plan->arena, "%s", adder->why.text);
	return true;
}

bool rs_wanted_add(struct rs_plan *plan, struct rs_syntax *syntax, const struct rs_host *host,
	bool strict, struct rs_err *err)
{
	/* struct adder is too large for a small stack */
	struct adder *adder = rs_arena_array(syntax->arena, 1, sizeof(*adder));
	*adder = (struct adder){.plan = plan,
		.syntax = syntax,
		.host = host,
		.first_group = syntax->n_groups,
		.err = err};
	bool done = true;
	for (size_t i = 0; done && i < plan->n_metrics; i++) {
		const struct rs_plan_metric *metric = &plan->metrics[i];
		done = add_metric(adder, &plan->metrics[i]);
		if (!done || !strict || !metric->reason)
			continue;
		rs_err_set(err, "%s", metric->reason);
		done = rs_err_prefix(err, "cannot compute '%s'", metric->rule->name);
	}
	return done;
}
