/* SPDX-License-Identifier: MIT */
/*
 * This file finds the marker header in the objects that a process has loaded. It reads only the
 * memory of the process, because the files may be deleted or in another mount namespace. The memory
 * may contain anything, so every number from it is checked before its use.
 */
#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "launch/attach.h"
#include "launch/processes.h"

#define MOST_OBJECTS 4096u
#define MOST_NOTE_BYTES 65536u

#define NOTE_NAME "regionstat"
enum note_type { NOTE_RUNTIME = 1, NOTE_HEADER = 2 };

/* The writable part of an object, as the dynamic linker mapped it. */
struct part {
	uint64_t start, end;
};

struct search {
	struct rs_attach *attach;
	struct rs_mapping *mappings; /* owned */
	size_t n_mappings;
	struct part writable; /* writable part of the object that is being searched */
	size_t n_elf; /* number of loaded ELF objects */
	bool has_runtime; /* an object contains the runtime */
	bool is_32_bit;
	uint32_t other_abi; /* ABI of a marker header that this version cannot use; 0: none */
};

bool rs_attach_read(pid_t pid, uint64_t address, void *into, size_t bytes)
{
	struct iovec to = {into, bytes}, from = {(void *)(uintptr_t)address, bytes};
	ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
	if (got < 0 && errno == ESRCH)
		got = process_vm_readv(rs_process_thread(pid), &to, 1, &from, 1, 0);
	if (got >= 0 && got != (ssize_t)bytes)
		errno = EFAULT;
	return got == (ssize_t)bytes;
}

bool rs_attach_write(pid_t pid, uint64_t address, const void *from, size_t bytes)
{
	struct iovec data = {(void *)(uintptr_t)from, bytes};
	struct iovec to = {(void *)(uintptr_t)address, bytes};
	ssize_t put = process_vm_writev(pid, &data, 1, &to, 1, 0);
	if (put < 0 && errno == ESRCH)
		put = process_vm_writev(rs_process_thread(pid), &data, 1, &to, 1, 0);
	if (put >= 0 && put != (ssize_t)bytes)
		errno = EFAULT;
	return put == (ssize_t)bytes;
}

bool rs_attach_runs(const struct rs_attach *attach)
{
	struct pollfd polled = {.fd = attach->pidfd, .events = POLLIN};
	return poll(&polled, 1, 0) == 0;
}

bool rs_attach_is_there(const struct rs_attach *attach, const struct rs_attach_object *object)
{
	struct rs_attach_note note;
	return rs_attach_runs(attach) &&
	       rs_attach_read(attach->pid, object->at, &note, sizeof(note)) &&
	       memcmp(&note, &object->note, sizeof(note)) == 0;
}

static bool is_in(const struct part *part, uint64_t start, uint64_t bytes)
{
	return start >= part->start && start < part->end && part->end - start >= bytes;
}

static void take_header(struct search *search, const struct rs_attach_note *note, uint64_t at)
{
	struct rs_attach *attach = search->attach;
	if (note->abi != REGIONSTAT_ABI ||
		note->request_bytes != sizeof(struct regionstat_request_1_)) {
		search->other_abi = note->abi ? note->abi : UINT32_MAX;
		return;
	}
	if (attach->n == RS_ATTACH_MOST_OBJECTS)
		return;
	struct rs_attach_object object = {at, *note,
		at + offsetof(struct rs_attach_note, to_request) + (uint64_t)note->to_request,
		at + offsetof(struct rs_attach_note, to_table) + (uint64_t)note->to_table,
		at + offsetof(struct rs_attach_note, to_stub) + (uint64_t)note->to_stub};
	if (object.table % sizeof(uint64_t) == 0 &&
		is_in(&search->writable, object.table, sizeof(uint64_t)) &&
		is_in(&search->writable, object.request, sizeof(struct regionstat_request_1_)))
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
		struct rs_attach_note note;
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

/* Return true if the object's file is mapped for execution at this address. Address 0 means any
 * address. */
static bool is_executable(
	const struct search *search, const struct rs_mapping *object, uint64_t address)
{
	for (size_t i = 0; i < search->n_mappings; i++) {
		const struct rs_mapping *mapping = &search->mappings[i];
		if (mapping->rights[2] == 'x' && mapping->inode == object->inode &&
			mapping->device == object->device &&
			(address == 0 || (mapping->start <= address && address < mapping->end)))
			return true;
	}
	return false;
}

/* Read the program headers of an object. Return NULL on failure. The caller frees them. */
static Elf64_Phdr *read_parts(pid_t pid, uint64_t start, const Elf64_Ehdr *header)
{
	size_t bytes = header->e_phnum * sizeof(Elf64_Phdr);
	Elf64_Phdr *parts = NULL;
	if (header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_phentsize == sizeof(*parts) &&
		header->e_phnum > 0 && header->e_phnum < PN_XNUM)
		parts = malloc(bytes);
	if (parts && rs_attach_read(pid, start + header->e_phoff, parts, bytes))
		return parts;
	free(parts);
	return NULL;
}

/* Return true if the dynamic linker has loaded the object here. The program may instead have mapped
 * the file as data. Set *bias, and search->writable to the object's writable part. */
static bool is_loaded(struct search *search, const struct rs_mapping *object,
	const Elf64_Phdr *parts, size_t n, uint64_t *bias)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	bool is_first = true, is_executed = false;
	search->writable = (struct part){0};
	for (size_t i = 0; i < n; i++) {
		if (parts[i].p_type != PT_LOAD)
			continue;
		if (is_first)
			*bias = object->start - (parts[i].p_vaddr & ~(page - 1));
		is_first = false;
		uint64_t start = *bias + parts[i].p_vaddr;
		if (parts[i].p_flags & PF_X)
			is_executed |= is_executable(search, object, start & ~(page - 1));
		if (parts[i].p_flags & PF_W)
			search->writable = (struct part){start, start + parts[i].p_memsz};
	}
	return is_executed;
}

/* Search for the marker header in the object whose file begins in this mapping. */
static void search_object(struct search *search, const struct rs_mapping *object)
{
	Elf64_Ehdr header;
	pid_t pid = search->attach->pid;
	uint64_t bias = 0;
	char notes[MOST_NOTE_BYTES];
	if (!rs_attach_read(pid, object->start, &header, sizeof(header)) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return;
	if (header.e_ident[EI_CLASS] == ELFCLASS32 && is_executable(search, object, 0)) {
		search->is_32_bit = true;
		search->n_elf++;
	}
	Elf64_Phdr *parts = read_parts(pid, object->start, &header);
	if (parts && is_loaded(search, object, parts, header.e_phnum, &bias)) {
		search->n_elf++;
		for (size_t i = 0; i < header.e_phnum; i++)
			if (parts[i].p_type == PT_NOTE && parts[i].p_memsz <= sizeof(notes) &&
				rs_attach_read(
					pid, bias + parts[i].p_vaddr, notes, parts[i].p_memsz))
				search_notes(search, notes, parts[i].p_memsz,
					parts[i].p_align == 8 ? 8 : 4, bias + parts[i].p_vaddr);
	}
	free(parts);
}

/* Search every file that is mapped from its first byte on. Return false and set errno if the list
 * of mappings cannot be read. */
static bool search_maps(struct search *search)
{
	bool done = rs_process_maps(search->attach->pid, &search->mappings, &search->n_mappings);
	for (size_t i = 0; done && i < search->n_mappings && search->n_elf < MOST_OBJECTS; i++)
		if (search->mappings[i].rights[0] == 'r' && search->mappings[i].offset == 0)
			search_object(search, &search->mappings[i]);
	int number = errno;
	free(search->mappings);
	search->mappings = NULL;
	errno = number;
	return done;
}

static bool refuse_object(const struct search *search, struct rs_err *err)
{
	int pid = (int)search->attach->pid;
	if (search->n_elf == 0) {
		rs_err_set(err, "process %d has no program: it is a kernel thread", pid);
		return rs_err_add_line(err, "try: pgrep -a NAME");
	}
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
	char first;
	attach->n = 0;
	if (!search_maps(&search))
		return rs_attach_refuse(attach->pid, errno, err);
	/* The list of mappings may be readable although the memory is not (ptrace(2), access
	 * modes). */
	if (search.n_elf == 0 && !rs_attach_read(attach->pid, 1, &first, 1) && errno == EPERM)
		return rs_attach_refuse(attach->pid, errno, err);
	/* A static program consists of one object and cannot load the runtime. */
	bool can_load = search.n_elf > 1 || search.has_runtime;
	return (attach->n > 0 && can_load) || refuse_object(&search, err);
}
