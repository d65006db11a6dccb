/* SPDX-License-Identifier: MIT */
/*
 * This file checks whether a mapped file still exists under its name. The kernel lists mapped files
 * in /proc/PID/maps. The list is parsed in small reads, because the runtime must not allocate
 * memory here.
 */
#include <fcntl.h>
#include <stdint.h>

#include "runtime/adapt/adapt.h"
#include "runtime/arch/system.h"
#include "runtime/process/process.h"

/* The state of a parser for one line of /proc/PID/maps: "start-end perms ... path". */
struct line {
	uint64_t numbers[2]; /* The mapping's start and end address. */
	unsigned int part; /* The number that is being parsed; 2 when both are complete. */
	size_t matched; /* The latest bytes of the line match this many bytes of mark. */
};

/* The suffix that the kernel appends to the path of a deleted file (proc(5)). */
static const char mark[] = " (deleted)";

static void add_digit(struct line *line, char c)
{
	uint64_t digit = c >= 'a' ? (uint64_t)(c - 'a') + 10 : (uint64_t)(c - '0');
	if (c == '-' || c == ' ')
		line->part++;
	else
		line->numbers[line->part] = line->numbers[line->part] << 4 | digit;
}

static void add(struct line *line, char c)
{
	if (line->part < 2)
		add_digit(line, c);
	if (mark[line->matched] == c && c)
		line->matched++;
	else
		line->matched = c == mark[0];
}

bool rs_object_is_deleted(const void *address)
{
	char bytes[256];
	struct line line = {0};
	bool is_over = false, is_deleted = false;
	long fd = RS_SYS(openat, AT_FDCWD, RS_OWN_FILE("maps"), O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && !is_over) {
		long n = RS_SYS(read, fd, bytes, sizeof(bytes));
		is_over = n <= 0;
		for (long i = 0; i < n && !is_over; i++) {
			if (bytes[i] != '\n') {
				add(&line, bytes[i]);
				continue;
			}
			is_over = (uintptr_t)address >= line.numbers[0] &&
				  (uintptr_t)address < line.numbers[1];
			is_deleted = is_over && line.matched == sizeof(mark) - 1;
			line = (struct line){0};
		}
	}
	if (fd >= 0)
		RS_SYS(close, fd);
	return is_deleted;
}
