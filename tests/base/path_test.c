/* SPDX-License-Identifier: MIT */
/* Tests of comparing paths, with directories and links that the test creates. link(2) and
 * symlink(2) define the expected values. */
#include <criterion/criterion.h>

#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "directory.h"

static void enter(void)
{
	directory_init();
	cr_assert_eq(chdir(directory), 0);
	directory_write("there", "", 0);
}

TestSuite(path, .init = enter, .fini = directory_finish);

Test(path, that_is_there)
{
	cr_assert_eq(link("there", "hard"), 0);
	cr_assert_eq(symlink("there", "soft"), 0);
	directory_write("other", "", 0);
	cr_expect(rs_is_same_file("there", "./there"));
	cr_expect(rs_is_same_file("there", directory_path("there")));
	cr_expect(rs_is_same_file("hard", "there"));
	cr_expect(rs_is_same_file("soft", "hard"));
	cr_expect_not(rs_is_same_file("there", "other"));
	cr_expect_not(rs_is_same_file("there", "not there"));
}

Test(path, that_is_to_be)
{
	cr_expect(rs_is_same_file("new", ".//new"));
	cr_expect(rs_is_same_file(directory_path("new"), "new"));
	cr_expect_not(rs_is_same_file("new", "newer"));
	cr_expect_not(rs_is_same_file("new", "no/new"));
	cr_expect_not(rs_is_same_file("new", "/new"));
}

Test(path, that_links_will_lead_to)
{
	cr_assert_eq(mkdir("in", 0700), 0);
	cr_assert_eq(symlink("new", "soft"), 0);
	cr_assert_eq(symlink("../soft", "in/up"), 0);
	cr_assert_eq(symlink(directory_path("in/up"), "hard"), 0);
	cr_assert_eq(symlink("circle", "circle"), 0);
	cr_expect(rs_is_same_file("soft", "new"));
	cr_expect(rs_is_same_file("new", "in/up"));
	cr_expect(rs_is_same_file("in/../hard", directory_path("new")));
	cr_expect(rs_is_same_file("hard", "soft"));
	cr_expect_not(rs_is_same_file("in/up", "in/new"));
	cr_expect_not(rs_is_same_file("in/up", "newer"));
	cr_expect_not(rs_is_same_file("circle", "new"));
}

Test(path, that_is_not_a_regular_file)
{
	cr_expect(rs_is_same_file("/dev/null", "/dev/null"));
	cr_expect_not(rs_is_same_file("/dev/null", "/dev/../dev/null"));
}

Test(path, in_a_directory)
{
	cr_assert_eq(symlink("no/new", "soft"), 0);
	cr_expect(rs_has_directory("new"));
	cr_expect(rs_has_directory(directory_path("new")));
	cr_expect_not(rs_has_directory("no/new"));
	cr_expect_not(rs_has_directory("soft"));
}
