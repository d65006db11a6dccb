/* SPDX-License-Identifier: MIT */
/*
 * This file attaches regionstat to a running program. It finds each copy of the marker header in
 * the program's memory. Into each copy it writes a request, and then the word that turns the
 * markers on. At the end it clears the word where no marker has loaded the runtime. A loaded
 * runtime detaches by itself (lib/runtime/attach).
 */
#include "launch/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "launch/processes.h"

#define MS_NS 1000000L
/* Waits take steps of 1 ms. MOST_CHECK_STEPS limits the wait for the end of an earlier measurement
 * or of an execve(2). MOST_DETACH_STEPS limits the wait for the runtime to detach at the end. */
#define STEP_NS (1 * MS_NS)
#define MOST_CHECK_STEPS 3000
#define MOST_DETACH_STEPS 12000
/* If the process is stopped, warn after this many steps of waiting for the detach. */
#define STOPPED_STEPS 1000

static void wait_step(void)
{
	nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
}

/* Return the pid of the regionstat that wrote a request, or 0 if it is unknown. The request
 * contains the segment's description, a NUL, and then the pid. */
static pid_t launcher_of(const struct regionstat_request_1_ *request)
{
	size_t length = strnlen(request->segment_, sizeof(request->segment_));
	const char *rest = request->segment_ + length + 1;
	size_t left = length + 1 < sizeof(request->segment_)
			      ? sizeof(request->segment_) - length - 1
			      : 0;
	return left > 0 && memchr(rest, '\0', left) ? (pid_t)strtol(rest, NULL, 10) : 0;
}

/* The regionstat that measures a program. */
struct launcher {
	pid_t pid; /* 0: unknown */
	bool has_ended;
	bool detaches; /* the runtime detaches now, or soon after this regionstat has ended */
	uint64_t start_time; /* see rs_process_is_dead(); 0: unknown */
	uint64_t nonce; /* nonce of its segment; 0: unknown */
};

/* Find the regionstat that measures the program. The program has mapped a segment, and the header
 * of this segment contains the regionstat's pid. */
static struct launcher find_launcher(const struct rs_attach *attach)
{
	struct rs_mapping *maps;
	struct rs_segment_header header = {0};
	size_t n;
	rs_process_maps(attach->pid, &maps, &n);
	for (size_t i = 0; i < n && !header.launcher_pid; i++)
		if (maps[i].is_segment && maps[i].offset == 0)
			rs_attach_read(attach->pid, maps[i].start, &header, sizeof(header));
	free(maps);
	return (struct launcher){.pid = (pid_t)header.launcher_pid,
		.start_time = header.launcher_start_time,
		.nonce = header.nonce,
		.detaches = !header.launcher_pid || (header.flags & RS_SEGMENT_ATTACHED &&
							    (!header.is_kept || header.detach))};
}

/* Return true if the regionstat has ended. Another process may have the same pid now, so the start
 * time is compared too. */
static bool has_ended(const struct launcher *launcher)
{
	return launcher->pid > 0 &&
	       ((kill(launcher->pid, 0) != 0 && errno == ESRCH) ||
		       rs_process_is_dead((uint32_t)launcher->pid, launcher->start_time));
}

static bool refuse_measured(
	const struct rs_attach *attach, const struct launcher *launcher, struct rs_err *err)
{
	if (launcher->pid == attach->pid) {
		rs_err_set(
			err, "process %d measures itself with regionstat_open()", (int)attach->pid);
		return rs_err_add_line(err, "try: regionstat live %d", (int)attach->pid);
	}
	rs_err_set(err, "process %d is measured already, by regionstat %d", (int)attach->pid,
		(int)launcher->pid);
	return rs_err_add_line(
		err, "try: regionstat live %d, or end that regionstat first", (int)launcher->pid);
}

static bool refuse_gone(const struct rs_attach *attach, struct rs_err *err)
{
	rs_err_set(err, "cannot attach to process %d: its objects with markers are gone",
		(int)attach->pid);
	return rs_err_add_line(err, "try: regionstat attach %d again", (int)attach->pid);
}

/* Check that no regionstat measures the program through this object. Wait up to 3 s while the
 * runtime detaches, or while a thread still loads the runtime. Set *is_ours if the runtime has
 * loaded the segment with this nonce and turned the object's markers on. */
static bool check_free(const struct rs_attach *attach, const struct rs_attach_object *object,
	uint64_t nonce, bool *is_ours, struct rs_err *err)
{
	struct launcher launcher = {0};
	uint64_t word = 0;
	for (int i = 0; i < MOST_CHECK_STEPS; i++) {
		struct regionstat_request_1_ request = {0};
		if (!rs_attach_read(attach->pid, object->table, &word, sizeof(word)) ||
			!rs_attach_read(attach->pid, object->request, &request, sizeof(request)))
			return errno == EFAULT ? refuse_gone(attach, err)
					       : rs_attach_refuse(attach->pid, errno, err);
		if (!word && request.taken_by_ != rs_attach_own_id(attach->pid))
			return true;
		/* no marker ran since the request was written */
		bool is_waiting = word == object->stub;
		launcher = is_waiting ? (struct launcher){.pid = launcher_of(&request)}
				      : find_launcher(attach);
		*is_ours = nonce != 0 && launcher.nonce == nonce;
		if (*is_ours)
			return true;
		launcher.has_ended = has_ended(&launcher);
		if (is_waiting && launcher.has_ended)
			return true;
		if (word && (!launcher.has_ended || !launcher.detaches) && launcher.pid > 0)
			return refuse_measured(attach, &launcher, err);
		wait_step();
	}
	return !word || refuse_measured(attach, &launcher, err);
}

/* Return true if the markers of all objects are off, so that no regionstat measures the program. */
static bool are_off(const struct rs_attach *attach)
{
	uint64_t word = 0;
	for (size_t i = 0; i < attach->n && !word; i++)
		if (!rs_attach_read(attach->pid, attach->objects[i].table, &word, sizeof(word)))
			return false;
	return attach->n > 0 && !word;
}

static bool check_state(pid_t pid, struct rs_err *err)
{
	char text[64];
	if (kill(pid, 0) != 0 && errno == ESRCH)
		return rs_attach_refuse(pid, ESRCH, err);
	if (!rs_attach_status(rs_process_thread(pid), "State", text, sizeof(text)))
		return true; /* /proc hides the process; later steps report the reason */
	if (text[0] == 'Z' || text[0] == 'X') {
		rs_err_set(err, "process %d has ended, and its parent has not waited for it",
			(int)pid);
		return rs_err_add_line(err, "try: pgrep -a NAME");
	}
	if (rs_attach_status(pid, "Tgid", text, sizeof(text)) && atoi(text) != (int)pid) {
		rs_err_set(err, "%d is a thread of process %s", (int)pid, text);
		return rs_err_add_line(err, "try: regionstat attach %s", text);
	}
	if (rs_attach_status(pid, "Seccomp", text, sizeof(text)) && *text == '1') {
		rs_err_set(err,
			"process %d is in the strict mode of seccomp(2), and the kernel would kill "
			"it at a marker",
			(int)pid);
		return rs_err_add_line(err,
			"try: SECCOMP_MODE_FILTER in the program, with the system calls that "
			"regionstat(3) lists");
	}
	return true;
}

/* Read the auxiliary vector of a process. It is zero from the start of execve(2) until the new
 * program is mapped (fs/binfmt_elf.c, create_elf_tables()). Kernel threads have no such vector. */
static void read_auxv(pid_t pid, uint64_t auxv[64])
{
	char path[32];
	memset(auxv, 0, 64 * sizeof(*auxv));
	auxv[0] = 1; /* AT_IGNORE means here that the vector cannot be read */
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)rs_process_thread(pid));
	FILE *file = fopen(path, "re");
	if (file && fread(auxv, 64 * sizeof(*auxv), 1, file) == 0 && ferror(file))
		auxv[0] = 1;
	if (file)
		fclose(file);
}

bool rs_attach_has_executed(struct rs_attach *attach)
{
	uint64_t auxv[64];
	read_auxv(attach->pid, auxv);
	attach->has_executed |= rs_attach_runs(attach) && auxv[0] != 1 &&
				memcmp(auxv, attach->auxv, sizeof(auxv)) != 0;
	return attach->has_executed;
}

/* Find the marker headers of the program. If the process executes another program meanwhile, search
 * again until a search has seen only one program. */
static bool find_objects(struct rs_attach *attach, struct rs_err *err)
{
	for (int i = 0;; i++) {
		uint64_t before[64];
		read_auxv(attach->pid, before);
		bool found = rs_attach_find(attach, err);
		read_auxv(attach->pid, attach->auxv);
		bool is_same = before[0] && memcmp(before, attach->auxv, sizeof(before)) == 0;
		if (is_same || i == MOST_CHECK_STEPS)
			return found;
		wait_step();
	}
}

bool rs_attach_init(struct rs_attach *attach, struct rs_err *err)
{
	char text[64];
	unsigned uid;
	pid_t pid = attach->pid;
	if (pid == getpid()) {
		rs_err_set(err, "process %d is this regionstat", (int)pid);
		return rs_err_add_line(err, "try: pgrep -a NAME");
	}
	if (!check_state(pid, err))
		return false;
	attach->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (attach->pidfd < 0)
		return rs_attach_refuse(pid, errno, err);
	attach->uid = rs_attach_status(pid, "Uid", text, sizeof(text)) &&
				      sscanf(text, "%*u %u", &uid) == 1
			      ? uid
			      : geteuid();
	attach->has_filter = rs_attach_status(pid, "Seccomp", text, sizeof(text)) && *text == '2';
	bool has_markers = find_objects(attach, err);
	struct launcher launcher = {.detaches = true};
	if (!are_off(attach)) /* find_launcher() is slow if the program has many threads */
		launcher = find_launcher(attach);
	if (!launcher.detaches && has_ended(&launcher)) {
		attach->ended_launcher = launcher.pid;
		attach->nonce = launcher.nonce;
		for (size_t i = 0; i < attach->n; i++)
			attach->objects[i].is_on = true;
		return true;
	}
	bool is_ours;
	for (size_t i = 0; has_markers && i < attach->n; i++)
		if (!check_free(attach, &attach->objects[i], 0, &is_ours, err))
			return false;
	return has_markers;
}

/* Write into an object of the program. If the object was unloaded, other data may be at its
 * address, so write nothing. Return false if nothing was written. */
static bool write_to(const struct rs_attach *attach, const struct rs_attach_object *object,
	uint64_t address, const void *from, size_t bytes)
{
	return rs_attach_is_there(attach, object) &&
	       rs_attach_write(attach->pid, address, from, bytes);
}

/* Lock the process against other regionstats that attach at the same time. Set *fd to a descriptor
 * that keeps the lock, or to -1 if /proc hides the process. Other users cannot open this file, so
 * they cannot keep the lock. Another mount of /proc has other locks (Linux 5.8). */
static bool lock(pid_t pid, int *fd, struct rs_err *err)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)rs_process_thread(pid));
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return true;
	rs_err_set(err, "another regionstat is attaching to process %d", (int)pid);
	return rs_err_add_line(
		err, "try: regionstat attach %d again, or end that regionstat first", (int)pid);
}

/* Write the request and the word into each object. The caller holds the lock. */
static bool turn_on(struct rs_attach *attach, const struct rs_segment *segment,
	const struct regionstat_request_1_ *request, struct rs_err *err)
{
	size_t n_on = 0;
	for (size_t i = 0; i < attach->n; i++) {
		struct rs_attach_object *object = &attach->objects[i];
		bool is_ours = false;
		/* The program may have unloaded the object since rs_attach_init(). */
		if (!rs_attach_is_there(attach, object))
			continue;
		/* Another regionstat may have attached since rs_attach_init(). */
		if (!check_free(attach, object, segment->nonce, &is_ours, err))
			return false;
		/* Write the complete request before the word, because a marker reads the request
		 * when it sees the word. Each write is a system call of its own
		 * (process_vm_writev(2)). The kernel copies an aligned word at once. */
		object->is_on = !is_ours &&
				write_to(attach, object, object->request, request,
					sizeof(*request)) &&
				write_to(attach, object, object->table, &object->stub,
					sizeof(object->stub));
		n_on += is_ours || object->is_on;
	}
	if (n_on > 0)
		return true;
	return refuse_gone(attach, err);
}

static bool begin(struct rs_attach *attach, const struct rs_segment *segment,
	const char *runtime_path, struct rs_err *err)
{
	struct regionstat_request_1_ request = {0};
	struct rs_attach_place place = {0};
	/* The marker header accepts only a segment that belongs to root or to the program's user,
	 * in the program's user namespace. */
	if (geteuid() == 0 && attach->uid != 0 && fchown(segment->fd, attach->uid, (gid_t)-1) != 0)
		return rs_err_set_errno(
			err, errno, "cannot give the segment to the program's user");
	if (!rs_attach_hold(attach, segment, runtime_path, &place, err))
		return false;
	snprintf(request.segment_, sizeof(request.segment_), "%s%c%d", place.segment, '\0',
		(int)getpid());
	snprintf(request.runtime_, sizeof(request.runtime_), "%s", place.runtime);
	segment->header->handler_signals = rs_attach_find_signals(attach->pid, &request);
	int lock_fd;
	bool done = lock(attach->pid, &lock_fd, err) && turn_on(attach, segment, &request, err);
	if (lock_fd >= 0)
		close(lock_fd);
	return done;
}

bool rs_attach_begin(struct rs_attach *attach, const struct rs_segment *segment,
	const char *runtime_path, struct rs_err *err)
{
	bool done = begin(attach, segment, runtime_path, err);
	/* the end of the process explains every other error */
	if (!done && !rs_attach_runs(attach))
		rs_attach_refuse(attach->pid, ESRCH, err);
	return done;
}

/* Turn off the markers of objects that have not loaded the runtime, if this run has turned them on.
 * A thread that is loading the runtime now will find no segment. Return true if a marker has turned
 * an object's markers off, because the program could not load the runtime. */
static bool clear_stubs(const struct rs_attach *attach)
{
	const uint64_t off = 0;
	bool failed = false;
	for (size_t i = 0; i < attach->n; i++) {
		uint64_t word;
		if (!attach->objects[i].is_on || !rs_attach_is_there(attach, &attach->objects[i]) ||
			!rs_attach_read(attach->pid, attach->objects[i].table, &word, sizeof(word)))
			continue;
		failed |= word == 0;
		if (word == attach->objects[i].stub)
			write_to(attach, &attach->objects[i], attach->objects[i].table, &off,
				sizeof(off));
	}
	return failed;
}

struct search {
	int fd; /* descriptor of the segment */
	bool any; /* a process is alive */
};

static bool find_alive(void *context, uint32_t index, const struct rs_process *entry)
{
	struct search *search = context;
	search->any |= entry->state == RS_PROCESS_ALIVE &&
		       !rs_process_has_ended(search->fd, index, entry);
	return !search->any;
}

static void warn_if_stopped(const struct rs_attach *attach)
{
	if (attach->warn_stopped && rs_attach_is_stopped(attach->pid))
		attach->warn_stopped(attach->pid);
}

bool rs_attach_end(struct rs_attach *attach, const struct rs_segment *segment)
{
	_Atomic uint32_t *word = &segment->header->detach;
	struct search search = {.fd = segment->fd, .any = true};
	/* A program that cannot open the segment, or was killed, cannot write the reason into the
	 * segment. So write it here. */
	const char *why = clear_stubs(attach)
				  ? "it cannot open the segment; it may lack descriptors "
				    "(ulimit -n) or /proc"
			  : attach->has_filter && !rs_attach_runs(attach)
				  ? "it has ended, and its seccomp filter may have killed it; "
				    "regionstat(3), CAVEATS, lists the system calls to permit"
				  : "";
	if (*why && !attach->has_executed && segment->header->n_processes == 0 &&
		!segment->header->load_error[0])
		snprintf(segment->header->load_error, sizeof(segment->header->load_error), "%s",
			why);
	atomic_store(word, 1); /* Pairs with the fence in leave_if_late() (runtime/process). */
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	for (int i = 0; search.any && i < MOST_DETACH_STEPS && rs_attach_runs(attach); i++) {
		search.any = false;
		rs_processes_visit(segment, find_alive, &search);
		if (i == STOPPED_STEPS && search.any)
			warn_if_stopped(attach);
		if (search.any)
			wait_step();
	}
	return !search.any && rs_attach_runs(attach);
}

void rs_attach_finish(struct rs_attach *attach)
{
	rs_attach_release(attach);
	if (attach->pidfd >= 0)
		close(attach->pidfd);
	if (attach->segment_fd >= 0)
		close(attach->segment_fd);
}
