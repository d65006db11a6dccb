/* SPDX-License-Identifier: MIT */
/* Tests of who may have written a file: files of root, of users in the user database, and of
 * unknown users. */
#include <criterion/criterion.h>

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "base/owner.h"

#define UNKNOWN 54321u /* a user that is in no user database */

static struct stat file_of(uid_t uid, gid_t gid, mode_t mode)
{
	return (struct stat){.st_uid = uid, .st_gid = gid, .st_mode = S_IFREG | mode};
}

static bool has_others(uid_t uid, gid_t gid, mode_t mode)
{
	const struct stat status = file_of(uid, gid, mode);
	return rs_owner_has_others(&status);
}

Test(owner, others_by_mode)
{
	cr_expect_not(has_others(0, 0, 0644));
	cr_expect_not(has_others(UNKNOWN, UNKNOWN, 0755));
	cr_expect(has_others(0, 0, 0646));
	cr_expect(has_others(UNKNOWN, UNKNOWN, 0602));
}

Test(owner, others_by_group)
{
	cr_expect_not(has_others(0, 0, 0664));
	cr_expect_not(has_others(UNKNOWN, 0, 0664));
	cr_expect(has_others(0, UNKNOWN, 0664));
	cr_expect(has_others(UNKNOWN, UNKNOWN, 0664), "whose group that is nobody knows");
	cr_expect_not(has_others(0, UNKNOWN, 0644));
}

/* A user with a private group as useradd(8) creates it: the group has the user's name and no
 * members. Its line in /etc/group has nothing after the last colon. */
Test(owner, a_private_group)
{
	struct passwd *user;
	setpwent();
	while ((user = getpwent())) {
		const struct group *group = getgrgid(user->pw_gid);
		if (user->pw_uid != 0 && group && strcmp(group->gr_name, user->pw_name) == 0 &&
			!group->gr_mem[0])
			break;
	}
	if (!user)
		cr_skip_test("no user has a private group");
	uid_t uid = user->pw_uid;
	gid_t gid = user->pw_gid;
	cr_expect_not(has_others(uid, gid, 0664));
	cr_expect(has_others(uid, gid, 0666));
	cr_expect(has_others(uid, UNKNOWN, 0664));
	cr_expect(has_others(0, gid, 0664), "its user is not the owner");
	cr_expect(has_others(UNKNOWN, gid, 0664), "its user is not the owner");
}

Test(owner, doubt)
{
	uid_t other = geteuid() == UNKNOWN ? UNKNOWN + 1 : UNKNOWN;
	const struct {
		struct stat status;
		uid_t owner;
		const char *doubt;
	} cases[] = {
		{file_of(0, 0, 0644), 0, NULL},
		{file_of(geteuid(), 0, 0600), 0, NULL},
		{file_of(other, 0, 0644), other, NULL},
		{file_of(other, 0, 0644), 0, "it is owned by another user"},
		{file_of(other, 0, 0666), other, "everybody may write to it"},
		{file_of(0, other, 0664), 0, "other users may write to it through its group"},
		{file_of(other, other, 0664), other,
			"other users may write to it through its group"},
		{{.st_mode = S_IFIFO | 0600}, 0, "it is not a regular file"},
		{{.st_mode = S_IFLNK | 0777}, 0, "it is not a regular file"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *doubt = rs_owner_find_doubt(&cases[i].status, cases[i].owner);
		if (cases[i].doubt)
			cr_expect_str_eq(doubt, cases[i].doubt, "case %zu", i);
		else
			cr_expect_null(doubt, "case %zu: %s", i, doubt);
	}
}
