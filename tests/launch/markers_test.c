/* SPDX-License-Identifier: MIT */
/*
 * Tests of selecting adapters: environment variables with their previous values, and the search for
 * libraries. cli/command_markers.py has the names in --markers.
 */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/directory.h"
#include "launch/library_path.h"
#include "launch/markers.h"

static struct rs_err err;

static void start(void)
{
	directory_init();
	for (size_t i = 0; i < RS_ADAPTER_N; i++)
		for (const struct rs_marker_variable *at = rs_marker_apis[i].variables; at->name;
			at++)
			unsetenv(at->name);
}

TestSuite(markers, .init = start, .fini = directory_finish, .timeout = 60);

/* Set a variable of the environment, or remove it if value is NULL. */
static void set(const char *name, const char *value)
{
	value ? setenv(name, value, 1) : unsetenv(name);
}

/* Expect a variable of an environment to have a value, or to be missing if value is NULL. */
static void expect(const struct rs_environment *environment, const char *name, const char *value)
{
	cr_assert_eq(rs_environment_has(environment, name), value != NULL, "%s", name);
	if (value)
		cr_assert_str_eq(rs_environment_get(environment, name), value);
}

static bool find_here(char path[PATH_MAX], const char *file, struct rs_err *unused)
{
	(void)unused;
	snprintf(path, PATH_MAX, "/here/%s", file);
	return true;
}

static void choose(struct rs_markers *markers, const char *names)
{
	struct rs_marker_wish wish;
	cr_assert(rs_marker_wish_parse(&wish, "--markers", names, &err));
	cr_assert(rs_markers_init(markers, &wish, "true", find_here, &err), "%s", err.text);
}

/* LD_PRELOAD and ASAN_OPTIONS, before and after. */
struct preload_case {
	const char *preload, *options, *expected_preload, *expected_options;
};

/* A sanitizer's library must stay the first one. Libraries that the user put before it stay there
 * too. */
Test(markers, sanitizers_stay_first)
{
#define OURS "/here/libregionstat-papi.so:/here/libregionstat-likwid.so"
#define NO_CHECK "verify_asan_link_order=0"
	static const struct preload_case cases[] = {
		{NULL, NULL, OURS, NO_CHECK},
		{"", "", OURS, NO_CHECK},
		{"libasan.so.8", "a=1", "libasan.so.8:" OURS, "a=1:" NO_CHECK},
		{"/x/libasan.so", NO_CHECK ":a=1", "/x/libasan.so:" OURS, NULL},
		{"/a.so libtsan.so.2 /b.so:/c.so", NULL, "/a.so libtsan.so.2:" OURS " /b.so:/c.so",
			NO_CHECK},
		{"liblsan.so.0:/a.so:libubsan.so.1:", NULL,
			"liblsan.so.0:/a.so:libubsan.so.1:" OURS ":", NO_CHECK},
		{"/l/libclang_rt.asan-x86_64.so", NULL, "/l/libclang_rt.asan-x86_64.so:" OURS,
			NO_CHECK},
		{"libhwasan.so.0", NULL, "libhwasan.so.0:" OURS, NO_CHECK},
		/* These names are only similar. */
		{"/libasan.so.8/a.so", NULL, OURS ":/libasan.so.8/a.so", NO_CHECK},
		{"mylibasan.so libasa.so lib", NULL, OURS ":mylibasan.so libasa.so lib", NO_CHECK},
		/* An outer regionstat has set these. */
		{"libasan.so.8:" OURS ":/b.so", NO_CHECK, "libasan.so.8:" OURS ":/b.so", NULL},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct preload_case *at = &cases[i];
		struct rs_markers markers;
		set("LD_PRELOAD", at->preload);
		set("ASAN_OPTIONS", at->options);
		choose(&markers, "likwid,papi");
		expect(&markers.environment, "LD_PRELOAD", at->expected_preload);
		expect(&markers.environment, "ASAN_OPTIONS", at->expected_options);
		rs_markers_finish(&markers);
	}
}

/* Only this variable can turn off an adapter that is linked into the program. */
Test(markers, uprof_is_told_what_is_wanted)
{
	static const struct {
		const char *names, *before, *expected;
	} cases[] = {
		{"auto", NULL, NULL},
		{"none", NULL, "off"},
		{"likwid", NULL, "off"},
		{"uprof", NULL, NULL},
		{"likwid,uprof=control", NULL, "control"},
		{"auto", "off", "region"}, /* an outer regionstat has set it */
		{"auto", "control", NULL},
		{"uprof", "control", "region"},
		{"none", "control", "off"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rs_markers markers;
		set("REGIONSTAT_UPROF", cases[i].before);
		choose(&markers, cases[i].names);
		expect(&markers.environment, "REGIONSTAT_UPROF", cases[i].expected);
		rs_markers_finish(&markers);
	}
}

/* Kokkos ends a program if its two variables differ. */
Test(markers, both_variables_of_kokkos_have_one_value)
{
	static const struct {
		const char *tools, *profile, *expected_tools, *expected_profile;
	} cases[] = {
		{NULL, NULL, "", NULL},
		{"/old.so", NULL, ";/old.so", NULL},
		{NULL, "/old.so;b", ";/old.so;b", ";/old.so;b"},
		{"/old.so", "/old.so", ";/old.so", ";/old.so"},
		{NULL, "", "", ""},
		/* This program would have ended without regionstat too. */
		{"/a.so", "/b.so", ";/a.so", ";/b.so"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rs_markers markers;
		const char *expected[] = {cases[i].expected_tools, cases[i].expected_profile};
		const char *names[] = {"KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"};
		const char *before[] = {cases[i].tools, cases[i].profile};
		for (int k = 0; k < 2; k++)
			set(names[k], before[k]);
		choose(&markers, "kokkos");
		for (int k = 0; k < 2; k++) {
			char value[256];
			snprintf(value, sizeof(value), "/here/libregionstat-kokkos.so%s",
				expected[k] ? expected[k] : "");
			expect(&markers.environment, names[k], expected[k] ? value : NULL);
		}
		rs_markers_finish(&markers);
	}
}

/* ---- the linker's cache ---- */

/* Make a cache as ldconfig(8) writes it. It has two entries of one name, and the file of the first
 * does not exist. */
static size_t make_cache(char *bytes, const char *library)
{
	static const char missing[] = "/nowhere/libtest.so.1", name[] = "libtest.so.1";
	const uint32_t n = 3, begin = 48 + n * 24;
	uint32_t paths[3] = {begin, begin + (uint32_t)sizeof(missing), 0};
	uint32_t names[3] = {paths[1] + (uint32_t)strlen(library) + 1, 0, 0};
	names[1] = names[0];
	names[2] = names[0] + 3; /* the end of a longer string is a string too */
	paths[2] = paths[1];
	memset(bytes, 0, 48);
	memcpy(bytes, "glibc-ld.so.cache1.1", 20);
	memcpy(bytes + 20, &n, sizeof(n));
	for (uint32_t i = 0; i < n; i++) {
		char *entry = bytes + 48 + i * 24;
		memset(entry, 0, 24);
		memcpy(entry + 4, &names[i], 4);
		memcpy(entry + 8, &paths[i], 4);
	}
	strcpy(bytes + paths[0], missing);
	strcpy(bytes + paths[1], library);
	strcpy(bytes + names[0], name);
	return names[0] + sizeof(name);
}

Test(markers, cache_leads_to_a_library)
{
	char bytes[4096] = "older format, before it", path[PATH_MAX];
	size_t n = 64 + make_cache(bytes + 64, "/proc/self/exe");
	struct rs_arena arena = {0};
	struct rs_library_cache cache = {&arena, directory_write("cache", bytes, n)};
	const struct rs_library_item object = {0};
	cr_assert(rs_library_find(path, "libtest.so.1", &object, &cache));
	cr_assert_str_eq(path, "/proc/self/exe");
	cr_assert(rs_library_find(path, "test.so.1", &object, &cache));
	cr_assert(!rs_library_find(path, "libtest.so.2", &object, &cache));
	rs_arena_finish(&arena);
}

Test(markers, damaged_caches)
{
	char good[4096], bytes[4096], path[PATH_MAX];
	size_t n = make_cache(good, "/proc/self/exe");
	const struct rs_library_item object = {0};
	for (size_t i = 0; i < n * 3; i++) {
		size_t left = i < n ? i : n;
		memcpy(bytes, good, n);
		if (i >= n) /* change each byte in turn: first all bits to 1, then others */
			bytes[i % n] = i < 2 * n ? (char)0xff : (char)(bytes[i % n] ^ 0x55);
		struct rs_arena arena = {0};
		struct rs_library_cache cache = {&arena, directory_write("cache", bytes, left)};
		if (rs_library_find(path, "libtest.so.1", &object, &cache))
			cr_assert_str_eq(path, "/proc/self/exe");
		rs_arena_finish(&arena);
	}
}

Test(markers, directories_in_their_order)
{
	char path[PATH_MAX], command[512];
	struct rs_arena arena = {0};
	struct rs_library_cache cache = {&arena, "/nowhere"};
	snprintf(command, sizeof(command),
		"cd %s && mkdir own far told && for d in own far told; do cp /proc/%d/exe "
		"$d/lib.so; done",
		directory, (int)getpid());
	cr_assert_eq(system(command), 0);
	const struct rs_library_item program = {.origin = directory, .rpath = "$ORIGIN/far"};
	const struct {
		struct rs_library_item object;
		const char *expected; /* NULL: the library is not found */
	} cases[] = {
		{{.origin = directory, .rpath = "/nowhere:$ORIGIN/own"}, "own"},
		{{.origin = directory, .rpath = "${ORIGIN}/far", .runpath = "$ORIGIN/own"}, "own"},
		{{.origin = "/x", .above = &program}, "far"},
		/* A DT_RUNPATH applies only to its own object, and is searched after
		 * LD_LIBRARY_PATH. */
		{{.origin = directory, .runpath = "$ORIGINS/own:$UNKNOWN"}, NULL},
		{{.origin = NULL, .rpath = "$ORIGIN/own"}, NULL},
		{{0}, NULL},
	};
	set("LD_LIBRARY_PATH", "/x");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is = rs_library_find(path, "lib.so", &cases[i].object, &cache);
		cr_assert_eq(is, cases[i].expected != NULL, "case %zu: %s", i, path);
		if (is)
			cr_assert(strstr(path, cases[i].expected), "%s", path);
	}
	char told[128];
	snprintf(told, sizeof(told), "/nowhere;%s/told", directory);
	set("LD_LIBRARY_PATH", told);
	const struct rs_library_item both = {.origin = directory, .runpath = "$ORIGIN/own"};
	cr_assert(rs_library_find(path, "lib.so", &both, &cache));
	cr_assert(strstr(path, "/told/"), "%s", path);
	rs_arena_finish(&arena);
}
