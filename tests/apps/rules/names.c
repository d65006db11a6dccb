/* SPDX-License-Identifier: MIT */
/*
 * Names of regions that are made at run time: long ones, UTF-8, hostile bytes, and too many names.
 */
#include "rules.h"

/* Make n calls of each of several names that could break a report. */
static void odd_names(void)
{
	static const char *const names[] = {
		"plain",
		"with space",
		"comma, quote \" and semicolon;",
		"line\nbreak",
		"tab\tand\rreturn",
		"escape \033[31mred\033[0m",
		"Prüfung der Größe",
		"渲染像素",
		"👩‍👩‍👧 family",
		"bad utf-8 \xff\xfe\xc3",
		"cut utf-8 \xe6\xb8",
		"-e",
		"=1+1",
		"%s%n",
		"../../etc/passwd",
		"(other)",
	};
	unsigned long n = number(0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		call_named(names[i], n);
}

/* Use a name of `length` letters 'x', and another one that differs only in the last letter. */
static void long_names(void)
{
	unsigned long n = number(0), length = number(1);
	static char name[65536];
	CHECK(length > 0 && length < sizeof(name));
	memset(name, 'x', length);
	call_named(name, n);
	name[length - 1] = 'y';
	call_named(name, n);
}

/* Use the empty name, and one that is not empty. */
static void empty_names(void)
{
	unsigned long n = number(0);
	call_named("", n);
	call_named("named", n);
}

static void many_names(void)
{
	call_many(number(0), number(1));
}

/* Reuse a buffer for several names, which the runtime must have copied. A literal and a name made
 * at run time are one region. */
static void reused_buffer(void)
{
	unsigned long n = number(0);
	char name[32];
	for (unsigned long i = 0; i < n; i++) {
		for (int j = 0; j < 3; j++) {
			snprintf(name, sizeof(name), "buffer %d", j);
			regionstat_begin(name);
			memset(name, '!', sizeof(name) - 1);
			snprintf(name, sizeof(name), "buffer %d", j);
			regionstat_end(name);
		}
		REGIONSTAT_BEGIN("buffer 0");
		regionstat_end("buffer 0");
	}
}

/* Use one region whose name is an argument. */
static void given_name(void)
{
	call_named(arguments[0], number(1));
}

const struct how name_rules[] = {
	{"names", odd_names},
	{"long-names", long_names},
	{"empty-names", empty_names},
	{"many-names", many_names},
	{"reused-buffer", reused_buffer},
	{"named", given_name},
	{0},
};
