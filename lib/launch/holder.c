/* SPDX-License-Identifier: MIT */
/*
 * This file is the holder's code. Before the holder changes to the program's user, it gives up
 * everything of the host: groups, namespaces, root directory and descriptors. The program's user
 * can inspect the holder only after that.
 */
#include "launch/holder.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "base/write.h"
#include "plan/host.h"

/* A namespace of the program. */
struct space {
	const char *kind;
	int type;
	int fd; /* -1: this process is in this namespace already */
};

/* The parts of the host's /proc that the holder opens before it leaves the host's namespaces. */
struct found {
	struct space mount, pid, user;
	int root; /* the program's root directory; -1: it is also the root of this process */
	/* Descriptor of the host's /proc. The program's status is read there after this process has
	 * entered the program's user namespace. */
	int proc;
	char status_name[32];
};

static void tell(enum rs_holder_step step, int number, pid_t pid)
{
	struct rs_holder_status status = {(int)step, number, pid};
	if (write(RS_HELD_SOCKET, &status, sizeof(status)) != (ssize_t)sizeof(status))
		_exit(1);
}

__attribute__((noreturn)) static void fail(enum rs_holder_step step)
{
	tell(step, errno, 0);
	_exit(1);
}

/* Return true if the user namespace forbids setgroups(2) (user_namespaces(7)). */
static bool is_setgroups_denied(void)
{
	char text[8];
	rs_host_read(text, sizeof(text), "/proc/self/setgroups");
	return strcmp(text, "deny") == 0;
}

static bool drop_groups(void)
{
	if (setgroups(0, NULL) == 0 || geteuid() != 0)
		return true;
	int number = errno;
	bool is_denied = is_setgroups_denied();
	errno = number;
	return is_denied;
}

/* Open a file in the program's directory in /proc. If this process has the same file there, set *fd
 * to -1. Return false on failure. */
static bool open_other(const char *program, const char *name, int flags, int *fd)
{
	char own[48], its[48];
	struct stat ours, theirs;
	snprintf(own, sizeof(own), "/proc/self/%s", name);
	snprintf(its, sizeof(its), "/proc/%s/%s", program, name);
	*fd = open(its, flags | O_CLOEXEC);
	if (*fd < 0 || fstat(*fd, &theirs) != 0 || stat(own, &ours) != 0)
		return false;
	if (rs_stat_is_same(&ours, &theirs)) {
		close(*fd);
		*fd = -1;
	}
	return true;
}

static bool find(const char *program, struct found *found)
{
	struct space *spaces[] = {&found->mount, &found->pid, &found->user};
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		char name[16];
		snprintf(name, sizeof(name), "ns/%s", spaces[i]->kind);
		if (!open_other(program, name, O_RDONLY, &spaces[i]->fd))
			return false;
	}
	snprintf(found->status_name, sizeof(found->status_name), "%s/status", program);
	found->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return found->proc >= 0 && open_other(program, "root", O_PATH | O_DIRECTORY, &found->root);
}

static bool enter(struct space *space)
{
	if (space->fd < 0)
		return true;
	if (setns(space->fd, space->type) != 0)
		return false;
	close(space->fd);
	space->fd = -1;
	return true;
}

/* Enter the program's namespaces and its root directory. Entering the user namespace may give or
 * remove the right to enter the others, so try the others before and after it. */
static bool enter_all(struct found *found)
{
	(void)(enter(&found->pid) && enter(&found->mount));
	if (!enter(&found->user) || !enter(&found->pid) || !enter(&found->mount))
		return false;
	if (found->root >= 0 && (fchdir(found->root) != 0 || chroot(".") != 0))
		return false;
	return chdir("/") == 0;
}

/* Read the ids of the program's effective user and group in the user namespace of this process. */
static bool read_ids(const struct found *found, unsigned *uid, unsigned *gid)
{
	char text[4096];
	int fd = openat(found->proc, found->status_name, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (got <= 0)
		return false;
	text[got] = '\0';
	const char *uids = strstr(text, "\nUid:"), *gids = strstr(text, "\nGid:");
	errno = ESRCH;
	return uids && gids && sscanf(uids, "\nUid: %*u %u", uid) == 1 &&
	       sscanf(gids, "\nGid: %*u %u", gid) == 1;
}

/* Take the program's user and group, and drop all capabilities. Otherwise the program, which may
 * have no capabilities, could not inspect the holder (ptrace(2)). */
static bool take_user(unsigned uid, unsigned gid)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[2] = {{0}};
	/* If the program's user has no id in its namespace, uid is the overflow uid
	 * (user_namespaces(7)). This process cannot change to that uid, but may already run with
	 * it. */
	return (setresgid(gid, gid, gid) == 0 || getegid() == gid) &&
	       (setresuid(uid, uid, uid) == 0 || geteuid() == uid) &&
	       syscall(SYS_capset, &header, none) == 0;
}

/* Close all descriptors that are not the holder's. */
static bool close_others(void)
{
	for (int i = 0; i < RS_HELD_SEGMENT; i++)
		close(i);
	return syscall(SYS_close_range, RS_HELD_N, ~0u, 0) == 0;
}

/* Keep the descriptors open until the launcher ends. */
__attribute__((noreturn)) static void hold(unsigned uid, unsigned gid)
{
	char byte;
	if (!close_others() || !take_user(uid, gid) ||
		/* When the launcher kills the parent of this process, the kernel kills this process
		 * too. Changing the user clears this setting (prctl(2)), so set it after
		 * take_user(). */
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 ||
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0)
		fail(RS_HOLDER_USER);
	tell(RS_HOLDER_READY, 0, 0);
	rs_read_all(RS_HELD_SOCKET, &byte, 1);
	_exit(0);
}

void rs_holder_run(int argc, char **argv)
{
	struct found found = {.mount = {"mnt", CLONE_NEWNS, -1},
		.pid = {"pid", CLONE_NEWPID, -1},
		.user = {"user", CLONE_NEWUSER, -1}};
	unsigned uid, gid;
	/* Refuse a user who types this verb: only the launcher passes these descriptors. */
	if (argc != 2 || fcntl(RS_HELD_SOCKET, F_GETFD) < 0 || !close_others())
		_exit(125);
	prctl(PR_SET_NAME, "regionstat", 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (!drop_groups())
		fail(RS_HOLDER_GROUPS);
	if (!find(argv[1], &found))
		fail(RS_HOLDER_FIND);
	if (!enter_all(&found))
		fail(RS_HOLDER_ENTER);
	if (!read_ids(&found, &uid, &gid))
		fail(RS_HOLDER_FIND);
	/* Only children of this process are in the new pid namespace. This process stays to reap
	 * the holder, because the first process of that namespace might not reap it. */
	pid_t holder = fork();
	if (holder < 0)
		fail(RS_HOLDER_USER);
	if (holder == 0)
		hold(uid, gid);
	tell(RS_HOLDER_FORKED, 0, holder);
	syscall(SYS_close_range, 0, ~0u, 0);
	waitpid(holder, NULL, 0);
	_exit(0);
}
