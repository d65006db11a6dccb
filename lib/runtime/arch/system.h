/* SPDX-License-Identifier: MIT */
/*
 * The runtime's system calls. They do not go through libc. So they do not set errno, they are not
 * cancellation points, and the program cannot intercept them. Each returns the kernel's result, or
 * -errno.
 */
#ifndef RS_RUNTIME_SYSTEM_H
#define RS_RUNTIME_SYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/arch/arch.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14 */
#endif

/* The process's in_call in the segment (struct rs_process), or a word that nobody reads. */
extern _Atomic uint32_t *rs_sys_in_call;

/* Store in the word `where` from now on. NULL: store where nobody reads it. */
void rs_sys_set_in_call(_Atomic uint32_t *where);

/* Make a system call, and show it in the segment meanwhile. Do not show reads, which are frequent,
 * and waits, which are long. Filters of seccomp(2) usually allow these. */
RS_INLINE long rs_sys_call(long number, long a, long b, long c, long d, long e, long f)
{
	if (number == SYS_read || number == SYS_futex || number == SYS_nanosleep)
		return rs_syscall(number, a, b, c, d, e, f);
	_Atomic uint32_t *in_call = __atomic_load_n(&rs_sys_in_call, __ATOMIC_RELAXED);
	atomic_store_explicit(in_call, 1 + (uint32_t)number, memory_order_relaxed);
	long result = rs_syscall(number, a, b, c, d, e, f);
	atomic_store_explicit(in_call, 0, memory_order_relaxed);
	return result;
}

#define RS_SYS(name, ...) RS_SYS_(SYS_##name, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define RS_SYS_(number, a, b, c, d, e, f, ...) \
	rs_sys_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* Map memory in place of other memory, which threads may be reading. Return NULL if refused. */
static inline void *rs_sys_replace(
	void *address, size_t bytes, int protection, int flags, int fd, uint64_t offset)
{
	long result = RS_SYS(mmap, address, bytes, protection, flags, fd, offset);
	return result < 0 && result > -4096 ? NULL : (void *)result;
}

/* Map memory. Return NULL if the kernel refuses. */
static inline void *rs_sys_mmap(
	void *address, size_t bytes, int protection, int flags, int fd, uint64_t offset)
{
#ifdef RS_HAS_SANITIZER
	/* libc's mmap() tells ThreadSanitizer that these addresses are new. */
	void *mapped = mmap(address, bytes, protection, flags, fd, (off_t)offset);
	return mapped == MAP_FAILED ? NULL : mapped;
#else
	return rs_sys_replace(address, bytes, protection, flags, fd, offset);
#endif
}

/* Allocate private zeroed memory that core dumps exclude. Return NULL if memory runs out. */
static inline void *rs_sys_allocate(size_t bytes)
{
	void *memory = rs_sys_mmap(
		NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory)
		RS_SYS(madvise, memory, bytes, MADV_DONTDUMP);
	return memory;
}

/* Allocate and populate memory, so that its page faults do not happen inside a measured call. */
static inline void *rs_sys_allocate_present(size_t bytes)
{
	void *memory = rs_sys_allocate(bytes);
	if (memory)
		RS_SYS(madvise, memory, bytes, MADV_POPULATE_WRITE);
	return memory;
}

static inline int rs_sys_gettid(void)
{
	return (int)RS_SYS(gettid, 0);
}

static inline int rs_sys_getpid(void)
{
	return (int)RS_SYS(getpid, 0);
}

/* Return the path of a file of this process in /proc. /proc/self lacks most files after the first
 * thread has ended; then the path is in /proc/thread-self. qemu-user emulates only /proc/self. */
static inline const char *rs_sys_choose_path(const char *of_process, const char *of_thread)
{
	struct stat status;
	bool is_there = RS_SYS(newfstatat, AT_FDCWD, "/proc/self/exe", &status, 0) == 0;
	return is_there ? of_process : of_thread;
}
#define RS_OWN_FILE(name) rs_sys_choose_path("/proc/self/" name, "/proc/thread-self/" name)

/* Block all signals of the calling thread. Fill *mask with the previous mask. */
void rs_sys_block_signals(uint64_t *mask);
void rs_sys_restore_signals(const uint64_t *mask);

/* Sleep while *word is equal to value. The timeout is relative; NULL waits without a limit. */
static inline long rs_sys_futex_wait(
	const _Atomic uint32_t *word, uint32_t value, const struct timespec *timeout)
{
	return RS_SYS(futex, word, FUTEX_WAIT, value, timeout);
}

static inline void rs_sys_futex_wake(const _Atomic uint32_t *word)
{
	RS_SYS(futex, word, FUTEX_WAKE, INT32_MAX);
}

/* Read the first bytes - 1 bytes of a file into text, and end them with a NUL. Return how many
 * bytes were read, or 0 if the file cannot be read. */
size_t rs_sys_read_file(const char *path, char *text, size_t bytes);

/* Return true if a line of /proc/PID/maps contains text, which can end with the line's '\n'. If
 * address is not NULL, only the line of the mapping that contains address counts. Return false if
 * that is unknown. Any thread and any signal handler may call this. */
bool rs_sys_maps_have(const char *text, const void *address);

#endif
