/* SPDX-License-Identifier: MIT */
/*
 * This file finds the addresses of symbols in the symbol table of the program's own file (elf(5)),
 * to which /proc/PID/exe leads. The file may not be the program in memory, for example if the user
 * started the dynamic linker as the command. Therefore this code compares the file with memory: the
 * program headers, the notes with the build-id, and the code of each function that it finds. It
 * reads with pread(2) into its own memory. If the file changes meanwhile, pread(2) returns other
 * bytes, which does no harm.
 */
#include "adapters/program_symbols.h"

#include <elf.h>
#include <string.h>

#include "runtime/arch/system.h"

#define MOST_TABLE_BYTES ((size_t)1 << 30) /* limit for the symbol table and for its strings */
/* how many bytes of a function's code are compared; some functions are shorter */
#define SHOWN_BYTES 64u

static bool read_at(int fd, void *into, size_t bytes, uint64_t offset)
{
	for (size_t done = 0; done < bytes;) {
		long got = RS_SYS(pread64, fd, (char *)into + done, bytes - done, offset + done);
		if (got <= 0 && got != -EINTR)
			return false;
		done += got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* Read a part of the file into new memory. Release it with drop(). */
static struct rs_program_part read_part(int fd, uint64_t offset, uint64_t bytes)
{
	struct rs_program_part part = {NULL, 0};
	if (bytes == 0 || bytes > MOST_TABLE_BYTES || offset > INT64_MAX - bytes)
		return part;
	void *place = rs_sys_mmap(
		NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!place)
		return part;
	part = (struct rs_program_part){place, bytes};
	if (read_at(fd, place, bytes, offset))
		return part;
	RS_SYS(munmap, place, bytes);
	return (struct rs_program_part){NULL, 0};
}

static void drop(struct rs_program_part part)
{
	if (part.bytes > 0)
		RS_SYS(munmap, part.at, part.bytes);
}

/* Store the headers of the program, which dl_iterate_phdr(3) reports first. */
static int take_first(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct rs_program *program = context;
	(void)bytes;
	program->bias = info->dlpi_addr;
	program->headers = info->dlpi_phdr;
	program->n_headers = info->dlpi_phnum;
	return 1;
}

bool rs_program_open(struct rs_program *program)
{
	ElfW(Ehdr) *elf = &program->elf;
	*program = (struct rs_program){
		.fd = (int)RS_SYS(openat, AT_FDCWD, RS_OWN_FILE("exe"), O_RDONLY | O_CLOEXEC)};
	if (program->fd < 0 || !read_at(program->fd, elf, sizeof(*elf), 0) ||
		memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 ||
		elf->e_shentsize != sizeof(ElfW(Shdr)) || elf->e_shnum == 0)
		return false;
	program->sections = read_part(
		program->fd, elf->e_shoff, (uint64_t)elf->e_shnum * sizeof(ElfW(Shdr)));
	return program->sections.bytes > 0;
}

void rs_program_close(struct rs_program *program)
{
	drop(program->sections);
	if (program->fd >= 0)
		RS_SYS(close, program->fd);
}

bool rs_program_has_section(const struct rs_program *program, const char *name)
{
	const ElfW(Shdr) *sections = program->sections.at;
	bool has = false;
	if (program->elf.e_shstrndx >= program->elf.e_shnum)
		return false;
	const ElfW(Shdr) *names = &sections[program->elf.e_shstrndx];
	struct rs_program_part strings = read_part(program->fd, names->sh_offset, names->sh_size);
	size_t length = strlen(name) + 1;
	for (size_t i = 0; i < program->elf.e_shnum && !has; i++)
		has = sections[i].sh_name < strings.bytes &&
		      length <= strings.bytes - sections[i].sh_name &&
		      memcmp((char *)strings.at + sections[i].sh_name, name, length) == 0;
	drop(strings);
	return has;
}

/* Return true if the file and memory contain the same bytes at a link-time address. */
static bool is_same(const struct rs_program *program, uint64_t address, uint64_t bytes)
{
	char shown[SHOWN_BYTES];
	for (size_t i = 0; i < program->n_headers; i++) {
		const ElfW(Phdr) *header = &program->headers[i];
		uint64_t start = address - header->p_vaddr;
		if (header->p_type != PT_LOAD || !(header->p_flags & PF_R) ||
			start > header->p_filesz || bytes > header->p_filesz - start)
			continue;
		const char *mapped = (const char *)program->bias + address;
		for (uint64_t done = 0; done < bytes; done += sizeof(shown)) {
			size_t n = bytes - done < sizeof(shown) ? (size_t)(bytes - done)
								: sizeof(shown);
			if (!read_at(program->fd, shown, n, header->p_offset + start + done) ||
				memcmp(shown, mapped + done, n) != 0)
				return false;
		}
		return true;
	}
	return false;
}

bool rs_program_is_loaded(struct rs_program *program)
{
	dl_iterate_phdr(take_first, program);
	struct rs_program_part headers = read_part(program->fd, program->elf.e_phoff,
		(uint64_t)program->elf.e_phnum * sizeof(ElfW(Phdr)));
	bool is = headers.bytes > 0 && program->elf.e_phnum == program->n_headers &&
		  memcmp(headers.at, program->headers, headers.bytes) == 0;
	drop(headers);
	for (size_t i = 0; is && i < program->n_headers; i++)
		if (program->headers[i].p_type == PT_NOTE)
			is = is_same(
				program, program->headers[i].p_vaddr, program->headers[i].p_filesz);
	return is;
}

bool rs_program_holds(const struct rs_program *program, const void *address)
{
	uintptr_t linked = (uintptr_t)address - program->bias;
	bool holds = false;
	for (size_t i = 0; i < program->n_headers; i++) {
		const ElfW(Phdr) *header = &program->headers[i];
		holds |= header->p_type == PT_LOAD && linked - header->p_vaddr < header->p_memsz;
	}
	return holds;
}

/* Return true if a writable segment contains a pointer at this link-time address. */
static bool has_variable(const struct rs_program *program, uint64_t address)
{
	bool has = false;
	for (size_t i = 0; i < program->n_headers; i++) {
		const ElfW(Phdr) *header = &program->headers[i];
		uint64_t start = address - header->p_vaddr;
		has |= header->p_type == PT_LOAD && (header->p_flags & PF_W) &&
		       start < header->p_memsz && header->p_memsz - start >= sizeof(void *) &&
		       address % sizeof(void *) == 0;
	}
	return has;
}

static void take_symbol(const struct rs_program *program, const ElfW(Sym) * symbol,
	const char *name, size_t most, const struct rs_symbol_wanted *wanted, size_t n)
{
	unsigned char type = symbol->st_info & 15;
	uint64_t bytes = symbol->st_size < SHOWN_BYTES ? symbol->st_size : SHOWN_BYTES;
	uintptr_t address = program->bias + symbol->st_value;
	for (size_t i = 0; i < n; i++) {
		size_t length = strlen(wanted[i].name);
		if (type != wanted[i].type || length >= most ||
			memcmp(name, wanted[i].name, length + 1) != 0)
			continue;
		if (type == STT_FUNC ? bytes > 0 && is_same(program, symbol->st_value, bytes)
				     : has_variable(program, symbol->st_value))
			memcpy(wanted[i].pointer, &address, sizeof(address));
	}
}

void rs_program_find_symbols(
	const struct rs_program *program, const struct rs_symbol_wanted *wanted, size_t n)
{
	const ElfW(Shdr) *sections = program->sections.at;
	for (size_t s = 0; s < program->elf.e_shnum; s++) {
		if (sections[s].sh_type != SHT_SYMTAB ||
			sections[s].sh_link >= program->elf.e_shnum)
			continue;
		const ElfW(Shdr) *link = &sections[sections[s].sh_link];
		struct rs_program_part symbols = read_part(
			program->fd, sections[s].sh_offset, sections[s].sh_size);
		struct rs_program_part names = read_part(
			program->fd, link->sh_offset, link->sh_size);
		const ElfW(Sym) *symbol = symbols.at;
		for (size_t i = 0; i < symbols.bytes / sizeof(*symbol); i++, symbol++) {
			size_t most = symbol->st_name < names.bytes ? names.bytes - symbol->st_name
								    : 0;
			if (most > 0 && symbol->st_shndx != SHN_UNDEF)
				take_symbol(program, symbol,
					(const char *)names.at + symbol->st_name, most, wanted, n);
		}
		drop(symbols);
		drop(names);
	}
}
