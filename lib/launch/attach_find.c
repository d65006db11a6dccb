/* SPDX-License-Identifier: MIT */
/*
 * Finding the marker header in the objects that a process has loaded. All is read from its memory,
 * which also serves deleted files and other mount namespaces. The memory may contain anything, so
 * every number that is read is checked.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "launch/attach.h"

#define MOST_OBJECTS 4096u
#define MOST_HEADERS 64u
#define MOST_NOTE_BYTES 65536u

#define NOTE_NAME "regionstat"
enum note_type { NOTE_RUNTIME = 1, NOTE_HEADER = 2 };

/* The contents of a marker header's note (regionstat.h). */
struct header_note {
	uint32_t abi;
	uint32_t request_bytes;
	int64_t to_request, to_table, to_stub;
};

struct search {
	struct rs_attach *attach;
	size_t n_elf; /* mapped ELF objects */
	bool has_runtime; /* some object contains the runtime */
	bool is_32_bit;
	uint32_t other_abi; /* of a marker header that this version cannot use; 0: none */
};

bool rs_attach_read(pid_t pid, uint64_t address, void *into, size_t bytes)
{
	struct iovec to = {into, bytes}, from = {(void *)(uintptr_t)address, bytes};
	ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
	if (got >= 0 && got != (ssize_t)bytes)
		errno = EFAULT;
	return got == (ssize_t)bytes;
}

bool rs_attach_write(pid_t pid, uint64_t address, const void *from, size_t bytes)
{
	struct iovec data = {(void *)(uintptr_t)from, bytes};
	struct iovec to = {(void *)(uintptr_t)address, bytes};
	ssize_t put = process_vm_writev(pid, &data, 1, &to, 1, 0);
	if (put >= 0 && put != (ssize_t)bytes)
		errno = EFAULT;
	return put == (ssize_t)bytes;
}

static void take_header(struct search *search, const struct header_note *note, uint64_t at)
{
	struct rs_attach *attach = search->attach;
	if (note->abi != REGIONSTAT_ABI ||
		note->request_bytes != sizeof(struct regionstat_request_1_)) {
		search->other_abi = note->abi ? note->abi : UINT32_MAX;
		return;
	}
	if (attach->n == MOST_HEADERS)
		return;
	struct rs_attach_object object = {
		at + offsetof(struct header_note, to_request) + (uint64_t)note->to_request,
		at + offsetof(struct header_note, to_table) + (uint64_t)note->to_table,
		at + offsetof(struct header_note, to_stub) + (uint64_t)note->to_stub};
	if (object.table % sizeof(uint64_t) == 0)
		attach->objects[attach->n++] = object;
}

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) & ~(unit - 1);
}

static void search_notes(
	struct search *search, const char *notes, size_t bytes, size_t unit, uint64_t address)
{
	Elf64_Nhdr head;
	for (size_t at = 0; at < bytes && bytes - at >= sizeof(head);) {
		memcpy(&head, notes + at, sizeof(head));
		size_t content = at + round_up(sizeof(head) + (size_t)head.n_namesz, unit);
		size_t end = content + head.n_descsz;
		if (end > bytes)
			return;
		bool is_ours = head.n_namesz == sizeof(NOTE_NAME) &&
			       memcmp(notes + at + sizeof(head), NOTE_NAME, sizeof(NOTE_NAME)) == 0;
		struct header_note note;
		if (is_ours && head.n_type == NOTE_RUNTIME)
			search->has_runtime = true;
		if (is_ours && head.n_type == NOTE_HEADER && head.n_descsz >= sizeof(note.abi)) {
			memset(&note, 0, sizeof(note));
			memcpy(&note, notes + content,
				head.n_descsz < sizeof(note) ? head.n_descsz : sizeof(note));
			take_header(search, &note, address + content);
		}
		at = round_up(end, unit);
	}
}

/* Look at the object whose file begins at this address. */
static void search_object(struct search *search, uint64_t start)
{
	Elf64_Ehdr header;
	pid_t pid = search->attach->pid;
	if (!rs_attach_read(pid, start, &header, sizeof(header)) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return;
	search->n_elf++;
	if (header.e_ident[EI_CLASS] == ELFCLASS32)
		search->is_32_bit = true;
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr) ||
		header.e_phnum >= PN_XNUM)
		return;
	uint64_t bias = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
	bool is_first = true;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr part;
		if (!rs_attach_read(
			    pid, start + header.e_phoff + i * sizeof(part), &part, sizeof(part)))
			return;
		if (part.p_type == PT_LOAD && is_first) {
			bias = start - (part.p_vaddr & ~(page - 1));
			is_first = false;
		}
	}
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr part;
		char notes[MOST_NOTE_BYTES];
		if (!rs_attach_read(
			    pid, start + header.e_phoff + i * sizeof(part), &part, sizeof(part)))
			return;
		if (part.p_type == PT_NOTE && part.p_memsz <= sizeof(notes) &&
			rs_attach_read(pid, bias + part.p_vaddr, notes, part.p_memsz))
			search_notes(search, notes, part.p_memsz, part.p_align == 8 ? 8 : 4,
				bias + part.p_vaddr);
	}
}

/* Look at every file that is mapped from its first byte on. Return false with errno if the list
 * cannot be read. */
static bool search_maps(struct search *search)
{
	char path[32], *line = NULL;
	size_t room = 0, n = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)search->attach->pid);
	FILE *maps = fopen(path, "re");
	if (!maps)
		return false;
	errno = 0;
	while (n < MOST_OBJECTS && getline(&line, &room, maps) > 0) {
		uint64_t start, offset, inode;
		char may_read;
		if (sscanf(line, "%" SCNx64 "-%*x %c%*s %" SCNx64 " %*x:%*x %" SCNu64, &start,
			    &may_read, &offset, &inode) == 4 &&
			may_read == 'r' && offset == 0 && inode != 0) {
			search_object(search, start);
			n++;
		}
	}
	int number = ferror(maps) ? errno : 0;
	fclose(maps);
	free(line);
	errno = number;
	return number == 0;
}

static bool refuse_object(const struct search *search, struct rs_err *err)
{
	int pid = (int)search->attach->pid;
	if (search->n_elf == 0)
		return rs_err_set(err, "process %d has no program: it is a kernel thread", pid);
	if (search->is_32_bit) {
		rs_err_set(err, "process %d runs a program of 32 bits", pid);
		return rs_err_add_line(err, "try: build the program for 64 bits");
	}
	if (search->other_abi) {
		rs_err_set(err,
			"process %d has a marker header of another version of its interface", pid);
		return rs_err_add_line(
			err, "try: build the program with the <regionstat.h> of this regionstat");
	}
	if (search->attach->n == 0) {
		rs_err_set(err,
			"process %d has no markers: no object in it includes <regionstat.h>", pid);
		return rs_err_add_line(err,
			"try: regionstat COMMAND, which also measures the markers of other APIs");
	}
	rs_err_set(err, "process %d runs a static program without libregionstat.a", pid);
	return rs_err_add_line(err,
		"try: -DREGIONSTAT_STATIC and $(pkg-config --libs --static regionstat-static)");
}

bool rs_attach_find(struct rs_attach *attach, struct rs_err *err)
{
	struct search search = {.attach = attach};
	attach->objects = calloc(MOST_HEADERS, sizeof(*attach->objects));
	if (!attach->objects)
		return rs_err_set(err, "cannot attach: out of memory");
	char first;
	if (!search_maps(&search))
		return rs_attach_refuse(attach->pid, errno, err);
	/* The list of mappings may be readable where memory is not (ptrace(2), access modes). */
	if (search.n_elf == 0 && !rs_attach_read(attach->pid, 1, &first, 1) && errno == EPERM)
		return rs_attach_refuse(attach->pid, errno, err);
	/* A static program has one object, and loads no runtime. */
	bool can_load = search.n_elf > 1 || search.has_runtime;
	return (attach->n > 0 && can_load) || refuse_object(&search, err);
}
