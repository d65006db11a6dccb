/* SPDX-License-Identifier: MIT */
/*
 * This file decides which users could have written a file, by its owner, group and mode. It
 * searches the user database only if the file's group has permission to write. It ignores access
 * control lists (acl(5)).
 */
#include "base/owner.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#define ENTRY_BYTES 4096 /* a longer entry has many members, so the group is not private */

static bool is_private_group(gid_t gid, uid_t uid)
{
	char user_text[ENTRY_BYTES], group_text[ENTRY_BYTES];
	struct passwd user_entry, *user = NULL;
	struct group group_entry, *group = NULL;
	if (gid == 0)
		return true;
	if (getpwuid_r(uid, &user_entry, user_text, sizeof(user_text), &user) != 0 || !user ||
		user->pw_gid != gid ||
		getgrgid_r(gid, &group_entry, group_text, sizeof(group_text), &group) != 0 ||
		!group || strcmp(group->gr_name, user->pw_name) != 0)
		return false;
	for (char **member = group->gr_mem; *member; member++)
		if (strcmp(*member, user->pw_name) != 0)
			return false;
	return true;
}

bool rs_owner_has_others(const struct stat *status)
{
	return (status->st_mode & S_IWOTH) ||
	       ((status->st_mode & S_IWGRP) && !is_private_group(status->st_gid, status->st_uid));
}

const char *rs_owner_find_doubt(const struct stat *status, uid_t owner)
{
	if (!S_ISREG(status->st_mode))
		return "it is not a regular file";
	if (status->st_uid != 0 && status->st_uid != geteuid() && status->st_uid != owner)
		return "it is owned by another user";
	if (status->st_mode & S_IWOTH)
		return "everybody may write to it";
	return rs_owner_has_others(status) ? "other users may write to it through its group" : NULL;
}
