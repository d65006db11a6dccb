/* SPDX-License-Identifier: MIT */
/*
 * Reading a small file with system calls, without libc's stdio.
 */
#include "runtime/arch/system.h"

size_t rs_sys_read_file(const char *path, char *text, size_t bytes)
{
	long fd = RS_SYS(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	long n = RS_SYS(read, fd, text, bytes - 1);
	RS_SYS(close, fd);
	n = n < 0 ? 0 : n;
	text[n] = '\0';
	return (size_t)n;
}
