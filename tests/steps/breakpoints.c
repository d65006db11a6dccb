/* SPDX-License-Identifier: MIT */
/* See breakpoints.h. */
#include "breakpoints.h"

#if defined(__x86_64__)

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <unistd.h>

#define BREAKPOINT 0xcc /* int3 */
#define MOST_OBJECTS 3

static struct object {
	char path[PATH_MAX];
	uint64_t vaddr, offset, bytes; /* of the segment with code */
	uint8_t *code; /* as in the file */
	uint8_t *stops[2]; /* the same with breakpoints, by enum breakpoints_where */
	uint64_t address; /* in the program, or 0 */
} objects[MOST_OBJECTS];
static size_t n_objects;
static uint64_t open_place; /* the instruction without a breakpoint, or 0 */
static enum breakpoints_where stopped_at;

static void __attribute__((noreturn)) give_up(const char *what)
{
	printf("cannot %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Read the segment with code. */
static bool read_code(struct object *object)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment = {0};
	int fd = open(object->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return false;
	for (int i = 0;
		i < header.e_phnum && !(segment.p_type == PT_LOAD && segment.p_flags & PF_X); i++)
		if (pread(fd, &segment, sizeof(segment),
			    (off_t)(header.e_phoff + (uint64_t)i * sizeof(segment))) !=
			sizeof(segment))
			return false;
	object->vaddr = segment.p_vaddr;
	object->offset = segment.p_offset;
	object->bytes = segment.p_filesz;
	object->code = malloc(object->bytes + 8);
	for (size_t i = 0; i < 2; i++)
		object->stops[i] = malloc(object->bytes + 8);
	bool is_read = pread(fd, object->code, object->bytes, (off_t)object->offset) ==
		       (ssize_t)object->bytes;
	for (size_t i = 0; i < 2; i++)
		memcpy(object->stops[i], object->code, object->bytes);
	close(fd);
	return is_read;
}

/* Return true if an instruction in the syntax of objdump(1) may write memory outside of the stack.
 * Its last operand is in memory then, or it is a system call. */
static bool is_store(const char *instruction)
{
	const char *end = strrchr(instruction, ')');
	if (strstr(instruction, "syscall"))
		return true;
	return end && !strchr(end, ',') && strncmp(end - 5, "(%rsp)", 6) != 0;
}

bool breakpoints_load(const char *path)
{
	struct object *object = &objects[n_objects];
	char command[PATH_MAX + 64], line[512];
	uint64_t place, n = 0;
	if (n_objects == MOST_OBJECTS || !realpath(path, object->path) || !read_code(object))
		return false;
	snprintf(command, sizeof(command), "objdump -d --no-show-raw-insn '%s'", object->path);
	FILE *list = popen(command, "re"); /* NOLINT(cert-env33-c) */
	while (list && fgets(line, sizeof(line), list)) {
		int end = 0;
		if (sscanf(line, " %" SCNx64 ":%n", &place, &end) != 1 || end == 0)
			continue;
		line[strcspn(line, "#")] = '\0'; /* the address of an operand */
		if (place - object->vaddr < object->bytes) {
			object->stops[BREAKPOINTS_EVERYWHERE][place - object->vaddr] = BREAKPOINT;
			if (is_store(line + end))
				object->stops[BREAKPOINTS_STORES][place - object->vaddr] =
					BREAKPOINT;
			n++;
		}
	}
	bool is_listed = list && pclose(list) == 0 && n > 0;
	n_objects += is_listed;
	return is_listed;
}

static void write_code(pid_t pid, uint64_t address, const void *code, uint64_t bytes)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || pwrite(fd, code, bytes, (off_t)address) != (ssize_t)bytes)
		give_up("write a program's code");
	close(fd);
}

/* Find where the program has mapped an object. */
static void find_address(struct object *object, pid_t pid)
{
	char path[64], line[PATH_MAX + 128], name[PATH_MAX];
	uint64_t start, offset;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	FILE *maps = fopen(path, "re");
	object->address = 0;
	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%*x %*2sx%*s %" SCNx64 " %*s %*s %4095[^\n]", &start,
			    &offset, name) == 3 &&
			!strcmp(name, object->path))
			object->address = start + object->offset - offset;
	if (maps)
		fclose(maps);
}

bool breakpoints_set(pid_t pid, enum breakpoints_where where)
{
	bool any = false;
	open_place = 0;
	stopped_at = where;
	for (size_t i = 0; i < n_objects; i++) {
		find_address(&objects[i], pid);
		if (objects[i].address)
			write_code(
				pid, objects[i].address, objects[i].stops[where], objects[i].bytes);
		any |= objects[i].address != 0;
	}
	return any;
}

void breakpoints_remove(pid_t pid)
{
	for (size_t i = 0; i < n_objects; i++)
		if (objects[i].address)
			write_code(pid, objects[i].address, objects[i].code, objects[i].bytes);
}

static const struct object *object_of(uint64_t place)
{
	for (size_t i = 0; i < n_objects; i++)
		if (objects[i].address && place - objects[i].address < objects[i].bytes)
			return &objects[i];
	return NULL;
}

/* Write the word at a place of the program: with breakpoints but for the instruction at `open`. */
static void write_word(pid_t tid, uint64_t place, uint64_t open)
{
	const struct object *object = object_of(place);
	uint64_t at = place - object->address;
	uint8_t word[8];
	if (at + 8 > object->bytes)
		at = object->bytes - 8;
	memcpy(word, object->stops[stopped_at] + at, sizeof(word));
	if (open - object->address - at < sizeof(word))
		word[open - object->address - at] = object->code[open - object->address];
	long value;
	memcpy(&value, word, sizeof(value));
	if (ptrace(PTRACE_POKETEXT, tid, (void *)(object->address + at), (void *)value))
		give_up("set a breakpoint");
}

void breakpoints_let_run(pid_t tid, bool one)
{
	uint64_t place = one ? (uint64_t)ptrace(PTRACE_PEEKUSER, tid,
				       offsetof(struct user_regs_struct, rip), NULL)
			     : 0;
	uint64_t open = object_of(place) ? place : 0, was = open_place;
	uint64_t lower = open < was ? open : was, upper = open < was ? was : open;
	open_place = open;
	if (lower && upper - lower < 8) { /* Both are in one word, as most often. */
		write_word(tid, lower, open);
		return;
	}
	if (was)
		write_word(tid, was, open);
	if (open)
		write_word(tid, open, open);
}

void breakpoints_stopped(pid_t tid)
{
	void *where = (void *)offsetof(struct user_regs_struct, rip);
	uint64_t place = (uint64_t)ptrace(PTRACE_PEEKUSER, tid, where, NULL) - 1;
	const struct object *object = object_of(place);
	if (object && place != open_place &&
		object->stops[stopped_at][place - object->address] == BREAKPOINT &&
		ptrace(PTRACE_POKEUSER, tid, where, (void *)place))
		give_up("go back to a breakpoint");
}

#else

bool breakpoints_load(const char *path)
{
	(void)path;
	return false;
}

bool breakpoints_set(pid_t pid, enum breakpoints_where where)
{
	(void)pid, (void)where;
	return false;
}

void breakpoints_remove(pid_t pid)
{
	(void)pid;
}

void breakpoints_let_run(pid_t tid, bool one)
{
	(void)tid, (void)one;
}

void breakpoints_stopped(pid_t tid)
{
	(void)tid;
}

#endif
