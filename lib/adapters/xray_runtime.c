/* SPDX-License-Identifier: MIT */
/*
 * XRay's runtime in the program that this process runs: which file that is the kernel says, what is
 * where in it its symbol table (elf(5)). The file may be another one than what is in memory, as
 * where a dynamic linker was started by hand: so program headers, notes with the build-id among
 * them, and the code of each function that is found are compared. Read by pread(2) into memory of
 * its own: of a file that changes meanwhile nothing comes but other bytes.
 */
#include "adapters/xray_runtime.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/arch/system.h"

#define SECTION "xray_instr_map"
#define MOST_TABLE_BYTES ((size_t)1 << 30) /* of symbols, or of their names */
#define SHOWN_BYTES 64u /* of a function's code, of which some are shorter */

/* A part of the file in memory; bytes 0: it could not be read. */
struct part {
	void *at;
	size_t bytes;
};

struct program {
	int fd;
	uintptr_t bias; /* what its addresses are higher than linked */
	const ElfW(Phdr) * headers; /* as they are mapped */
	size_t n_headers;
	ElfW(Ehdr) elf;
	struct part sections;
};

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

/* To be released with drop(). */
static struct part read_part(int fd, uint64_t offset, uint64_t bytes)
{
	struct part part = {NULL, 0};
	if (bytes == 0 || bytes > MOST_TABLE_BYTES || offset > INT64_MAX - bytes)
		return part;
	void *place = rs_sys_mmap(
		NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!place)
		return part;
	part = (struct part){place, bytes};
	if (read_at(fd, place, bytes, offset))
		return part;
	RS_SYS(munmap, place, bytes);
	return (struct part){NULL, 0};
}

static void drop(struct part part)
{
	if (part.bytes > 0)
		RS_SYS(munmap, part.at, part.bytes);
}

/* The program is the first of all objects (dl_iterate_phdr(3)). */
static int take_first(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct program *program = context;
	(void)bytes;
	program->bias = info->dlpi_addr;
	program->headers = info->dlpi_phdr;
	program->n_headers = info->dlpi_phnum;
	return 1;
}

static bool open_program(struct program *program)
{
	ElfW(Ehdr) *elf = &program->elf;
	*program = (struct program){
		.fd = (int)RS_SYS(openat, AT_FDCWD, "/proc/self/exe", O_RDONLY | O_CLOEXEC)};
	if (program->fd < 0 || !read_at(program->fd, elf, sizeof(*elf), 0) ||
		memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 ||
		elf->e_shentsize != sizeof(ElfW(Shdr)) || elf->e_shnum == 0)
		return false;
	program->sections = read_part(
		program->fd, elf->e_shoff, (uint64_t)elf->e_shnum * sizeof(ElfW(Shdr)));
	return program->sections.bytes > 0;
}

static void close_program(struct program *program)
{
	drop(program->sections);
	if (program->fd >= 0)
		RS_SYS(close, program->fd);
}

/* Whether it has a section of that name. */
static bool has_section(const struct program *program, const char *name)
{
	const ElfW(Shdr) *sections = program->sections.at;
	bool has = false;
	if (program->elf.e_shstrndx >= program->elf.e_shnum)
		return false;
	const ElfW(Shdr) *names = &sections[program->elf.e_shstrndx];
	struct part strings = read_part(program->fd, names->sh_offset, names->sh_size);
	size_t length = strlen(name) + 1;
	for (size_t i = 0; i < program->elf.e_shnum && !has; i++)
		has = sections[i].sh_name < strings.bytes &&
		      length <= strings.bytes - sections[i].sh_name &&
		      memcmp((char *)strings.at + sections[i].sh_name, name, length) == 0;
	drop(strings);
	return has;
}

/* Whether bytes of the file are those that are mapped for an address as linked. */
static bool is_same(const struct program *program, uint64_t address, uint64_t bytes)
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

/* Whether the file is what was loaded: as far as its program headers and its notes say. */
static bool is_loaded(struct program *program)
{
	dl_iterate_phdr(take_first, program);
	struct part headers = read_part(program->fd, program->elf.e_phoff,
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

/* What is looked for, and where it goes. */
struct wanted {
	const char *name;
	void *pointer; /* of a pointer to a function, or to a variable that holds one */
	unsigned char type;
};

/* Whether there is a variable of a pointer's size, as linked. */
static bool has_variable(const struct program *program, uint64_t address)
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

static void take_symbol(const struct program *program, const ElfW(Sym) * symbol, const char *name,
	size_t most, const struct wanted *wanted, size_t n)
{
	unsigned char type = symbol->st_info & 15;
	uint64_t bytes = symbol->st_size < SHOWN_BYTES ? symbol->st_size : SHOWN_BYTES;
	uintptr_t address = program->bias + symbol->st_value;
	for (size_t i = 0; i < n; i++) {
		if (type != wanted[i].type || strlen(wanted[i].name) >= most ||
			strcmp(name, wanted[i].name) != 0)
			continue;
		if (type == STT_FUNC ? bytes > 0 && is_same(program, symbol->st_value, bytes)
				     : has_variable(program, symbol->st_value))
			memcpy(wanted[i].pointer, &address, sizeof(address));
	}
}

static void find_symbols(const struct program *program, const struct wanted *wanted, size_t n)
{
	const ElfW(Shdr) *sections = program->sections.at;
	for (size_t s = 0; s < program->elf.e_shnum; s++) {
		if (sections[s].sh_type != SHT_SYMTAB ||
			sections[s].sh_link >= program->elf.e_shnum)
			continue;
		const ElfW(Shdr) *link = &sections[sections[s].sh_link];
		struct part symbols = read_part(
			program->fd, sections[s].sh_offset, sections[s].sh_size);
		struct part names = read_part(program->fd, link->sh_offset, link->sh_size);
		const ElfW(Sym) *symbol = symbols.at;
		for (size_t i = 0; i < symbols.bytes / sizeof(*symbol); i++, symbol++) {
			size_t most = symbol->st_name < names.bytes ? names.bytes - symbol->st_name
								    : 0;
			const char *name = (const char *)names.at + symbol->st_name;
			/* how all of these begin, and few others do */
			if (most > 8 && symbol->st_shndx != SHN_UNDEF &&
				(memcmp(name, "__xray_", 7) == 0 ||
					memcmp(name, "_ZN6__xr", 8) == 0))
				take_symbol(program, symbol, name, most, wanted, n);
		}
		drop(symbols);
		drop(names);
	}
}

enum rs_xray_found rs_xray_runtime_find(struct rs_xray_runtime *runtime)
{
	void (**trampolines)(void) = runtime->trampolines;
	const struct wanted wanted[] = {{"__xray_set_handler", &runtime->set_handler, STT_FUNC},
		{"__xray_remove_handler", &runtime->remove_handler, STT_FUNC},
		{"__xray_patch", &runtime->patch, STT_FUNC},
		{"__xray_patch_function", &runtime->patch_function, STT_FUNC},
		{"__xray_function_address", &runtime->function_address, STT_FUNC},
		{"__xray_max_function_id", &runtime->max_function_id, STT_FUNC},
		{"__xray_FunctionEntry", &trampolines[RS_XRAY_ENTRY], STT_FUNC},
		{"__xray_FunctionExit", &trampolines[RS_XRAY_EXIT], STT_FUNC},
		{"__xray_FunctionTailExit", &trampolines[RS_XRAY_TAIL], STT_FUNC},
		{"__xray_ArgLoggerEntry", &trampolines[RS_XRAY_ENTRY_WITH_ARGUMENTS], STT_FUNC},
		/* __xray::XRayPatchedFunction, which the trampolines read */
		{"_ZN6__xray19XRayPatchedFunctionE", &runtime->handler, STT_OBJECT}};
	struct program program;
	int saved = errno;
	enum rs_xray_found found = RS_XRAY_NONE;
	*runtime = (struct rs_xray_runtime){0};
	if (open_program(&program) && has_section(&program, SECTION)) {
		if (is_loaded(&program))
			find_symbols(&program, wanted, sizeof(wanted) / sizeof(wanted[0]));
		bool is_whole = runtime->set_handler && runtime->remove_handler && runtime->patch &&
				runtime->patch_function && runtime->function_address &&
				runtime->max_function_id && trampolines[RS_XRAY_ENTRY] &&
				trampolines[RS_XRAY_EXIT] && trampolines[RS_XRAY_TAIL];
		found = is_whole ? RS_XRAY_FOUND : RS_XRAY_UNKNOWN;
	}
	close_program(&program);
	errno = saved;
	return found;
}
