/* SPDX-License-Identifier: MIT */
/*
 * This file finds other parts of regionstat in this process through ELF notes, which the dynamic
 * linker lists with each object. The search reads only the process's own memory. So it works
 * without /proc, and it cannot find parts from before an exec.
 *
 * Each copy of the runtime has a note that says where it keeps the table of its markers. A process
 * may have several copies, in the program, in a plugin, or named by the launcher. Each object that
 * contains the marker header has a note that says how to turn on its markers. The search also finds
 * the build-id of an object.
 */
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

/* Return true if the note segment is in memory, and readable. Some linkers put notes elsewhere in
 * the file, and a tool that edited the file may have left a wrong address. */
static bool is_loaded(const ElfW(Phdr) * headers, size_t n, const ElfW(Phdr) * notes)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t start = notes->p_vaddr - headers[i].p_vaddr;
		if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_R &&
			start <= headers[i].p_filesz &&
			notes->p_memsz <= headers[i].p_filesz - start)
			return true;
	}
	return false;
}

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) & ~(unit - 1);
}

static void search_notes(
	const struct rs_note_search *search, const char *notes, size_t bytes, size_t unit)
{
	ElfW(Nhdr) head;
	for (size_t next; bytes >= sizeof(head); notes += next, bytes -= next) {
		memcpy(&head, notes, sizeof(head));
		size_t content = round_up(sizeof(head) + (size_t)head.n_namesz, unit);
		if (content + head.n_descsz > bytes)
			break;
		if (head.n_type == search->type && head.n_namesz == strlen(search->name) + 1 &&
			memcmp(notes + sizeof(head), search->name, head.n_namesz) == 0)
			search->take(notes + content, head.n_descsz, search->context);
		next = round_up(content + head.n_descsz, unit);
		if (next > bytes)
			break;
	}
}

void rs_notes_search(
	const struct rs_note_search *search, const ElfW(Phdr) * headers, size_t n, uint64_t bias)
{
	for (size_t i = 0; i < n; i++)
		if (headers[i].p_type == PT_NOTE && is_loaded(headers, n, &headers[i]))
			search_notes(search, (const char *)(uintptr_t)(bias + headers[i].p_vaddr),
				headers[i].p_memsz, headers[i].p_align == 8 ? 8 : 4);
}

static int search_object(struct dl_phdr_info *object, size_t bytes, void *context)
{
	(void)bytes;
	rs_notes_search(context, object->dlpi_phdr, object->dlpi_phnum, object->dlpi_addr);
	return 0;
}

/* ---- copies of the runtime ---- */

static void take_copy(const char *contents, uint32_t bytes, void *context)
{
	const struct regionstat_table_29_ **table = context;
	int64_t distance;
	if (bytes != sizeof(distance))
		return;
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
	struct rs_note_search search = {NOTE_NAME, NOTE_RUNTIME, take_copy, &table};
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
static void take_header(const char *contents, uint32_t bytes, void *context)
{
	struct header_note note;
	if (bytes != sizeof(note))
		return;
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
	struct rs_note_search search = {NOTE_NAME, NOTE_HEADER, take_header, &switching};
	rs_each_object(search_object, &search);
}
