/* SPDX-License-Identifier: MIT */
/*
 * This file explains why an event was not found. Its input is the event and libpfm4's answer. The
 * message names the wrong part and the right form. For an unknown name it suggests similar names of
 * this machine.
 */
#include "plan/resolve.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"
#include "base/text.h"
#include "plan/modifiers.h"
#include "segment/event_names.h"
#include "plan/sysfs.h"
#include "plan/host.h"

/* Names of metrics, names that perf stat counts without a counter, and times that regionstat always
 * measures. The remedy says what to use instead. */
static const struct {
	const char *name;
	const char *remedy;
} hints[] = {
	{"ipc", "{cycles,instructions}, and the report shows it beside them"},
	{"ghz", "cycles,task-clock, and the report shows it beside them"},
	{"duration_time", "time, which is always measured"},
	{"cpu-time", "--by cpu-time, which is always measured"},
	{"blocked", "--by blocked, which is always measured"},
	{"preempted", "--by preempted, which is always measured"},
};

static void offer(void *context, const char *pmu, const char *name, const char *help)
{
	(void)pmu;
	(void)help;
	rs_suggest_offer(context, name);
}

/* Add a line to err with the names that are similar to base. Return true if there are any. */
static bool add_near_names(const char *base, const struct rs_host *host, struct rs_err *err)
{
	struct rs_suggest suggest = {.name = base};
	size_t n_names;
	const struct rs_name *names = rs_names(&n_names);
	rs_suggest_offer(&suggest, "time");
	for (size_t i = 0; i < n_names; i++) {
		rs_suggest_offer(&suggest, names[i].name);
		if (names[i].alias)
			rs_suggest_offer(&suggest, names[i].alias);
	}
	rs_libpfm_visit(offer, &suggest);
	rs_sysfs_visit(host, offer, &suggest);
	if (strchr(base, ':'))
		rs_tracefs_visit(host, offer, &suggest);
	return rs_suggest_add_line(&suggest, err);
}

/* Return true for a number such as 0x1a8. */
static bool is_hex(const char *text)
{
	return strncasecmp(text, "0x", 2) == 0 && text[2] &&
	       strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2);
}

static bool explain_name(
	const char *shown, const char *base, const struct rs_host *host, struct rs_err *err)
{
	rs_err_set(err, "unknown event '%s'", shown);
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (strcasecmp(hints[i].name, base) == 0)
			return rs_err_add_line(err, "try: %s", hints[i].remedy);
	if (strpbrk(base, "*?["))
		return rs_err_add_line(err, "try: regionstat list '%s', which takes patterns",
			rs_text_shown(base).text);
	if (is_hex(base))
		return rs_err_add_line(err, "try: r%s, for a raw event", base + 2);
	if (!add_near_names(base, host, err))
		rs_err_add_line(
			err, "try: regionstat list, which names the events of this machine");
	return false;
}

/* The parts of an event: [pmu::]event:part:part. */
struct parts {
	char name[RS_SYNTAX_EVENT_BYTES]; /* the text before the first part */
	char wrong[RS_SYNTAX_EVENT_BYTES]; /* the first part that libpfm4 rejects */
	int said; /* libpfm4's answer about this part */
};

static const char *without_pmu(const char *name)
{
	const char *pmu_end = strstr(name, "::");
	return pmu_end ? pmu_end + 2 : name;
}

/* To find the part that libpfm4 rejects, add one part at a time. If libpfm4 accepts each part, the
 * combination of all parts is wrong. */
static void find_wrong_part(struct parts *parts, const char *head, int said)
{
	char tried[RS_SYNTAX_EVENT_BYTES];
	const char *event = without_pmu(head);
	size_t used = (size_t)(event - head) + strcspn(event, ":");
	snprintf(parts->name, sizeof(parts->name), "%.*s", (int)used, head);
	snprintf(tried, sizeof(tried), "%s", parts->name);
	parts->said = said;
	for (const char *at = head + used; *at == ':';) {
		size_t length = 1 + strcspn(at + 1, ":");
		struct perf_event_attr attr;
		snprintf(tried + used, sizeof(tried) - used, "%.*s", (int)length, at);
		snprintf(parts->wrong, sizeof(parts->wrong), "%.*s", (int)length - 1, at + 1);
		parts->said = rs_libpfm_encode(tried, &attr, NULL, NULL);
		if (parts->said == PFM_SUCCESS)
			used += length;
		else if (length == 1 || !rs_modifiers_are_known(parts->wrong))
			return;
		at += length;
	}
	parts->said = said;
	snprintf(parts->wrong, sizeof(parts->wrong), "%s", head + strlen(parts->name));
}

static bool is_of_cpu_model(const char *name)
{
	const char *event = without_pmu(name);
	bool is_raw = event[0] == 'r' &&
		      strspn(event + 1, "0123456789abcdefABCDEF") == strlen(event + 1);
	return !is_raw && !rs_names_find(event) && strncmp(name, "perf::", 6) != 0;
}

/* Add a line to err with the command that lists the event's unit masks. */
static bool add_list(const struct parts *parts, struct rs_err *err)
{
	return rs_err_add_line(
		err, "try: regionstat list '%s*'", rs_text_shown(without_pmu(parts->name)).text);
}

static bool explain_attribute(const struct parts *parts, const char *shown, const char *base,
	const struct rs_host *host, struct rs_err *err)
{
	const struct rs_text_shown wrong = rs_text_shown(parts->wrong);
	if (!*parts->wrong) {
		rs_err_set(err, "bad event '%s': nothing follows its last ':'", shown);
		return rs_modifiers_add_line(err);
	}
	if (!is_of_cpu_model(parts->name)) {
		rs_err_set(err, "bad event '%s': unknown modifier '%s'", shown, wrong.text);
		return rs_modifiers_add_line(err);
	}
	rs_err_set(err, "bad event '%s': unknown unit mask or modifier '%s'", shown, wrong.text);
	if (!add_near_names(base, host, err))
		add_list(parts, err);
	return false;
}

bool rs_unknown_explain(const struct rs_syntax_event *written, const char *base, int said,
	const struct rs_host *host, struct rs_err *err)
{
	struct parts parts;
	char shown[256];
	rs_text_escape(shown, sizeof(shown), written->text);
	if (!rs_libpfm_knows_event(said)) {
		explain_name(shown, base, host, err);
		return rs_libpfm_is_missing(said) &&
		       rs_err_add_line(err, "libpfm.so.4 (libpfm4), which names events of CPU "
					    "models, cannot be loaded");
	}
	find_wrong_part(&parts, written->head, said);
	const struct rs_text_shown wrong = rs_text_shown(parts.wrong);
	switch (parts.said) {
	case PFM_ERR_ATTR:
		return explain_attribute(&parts, shown, base, host, err);
	case PFM_ERR_ATTR_VAL:
		rs_err_set(err, "bad event '%s': '%s' is out of range", shown, wrong.text);
		return rs_err_add_line(err, "try: 1 or 0 for a flag, a smaller value for a number");
	case PFM_ERR_ATTR_SET:
		rs_err_set(err, "bad event '%s': '%s' contradicts an earlier modifier", shown,
			wrong.text);
		return rs_err_add_line(err, "try: one of the two");
	case PFM_ERR_UMASK:
		rs_err_set(err, "bad event '%s': its unit mask is missing", shown);
		return add_list(&parts, err);
	case RS_LIBPFM_FOR_SAMPLING:
		rs_err_set(err, "bad event '%s': the modifier %s does not apply to counting", shown,
			wrong.text);
		rs_err_add_line(err, "it is for sampling, pinning or one CPU; regionstat counts "
				     "events where the program runs");
		return rs_err_add_line(err, "try: the event without it");
	default:
		rs_err_set(err, "bad event '%s': its unit masks and modifiers cannot be combined",
			shown);
		return rs_err_add_line(err, "try: fewer of them, or an event for each");
	}
}
