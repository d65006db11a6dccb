/* SPDX-License-Identifier: MIT */
/*
 * Regions that are code addresses, and the segment's table of objects (programs and libraries).
 * Some adapters know only a code address. The region's name then encodes an object and an address
 * in it. The launcher finds the function's name after the run (lib/names).
 *
 * The rules of segment/layout.h apply: any process appends, and the launcher reads. A wrong entry
 * can at worst keep a name from being found.
 *
 * An object's key identifies it. The key is a hash of its build-id or, if it has no build-id, of
 * its file's path, size and time. An address is the one in the file, before relocation. So key and
 * address are the same in all processes of a program. Two processes that add an object at the same
 * time create two entries; either can be used.
 *
 * The region's name is RS_PLACE_FIRST, a text to show before the function's name ("" for a plain
 * function), and RS_PLACE_FIRST again. The key and the address follow, with 16 hexadecimal digits
 * each. A program may give such a name to its own region. So a name is an address only if the
 * region has the flag RS_REGION_IS_ADDRESS.
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
#define RS_MAX_CHOSEN 65536u /* how many functions --functions can select */
#define RS_BUILD_ID_BYTES 32u /* a longer build-id is cut here, but the key hashes all its bytes */
#define RS_OBJECT_PATH_BYTES 896u /* longest path, with its NUL */

#define RS_PLACE_FIRST '\001'
#define RS_PLACE_KIND_BYTES 64u /* longest text before the name, with its NUL */
#define RS_PLACE_DIGITS 16u

enum rs_object_state { RS_OBJECT_EMPTY = 0, RS_OBJECT_READY = 1 };

struct rs_code_object {
	_Atomic uint32_t state; /* enum rs_object_state */
	uint32_t build_id_bytes; /* full length, can exceed RS_BUILD_ID_BYTES; 0: no build-id */
	uint64_t key;
	uint64_t file_bytes; /* file_bytes and modified_ns are 0 if stat(2) failed */
	uint64_t modified_ns; /* time since 1970 */
	uint8_t build_id[RS_BUILD_ID_BYTES];
	/* effective user of the process that added the object, in its user namespace */
	uint32_t uid;
	uint32_t reserved_half;
	uint64_t reserved[7];
	char path[RS_OBJECT_PATH_BYTES]; /* the path in the process; "" if it is too long */
};
static_assert(sizeof(struct rs_code_object) == 1024, "ABI");

/* The table of objects, at RS_OBJECTS_OFFSET. */
struct rs_objects {
	/* how many entries were taken so far; never decreases, and can exceed the capacity */
	_Atomic uint32_t n_objects;
	/* 0: all functions are selected. Otherwise 1 + the number of hashes at RS_CHOSEN_OFFSET:
	 * rs_place_hash() of each function that --functions selected, in ascending order. The
	 * launcher writes the number and the hashes before the program starts. */
	uint32_t n_chosen;
	uint64_t reserved[127];
	struct rs_code_object objects[RS_MAX_OBJECTS];
};
static_assert(offsetof(struct rs_objects, objects) == 1024, "ABI");

/* Add n bytes to a 64-bit FNV-1a hash, and return the new hash. A hash starts as RS_KEY_START. */
#define RS_KEY_START UINT64_C(0xcbf29ce484222325)
static inline uint64_t rs_key_add(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *byte = bytes;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Return the key of an object: by its build-id, or by its file if it has no build-id. */
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

/* Return the hash of a code address in an object. */
static inline uint64_t rs_place_hash(uint64_t key, uint64_t address)
{
	uint64_t hash = (key ^ address * UINT64_C(0x9e3779b97f4a7c15)) *
			UINT64_C(0xff51afd7ed558ccd);
	return hash ^ hash >> 32;
}

/* A code address, decoded from a region's name. */
struct rs_place {
	char kind[RS_PLACE_KIND_BYTES];
	uint64_t key;
	uint64_t offset; /* the address before relocation */
};

/* Fill name[RS_NAME_BYTES] with the region's name for a code address. kind, the text before the
 * function's name, is cut if it is too long. */
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

/* Decode a name, which must end with NUL. Return false if it is not the name of a code address. */
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
