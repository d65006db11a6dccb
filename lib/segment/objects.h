/* SPDX-License-Identifier: MIT */
/*
 * Regions by address, as they lie in the segment. An adapter may know a region only by a place in
 * the program's code. The region's name then says in which object (program or library) that place
 * is, and where. The launcher finds the function's name after the run (lib/names). Beside the names
 * lies a table of these objects. The rules of segment/layout.h apply: any process appends, the
 * launcher reads; the worst that a wrong entry does is that a name is not found.
 *
 * An object is known by its key, which is a hash of its build-id, or else of its file's path, size
 * and time. A place in it is known by its address as it was linked. So both are the same in every
 * process of a program, wherever it loads the object, also from another path. Two processes that
 * add an object at the same time leave two entries, and either can be used.
 *
 * The name is RS_PLACE_FIRST, the text before the found name ("" for a function), RS_PLACE_FIRST,
 * the key and the address, 16 hexadecimal digits each. It is an address only where the region has
 * RS_REGION_IS_ADDRESS: a program may give its own regions any name.
 */
#ifndef RS_SEGMENT_OBJECTS_H
#define RS_SEGMENT_OBJECTS_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segment/layout.h"

#define RS_OBJECTS_OFFSET UINT64_C(0x100000)
#define RS_CHOSEN_OFFSET UINT64_C(0x180000)
#define RS_MAX_OBJECTS 511u
#define RS_MAX_CHOSEN 65536u /* functions that --functions can name */
#define RS_BUILD_ID_BYTES 32u /* more of one goes into the key alone */
#define RS_OBJECT_PATH_BYTES 896u /* with its NUL */

#define RS_PLACE_FIRST '\001'
#define RS_PLACE_KIND_BYTES 64u /* of the text before the name, with its NUL */
#define RS_PLACE_DIGITS 16u

enum rs_object_state { RS_OBJECT_EMPTY = 0, RS_OBJECT_READY = 1 };

struct rs_code_object {
	_Atomic uint32_t state; /* enum rs_object_state */
	uint32_t build_id_bytes; /* all of it, which may be more than is kept; 0: it has none */
	uint64_t key;
	uint64_t file_bytes; /* these two 0 where the file could not be looked at */
	uint64_t modified_ns; /* since 1970 */
	uint8_t build_id[RS_BUILD_ID_BYTES];
	uint32_t uid; /* effective user of the process that added it, as the process sees itself */
	uint32_t reserved_half;
	uint64_t reserved[7];
	char path[RS_OBJECT_PATH_BYTES]; /* as the process has it; "": it is longer */
};
static_assert(sizeof(struct rs_code_object) == 1024, "ABI");

/* At RS_OBJECTS_OFFSET. */
struct rs_objects {
	_Atomic uint32_t n_objects; /* taken; may run past the capacity, never back */
	/* 1 + how many numbers lie at RS_CHOSEN_OFFSET, ascending: rs_place_hash() of the functions
	 * that are wanted; 0: all are. The launcher writes both before the program starts. */
	uint32_t n_chosen;
	uint64_t reserved[127];
	struct rs_code_object objects[RS_MAX_OBJECTS];
};
static_assert(offsetof(struct rs_objects, objects) == 1024, "ABI");

/* FNV-1a with 64 bits, which goes on from hash; and where it starts. */
#define RS_KEY_START UINT64_C(0xcbf29ce484222325)
static inline uint64_t rs_key_add(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *byte = bytes;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Of an object: with a build-id, or without. */
static inline uint64_t rs_object_key_of_id(const uint8_t *build_id, size_t n)
{
	return rs_key_add(RS_KEY_START, build_id, n);
}
static inline uint64_t rs_object_key_of_file(
	const char *path, size_t path_bytes, uint64_t file_bytes, uint64_t modified_ns)
{
	uint64_t hash = rs_key_add(RS_KEY_START, "file", 5);
	hash = rs_key_add(hash, path, path_bytes);
	hash = rs_key_add(hash, &file_bytes, sizeof(file_bytes));
	return rs_key_add(hash, &modified_ns, sizeof(modified_ns));
}

/* Of a place in an object. */
static inline uint64_t rs_place_hash(uint64_t key, uint64_t address)
{
	uint64_t hash = (key ^ address * UINT64_C(0x9e3779b97f4a7c15)) *
			UINT64_C(0xff51afd7ed558ccd);
	return hash ^ hash >> 32;
}

/* A place in the code, as a name has it. */
struct rs_place {
	char kind[RS_PLACE_KIND_BYTES];
	uint64_t key;
	uint64_t offset; /* the address as linked */
};

/* The name of a place: name[RS_NAME_BYTES]. kind: cut where it is too long. */
static inline void rs_place_write(char *name, const char *kind, uint64_t key, uint64_t offset)
{
	const uint64_t numbers[] = {key, offset};
	*name++ = RS_PLACE_FIRST;
	for (size_t i = 0; i < RS_PLACE_KIND_BYTES - 1 && kind[i] && kind[i] != RS_PLACE_FIRST; i++)
		*name++ = kind[i];
	*name++ = RS_PLACE_FIRST;
	for (size_t n = 0; n < 2; n++)
		for (int shift = 60; shift >= 0; shift -= 4)
			*name++ = "0123456789abcdef"[numbers[n] >> shift & 15];
	*name = '\0';
}

/* The place that a name says; false: it says none. name: NUL-terminated. */
static inline bool rs_place_read(const char *name, struct rs_place *place)
{
	uint64_t numbers[2] = {0, 0};
	size_t bytes = 0;
	if (*name++ != RS_PLACE_FIRST)
		return false;
	for (; *name && *name != RS_PLACE_FIRST; name++) {
		if (bytes == RS_PLACE_KIND_BYTES - 1)
			return false;
		place->kind[bytes++] = *name;
	}
	place->kind[bytes] = '\0';
	if (*name++ != RS_PLACE_FIRST)
		return false;
	for (size_t i = 0; i < 2 * RS_PLACE_DIGITS; i++, name++) {
		uint64_t digit = 16;
		if (*name >= '0' && *name <= '9')
			digit = (uint64_t)(*name - '0');
		else if (*name >= 'a' && *name <= 'f')
			digit = (uint64_t)(*name - 'a') + 10;
		if (digit > 15)
			return false;
		numbers[i / RS_PLACE_DIGITS] = numbers[i / RS_PLACE_DIGITS] << 4 | digit;
	}
	place->key = numbers[0];
	place->offset = numbers[1];
	return *name == '\0';
}

static_assert(2 + RS_PLACE_KIND_BYTES - 1 + 2 * RS_PLACE_DIGITS < RS_NAME_BYTES, "names fit");
static_assert(RS_REGIONS_OFFSET + RS_MAX_REGIONS * sizeof(struct rs_region) <= RS_OBJECTS_OFFSET,
	"regions fit");
static_assert(RS_OBJECTS_OFFSET + sizeof(struct rs_objects) <= RS_CHOSEN_OFFSET, "objects fit");
static_assert(
	RS_CHOSEN_OFFSET + RS_MAX_CHOSEN * sizeof(uint64_t) <= RS_PROCESSES_OFFSET, "chosen fit");

#endif
