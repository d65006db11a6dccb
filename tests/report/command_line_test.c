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

static char *quoted(char *const *argv, size_t columns)
{
	char *text = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&text, &length);
	cr_assert_not_null(stream);
	rs_report_command_line(argv, columns, stream);
	cr_assert_eq(fclose(stream), 0);
	return text;
}

static void check(char *const *argv, size_t columns, const char *expected)
{
	char *text = quoted(argv, columns);
	cr_expect_str_eq(text, expected);
	free(text);
}

Test(command_line, quotes_only_what_needs_it)
{
	check((char *[]){"./a.out", "-x", "a=b,c:1", "50%", NULL}, 0, "./a.out -x a=b,c:1 50%");
	check((char *[]){"a b", "", "$HOME", "*", NULL}, 0, "'a b' '' '$HOME' '*'");
	check((char *[]){"it's", "a\nb", "\\", "\xff'\\", NULL}, 0,
		"'it'\\''s' $'a\\nb' '\\' $'\\xff\\'\\\\'");
}

Test(command_line, is_cut_at_columns)
{
	char *argv[] = {"abc", "def", NULL};
	check(argv, 7, "abc def");
	check(argv, 6, "abc d\xe2\x80\xa6");
	check(argv, 1, "\xe2\x80\xa6");
	/* two columns for each character, and quotes: the second character would take columns 4 and
	 * 5 */
	check((char *[]){"\xe4\xb8\xad\xe6\x96\x87", NULL}, 5, "'\xe4\xb8\xad\xe2\x80\xa6");
	/* an escape sequence is shown whole or omitted */
	check((char *[]){"\033\033", NULL}, 8, "$'\\x1b\xe2\x80\xa6");
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
	char *text = quoted(argv, 0);
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
	free(text);
}
