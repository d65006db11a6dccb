/* SPDX-License-Identifier: MIT */
/* Tests of comparing paths, with directories and links that the test creates. link(2) and
 * symlink(2) define the expected values. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/same_file.h"

static char directory[] = "/tmp/regionstat-same-file-XXXXXX";

static void enter(void)
{
	cr_assert(mkdtemp(directory));
	cr_assert_eq(chdir(directory), 0);
	int fd = open("there", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	cr_assert(fd >= 0);
	close(fd);
}

static void leave(void)
{
	static const char *const names[] = {
		"there", "hard", "soft", "other", "in/up", "in", "circle"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove(names[i]);
	if (chdir("/") == 0)
		rmdir(directory);
}

TestSuite(same_file, .init = enter, .fini = leave);

static const char *absolute(const char *name)
{
	static char path[128];
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

Test(same_file, that_is_there)
{
	cr_assert_eq(link("there", "hard"), 0);
	cr_assert_eq(symlink("there", "soft"), 0);
	int fd = open("other", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	cr_expect(rs_is_same_file("there", "./there"));
	cr_expect(rs_is_same_file("there", absolute("there")));
	cr_expect(rs_is_same_file("hard", "there"));
	cr_expect(rs_is_same_file("soft", "hard"));
	cr_expect_not(rs_is_same_file("there", "other"));
	cr_expect_not(rs_is_same_file("there", "not there"));
}

Test(same_file, that_is_to_be)
{
	cr_expect(rs_is_same_file("new", ".//new"));
	cr_expect(rs_is_same_file(absolute("new"), "new"));
	cr_expect_not(rs_is_same_file("new", "newer"));
	cr_expect_not(rs_is_same_file("new", "no/new"));
	cr_expect_not(rs_is_same_file("new", "/new"));
}

Test(same_file, that_links_will_lead_to)
{
	cr_assert_eq(mkdir("in", 0700), 0);
	cr_assert_eq(symlink("new", "soft"), 0);
	cr_assert_eq(symlink("../soft", "in/up"), 0);
	cr_assert_eq(symlink(absolute("in/up"), "hard"), 0);
	cr_assert_eq(symlink("circle", "circle"), 0);
	cr_expect(rs_is_same_file("soft", "new"));
	cr_expect(rs_is_same_file("new", "in/up"));
	cr_expect(rs_is_same_file("in/../hard", absolute("new")));
	cr_expect(rs_is_same_file("hard", "soft"));
	cr_expect_not(rs_is_same_file("in/up", "in/new"));
	cr_expect_not(rs_is_same_file("in/up", "newer"));
	cr_expect_not(rs_is_same_file("circle", "new"));
}

Test(same_file, that_is_not_a_regular_file)
{
	cr_expect(rs_is_same_file("/dev/null", "/dev/null"));
	cr_expect_not(rs_is_same_file("/dev/null", "/dev/../dev/null"));
}
