/* SPDX-License-Identifier: MIT */
/*
 * This file checks a library before a program loads it, because the dynamic linker does not check
 * it. The checks read the ELF headers, the program headers and the dynamic section (elf(5)).
 */
#include "launch/markers.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "launch/elf_object.h"

#define MOST_SEGMENTS 64u
#define MOST_ENTRIES 512u

struct library {
	int fd;
	uint64_t bytes; /* size of the file */
	Elf64_Phdr segments[MOST_SEGMENTS];
	size_t n_segments;
};

static bool is_within(uint64_t offset, uint64_t size, uint64_t bytes)
{
	return offset <= bytes && size <= bytes - offset;
}

/* Return true if an address is in a part of a segment that is loaded from the file. */
static bool is_loaded(const struct library *library, uint64_t address)
{
	for (size_t i = 0; i < library->n_segments; i++) {
		const Elf64_Phdr *at = &library->segments[i];
		if (at->p_type == PT_LOAD && address - at->p_vaddr < at->p_filesz)
			return true;
	}
	return false;
}

static bool read_headers(struct library *library)
{
	Elf64_Ehdr header;
	if (!rs_object_is_ours(library->fd) ||
		pread(library->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
		header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr) ||
		header.e_phnum == 0 || header.e_phnum > MOST_SEGMENTS)
		return false;
	/* Check that the file contains its section headers. The dynamic linker does not need them,
	 * but they are at the end of the file, so a truncated file lacks them. */
	uint64_t sections = (uint64_t)header.e_shnum * header.e_shentsize;
	ssize_t wanted = (ssize_t)(header.e_phnum * sizeof(Elf64_Phdr));
	library->n_segments = header.e_phnum;
	return is_within(header.e_shoff, sections, library->bytes) &&
	       is_within(header.e_phoff, (uint64_t)wanted, library->bytes) &&
	       pread(library->fd, library->segments, (size_t)wanted, (off_t)header.e_phoff) ==
		       wanted;
}

/* Check that the loaded segments are in the file and in ascending order. Set dynamic to the segment
 * of the dynamic section, or NULL. */
static bool check_segments(const struct library *library, const Elf64_Phdr **dynamic)
{
	uint64_t end = 0, pages = (uint64_t)sysconf(_SC_PAGESIZE);
	bool has_code = false;
	*dynamic = NULL;
	for (size_t i = 0; i < library->n_segments; i++) {
		const Elf64_Phdr *at = &library->segments[i];
		if (at->p_type == PT_DYNAMIC)
			*dynamic = at;
		if (at->p_type != PT_LOAD && at->p_type != PT_DYNAMIC)
			continue;
		if (!is_within(at->p_offset, at->p_filesz, library->bytes) ||
			at->p_filesz > at->p_memsz || at->p_vaddr > INT64_MAX ||
			at->p_memsz > INT64_MAX)
			return false;
		if (at->p_type != PT_LOAD)
			continue;
		if (at->p_vaddr < end || (at->p_vaddr - at->p_offset) % pages != 0)
			return false;
		end = at->p_vaddr + at->p_memsz;
		has_code |= at->p_flags & PF_X;
	}
	return has_code && *dynamic;
}

/* Check that the tables that the dynamic section names are loaded. */
static bool check_dynamic(const struct library *library, const Elf64_Phdr *dynamic)
{
	static const int64_t tables[] = {
		DT_STRTAB, DT_SYMTAB, DT_HASH, DT_GNU_HASH, DT_RELA, DT_JMPREL, DT_INIT_ARRAY};
	Elf64_Dyn entries[MOST_ENTRIES];
	size_t bytes = dynamic->p_filesz < sizeof(entries) ? dynamic->p_filesz : sizeof(entries);
	bool has_strings = false, has_symbols = false;
	if (pread(library->fd, entries, bytes, (off_t)dynamic->p_offset) != (ssize_t)bytes)
		return false;
	for (size_t i = 0; i < bytes / sizeof(entries[0]) && entries[i].d_tag != DT_NULL; i++) {
		int64_t tag = entries[i].d_tag;
		for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
			if (tag == tables[t] && !is_loaded(library, entries[i].d_un.d_ptr))
				return false;
		has_strings |= tag == DT_STRTAB;
		has_symbols |= tag == DT_SYMTAB;
	}
	return has_strings && has_symbols;
}

static bool check(struct library *library)
{
	const Elf64_Phdr *dynamic = NULL;
	return read_headers(library) && check_segments(library, &dynamic) &&
	       check_dynamic(library, dynamic);
}

bool rs_adapter_file_check(const char *path, struct rs_err *err)
{
	struct stat status;
	struct library library = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
	if (library.fd < 0) {
		rs_err_set_errno(err, errno, "cannot read %s", rs_text_shown(path).text);
		return rs_err_add_line(err, "try: make it readable for regionstat's user, or "
					    "reinstall regionstat (meson install)");
	}
	bool is = fstat(library.fd, &status) == 0 && S_ISREG(status.st_mode);
	library.bytes = is ? (uint64_t)status.st_size : 0;
	is = is && check(&library);
	close(library.fd);
	if (is)
		return true;
	rs_err_set(err, "%s is damaged, or no library of this machine", rs_text_shown(path).text);
	rs_err_add_line(err, "a program that loads it might die of that");
	return rs_err_add_line(err, "try: reinstall regionstat (meson install)");
}
