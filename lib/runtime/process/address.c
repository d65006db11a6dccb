/* SPDX-License-Identifier: MIT */
/*
 * This file finds the segment, by its descriptor in this process or by the launcher's descriptor in
 * /proc. Anybody can have set the environment variable that names them, and the descriptors may be
 * other files by now. So a descriptor is used only after a check, and opening it must have no
 * effect.
 */
#include <limits.h>

#include "runtime/process/process.h"

#ifndef F_GET_SEALS
#define F_GET_SEALS 1034
#define F_SEAL_SEAL 1
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW 4
#endif

const char *rs_parse_number(const char *text, unsigned int base, uint64_t *number)
{
	const char *begin = text;
	*number = 0;
	for (;; text++) {
		unsigned int digit = 99;
		if (*text >= '0' && *text <= '9')
			digit = (unsigned int)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			digit = (unsigned int)(*text - 'a') + 10;
		if (digit >= base)
			break;
		*number = *number * base + digit;
	}
	return text == begin ? NULL : text;
}

char *rs_add_text(char *end, const char *text)
{
	while ((*end = *text++))
		end++;
	return end;
}

char *rs_add_number(char *end, uint64_t number)
{
	char digits[24], *first = digits + sizeof(digits) - 1;
	*first = '\0';
	do
		*--first = (char)('0' + number % 10);
	while (number /= 10);
	return rs_add_text(end, first);
}

bool rs_address_parse(const char *text, struct rs_address *address)
{
	return text && (text = rs_parse_number(text, 10, &address->abi)) && *text == ':' &&
	       (text = rs_parse_number(text + 1, 10, &address->fd)) && *text == ':' &&
	       (text = rs_parse_number(text + 1, 10, &address->launcher_pid)) && *text == ':' &&
	       (text = rs_parse_number(text + 1, 16, &address->nonce)) && !*text &&
	       address->fd <= INT_MAX && address->launcher_pid <= INT_MAX;
}

bool rs_address_stat(int fd, struct stat *status)
{
#ifdef SYS_fstat
	return RS_SYS(fstat, fd, status) == 0;
#else
	return RS_SYS(newfstatat, fd, "", status, AT_EMPTY_PATH) == 0;
#endif
}

/* Return true if fd is a memfd with the segment's seals, magic number and nonce. These are the same
 * in every ABI. With these seals no process can shrink the file while it is mapped
 * (memfd_create(2)). */
static bool is_segment(int fd, uint64_t nonce)
{
	const long wanted = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;
	struct rs_segment_header start;
	long bytes = offsetof(struct rs_segment_header, launcher_pid);
	long seals = RS_SYS(fcntl, fd, F_GET_SEALS, 0);
	return seals >= 0 && (seals & wanted) == wanted &&
	       RS_SYS(pread64, fd, &start, bytes, 0) == bytes && start.magic == RS_SEGMENT_MAGIC &&
	       start.nonce == nonce;
}

enum rs_proof rs_address_prove(int fd, const struct rs_address *address)
{
	struct stat status;
	if (!is_segment(fd, address->nonce) || !rs_address_stat(fd, &status))
		return RS_PROOF_NONE;
	return status.st_uid == 0 || status.st_uid == (uid_t)RS_SYS(geteuid, 0) ? RS_PROOF_WHOLE
										: RS_PROOF_OTHERS;
}

/* Open "/proc/PID/fd/FD". pid 0 means this thread: the keeper of an attached process has its own
 * descriptors. */
RS_INLINE long open_path(int pid, int fd, int flags)
{
	char path[sizeof("/proc/thread-self/fd/2147483647")], *text = rs_add_text(path, "/proc/");
	text = pid ? rs_add_number(text, (unsigned int)pid) : rs_add_text(text, "thread-self");
	rs_add_number(rs_add_text(text, "/fd/"), (unsigned int)fd);
	return RS_SYS(openat, AT_FDCWD, path, flags | O_CLOEXEC);
}

RS_INLINE bool is_regular(int fd)
{
	struct stat status;
	return rs_address_stat(fd, &status) && S_ISREG(status.st_mode);
}

/* This function and rs_address_is_segment() are not inlined, so that only one of their frames is on
 * the stack. */
__attribute__((noinline)) int rs_address_open(int pid, int number)
{
	/* Check the type first: opening a terminal, a FIFO or a device has effects. */
	long fd = -1, place = open_path(pid, number, O_PATH);
	if (place < 0)
		return -1;
	if (is_regular((int)place))
		fd = open_path(0, (int)place, O_RDWR | O_NOCTTY | O_NONBLOCK);
	RS_SYS(close, place);
	return fd < 0 ? -1 : (int)fd;
}

__attribute__((noinline)) bool rs_address_is_segment(const struct rs_runtime *runtime, int fd)
{
	struct stat status;
	return fd >= 0 && rs_address_stat(fd, &status) && status.st_dev == runtime->device &&
	       status.st_ino == runtime->inode;
}

/* Open a descriptor of a process or thread. Return the new one if it is the segment, else -1. */
RS_INLINE int open_segment(const struct rs_runtime *runtime, int tid, int number)
{
	int fd = rs_address_open(tid, number);
	if (rs_address_is_segment(runtime, fd))
		return fd;
	if (fd >= 0)
		RS_SYS(close, fd);
	return -1;
}

RS_INLINE int reopen(const struct rs_runtime *runtime)
{
	uint64_t keeper = atomic_load_explicit(&runtime->keeper, memory_order_relaxed);
	int tid = (int)(keeper >> 32), number = (int)(uint32_t)keeper;
	for (int i = keeper ? 0 : 1; i < 2; i++) {
		if (i)
			tid = runtime->launcher_pid, number = runtime->launcher_fd;
		int fd = open_segment(runtime, tid, number);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* In a forked child, runtime->keeper can still name the parent's keeper. At the fork, this was
 * possibly the thread that loads the runtime. That thread may have closed its descriptor since
 * then, but the child has a copy of the descriptor. */
int rs_address_reopen(const struct rs_runtime *runtime)
{
	int fd = reopen(runtime);
	return fd >= 0 ? fd : open_segment(runtime, rs_sys_getpid(), runtime->fd);
}

int rs_address_descriptor(const struct rs_runtime *runtime, bool *opened)
{
	*opened = false;
	if (rs_address_is_segment(runtime, runtime->fd))
		return runtime->fd;
	int fd = reopen(runtime);
	*opened = fd >= 0;
	return fd;
}
