/* SPDX-License-Identifier: MIT */
/*
 * This file finds the names of code addresses. The addresses are grouped by object, so that each
 * file is opened once. A separate process reads each file, so that a malicious file can only affect
 * its own names.
 */
#include <string.h>

#include "base/write.h"
#include "names/apart.h"
#include "names/elf_file.h"

/* A message in the pipe from the process that reads a file. */
struct message {
	uint64_t place; /* index of the address */
	struct rs_names_answer answer;
};

struct search {
	const struct rs_names_place *places;
	size_t n_places;
	struct rs_names_answer *answers;
	const struct rs_names_object *object; /* the object that is searched now */
	struct message message; /* the message that is being received */
	size_t message_bytes;
};

/* Find the function that contains an address. place->offset may be one byte higher (see tell()). */
static void find_symbol(struct rs_elf_file *file, const struct rs_names_place *place,
	uint64_t address, struct rs_names_answer *answer)
{
	const struct rs_symbol *symbol = rs_symbols_find(rs_elf_file_symbols(file), address);
	answer->status = RS_NAMES_NO_SYMBOL;
	if (symbol) {
		answer->status = RS_NAMES_FOUND;
		answer->distance = place->offset - symbol->start;
		rs_demangle(symbol->name, answer->function, sizeof(answer->function));
	}
}

/* Return true if an address is in the current object, and has no answer yet from an earlier entry
 * of that object. */
static bool is_asked(const struct search *search, size_t place)
{
	uint32_t status = search->answers[place].status;
	return search->places[place].key == search->object->key && status != RS_NAMES_FOUND &&
	       status != RS_NAMES_NO_SYMBOL;
}

/* Write the answers for all addresses in the current object. file is NULL if it is not the file
 * that the program had loaded. A second pass adds the source lines (has_lines), because reading
 * them may take long, and a damaged file may crash this process. */
static bool tell(struct search *search, struct rs_elf_file *file, enum rs_names_status status,
	bool has_lines, int fd)
{
	for (size_t i = 0; i < search->n_places; i++) {
		const struct rs_names_place *place = &search->places[i];
		/* A return address may belong to the next function or line, so use the byte before
		 * it. */
		uint64_t address = place->offset - (place->is_return && place->offset > 0 ? 1 : 0);
		struct message message = {.place = i, .answer.status = status};
		struct rs_names_answer *answer = &message.answer;
		if (!is_asked(search, i))
			continue;
		if (file)
			find_symbol(file, place, address, answer);
		if (has_lines && !rs_elf_file_line(file, address, answer->file, &answer->line))
			continue;
		if (rs_write_all(fd, &message, sizeof(message)) != 0)
			return false;
	}
	return true;
}

/* Answer for all addresses in the current object. If it has several entries, the first one whose
 * file exists is used. */
static bool work(void *context, int fd)
{
	struct search *search = context;
	struct rs_elf_file file;
	bool opened = rs_elf_file_open_as(&file, search->object->path, search->object->uid), done;
	if (opened && rs_elf_file_is(&file, search->object)) {
		rs_elf_file_find_debug(&file);
		done = tell(search, &file, RS_NAMES_FOUND, false, fd) &&
		       tell(search, &file, RS_NAMES_FOUND, true, fd);
	} else {
		done = tell(search, NULL, opened ? RS_NAMES_REPLACED : RS_NAMES_MISSING, false, fd);
	}
	rs_elf_file_close(&file);
	return done;
}

/* Receive messages in the calling process. A malicious file may have taken over the other process,
 * so check everything. */
static bool take(const void *bytes, size_t n, void *context)
{
	struct search *search = context;
	const char *from = bytes;
	while (n > 0) {
		size_t missing = sizeof(search->message) - search->message_bytes;
		size_t part = missing < n ? missing : n;
		memcpy((char *)&search->message + search->message_bytes, from, part);
		search->message_bytes += part;
		from += part;
		n -= part;
		if (search->message_bytes < sizeof(search->message))
			break;
		search->message_bytes = 0;
		struct rs_names_answer *answer = &search->message.answer;
		uint64_t place = search->message.place;
		if (place >= search->n_places || answer->status > RS_NAMES_REPLACED ||
			search->places[place].key != search->object->key)
			return false;
		answer->function[sizeof(answer->function) - 1] = '\0';
		answer->file[sizeof(answer->file) - 1] = '\0';
		search->answers[place] = *answer;
	}
	return true;
}

static bool has_places(const struct search *search)
{
	for (size_t i = 0; i < search->n_places; i++)
		if (is_asked(search, i))
			return true;
	return false;
}

bool rs_names_resolve(const struct rs_names_object *objects, size_t n_objects,
	const struct rs_names_place *places, size_t n_places, struct rs_names_answer *answers,
	int most_ms)
{
	struct search search = {.places = places, .n_places = n_places, .answers = answers};
	int64_t end_ms = rs_apart_now_ms() + most_ms;
	bool done = true;
	if (n_places == 0)
		return true;
	memset(answers, 0, n_places * sizeof(*answers));
	for (size_t i = 0; i < n_objects; i++) {
		int64_t left_ms = end_ms - rs_apart_now_ms();
		search.object = &objects[i];
		search.message_bytes = 0;
		if (!has_places(&search))
			continue;
		/* Keep a quarter of the remaining time for the other files. */
		if (i + 1 < n_objects)
			left_ms = left_ms / 4 * 3;
		done &= left_ms > 0 && rs_apart(work, take, &search, (int)left_ms);
	}
	return done;
}
