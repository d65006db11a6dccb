/* SPDX-License-Identifier: MIT */
/*
 * Tests of command lines: a shell must split the text into the original arguments.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/format.h"

static void check(char *const *argv, const char *expected)
{
	struct rs_arena arena = {0};
	cr_expect_str_eq(rs_report_command_text(argv, &arena), expected);
	rs_arena_finish(&arena);
}

Test(command_line, quotes_only_what_needs_it)
{
	check((char *[]){"./a.out", "-x", "a=b,c:1", "50%", NULL}, "./a.out -x a=b,c:1 50%");
	check((char *[]){"a b", "", "$HOME", "*", NULL}, "'a b' '' '$HOME' '*'");
	check((char *[]){"it's", "a\nb", "\\", "\xff'\\", NULL},
		"'it'\\''s' $'a\\nb' '\\' $'\\xff\\'\\\\'");
}

/* bash supports $'...'. It prints its arguments back, with a NUL after each. */
Test(command_line, bash_reads_it_back)
{
	if (access("/bin/bash", X_OK) != 0)
		cr_skip_test("there is no /bin/bash to read the command line back");
	char *argv[] = {"plain", "", "a b", "it's", "$HOME `id` $(id) \"x\" !", "*?[a]~#&|;<>(){}",
		"a\nb\tc\rd", "\001\033[31m\177", "\xff\xfe", "\xc3\xbc \xe2\x80\xae \xc2\x85",
		"\xf3\xa0\x81\x81"
		"1",
		"back\\slash",
		"\\\n'\"\xff"
		"0",
		"-n", "=", NULL};
	struct rs_arena arena = {0};
	const char *text = rs_report_command_text(argv, &arena);
	size_t bytes = strlen(text) + 128;
	char *script = malloc(bytes);
	cr_assert_not_null(script);
	snprintf(script, bytes, "printf '%%s\\0' %s", text);
	char path[] = "/tmp/regionstat-command-XXXXXX";
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, script, strlen(script)), (ssize_t)strlen(script));
	close(fd);
	char shell[128];
	snprintf(shell, sizeof(shell), "LC_ALL=C.UTF-8 /bin/bash %s", path);
	FILE *output = popen(shell, "r");
	cr_assert_not_null(output);
	for (size_t i = 0; argv[i]; i++) {
		char *argument = NULL;
		size_t size = 0;
		cr_assert_gt(getdelim(&argument, &size, '\0', output), 0, "only %zu arguments", i);
		cr_expect_str_eq(argument, argv[i]);
		free(argument);
	}
	cr_expect_eq(getc(output), EOF);
	cr_expect_eq(pclose(output), 0);
	unlink(path);
	free(script);
	rs_arena_finish(&arena);
}
