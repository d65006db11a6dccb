/* SPDX-License-Identifier: MIT */
/* Tests of regions by code address: their names, and the keys of objects. */
#include <criterion/criterion.h>

#include <string.h>

#include "segment/objects.h"

static char name[RS_NAME_BYTES];
static struct rs_place place;

Test(objects, names_hold_what_was_written)
{
	static const uint64_t numbers[] = {0, 1, 0x1159, UINT64_C(0x8000000000000000), UINT64_MAX,
		UINT64_C(0x0123456789abcdef)};
	static const char *const kinds[] = {"", "parallel", "a kind of several words",
		"123456789012345678901234567890123456789012345678901234567890123"};
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (size_t i = 0; i < 36; i++) {
			rs_place_write(name, kinds[k], numbers[i / 6], numbers[i % 6]);
			cr_assert_lt(strlen(name), RS_NAME_BYTES);
			cr_assert(rs_place_read(name, &place));
			cr_assert_str_eq(place.kind, kinds[k]);
			cr_assert_eq(place.key, numbers[i / 6]);
			cr_assert_eq(place.offset, numbers[i % 6]);
		}
}

Test(objects, a_name_as_it_is_written)
{
	rs_place_write(name, "loop", 0xabc, 0x1234);
	cr_assert_str_eq(name, "\001loop\0010000000000000abc0000000000001234");
}

Test(objects, too_long_a_kind_loses_its_end)
{
	char kind[200];
	memset(kind, 'k', sizeof(kind) - 1);
	kind[sizeof(kind) - 1] = '\0';
	rs_place_write(name, kind, 1, 2);
	cr_assert(rs_place_read(name, &place));
	cr_assert_eq(strlen(place.kind), RS_PLACE_KIND_BYTES - 1);
	cr_assert_eq(place.offset, 2);
	rs_place_write(name, "a\001b", 1, 2);
	cr_assert(rs_place_read(name, &place));
	cr_assert_str_eq(place.kind, "a");
}

Test(objects, what_is_no_such_name)
{
	static const char *const names[] = {"", "main", "\001", "\001\001", "\001parallel",
		"\001\0010000000000000abc000000000000123",
		"\001\0010000000000000abc00000000000012345",
		"\001\0010000000000000abC0000000000001234",
		"\001\001000000000000 abc0000000000001234", "\0010000000000000abc0000000000001234",
		("\0011234567890123456789012345678901234567890123456789012345678901234567890\001"
		 "0000000000000abc0000000000001234")};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		cr_assert_not(rs_place_read(names[i], &place), "%zu", i);
}

Test(objects, keys_are_of_all_that_an_object_is_known_by)
{
	const uint8_t id[20] = {1, 2, 3}, other[20] = {1, 2, 4};
	uint64_t keys[] = {rs_object_key_of_id(id, 20), rs_object_key_of_id(other, 20),
		rs_object_key_of_id(id, 19), rs_object_key_of_file("/a", 2, 5, 6),
		rs_object_key_of_file("/b", 2, 5, 6), rs_object_key_of_file("/a", 2, 4, 6),
		rs_object_key_of_file("/a", 2, 5, 7)};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		for (size_t k = 0; k < i; k++)
			cr_assert_neq(keys[i], keys[k]);
	cr_assert_eq(rs_object_key_of_id(id, 20), keys[0]);
	cr_assert_neq(rs_place_hash(1, 2), rs_place_hash(2, 1));
}
