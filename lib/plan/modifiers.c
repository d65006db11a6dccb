/* SPDX-License-Identifier: MIT */
/*
 * This file converts modifier letters to the exclude_* and precise_ip fields of perf_event_attr. As
 * in perf, if an event has at least one of the letters u, k and h, the states whose letters are
 * missing are excluded. G and H work in the same way.
 */
#include "plan/modifiers.h"

#include <string.h>

#include "base/text.h"

#define PRECISE_MAX 3u /* the field attr.precise_ip has two bits */

static const char letters_known[] = "ukhGHIepPW";
/* perf's letters for sampling, and those that perf applies to all events at once */
static const char letters_refused[] = "SDbR";

size_t rs_modifiers_split(const char *head)
{
	size_t length = strlen(head);
	for (;;) {
		size_t at = length;
		while (at > 0 && head[at - 1] != ':' &&
			(strchr(letters_known, head[at - 1]) ||
				strchr(letters_refused, head[at - 1])))
			at--;
		if (at < 2 || at == length || head[at - 1] != ':' || head[at - 2] == ':')
			return length;
		length = at - 1;
	}
}

static bool *flag_of(struct rs_modifiers *modifiers, char letter)
{
	const struct {
		char letter;
		bool *flag;
	} flags[] = {
		{'u', &modifiers->user},
		{'k', &modifiers->kernel},
		{'h', &modifiers->hypervisor},
		{'G', &modifiers->guest},
		{'H', &modifiers->host},
		{'I', &modifiers->not_idle},
		{'e', &modifiers->exclusive},
		{'P', &modifiers->most_precise},
		{'W', &modifiers->weak},
	};
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].letter == letter)
			return flags[i].flag;
	return NULL;
}

bool rs_modifiers_are_known(const char *letters)
{
	for (; *letters; letters++)
		if (!strchr(letters_known, *letters) && !strchr(letters_refused, *letters))
			return false;
	return true;
}

bool rs_modifiers_add_line(struct rs_err *err)
{
	return rs_err_add_line(
		err, "try: u user, k kernel, h hypervisor, G guest, H host, I not idle, p precise");
}

bool rs_modifiers_add(
	struct rs_modifiers *modifiers, const char *letters, const char *event, struct rs_err *err)
{
	char shown[256];
	rs_text_escape(shown, sizeof(shown), event);
	for (; *letters; letters++) {
		bool *flag = flag_of(modifiers, *letters);
		if (*letters == ':')
			continue;
		if (flag) {
			*flag = true;
		} else if (*letters == 'p' && modifiers->precise < PRECISE_MAX) {
			modifiers->precise++;
		} else if (*letters == 'p') {
			rs_err_set(err, "bad event '%s': more than %u times the modifier p", shown,
				PRECISE_MAX);
			return rs_err_add_line(err, "try: P, the most precise that the PMU can be");
		} else if (strchr(letters_refused, *letters)) {
			rs_err_set(err,
				"bad event '%s': the modifier %c does not apply to counting", shown,
				*letters);
			rs_err_add_line(
				err, "it is for sampling or pinning; regionstat counts events");
			return rs_err_add_line(err, "try: the event without it");
		} else {
			rs_err_set(err, "bad event '%s': unknown modifier '%c'", shown, *letters);
			return rs_modifiers_add_line(err);
		}
	}
	return true;
}

bool rs_modifiers_name_privilege(const struct rs_modifiers *modifiers)
{
	return modifiers->user || modifiers->kernel || modifiers->hypervisor;
}

void rs_modifiers_write(const struct rs_modifiers *modifiers, char letters[RS_MODIFIERS_BYTES])
{
	struct rs_modifiers copy = *modifiers; /* flag_of() needs a pointer to writable modifiers */
	size_t n = 0;
	for (const char *at = letters_known; *at; at++) {
		const bool *flag = flag_of(&copy, *at);
		if (flag && *flag && *at != 'W')
			letters[n++] = *at;
		for (unsigned i = 0; *at == 'p' && i < modifiers->precise; i++)
			letters[n++] = *at;
	}
	letters[n] = '\0';
}

void rs_modifiers_apply(const struct rs_modifiers *modifiers, struct perf_event_attr *attr)
{
	if (rs_modifiers_name_privilege(modifiers)) {
		attr->exclude_user = !modifiers->user;
		attr->exclude_kernel = !modifiers->kernel;
		attr->exclude_hv = !modifiers->hypervisor;
	}
	if (modifiers->guest || modifiers->host) {
		attr->exclude_guest = !modifiers->guest;
		attr->exclude_host = !modifiers->host;
	}
	if (modifiers->not_idle)
		attr->exclude_idle = 1;
	if (modifiers->exclusive)
		attr->exclusive = 1;
	if (modifiers->precise > 0)
		attr->precise_ip = modifiers->precise & PRECISE_MAX;
	if (modifiers->most_precise)
		attr->precise_ip = PRECISE_MAX;
}
