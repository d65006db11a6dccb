/* SPDX-License-Identifier: MIT */
/*
 * This file starts the holder, a process in the program's namespaces that keeps files open for the
 * program (holder.h). If the program can open the files of this process, it needs no holder. This
 * file also finds the paths by which the program can open these files.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/mount.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "base/write.h"
#include "launch/attach.h"
#include "launch/holder.h"
#include "launch/processes.h"

/* Temporary copies of descriptors get this number or a higher one. The holder's descriptors have
 * lower numbers, so dup2(2) overwrites no copy. */
#define APART_FD 64

/* Open a file of the host for the program's user. This user can reopen the file through the holder.
 * A root user in another mount namespace could even reopen it for writing. Therefore, if this
 * process is root and the program has another mount namespace, open the file through a read-only
 * mount. */
static int open_offered(pid_t pid, const char *path)
{
	struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
	if (geteuid() != 0 || rs_attach_has_our_namespace(pid, "mnt"))
		return open(path, O_RDONLY | O_CLOEXEC);
	int fd = (int)syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd >= 0 && syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH, &attributes,
			       sizeof(attributes)) != 0) {
		int number = errno;
		close(fd);
		errno = number;
		return -1;
	}
	return fd;
}

/* Execute the holder's image in a child process. Use only system calls, since this process may have
 * other threads. fds are the descriptors that the holder keeps. */
__attribute__((noreturn)) static void exec_holder(
	int image_fd, const int fds[RS_HELD_N], char *const *argv)
{
	static char *const no_environment[] = {NULL};
	int apart[RS_HELD_N];
	struct rs_holder_status status = {RS_HOLDER_EXEC, 0, 0};
	int status_fd = fds[RS_HELD_SOCKET];
	bool done = (image_fd = fcntl(image_fd, F_DUPFD_CLOEXEC, APART_FD)) >= 0;
	for (int i = RS_HELD_SEGMENT; done && i < RS_HELD_N; i++)
		done = (apart[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, APART_FD)) >= 0;
	for (int i = RS_HELD_SEGMENT; done && i < RS_HELD_N; i++)
		done = dup2(apart[i], i) >= 0;
	if (done) {
		status_fd = RS_HELD_SOCKET;
		syscall(SYS_execveat, image_fd, "", argv, no_environment, AT_EMPTY_PATH);
	}
	status.number = errno;
	_exit(write(status_fd, &status, sizeof(status)) < 0);
}

/* Wait until the holder is ready. Return false and set err if it reports a failure or ends. */
static bool await(const struct rs_attach *attach, pid_t *holder, struct rs_err *err)
{
	static const char *const failed[RS_HOLDER_STEPS] = {
		[RS_HOLDER_EXEC] = "its helper process cannot be executed",
		[RS_HOLDER_GROUPS] = "its helper process cannot drop root's groups",
		[RS_HOLDER_FIND] = "its helper process cannot read /proc",
		[RS_HOLDER_ENTER] = "cannot enter the program's namespaces",
		[RS_HOLDER_USER] = "cannot become the program's user",
	};
	struct rs_holder_status status;
	bool is_ready = false;
	*holder = 0;
	while (!is_ready || *holder <= 0) {
		bool has_status = rs_read_all(attach->holder_socket, &status, sizeof(status)) ==
				  (ssize_t)sizeof(status);
		if (has_status && status.step == RS_HOLDER_FORKED) {
			*holder = status.pid;
		} else if (has_status && status.step == RS_HOLDER_READY) {
			is_ready = true;
		} else {
			bool is_known = has_status && status.step >= 0 &&
					status.step < RS_HOLDER_FORKED;
			rs_err_set_errno(err, is_known ? status.number : 0,
				"cannot attach to process %d: %s", (int)attach->pid,
				is_known ? failed[status.step] : "its helper process ended");
			return rs_err_add_line(
				err, "try: as root, or regionstat in the program's container");
		}
	}
	return true;
}

/* A process has opened the segment as descriptor fd. Return the pid that this process has in the
 * program's /proc, or 0 if that /proc does not show the process. pids contains the pids of the
 * process, one for each of its pid namespaces. */
static long find_shown(pid_t pid, const struct rs_segment *segment, const char *pids, int fd)
{
	struct stat ours, theirs;
	char path[96], *end;
	pid = rs_process_thread(pid);
	for (; *pids; pids = end) {
		long number = strtol(pids, &end, 10);
		if (end == pids)
			break;
		snprintf(path, sizeof(path), "/proc/%d/root/proc/%ld/fd/%d", (int)pid, number, fd);
		if (stat(path, &theirs) == 0 && fstat(segment->fd, &ours) == 0 &&
			rs_stat_is_same(&theirs, &ours))
			return number;
	}
	return 0;
}

/* Return true if runtime_path in the program is the same file as runtime_fd. */
static bool is_reachable(pid_t pid, const char *runtime_path, int runtime_fd)
{
	char path[PATH_MAX + 32];
	struct stat ours, theirs;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)rs_process_thread(pid), runtime_path);
	return strlen(runtime_path) < sizeof(((struct rs_attach_place *)NULL)->runtime) &&
	       stat(path, &theirs) == 0 && fstat(runtime_fd, &ours) == 0 &&
	       rs_stat_is_same(&theirs, &ours);
}

static bool start(struct rs_attach *attach, const int fds[RS_HELD_N], struct rs_err *err)
{
	char pid[16];
	char *const argv[] = {"regionstat", RS_HOLDER_VERB, pid, NULL};
	snprintf(pid, sizeof(pid), "%d", (int)rs_process_thread(attach->pid));
	int image_fd = open_offered(attach->pid, "/proc/self/exe");
	attach->holder = image_fd >= 0 ? fork() : -1;
	if (attach->holder == 0)
		exec_holder(image_fd, fds, argv);
	int number = errno;
	if (image_fd >= 0)
		close(image_fd);
	if (attach->holder > 0)
		return true;
	attach->holder = 0;
	rs_err_set_errno(err, number, "cannot attach: no helper process");
	return rs_err_add_line(err, "try: regionstat in the program's container");
}

/* Fill place with the segment and the runtime, in the form that the program can open. The process
 * `holder` has opened the segment as descriptor fd. Return false and set err if the program's /proc
 * does not show this process. */
static bool find_place(const struct rs_attach *attach, pid_t holder, int fd,
	const struct rs_segment *segment, const char *runtime_path, int runtime_fd,
	struct rs_attach_place *place, struct rs_err *err)
{
	char pids[64] = "";
	/* the holder's pids, one in each of its pid namespaces; the launcher's namespace comes
	 * first (proc(5)) */
	rs_attach_status(holder, "NSpid", pids, sizeof(pids));
	long shown = find_shown(attach->pid, segment, pids, fd);
	if (shown <= 0) {
		rs_err_set(err, "the /proc of process %d does not show this regionstat",
			(int)attach->pid);
		return rs_err_add_line(
			err, "try: mount -t proc proc /proc in the program's container or chroot");
	}
	snprintf(place->segment, sizeof(place->segment), "%u:%d:%ld:%016" PRIx64, RS_SEGMENT_ABI,
		fd, shown, segment->nonce);
	if (is_reachable(attach->pid, runtime_path, runtime_fd))
		snprintf(place->runtime, sizeof(place->runtime), "%s", runtime_path);
	else
		snprintf(place->runtime, sizeof(place->runtime), "/proc/%ld/fd/%d", shown,
			RS_HELD_RUNTIME);
	return true;
}

/* Return true if the program may open the descriptors of this process. For this, both must have the
 * same ids and capabilities, and be in the same namespaces (ptrace(2), PTRACE_MODE_READ_FSCREDS).
 * In a dumpable process, the real and effective ids are equal (fs/exec.c, begin_new_exec()). */
static bool can_open_ours(pid_t pid)
{
	static const char *const lines[][2] = {/* fields of this process, and of the program */
		{"Uid", "Uid"}, {"Gid", "Gid"}, {"CapPrm", "CapEff"}};
	char ours[64], its[64];
	bool can = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1 &&
		   rs_attach_has_our_namespace(pid, "user") &&
		   rs_attach_has_our_namespace(pid, "pid") &&
		   rs_attach_has_our_namespace(pid, "mnt");
	for (size_t i = 0; can && i < sizeof(lines) / sizeof(lines[0]); i++)
		can = rs_attach_status(getpid(), lines[i][0], ours, sizeof(ours)) &&
		      rs_attach_status(pid, lines[i][1], its, sizeof(its)) &&
		      strcmp(ours, its) == 0;
	return can;
}

bool rs_attach_hold(struct rs_attach *attach, const struct rs_segment *segment,
	const char *runtime_path, struct rs_attach_place *place, struct rs_err *err)
{
	int ends[2];
	pid_t holder;
	bool done = false;
	int runtime_fd = open_offered(attach->pid, runtime_path);
	if (runtime_fd < 0) {
		rs_err_set_errno(err, errno, "cannot attach: %s", runtime_path);
		rs_err_add_line(err, "try: regionstat in the program's container");
		goto out;
	}
	if (can_open_ours(attach->pid) && is_reachable(attach->pid, runtime_path, runtime_fd)) {
		done = find_place(attach, getpid(), segment->fd, segment, runtime_path, runtime_fd,
			place, err);
		goto out;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
		rs_err_set_errno(err, errno, "cannot attach: no socket");
		goto out;
	}
	const int fds[RS_HELD_N] = {[RS_HELD_SEGMENT] = segment->fd,
		[RS_HELD_RUNTIME] = runtime_fd,
		[RS_HELD_SOCKET] = ends[1]};
	attach->holder_socket = ends[0];
	done = start(attach, fds, err);
	close(ends[1]);
	done = done && await(attach, &holder, err) &&
	       find_place(attach, holder, RS_HELD_SEGMENT, segment, runtime_path, runtime_fd, place,
		       err);
out:
	if (runtime_fd >= 0)
		close(runtime_fd);
	return done;
}

bool rs_attach_is_held(struct rs_attach *attach)
{
	if (attach->holder > 0 && waitpid(attach->holder, NULL, WNOHANG) == attach->holder)
		attach->holder = 0;
	return attach->holder > 0 || attach->holder_socket < 0;
}

void rs_attach_release(struct rs_attach *attach)
{
	if (attach->holder_socket >= 0)
		close(attach->holder_socket);
	/* The program's user can stop the holder with SIGSTOP. So kill it instead of waiting for
	 * its end. */
	if (attach->holder > 0 && kill(attach->holder, SIGKILL) == 0)
		waitpid(attach->holder, NULL, 0);
	attach->holder = 0;
	attach->holder_socket = -1;
}
