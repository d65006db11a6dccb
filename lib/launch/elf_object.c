/* SPDX-License-Identifier: MIT */
/*
 * This file reads ELF files with libelf, which checks offsets against the file's size. Sizes are
 * checked here first, because libelf allocates as much memory as the file claims. Files are read
 * and not mapped. If a file is truncated at the same time, reading fails, while mapping would cause
 * SIGBUS.
 */
#include "launch/elf_object.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A section that must be read as a whole is ignored if it is larger than this. The symbols and
 * strings of the largest programs are smaller. */
#define MOST_SECTION_BYTES ((uint64_t)64 << 20)
#define MOST_DYNAMIC_BYTES ((uint64_t)1 << 20)
#define CHUNK_BYTES ((size_t)256 << 10)

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#elif defined(__riscv)
#define OWN_MACHINE EM_RISCV
#else
#define OWN_MACHINE EM_NONE
#endif

bool rs_object_is_ours(int fd)
{
	Elf64_Ehdr header;
	return pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	       memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	       header.e_ident[EI_CLASS] == ELFCLASS64 &&
	       header.e_ident[EI_DATA] ==
		       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB) &&
	       header.e_machine == OWN_MACHINE &&
	       (header.e_type == ET_EXEC || header.e_type == ET_DYN);
}

/* Return true if the file is an ELF object of this machine, and its header tables fit into the
 * file. libelf allocates memory for these tables. Files with too many sections for the header's
 * field are refused. */
static bool may_be_read(int fd)
{
	Elf64_Ehdr header;
	struct stat status;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || !rs_object_is_ours(fd) ||
		pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return false;
	uint64_t sections = (uint64_t)header.e_shnum * header.e_shentsize;
	uint64_t segments = (uint64_t)header.e_phnum * header.e_phentsize;
	uint64_t bytes = (uint64_t)status.st_size;
	return header.e_shnum > 0 && header.e_shentsize == sizeof(Elf64_Shdr) &&
	       header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum < PN_XNUM &&
	       header.e_shoff <= bytes && sections <= bytes - header.e_shoff &&
	       header.e_phoff <= bytes && segments <= bytes - header.e_phoff;
}

/* Return the contents of a section. Return NULL if it is too large, has no contents or cannot be
 * read. */
static Elf_Data *read_section(Elf_Scn *section, GElf_Shdr *header, uint64_t most)
{
	if (!section || !gelf_getshdr(section, header) || header->sh_size > most ||
		header->sh_type == SHT_NOBITS)
		return NULL;
	return elf_getdata(section, NULL);
}

/* Return the next section of a type, or NULL. */
static Elf_Scn *next_section(Elf *elf, Elf_Scn *after, GElf_Word type)
{
	GElf_Shdr header;
	while ((after = elf_nextscn(elf, after)))
		if (gelf_getshdr(after, &header) && header.sh_type == type)
			break;
	return after;
}

/* Return a copy of a string, or NULL. `strings` is a string section whose size was checked. */
static const char *copy_string(struct rs_object *object, size_t strings, uint64_t offset)
{
	const char *text = elf_strptr(object->elf, strings, offset);
	return text && *text ? rs_arena_format(&object->arena, "%s", text) : NULL;
}

static bool has_strings(Elf *elf, size_t strings)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_getscn(elf, strings);
	return section && gelf_getshdr(section, &header) && header.sh_type == SHT_STRTAB &&
	       header.sh_size <= MOST_SECTION_BYTES;
}

/* Keep a string of the dynamic section if it is the name of a needed library, the first DT_RPATH or
 * the first DT_RUNPATH. */
static void keep_entry(struct rs_object *object, size_t strings, const GElf_Dyn *entry)
{
	uint64_t at = entry->d_un.d_val;
	if (entry->d_tag == DT_RPATH && !object->rpath) {
		object->rpath = copy_string(object, strings, at);
	} else if (entry->d_tag == DT_RUNPATH && !object->runpath) {
		object->runpath = copy_string(object, strings, at);
	} else if (entry->d_tag == DT_NEEDED && object->n_needed < RS_OBJECT_NEEDED) {
		object->needed[object->n_needed] = copy_string(object, strings, at);
		object->n_needed += object->needed[object->n_needed] != NULL;
	}
}

static void read_dynamic(struct rs_object *object)
{
	GElf_Shdr header;
	GElf_Dyn entry;
	Elf_Data *data = read_section(
		next_section(object->elf, NULL, SHT_DYNAMIC), &header, MOST_DYNAMIC_BYTES);
	if (!data || !has_strings(object->elf, header.sh_link))
		return;
	int n = (int)(data->d_size / sizeof(Elf64_Dyn));
	for (int i = 0; i < n && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
		keep_entry(object, header.sh_link, &entry);
}

static void read_interpreter(struct rs_object *object)
{
	size_t n = 0;
	char path[PATH_MAX];
	GElf_Phdr header;
	if (elf_getphdrnum(object->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && !object->interpreter; i++) {
		if (!gelf_getphdr(object->elf, (int)i, &header) || header.p_type != PT_INTERP ||
			header.p_filesz == 0 || header.p_filesz > sizeof(path))
			continue;
		ssize_t got = pread(object->fd, path, header.p_filesz, (off_t)header.p_offset);
		if (got > 0 && memchr(path, '\0', (size_t)got))
			object->interpreter = rs_arena_format(&object->arena, "%s", path);
	}
}

bool rs_object_init(struct rs_object *object, const char *path)
{
	*object = (struct rs_object){.fd = -1};
	object->path = rs_arena_format(&object->arena, "%s", path);
	/* O_NONBLOCK keeps open(2) from waiting if the file is a FIFO. */
	object->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (!object->path || object->fd < 0 || !may_be_read(object->fd) ||
		elf_version(EV_CURRENT) == EV_NONE)
		return false;
	object->elf = elf_begin(object->fd, ELF_C_READ, NULL);
	if (!object->elf || elf_kind(object->elf) != ELF_K_ELF)
		return false;
	read_interpreter(object);
	read_dynamic(object);
	return true;
}

void rs_object_visit_symbols(struct rs_object *object,
	bool (*visit)(void *context, const char *name, bool is_defined), void *context)
{
	GElf_Shdr header;
	Elf_Data *data = read_section(
		next_section(object->elf, NULL, SHT_DYNSYM), &header, MOST_SECTION_BYTES);
	if (!data || !has_strings(object->elf, header.sh_link))
		return;
	int n = (int)(data->d_size / sizeof(Elf64_Sym));
	for (int i = 1; i < n; i++) { /* the first symbol is always empty */
		GElf_Sym symbol;
		if (!gelf_getsym(data, i, &symbol))
			break;
		const char *name = elf_strptr(object->elf, header.sh_link, symbol.st_name);
		if (name && *name && !visit(context, name, symbol.st_shndx != SHN_UNDEF))
			break;
	}
}

bool rs_elf_has_section(void *elf, const char *name)
{
	size_t names;
	GElf_Shdr header;
	if (elf_getshdrstrndx(elf, &names) != 0 || !has_strings(elf, names))
		return false;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		const char *its = gelf_getshdr(section, &header)
					  ? elf_strptr(elf, names, header.sh_name)
					  : NULL;
		if (its && strcmp(its, name) == 0 && header.sh_type != SHT_NOBITS)
			return true;
	}
	return false;
}

/* Search a section in chunks, which overlap so that no text is cut. */
static void search_section(struct rs_object *object, const GElf_Shdr *header,
	const char *const *texts, bool *found, size_t n, size_t *budget, char *chunk)
{
	const size_t overlap = 128;
	for (uint64_t done = 0; done<header->sh_size && * budget> 0;) {
		uint64_t left = header->sh_size - done;
		size_t wanted = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
		wanted = wanted < *budget ? wanted : *budget;
		ssize_t got = pread(object->fd, chunk, wanted, (off_t)(header->sh_offset + done));
		if (got <= 0)
			return;
		*budget -= (size_t)got;
		for (size_t i = 0; i < n; i++) /* including the NUL */
			found[i] |= memmem(chunk, (size_t)got, texts[i], strlen(texts[i]) + 1) !=
				    NULL;
		if ((size_t)got == left || (size_t)got <= overlap)
			return;
		done += (uint64_t)got - overlap;
	}
}

void rs_object_find_texts(
	struct rs_object *object, const char *const *texts, bool *found, size_t n, size_t *budget)
{
	size_t names;
	char *chunk = malloc(CHUNK_BYTES);
	GElf_Shdr header;
	bool has_names = chunk && n > 0 && elf_getshdrstrndx(object->elf, &names) == 0 &&
			 has_strings(object->elf, names);
	for (Elf_Scn *section = NULL;
		has_names && *budget > 0 &&
		(section = next_section(object->elf, section, SHT_PROGBITS));) {
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(object->elf, names, header.sh_name)
					   : NULL;
		/* This also matches .rodata.str1.1 and similar names, and .lrodata of the large
		 * code model. */
		if (name &&
			(strncmp(name, ".rodata", 7) == 0 || strncmp(name, ".lrodata", 8) == 0) &&
			header.sh_offset <= INT64_MAX / 2)
			search_section(object, &header, texts, found, n, budget, chunk);
	}
	free(chunk);
}

void rs_object_finish(struct rs_object *object)
{
	if (object->elf)
		elf_end(object->elf);
	if (object->fd >= 0)
		close(object->fd);
	rs_arena_finish(&object->arena);
	*object = (struct rs_object){.fd = -1};
}
