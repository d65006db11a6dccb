/* SPDX-License-Identifier: MIT */
/*
 * This file finds source lines by DWARF. It searches compilation units by their address ranges.
 * libdw's own search needs .debug_aranges, which clang does not write.
 */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/elf_file.h"

#define MOST_RANGES ((size_t)1 << 22)

static bool add_range(struct rs_elf_file *file, struct rs_unit_range range)
{
	struct rs_lines *lines = &file->lines;
	if (range.start >= range.end)
		return true;
	struct rs_unit_range *ranges = NULL;
	if (lines->n < MOST_RANGES)
		ranges = rs_arena_room(&file->arena, lines->ranges, lines->n, sizeof(*ranges));
	if (!ranges)
		return false;
	lines->ranges = ranges;
	ranges[lines->n++] = range;
	return true;
}

static bool add_unit(struct rs_elf_file *file, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	while ((offset = dwarf_ranges(unit, offset, &base, &start, &end)) > 0)
		if (!add_range(file, (struct rs_unit_range){start, end, dwarf_dieoffset(unit)}))
			return false;
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct rs_unit_range *a = left, *b = right;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void read_lines(struct rs_elf_file *file, Dwarf *dwarf)
{
	struct rs_lines *lines = &file->lines;
	Dwarf_Off offset = 0, next;
	size_t header_bytes;
	bool goes_on = true;
	while (goes_on &&
		dwarf_nextcu(dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0) {
		Dwarf_Die unit;
		if (dwarf_offdie(dwarf, offset + header_bytes, &unit))
			goes_on = add_unit(file, &unit);
		goes_on = goes_on && next > offset;
		offset = next;
	}
	if (lines->n > 0)
		qsort(lines->ranges, lines->n, sizeof(*lines->ranges), compare);
	lines->are_read = true;
}

static const struct rs_unit_range *find_range(const struct rs_lines *lines, uint64_t address)
{
	size_t first = 0, n = lines->n;
	while (n > 0) {
		size_t half = n / 2;
		if (lines->ranges[first + half].start <= address) {
			first += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	const struct rs_unit_range *range = first > 0 ? &lines->ranges[first - 1] : NULL;
	return range && address < range->end ? range : NULL;
}

/* Return the first row of the line table with this address. It names the function's own line; rows
 * after it may name code that the compiler moved there. */
static Dwarf_Line *first_row(Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Lines *rows;
	size_t first = 0, n;
	Dwarf_Line *found = dwarf_getsrc_die(unit, address);
	Dwarf_Addr at, start;
	if (!found || dwarf_lineaddr(found, &start) != 0 || dwarf_getsrclines(unit, &rows, &n) != 0)
		return found;
	while (n > 0) { /* binary search: rows are sorted by address */
		size_t half = n / 2;
		Dwarf_Line *row = dwarf_onesrcline(rows, first + half);
		if (!row || dwarf_lineaddr(row, &at) != 0)
			return found;
		if (at < start) {
			first += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	for (bool is_end = true; is_end; first++) { /* skip rows that end the previous sequence */
		Dwarf_Line *row = dwarf_onesrcline(rows, first);
		if (!row || dwarf_lineaddr(row, &at) != 0 || at != start ||
			dwarf_lineendsequence(row, &is_end) != 0)
			return found;
		if (!is_end)
			return row;
	}
	return found;
}

bool rs_elf_file_line(struct rs_elf_file *file, uint64_t address, char *source, uint32_t *line)
{
	Dwarf_Die unit;
	int number = 0;
	Dwarf *dwarf = rs_elf_file_dwarf(file);
	if (!dwarf)
		return false;
	const struct rs_lines *lines = &file->lines;
	if (!lines->are_read)
		read_lines(file, dwarf);
	const struct rs_unit_range *range = find_range(lines, address);
	if (!range || !dwarf_offdie(dwarf, range->unit, &unit))
		return false;
	Dwarf_Line *found = first_row(&unit, address);
	const char *name = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
	if (!name || dwarf_lineno(found, &number) != 0 || number <= 0)
		return false;
	/* Keep the end of a long path, because it says more than the beginning. */
	size_t bytes = strlen(name);
	if (bytes >= RS_NAMES_FILE_BYTES)
		name += bytes - (RS_NAMES_FILE_BYTES - 1);
	snprintf(source, RS_NAMES_FILE_BYTES, "%s", name);
	*line = (uint32_t)number;
	return true;
}
