/* SPDX-License-Identifier: MIT */
/*
 * Names of regions that are made at run time: long ones, UTF-8, hostile bytes, and too many names.
 */
#include <stdio.h>
#include <string.h>

#include "rules.h"

/* Make n calls of each of several names that could break a report. */
static int odd_names(char **arguments)
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
	unsigned long n = number_of(arguments[0]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		call_named(names[i], n);
	return 0;
}

/* Use a name of `length` letters 'x', and another one that differs only in the last letter. */
static int long_names(char **arguments)
{
	unsigned long n = number_of(arguments[0]), length = number_of(arguments[1]);
	static char name[65536];
	require(length > 0 && length < sizeof(name), "LENGTH of 1 to 65535");
	memset(name, 'x', length);
	call_named(name, n);
	name[length - 1] = 'y';
	call_named(name, n);
	return 0;
}

/* Use the empty name, and one that is not empty. */
static int empty_names(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	call_named("", n);
	call_named("named", n);
	return 0;
}

/* Make n calls of each of r regions "region 0", "region 1" and so on. */
static int many_names(char **arguments)
{
	unsigned long n_regions = number_of(arguments[0]), n = number_of(arguments[1]);
	char name[32];
	for (unsigned long i = 0; i < n_regions; i++) {
		snprintf(name, sizeof(name), "region %lu", i);
		call_named(name, n);
	}
	return 0;
}

/* Reuse a buffer for several names, which the runtime must have copied. A literal and a name made
 * at run time are one region. */
static int reused_buffer(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
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
	return 0;
}

/* Use one region whose name is an argument. */
static int given_name(char **arguments)
{
	call_named(arguments[0], number_of(arguments[1]));
	return 0;
}

const struct rule name_rules[] = {
	{"names", "N", 1, odd_names},
	{"long-names", "N LENGTH", 2, long_names},
	{"empty-names", "N", 1, empty_names},
	{"many-names", "REGIONS N", 2, many_names},
	{"reused-buffer", "N", 1, reused_buffer},
	{"named", "REGION_NAME N", 2, given_name},
	{0},
};
