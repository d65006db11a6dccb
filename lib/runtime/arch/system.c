/* SPDX-License-Identifier: MIT */
/*
 * Blocking signals and reading files of /proc with system calls, without libc, and where the runtime
 * shows its system calls.
 */
#include "runtime/arch/system.h"

static _Atomic uint32_t no_process;
_Atomic uint32_t *rs_sys_in_call = &no_process;

void rs_sys_set_in_call(_Atomic uint32_t *where)
{
	__atomic_store_n(&rs_sys_in_call, where ? where : &no_process, __ATOMIC_RELAXED);
}

void rs_sys_block_signals(uint64_t *mask)
{
	uint64_t all = ~UINT64_C(0);
	RS_SYS(rt_sigprocmask, SIG_BLOCK, &all, mask, sizeof(all));
}

void rs_sys_restore_signals(const uint64_t *mask)
{
	RS_SYS(rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof(*mask));
}

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

/* The state of a parser for one line of /proc/PID/maps: "start-end perms ... path". */
struct line {
	uint64_t numbers[2]; /* The mapping's start and end address. */
	unsigned int part; /* The number that is being parsed; 2 when both are complete. */
	size_t matched; /* The latest bytes of the line match this many bytes of the text. */
	bool has_text;
};

static void add_digit(struct line *line, char c)
{
	uint64_t digit = c >= 'a' ? (uint64_t)(c - 'a') + 10 : (uint64_t)(c - '0');
	if (c == '-' || c == ' ')
		line->part++;
	else
		line->numbers[line->part] = line->numbers[line->part] << 4 | digit;
}

static void add(struct line *line, char c, const char *text)
{
	if (line->part < 2)
		add_digit(line, c);
	line->matched = c && text[line->matched] == c ? line->matched + 1 : c == text[0];
	line->has_text |= !text[line->matched];
}

bool rs_sys_maps_have(const char *text, const void *address)
{
	char bytes[256];
	struct line line = {0};
	bool is_over = false, is_found = false;
	long fd = RS_SYS(openat, AT_FDCWD, RS_OWN_FILE("maps"), O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && !is_over) {
		long n = RS_SYS(read, fd, bytes, sizeof(bytes));
		is_over = n <= 0;
		for (long i = 0; i < n && !is_over; i++) {
			add(&line, bytes[i], text);
			if (bytes[i] != '\n')
				continue;
			bool is_its = (uintptr_t)address >= line.numbers[0] &&
				      (uintptr_t)address < line.numbers[1];
			is_found = line.has_text && (is_its || !address);
			is_over = is_its || is_found;
			line = (struct line){0};
		}
	}
	if (fd >= 0)
		RS_SYS(close, fd);
	return is_found;
}
