/* SPDX-License-Identifier: MIT */
/*
 * This file reduces the rights of a process that reads a file. The process can then read that file
 * and do little else.
 *
 * A marked program can write anything into the segment, so it can claim to be any user. Therefore
 * the claimed user only decides which files can be opened. The rights for reading a file depend on
 * the users who could have written it. So the author of a malicious file gains no rights.
 */
#include "names/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/owner.h"

#define NOBODY 65534u /* the kernel's id for users without a mapping (user_namespaces(7)) */
#define MOST_GROUPS 256

struct user {
	uid_t uid;
	gid_t gid;
	gid_t groups[MOST_GROUPS];
	int n_groups;
};

int rs_open_regular(const char *path, struct stat *status)
{
	char link[64];
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	if (place >= 0 && fstat(place, status) == 0 && S_ISREG(status->st_mode)) {
		const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
		fd = open(link, flags);
		/* without /proc open the path again; the check below notices if the file was
		 * replaced meanwhile */
		if (fd < 0 && errno == ENOENT)
			fd = open(path, flags);
	}
	if (place >= 0)
		close(place);
	if (fd >= 0 && fstat(fd, status) == 0 && S_ISREG(status->st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Look up a user's groups. A user that is not in the database is in no group. */
static void look_up(struct user *user, uid_t uid)
{
	char text[4096];
	struct passwd entry, *found = NULL;
	*user = (struct user){.uid = uid, .gid = NOBODY};
	if (uid == NOBODY || getpwuid_r(uid, &entry, text, sizeof(text), &found) != 0 || !found)
		return;
	user->gid = entry.pw_gid;
	user->n_groups = MOST_GROUPS;
	if (getgrouplist(entry.pw_name, entry.pw_gid, user->groups, &user->n_groups) < 0)
		user->n_groups = MOST_GROUPS; /* keep the first MOST_GROUPS */
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}, {0}};
	syscall(SYS_capset, &header, none);
}

/* Become a user permanently. The kernel resets PR_SET_PDEATHSIG when the user changes (prctl(2)),
 * so set it again. */
static bool become(const struct user *user)
{
	pid_t parent = getppid();
	bool is = setgroups((size_t)user->n_groups, user->groups) == 0 &&
		  setresgid(user->gid, user->gid, user->gid) == 0 &&
		  setresuid(user->uid, user->uid, user->uid) == 0;
	drop_capabilities();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	if (getppid() != parent)
		_exit(1);
	return is;
}

/* Use a user's rights for file accesses only, until this process sets them back. */
static bool open_as(const struct user *user)
{
	if (setgroups((size_t)user->n_groups, user->groups) != 0)
		return false;
	setfsgid(user->gid);
	setfsuid(user->uid);
	/* These calls return only the previous value, so query the current one. */
	return setfsgid((gid_t)-1) == (int)user->gid && setfsuid((uid_t)-1) == (int)user->uid;
}

int rs_rights_open(const char *path, uint32_t uid, struct stat *status)
{
	struct user user;
	if (geteuid() != 0) {
		drop_capabilities();
		return rs_open_regular(path, status);
	}
	if (uid != 0) {
		look_up(&user, uid);
		if (!open_as(&user))
			return -1;
	}
	int fd = rs_open_regular(path, status);
	if (fd < 0)
		return -1;
	setfsuid(0);
	setfsgid(0);
	uid_t author = rs_owner_has_others(status) ? NOBODY : status->st_uid;
	uid_t reader = author == 0 ? uid : author;
	if (reader == 0) {
		drop_capabilities();
		return fd;
	}
	if (reader != uid)
		look_up(&user, reader);
	if (!become(&user) && uid != 0) {
		/* The process could not become the user and is still root. That is allowed only if
		 * the program ran as root. */
		close(fd);
		return -1;
	}
	return fd;
}

void rs_rights_become(uint32_t uid)
{
	struct user user;
	if (geteuid() != 0 || uid == 0)
		return;
	look_up(&user, uid);
	become(&user);
}
