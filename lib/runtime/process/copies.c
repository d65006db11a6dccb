/* SPDX-License-Identifier: MIT */
/*
 * Other copies of the runtime in this process: one linked into the program, one that a plugin was
 * linked with, the one that the launcher names. Each has an ELF note that says where it keeps the
 * address of its markers, and the dynamic linker's list of objects leads to the notes. So all that
 * is followed lies in the process's own memory: nothing that another process may write, nothing
 * that takes /proc, and nothing that outlives an exec.
 */
#include <link.h>
#include <string.h>

#include "runtime/runtime.h"

#define NOTE_NAME "regionstat"
#define NOTE_TYPE 1u /* 8 bytes: from there to the copy's rs_copy_table */

__attribute__((visibility("hidden"), used)) const struct regionstat_table_ *rs_copy_table;

__asm__(".pushsection .note.regionstat, \"a\", %note\n"
	".balign 4\n"
	".long 2f - 1f, 4f - 3f, 1\n"
	"1: .asciz \"" NOTE_NAME "\"\n"
	"2: .balign 4\n"
	"3: .quad rs_copy_table - 3b\n"
	"4: .balign 4\n"
	".popsection\n");

/* Whether all of a note segment is in memory: some linkers leave notes where nothing is loaded. */
static bool is_loaded(const struct dl_phdr_info *object, const ElfW(Phdr) * note)
{
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *load = &object->dlpi_phdr[i];
		if (load->p_type == PT_LOAD && load->p_flags & PF_R &&
			note->p_vaddr >= load->p_vaddr && note->p_memsz <= load->p_filesz &&
			note->p_vaddr - load->p_vaddr <= load->p_filesz - note->p_memsz)
			return true;
	}
	return false;
}

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) & ~(unit - 1);
}

/* Where a runtime's note among these leads to, unless it is our own; NULL when there is none. */
static const struct regionstat_table_ *search_notes(const char *notes, size_t bytes, size_t unit)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) head;
		memcpy(&head, notes, sizeof(head));
		size_t content = round_up(sizeof(head) + (size_t)head.n_namesz, unit);
		size_t end = content + head.n_descsz;
		if (end > bytes)
			break;
		if (head.n_type == NOTE_TYPE && head.n_namesz == sizeof(NOTE_NAME) &&
			head.n_descsz == sizeof(int64_t) &&
			memcmp(notes + sizeof(head), NOTE_NAME, sizeof(NOTE_NAME)) == 0) {
			int64_t distance;
			memcpy(&distance, notes + content, sizeof(distance));
			const void *place = notes + content + distance;
			if (place != &rs_copy_table)
				return *(const struct regionstat_table_ *const *)place;
		}
		end = round_up(end, unit);
		if (end >= bytes)
			break;
		notes += end;
		bytes -= end;
	}
	return NULL;
}

static int search_object(struct dl_phdr_info *object, size_t bytes, void *context)
{
	const struct regionstat_table_ **table = context;
	(void)bytes;
	for (size_t i = 0; i < object->dlpi_phnum && !*table; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];
		if (header->p_type == PT_NOTE && is_loaded(object, header))
			*table = search_notes((const char *)(object->dlpi_addr + header->p_vaddr),
				header->p_memsz, header->p_align == 8 ? 8 : 4);
	}
	return *table != NULL;
}

const struct regionstat_table_ *rs_copies_find_table(void)
{
	const struct regionstat_table_ *table = NULL;
	dl_iterate_phdr(search_object, &table);
	return table;
}

void rs_copies_show_table(const struct regionstat_table_ *table)
{
	rs_copy_table = table;
}
