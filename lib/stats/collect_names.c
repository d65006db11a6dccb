/* SPDX-License-Identifier: MIT */
/*
 * This file gives names to regions that the program identifies by an address (segment/objects.h).
 * It reads the list of the program's objects (executable and libraries) from the segment, and
 * lib/names finds the names of the addresses in these objects. Each region gets a unique name. An
 * address without a name is named after its object: libz.so.1+0x3a40. An address in a function
 * without line information is named after the function: main+0x5f.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/template_name.h"
#include "base/text.h"
#include "names/names.h"
#include "stats/collector.h"

/* Time limit of the search for names: a report must not wait forever. */
#define MOST_MS 20000
/* Size in bytes, with the NUL, of the longest suffix that distinguishes two regions of the same
 * name. */
#define SUFFIX_BYTES 64u

struct place {
	struct rs_run_region *region;
	struct rs_place place;
	/* the first object (program or library) with the same key as the address; NULL: there is
	 * none */
	const struct rs_names_object *object;
	const struct rs_names_answer *answer;
	char name[RS_NAMES_FUNCTION_BYTES + RS_PLACE_KIND_BYTES + RS_NAMES_FILE_BYTES];
	char suffix[SUFFIX_BYTES];
};

struct names {
	struct rs_names_object *objects;
	size_t n_objects;
	struct place *places;
	size_t n_places;
	struct rs_names_place *wanted;
	struct rs_names_answer *answers;
};

static bool read_object(
	struct rs_collector *collector, uint32_t index, struct rs_names_object *copy)
{
	struct rs_code_object object;
	uint64_t offset = RS_OBJECTS_OFFSET + offsetof(struct rs_objects, objects) +
			  (uint64_t)index * sizeof(object);
	if (!rs_segment_reader_read(&collector->reader, offset, &object, sizeof(object)))
		return rs_run_damage(collector->out, "object %u cannot be read", index);
	uint32_t state = object.state;
	if (state == RS_OBJECT_EMPTY)
		return false;
	if (state != RS_OBJECT_READY ||
		strnlen(object.path, sizeof(object.path)) == sizeof(object.path))
		return rs_run_damage(collector->out, "object %u makes no sense", index);
	*copy = (struct rs_names_object){.key = object.key,
		.build_id_bytes = object.build_id_bytes,
		.file_bytes = object.file_bytes,
		.modified_ns = object.modified_ns,
		.uid = object.uid};
	memcpy(copy->build_id, object.build_id, sizeof(copy->build_id));
	memcpy(copy->path, object.path, sizeof(copy->path));
	return true;
}

static void read_objects(struct rs_collector *collector, struct names *names)
{
	_Atomic uint32_t n_objects;
	uint32_t n = 0;
	if (rs_segment_reader_read(
		    &collector->reader, RS_OBJECTS_OFFSET, &n_objects, sizeof(n_objects)))
		n = n_objects;
	n = n < RS_MAX_OBJECTS ? n : RS_MAX_OBJECTS;
	names->objects = rs_arena_array(&collector->scratch, n, sizeof(*names->objects));
	for (uint32_t i = 0; i < n; i++)
		if (read_object(collector, i, &names->objects[names->n_objects]))
			names->n_objects++;
}

static const struct rs_names_object *find_object(const struct names *names, uint64_t key)
{
	for (size_t i = 0; i < names->n_objects; i++)
		if (names->objects[i].key == key)
			return &names->objects[i];
	return NULL;
}

static bool needs_name(const struct rs_run_region *region)
{
	return region->ready && region->flags & RS_REGION_IS_ADDRESS;
}

static void find_places(struct rs_collector *collector, struct names *names)
{
	struct rs_run *out = collector->out;
	struct rs_arena *scratch = &collector->scratch;
	names->places = rs_arena_array(scratch, out->n_regions, sizeof(*names->places));
	names->wanted = rs_arena_array(scratch, out->n_regions, sizeof(*names->wanted));
	names->answers = rs_arena_array(scratch, out->n_regions, sizeof(*names->answers));
	for (size_t i = 0; i < out->n_regions; i++) {
		struct rs_run_region *region = &out->regions[i];
		struct place *place = &names->places[names->n_places];
		if (!needs_name(region) || !rs_place_read(region->name, &place->place))
			continue;
		place->region = region;
		place->object = find_object(names, place->place.key);
		place->answer = &names->answers[names->n_places];
		names->wanted[names->n_places++] = (struct rs_names_place){
			place->place.key, place->place.offset, place->place.kind[0] != '\0'};
	}
}

static const char *object_of(const struct place *place)
{
	bool is_known = place->object && place->object->path[0];
	return is_known ? rs_text_file_name(place->object->path) : "(unknown file)";
}

/* Write the source line as "a.c:12", or "" if it is unknown. */
static void write_line(const struct place *place, char *text, size_t bytes)
{
	text[0] = '\0';
	if (place->answer->line > 0)
		snprintf(text, bytes, "%s:%u", rs_text_file_name(place->answer->file),
			place->answer->line);
}

/* Shorten the C++ name whole[bytes] by removing template arguments. Write it to text, in at most
 * room bytes and without a NUL. Return the length of the text, or 0 if it is still too long. */
static size_t leave_out_arguments(char *text, size_t room, const char *whole, size_t bytes)
{
	char name[RS_NAMES_FUNCTION_BYTES], shorter[2 * RS_NAMES_FUNCTION_BYTES + 8];
	snprintf(name, sizeof(name), "%.*s", (int)bytes, whole);
	if (bytes >= sizeof(name) ||
		!rs_template_name(shorter, sizeof(shorter), name, room, false) ||
		strlen(shorter) > room)
		return 0;
	size_t n = strlen(shorter);
	memcpy(text, shorter, n);
	return n;
}

/* Write the name whole[bytes] to text, in at most room bytes and without a NUL. room must be at
 * least 10. If the name is too long, remove its template arguments, or cut off its end as the
 * runtime does. Then append '~' and a hash of the whole name. Return the length of the text. */
static size_t shorten(char *text, size_t room, const char *whole, size_t bytes)
{
	size_t head = bytes <= room ? bytes : room - 9;
	size_t n = bytes > room ? leave_out_arguments(text, head, whole, bytes) : 0;
	while (head < bytes && head > 0 && ((unsigned char)whole[head] & 0xc0) == 0x80)
		head--;
	if (n == 0)
		memcpy(text, whole, n = head);
	if (n == bytes)
		return bytes;
	char hash[10];
	snprintf(hash, sizeof(hash), "~%08x", rs_name_hash(whole, (uint32_t)bytes));
	memcpy(text + n, hash, 9);
	return n + 9;
}

/* Write the name of a construct, "parallel F (a.c:12)". The line distinguishes the constructs of
 * one function, so shorten the function's name until there is space for the line. */
static void write_construct(
	struct place *place, const char *function, size_t bytes, const char *line)
{
	char shortened[RS_NAMES_FUNCTION_BYTES];
	const char *kind = place->place.kind;
	size_t others = strlen(kind) + strlen(line) + strlen("  ()");
	if (others + 32 < RS_NAME_BYTES)
		bytes = shorten(shortened, RS_NAME_BYTES - 1 - others, function, bytes);
	else
		memcpy(shortened, function, bytes);
	snprintf(place->name, sizeof(place->name), "%s%s%.*s (%s)", kind, bytes > 0 ? " " : "",
		(int)bytes, shortened, line);
}

/* Write the name of an address. The name of a function is used as it is. A construct, such as a
 * parallel loop, is a part of a function, so its name also contains its kind and its line.
 * Compilers move the body of a construct into a function of its own; the suffix that they generate
 * for its name is removed. */
static void write_name(struct place *place)
{
	const struct rs_names_answer *answer = place->answer;
	const char *kind = place->place.kind;
	char line[RS_NAMES_FILE_BYTES + 16];
	int bytes = snprintf(place->name, sizeof(place->name), "%s", kind);
	char *end = place->name + bytes;
	size_t room = sizeof(place->name) - (size_t)bytes;
	const char *space = kind[0] ? " " : "";
	write_line(place, line, sizeof(line));
	const char *outlined = kind[0] ? strstr(answer->function, ".omp_outlined") : NULL;
	if (kind[0] && !outlined) /* the suffix of gcc */
		outlined = strstr(answer->function, "._omp_fn");
	size_t whole = outlined ? (size_t)(outlined - answer->function) : strlen(answer->function);
	if (answer->status != RS_NAMES_FOUND)
		snprintf(end, room, "%s%s+0x%llx", space, object_of(place),
			(unsigned long long)place->place.offset);
	else if (!kind[0])
		snprintf(end, room, "%s", answer->function);
	else if (!line[0])
		snprintf(end, room, " %s+0x%llx", answer->function,
			(unsigned long long)answer->distance);
	else
		write_construct(place, answer->function, whole, line);
}

/* Set the region's name to place->name followed by place->suffix. If both together are too long,
 * shorten place->name. */
static void set_name(struct place *place)
{
	char *name = place->region->name;
	size_t bytes = strlen(place->name), behind = strlen(place->suffix);
	bytes = shorten(name, RS_NAME_BYTES - 1 - behind, place->name, bytes);
	memcpy(name + bytes, place->suffix, behind + 1);
}

static int compare(const void *left, const void *right)
{
	const struct rs_run_region *const *a = left, *const *b = right;
	return strcmp((*a)->name, (*b)->name);
}

/* Suffixes that distinguish regions of the same name. They are tried in this order: line, object,
 * address, and finally the address with the key of the object. */
enum apart { APART_LINE, APART_OBJECT, APART_ADDRESS, APART_KEY, APART_N };
#define SUFFIX_TEXT_BYTES 56u /* maximum length of a source line or an object name in a suffix */

static void write_suffix(struct place *place, enum apart apart)
{
	char line[RS_NAMES_FILE_BYTES + 16];
	write_line(place, line, sizeof(line));
	if (apart == APART_KEY)
		snprintf(place->suffix, sizeof(place->suffix), " (%.16s+0x%llx of %016llx)",
			object_of(place), (unsigned long long)place->place.offset,
			(unsigned long long)place->place.key);
	else if (apart == APART_ADDRESS)
		snprintf(place->suffix, sizeof(place->suffix), " (%.24s+0x%llx)", object_of(place),
			(unsigned long long)place->place.offset);
	else
		snprintf(place->suffix, sizeof(place->suffix), " (%.*s)", (int)SUFFIX_TEXT_BYTES,
			apart == APART_OBJECT || !line[0] || strlen(line) > SUFFIX_TEXT_BYTES
				? object_of(place)
				: line);
}

/* Append a suffix to the name of each address if another region has the same name. sorted: scratch
 * memory with an element for each region. */
static void make_unique(const struct rs_run *out, struct names *names,
	const struct rs_run_region **sorted, enum apart apart)
{
	size_t n = 0;
	for (size_t i = 0; i < out->n_regions; i++)
		if (out->regions[i].ready)
			sorted[n++] = &out->regions[i];
	qsort(sorted, n, sizeof(*sorted), compare);
	for (size_t i = 0; i < names->n_places; i++)
		names->places[i].suffix[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		bool is_shared = (i > 0 && strcmp(sorted[i]->name, sorted[i - 1]->name) == 0) ||
				 (i + 1 < n && strcmp(sorted[i]->name, sorted[i + 1]->name) == 0);
		for (size_t p = 0; is_shared && p < names->n_places; p++)
			if (names->places[p].region == sorted[i])
				write_suffix(&names->places[p], apart);
	}
	for (size_t i = 0; i < names->n_places; i++)
		if (names->places[i].suffix[0])
			set_name(&names->places[i]);
}

static void keep_source(struct rs_arena *arena, const struct place *place)
{
	static const enum rs_region_place places[] = {
		[RS_NAMES_UNKNOWN] = RS_REGION_PLACE_UNKNOWN,
		[RS_NAMES_FOUND] = RS_REGION_PLACE_FOUND,
		[RS_NAMES_NO_SYMBOL] = RS_REGION_PLACE_NO_SYMBOL,
		[RS_NAMES_MISSING] = RS_REGION_PLACE_MISSING,
		[RS_NAMES_REPLACED] = RS_REGION_PLACE_REPLACED,
	};
	struct rs_run_region *region = place->region;
	region->place = places[place->answer->status];
	if (place->object && place->object->path[0])
		region->object = rs_arena_format(arena, "%s", place->object->path);
	if (place->answer->line > 0)
		region->source = rs_arena_format(
			arena, "%s:%u", place->answer->file, place->answer->line);
}

static void give_names(struct rs_collector *collector, struct names *names)
{
	struct rs_run *out = collector->out;
	const struct rs_run_region **sorted = rs_arena_array(
		&collector->scratch, out->n_regions, sizeof(*sorted));
	out->is_naming_cut = !rs_names_resolve(names->objects, names->n_objects, names->wanted,
		names->n_places, names->answers, MOST_MS);
	for (size_t i = 0; i < names->n_places; i++) {
		write_name(&names->places[i]);
		set_name(&names->places[i]);
		keep_source(collector->arena, &names->places[i]);
	}
	for (enum apart apart = 0; apart < APART_N; apart++)
		make_unique(out, names, sorted, apart);
}

/* Copy the names that an earlier collection of the segment found. Return false if at least one
 * region has no name in the earlier collection. */
static bool take_names(struct rs_collector *collector)
{
	struct rs_run *out = collector->out;
	const struct rs_run *earlier = out->earlier;
	for (size_t i = 0; i < out->n_regions; i++)
		if (needs_name(&out->regions[i]) &&
			(!earlier || i >= earlier->n_regions || !earlier->regions[i].ready))
			return false;
	for (size_t i = 0; i < out->n_regions; i++) {
		struct rs_run_region *region = &out->regions[i];
		if (!needs_name(region))
			continue;
		const struct rs_run_region *known = &earlier->regions[i];
		memcpy(region->name, known->name, sizeof(region->name));
		region->place = known->place;
		if (known->object)
			region->object = rs_arena_format(collector->arena, "%s", known->object);
		if (known->source)
			region->source = rs_arena_format(collector->arena, "%s", known->source);
	}
	return true;
}

void rs_collector_name_places(struct rs_collector *collector)
{
	struct names names = {0};
	if (take_names(collector))
		return;
	read_objects(collector, &names);
	find_places(collector, &names);
	if (names.n_places > 0)
		give_names(collector, &names);
}
