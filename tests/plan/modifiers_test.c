/* SPDX-License-Identifier: MIT */
/*
 * Tests of event modifiers. Expected values follow perf-list(1) and the fields of
 * perf_event_open(2).
 */
#include <criterion/criterion.h>

#include <string.h>

#include "plan/modifiers.h"

static struct rs_err err;

Test(modifiers, split)
{
	static const struct {
		const char *head;
		size_t length;
	} cases[] = {
		{"cycles", 6},
		{"cycles:u", 6},
		{"cycles:ukp", 6},
		{"cycles:u:k", 6},
		{"sched:sched_switch", 18},
		{"sched:sched_switch:k", 18},
		{"INST_RETIRED:ANY_P:u", 18},
		{"INST_RETIRED:ANY_P:c=1", 22},
		{"skl::u", 6},
		{"cycles:", 7},
		{":u", 2},
		{"u", 1},
		{"", 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect_eq(rs_modifiers_split(cases[i].head), cases[i].length, "%s: %zu",
			cases[i].head, rs_modifiers_split(cases[i].head));
}

/* Check the exclude_* fields, given as letters: user, kernel, hv, Host, Guest, Idle. */
static void check(const char *letters, const char *excluded, unsigned precise)
{
	struct rs_modifiers modifiers = {0};
	struct perf_event_attr attr = {.exclude_guest = 1};
	cr_assert(rs_modifiers_add(&modifiers, letters, "x", &err), "%s", err.text);
	rs_modifiers_apply(&modifiers, &attr);
	char got[16] = "";
	strcat(got, attr.exclude_user ? "u" : "");
	strcat(got, attr.exclude_kernel ? "k" : "");
	strcat(got, attr.exclude_hv ? "h" : "");
	strcat(got, attr.exclude_host ? "H" : "");
	strcat(got, attr.exclude_guest ? "G" : "");
	strcat(got, attr.exclude_idle ? "I" : "");
	cr_expect_str_eq(got, excluded);
	cr_expect_eq(attr.precise_ip, precise);
}

Test(modifiers, apply)
{
	check("", "G", 0);
	check(":u", "khG", 0);
	check("k", "uhG", 0);
	check("h", "ukG", 0);
	check("uk", "hG", 0);
	check("ku", "hG", 0);
	check(":u:k", "hG", 0);
	check("ukh", "G", 0);
	check("G", "H", 0);
	check("H", "G", 0);
	check("GH", "", 0);
	check("I", "GI", 0);
	check("p", "G", 1);
	check("upp", "khG", 2);
	check("ppp", "G", 3);
	check("P", "G", 3);
}

Test(modifiers, refuse)
{
	static const struct {
		const char *letters;
		const char *message;
	} cases[] = {
		{"pppp", "bad event 'x:?': more than 3 times the modifier p"},
		{"z", "bad event 'x:?': unknown modifier 'z'"},
		{"S", "bad event 'x:?': the modifier S does not apply to counting"},
		{"uD", "bad event 'x:?': the modifier D does not apply to counting"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rs_modifiers modifiers = {0};
		cr_expect_not(rs_modifiers_add(&modifiers, cases[i].letters, "x:?", &err));
		cr_expect(strncmp(err.text, cases[i].message, strlen(cases[i].message)) == 0, "%s",
			err.text);
	}
}

Test(modifiers, name_privilege)
{
	struct rs_modifiers modifiers = {.host = true, .precise = 2};
	cr_expect_not(rs_modifiers_name_privilege(&modifiers));
	modifiers.hypervisor = true;
	cr_expect(rs_modifiers_name_privilege(&modifiers));
}
