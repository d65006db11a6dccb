/* SPDX-License-Identifier: MIT */
/*
 * This file reads the functions of a file from its symbol tables (elf(5)). If several symbols have
 * the same address, it chooses a global symbol before a weak one, and a weak one before a local
 * one. Among equals it chooses the name with the fewest leading underscores, and then the first in
 * alphabetical order.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "names/elf_file.h"

#define MOST_SYMBOLS ((size_t)1 << 23)

static uint32_t rank_of(const char *name, unsigned int binding)
{
	uint32_t first = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
	size_t underscores = strspn(name, "_.$");
	return first << 8 | (uint32_t)(underscores < 255 ? underscores : 255);
}

static int compare(const void *left, const void *right)
{
	const struct rs_symbol *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

static Elf_Scn *find_table(Elf *elf, uint32_t type, GElf_Shdr *header)
{
	for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, header) && header->sh_type == type &&
			header->sh_entsize > 0)
			return section;
	return NULL;
}

static bool is_function(const GElf_Sym *symbol)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);
	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}

/* Return the distance from a symbol to the end of its section. This is the largest possible size of
 * a function whose symbol has no size. */
static uint64_t section_rest(Elf *elf, const GElf_Sym *symbol)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
	bool is_in = section && gelf_getshdr(section, &header) &&
		     symbol->st_value - header.sh_addr < header.sh_size;
	return is_in ? header.sh_addr + header.sh_size - symbol->st_value : 0;
}

static bool read_table(struct rs_elf_file *file, Elf *elf, uint32_t type)
{
	struct rs_symbols *symbols = &file->symbols;
	GElf_Shdr header;
	Elf_Scn *section = find_table(elf, type, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	if (!data)
		return false;
	size_t n = data->d_size / header.sh_entsize;
	n = n < MOST_SYMBOLS ? n : MOST_SYMBOLS;
	symbols->items = rs_arena_array(&file->arena, n + 1, sizeof(*symbols->items));
	for (size_t i = 0; symbols->items && i < n; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol) || !is_function(&symbol))
			continue;
		const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		symbols->items[symbols->n++] = (struct rs_symbol){symbol.st_value,
			symbol.st_size > 0 ? symbol.st_size : section_rest(elf, &symbol), name,
			rank_of(name, GELF_ST_BIND(symbol.st_info))};
	}
	return symbols->n > 0;
}

const struct rs_symbols *rs_elf_file_symbols(struct rs_elf_file *file)
{
	struct rs_symbols *symbols = &file->symbols;
	if (symbols->are_read)
		return symbols;
	symbols->are_read = true;
	const struct {
		Elf *elf;
		uint32_t type;
	} tables[] = {{file->elf, SHT_SYMTAB}, {file->debug, SHT_SYMTAB}, {file->elf, SHT_DYNSYM}};
	bool found = false;
	for (size_t i = 0; !found && i < sizeof(tables) / sizeof(tables[0]); i++)
		found = read_table(file, tables[i].elf, tables[i].type);
	if (!found)
		return symbols;
	qsort(symbols->items, symbols->n, sizeof(*symbols->items), compare);
	size_t kept = 0;
	for (size_t i = 0; i < symbols->n; i++)
		if (i == 0 || symbols->items[i].start != symbols->items[kept - 1].start)
			symbols->items[kept++] = symbols->items[i];
	symbols->n = kept;
	symbols->items[kept].start = UINT64_MAX;
	return symbols;
}

/* Return 0 if an address is in a symbol or between it and the next one. */
static int compare_place(const void *address, const void *item)
{
	const uint64_t *at = address;
	const struct rs_symbol *symbol = item;
	return *at < symbol->start ? -1 : *at >= symbol[1].start;
}

const struct rs_symbol *rs_symbols_find(const struct rs_symbols *symbols, uint64_t address)
{
	const struct rs_symbol *symbol = symbols->n == 0
						 ? NULL
						 : bsearch(&address, symbols->items, symbols->n,
							   sizeof(*symbol), compare_place);
	return symbol && address - symbol->start < symbol->bytes ? symbol : NULL;
}
