/* SPDX-License-Identifier: MIT */
/*
 * This file finds other parts of regionstat in this process through ELF notes, which the dynamic
 * linker lists with each object. The search reads only the process's own memory. So it works
 * without /proc, and it cannot find parts from before an exec.
 *
 * Each copy of the runtime has a note that says where it keeps the table of its markers. A process
 * may have several copies, in the program, in a plugin, or named by the launcher. Each object that
 * contains the marker header has a note that says how to turn on its markers.
 */
#include <link.h>
#include <string.h>

#include "runtime/process/process.h"

#define NOTE_NAME "regionstat"
enum note_type {
	NOTE_RUNTIME = 1, /* 8 bytes: the distance from here to the copy's rs_copy_table. */
	NOTE_HEADER = 2, /* See regionstat.h. */
};

__attribute__((used)) const struct regionstat_table_29_ *rs_copy_table;

__asm__(".pushsection .note.regionstat, \"a\", %note\n"
	".balign 4\n"
	".long 2f - 1f, 4f - 3f, 1\n"
	"1: .asciz \"" NOTE_NAME "\"\n"
	"2: .balign 4\n"
	"3: .quad rs_copy_table - 3b\n"
	"4: .balign 4\n"
	".popsection\n");

/* The contents of a marker header's note. */
struct header_note {
	uint32_t abi;
	uint32_t request_bytes;
	int64_t to_request;
	int64_t to_table;
	int64_t to_stub;
};

/* A search for all notes of one type, which calls take() for each. */
struct search {
	enum note_type type;
	size_t bytes; /* Size of the note's contents. */
	void (*take)(const char *contents, void *context);
	void *context;
};

/* Return true if the note segment is in memory: some linkers put notes elsewhere in the file. */
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

static void search_notes(const struct search *search, const char *notes, size_t bytes, size_t unit)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) head;
		memcpy(&head, notes, sizeof(head));
		size_t content = round_up(sizeof(head) + (size_t)head.n_namesz, unit);
		size_t end = content + head.n_descsz;
		if (end > bytes)
			break;
		if (head.n_type == search->type && head.n_namesz == sizeof(NOTE_NAME) &&
			head.n_descsz == search->bytes &&
			memcmp(notes + sizeof(head), NOTE_NAME, sizeof(NOTE_NAME)) == 0)
			search->take(notes + content, search->context);
		end = round_up(end, unit);
		if (end >= bytes)
			break;
		notes += end;
		bytes -= end;
	}
}

static int search_object(struct dl_phdr_info *object, size_t bytes, void *context)
{
	(void)bytes;
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];
		if (header->p_type == PT_NOTE && is_loaded(object, header))
			search_notes(context, (const char *)(object->dlpi_addr + header->p_vaddr),
				header->p_memsz, header->p_align == 8 ? 8 : 4);
	}
	return 0;
}

/* ---- copies of the runtime ---- */

static void take_copy(const char *contents, void *context)
{
	const struct regionstat_table_29_ **table = context;
	int64_t distance;
	memcpy(&distance, contents, sizeof(distance));
	const void *place = contents + distance;
	if (place != &rs_copy_table && !*table)
		*table = *(const struct regionstat_table_29_ *const *)place;
}

int rs_each_object(int (*take)(struct dl_phdr_info *, size_t, void *), void *context)
{
	uint64_t mask;
	rs_sys_block_signals(&mask);
	struct rs_thread *thread = rs_call_out_begin();
	int result = dl_iterate_phdr(take, context);
	rs_call_out_end(thread);
	rs_sys_restore_signals(&mask);
	return result;
}

const struct regionstat_table_29_ *rs_copies_find_table(void)
{
	const struct regionstat_table_29_ *table = NULL;
	if (rs_copy_table) /* The process uses this copy. */
		return NULL;
	struct search search = {NOTE_RUNTIME, sizeof(int64_t), take_copy, &table};
	rs_each_object(search_object, &search);
	return table;
}

/* ---- objects with markers ---- */

/* Whether to turn markers on or off. */
struct switching {
	const void *table;
	bool on;
};

/* To turn markers on, change only an object whose markers are off or wait for the runtime. To turn
 * markers off, change only an object whose markers use the table. */
static void take_header(const char *contents, void *context)
{
	struct header_note note;
	memcpy(&note, contents, sizeof(note));
	if (note.abi != REGIONSTAT_ABI)
		return;
	/* Release pairs with the marker's load of this pointer. The marker reads the table only
	 * through the pointer. Without the release, a marker could use a table that is not filled
	 * yet. */
	const void **table = (const void **)(uintptr_t)(contents +
							offsetof(struct header_note, to_table) +
							note.to_table);
	const void *stub = contents + offsetof(struct header_note, to_stub) + note.to_stub;
	const void *now = __atomic_load_n(table, __ATOMIC_RELAXED);
	const struct switching *switching = context;
	if (switching->on ? !now || now == stub : now == switching->table)
		__atomic_store_n(table, switching->on ? switching->table : NULL, __ATOMIC_RELEASE);
}

void rs_copies_turn(const struct regionstat_table_29_ *table, bool on)
{
	struct switching switching = {table, on};
	struct search search = {NOTE_HEADER, sizeof(struct header_note), take_header, &switching};
	rs_each_object(search_object, &search);
}
