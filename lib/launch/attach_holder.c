/* SPDX-License-Identifier: MIT */
/*
 * The holder: a process of the program's user and namespaces. It keeps the segment and the runtime's
 * file open, so that the program finds them under /proc/PID/fd (ptrace(2), PTRACE_MODE_READ). It ends
 * when regionstat ends, and the runtime then detaches.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/attach.h"

/* The holder's descriptors. */
enum { HELD_SEGMENT = 3, HELD_RUNTIME, HELD_PIPE, HELD_STATUS, HELD_N };
/* Copies of descriptors get numbers from here on before they get those above. */
#define APART_FD 64

/* What the holder tells when it is ready, or has failed. */
struct told {
	const char *failed; /* a string of this program; NULL: ready */
	int number; /* errno */
	char pids
		[64]; /* the holder's pids, from the launcher's namespace inwards (NSpid of proc(5)) */
};

/* Enter a namespace of the program, unless this process is in it. */
static bool enter(pid_t pid, const char *kind, int type)
{
	char own[32], its[48];
	struct stat ours, theirs;
	snprintf(own, sizeof(own), "/proc/self/ns/%s", kind);
	snprintf(its, sizeof(its), "/proc/%d/ns/%s", (int)pid, kind);
	int fd = open(its, O_RDONLY | O_CLOEXEC);
	bool done = fd >= 0 && fstat(fd, &theirs) == 0 &&
		    ((stat(own, &ours) == 0 && ours.st_ino == theirs.st_ino) ||
			    setns(fd, type) == 0);
	if (fd >= 0)
		close(fd);
	return done;
}

/* Take the program's user and group, and drop all capabilities: a process without capabilities may
 * not look at one that has some. */
static bool take_user(pid_t pid)
{
	char text[64];
	unsigned uid, gid;
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[2] = {{0}};
	if (!rs_attach_status(pid, "Uid", text, sizeof(text)) ||
		sscanf(text, "%*u %u", &uid) != 1 ||
		!rs_attach_status(pid, "Gid", text, sizeof(text)) ||
		sscanf(text, "%*u %u", &gid) != 1)
		return false;
	if (geteuid() == 0 && uid != 0)
		setgroups(0, NULL);
	return (getegid() == gid || setresgid(gid, gid, gid) == 0) &&
	       (geteuid() == uid || setresuid(uid, uid, uid) == 0) &&
	       syscall(SYS_capset, &header, none) == 0 && prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0;
}

/* Keep only the descriptors that are held, under their numbers. status_fd becomes the last one. */
static bool place_descriptors(int segment_fd, int runtime_fd, int pipe_fd, int *status_fd)
{
	int fds[HELD_N] = {[HELD_SEGMENT] = segment_fd,
		[HELD_RUNTIME] = runtime_fd,
		[HELD_PIPE] = pipe_fd,
		[HELD_STATUS] = *status_fd};
	for (int i = HELD_SEGMENT; i < HELD_N; i++)
		if ((fds[i] = fcntl(fds[i], F_DUPFD, APART_FD)) < 0)
			return false;
	for (int i = HELD_SEGMENT; i < HELD_N; i++)
		if (dup2(fds[i], i) < 0)
			return false;
	for (int i = 0; i < HELD_SEGMENT; i++)
		close(i);
	*status_fd = HELD_STATUS;
	return syscall(SYS_close_range, HELD_N, ~0u, 0) == 0;
}

/* The holder. status_fd gets struct told. */
__attribute__((noreturn)) static void hold(
	pid_t pid, int segment_fd, int runtime_fd, int pipe_fd, int status_fd)
{
	struct told told = {0};
	char byte;
	if (!enter(pid, "user", CLONE_NEWUSER) || !enter(pid, "pid", CLONE_NEWPID)) {
		told = (struct told){"cannot enter the program's namespaces", errno, ""};
	} else {
		/* Only children are in the new pid namespace. This process waits for the holder, since
		 * the namespace's first process may not. */
		pid_t holder = fork();
		if (holder > 0) {
			close(status_fd);
			close(pipe_fd);
			waitpid(holder, NULL, 0);
			_exit(0);
		}
		if (holder < 0 || !take_user(pid))
			told = (struct told){"cannot become the program's user", errno, ""};
		rs_attach_status(0, "NSpid", told.pids, sizeof(told.pids));
	}
	if (!told.failed && !place_descriptors(segment_fd, runtime_fd, pipe_fd, &status_fd))
		told = (struct told){"no descriptors are left", errno, ""};
	ssize_t put = write(status_fd, &told, sizeof(told));
	close(status_fd);
	if (put != (ssize_t)sizeof(told) || told.failed)
		_exit(1);
	while (read(HELD_PIPE, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

/* Return the number under which the program's /proc shows the holder. Return 0 if it does not. */
static long find_shown(pid_t pid, const struct rs_segment *segment, const char *pids)
{
	struct stat ours, theirs;
	char path[96], *end;
	for (; *pids; pids = end) {
		long number = strtol(pids, &end, 10);
		if (end == pids)
			break;
		snprintf(path, sizeof(path), "/proc/%d/root/proc/%ld/fd/%d", (int)pid, number,
			HELD_SEGMENT);
		if (stat(path, &theirs) == 0 && fstat(segment->fd, &ours) == 0 &&
			theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev)
			return number;
	}
	return 0;
}

/* Return true if the program finds the runtime under its path. */
static bool is_reachable(pid_t pid, const char *runtime_path)
{
	char path[PATH_MAX + 32];
	struct stat status;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, runtime_path);
	return strlen(runtime_path) < sizeof(((struct rs_attach_place *)NULL)->runtime) &&
	       stat(path, &status) == 0;
}

bool rs_attach_hold(struct rs_attach *attach, const struct rs_segment *segment,
	const char *runtime_path, struct rs_attach_place *place, struct rs_err *err)
{
	int keep[2] = {-1, -1}, status[2] = {-1, -1};
	struct told told = {"its helper process ended", 0, ""};
	int runtime_fd = open(runtime_path, O_RDONLY | O_CLOEXEC);
	bool done = runtime_fd >= 0 && pipe2(keep, O_CLOEXEC) == 0 &&
		    pipe2(status, O_CLOEXEC) == 0 && (attach->holder = fork()) >= 0;
	if (!done) {
		rs_err_set_errno(err, errno, "cannot attach: no helper process");
		goto out;
	}
	if (attach->holder == 0) {
		close(keep[1]);
		close(status[0]);
		hold(attach->pid, segment->fd, runtime_fd, keep[0], status[1]);
	}
	close(status[1]);
	status[1] = -1;
	done = read(status[0], &told, sizeof(told)) == (ssize_t)sizeof(told) && !told.failed;
	if (!done) {
		rs_err_set_errno(err, told.number, "cannot attach to process %d: %s",
			(int)attach->pid, told.failed);
		rs_err_add_line(err, "try: as root, or regionstat in the program's container");
		goto out;
	}
	attach->holder_pipe = keep[1];
	keep[1] = -1;
	long shown = find_shown(attach->pid, segment, told.pids);
	done = shown > 0;
	if (!done) {
		rs_err_set(err, "the /proc of process %d does not show this regionstat",
			(int)attach->pid);
		rs_err_add_line(err, "try: mount -t proc proc /proc in the program's container");
		goto out;
	}
	snprintf(place->segment, sizeof(place->segment), "%u:%d:%ld:%016" PRIx64, RS_SEGMENT_ABI,
		HELD_SEGMENT, shown, segment->nonce);
	if (is_reachable(attach->pid, runtime_path))
		snprintf(place->runtime, sizeof(place->runtime), "%s", runtime_path);
	else
		snprintf(place->runtime, sizeof(place->runtime), "/proc/%ld/fd/%d", shown,
			HELD_RUNTIME);
out:
	for (int i = 0; i < 2; i++) {
		if (keep[i] >= 0)
			close(keep[i]);
		if (status[i] >= 0)
			close(status[i]);
	}
	if (runtime_fd >= 0)
		close(runtime_fd);
	return done;
}
