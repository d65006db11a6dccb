/* SPDX-License-Identifier: MIT */
/* Tests of regions by address in a segment that a program wrote: invalid addresses are reported,
 * and no region gets a wrong name. */
#include <criterion/criterion.h>

#include <string.h>

#include "fixture.h"
#include "random.h"
#include "segment/objects.h"

static const uint32_t one_group[] = {0};

static struct rs_objects *objects(void)
{
	return (void *)(builder.base + RS_OBJECTS_OFFSET);
}

static void start(void)
{
	fixture_start_segment(1, one_group, 1000);
}

TestSuite(places, .init = start, .fini = fixture_finish, .timeout = 120);

static uint32_t add_place(const char *kind, uint64_t key, uint64_t offset)
{
	char name[RS_NAME_BYTES];
	rs_place_write(name, kind, key, offset);
	uint32_t region = builder_region(&builder, name);
	builder_region_at(&builder, region)->flags |= RS_REGION_IS_ADDRESS;
	return region;
}

static struct rs_code_object *add_object(uint64_t key, const char *path)
{
	uint32_t index = atomic_fetch_add(&objects()->n_objects, 1);
	struct rs_code_object *object = &objects()->objects[index];
	object->key = key;
	strcpy(object->path, path);
	atomic_store(&object->state, RS_OBJECT_READY);
	return object;
}

static const char *name_of(uint32_t region)
{
	return collection.regions[region].name;
}

Test(places, without_a_file_object_and_address_are_the_name)
{
	add_object(7, "/nonexistent/libx.so.1");
	uint32_t known = add_place("", 7, 0x1234), unknown = add_place("", 8, 0x5);
	uint32_t kind = add_place("parallel", 7, 0x99);
	collect();
	cr_assert_str_eq(name_of(known), "libx.so.1+0x1234");
	cr_assert_str_eq(name_of(unknown), "(unknown file)+0x5");
	cr_assert_str_eq(name_of(kind), "parallel libx.so.1+0x99");
	cr_assert_eq(collection.regions[known].place, RS_REGION_PLACE_MISSING);
	cr_assert_eq(collection.regions[unknown].place, RS_REGION_PLACE_UNKNOWN);
	cr_assert_str_eq(collection.regions[known].object, "/nonexistent/libx.so.1");
	cr_assert_eq(collection.n_damaged, 0);
}

Test(places, a_name_of_the_programs_own_is_left_alone)
{
	char name[RS_NAME_BYTES];
	rs_place_write(name, "", 7, 0x1234);
	add_object(7, "/nonexistent/libx.so.1");
	uint32_t region = builder_region(&builder, name);
	collect();
	cr_assert_str_eq(name_of(region), name);
	cr_assert_eq(collection.regions[region].place, RS_REGION_PLACE_NONE);
}

Test(places, the_same_name_twice_is_distinct)
{
	add_object(7, "/nonexistent/one/libx.so");
	add_object(8, "/nonexistent/two/libx.so");
	add_object(9, "/nonexistent/liby.so");
	uint32_t a = add_place("", 7, 0x10), b = add_place("", 8, 0x10);
	uint32_t own = builder_region(&builder, "liby.so+0x10"), c = add_place("", 9, 0x10);
	collect();
	cr_assert_str_eq(name_of(own), "liby.so+0x10");
	cr_assert_str_neq(name_of(c), "liby.so+0x10");
	cr_assert_eq(strncmp(name_of(c), "liby.so+0x10 (", 14), 0);
	cr_assert_eq(strncmp(name_of(a), "libx.so+0x10", 12), 0);
	cr_assert_eq(strncmp(name_of(b), "libx.so+0x10", 12), 0);
	cr_assert_str_neq(name_of(a), name_of(b));
}

Test(places, names_that_stand_for_none)
{
	static const char *const names[] = {"\001", "main", "\001\001zz", "\001kind\001"};
	uint32_t regions[4];
	for (size_t i = 0; i < 4; i++) {
		regions[i] = builder_region(&builder, names[i]);
		builder_region_at(&builder, regions[i])->flags |= RS_REGION_IS_ADDRESS;
	}
	collect();
	for (size_t i = 0; i < 4; i++)
		cr_assert_str_eq(name_of(regions[i]), names[i]);
}

Test(places, damaged_objects_are_reported)
{
	add_place("", 7, 0x10);
	struct rs_code_object *object = add_object(7, "/nonexistent/x");
	memset(object->path, 'x', sizeof(object->path));
	atomic_store(&add_object(7, "/nonexistent/y")->state, 77);
	add_object(7, "/nonexistent/libz.so")->build_id_bytes = UINT32_MAX;
	atomic_store(&objects()->n_objects, UINT32_MAX);
	collect();
	cr_assert_eq(collection.n_damaged, 2);
	cr_assert(strstr(collection.damage, "object 0"), "%s", collection.damage);
	cr_assert_str_eq(name_of(1), "libz.so+0x10");
}

Test(places, a_long_path_and_kind_fit_a_name)
{
	char path[RS_OBJECT_PATH_BYTES];
	memset(path, 'p', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	add_object(7, path);
	uint32_t a = add_place(
		"123456789012345678901234567890123456789012345678901234567890123", 7, UINT64_MAX);
	uint32_t b = add_place("", 7, UINT64_MAX), c = add_place("", 7, UINT64_MAX - 1);
	collect();
	cr_assert_lt(strlen(name_of(a)), RS_NAME_BYTES);
	cr_assert_lt(strlen(name_of(b)), RS_NAME_BYTES);
	cr_assert_str_neq(name_of(b), name_of(c));
}

/* Objects have random bytes. Each region still has a name, and no other memory is read or
 * written. */
Test(places, objects_of_random_bytes)
{
	uint64_t random = 1;
	for (int round = 0; round < 20; round++) {
		char *bytes = (char *)objects();
		for (size_t i = 0; i < 8192; i++)
			bytes[i] = (char)random_next(&random);
		if (round % 2)
			objects()->objects[0].key = 7;
		if (round == 0)
			add_place("", 7, 0x10);
		collect();
		cr_assert_eq(strncmp(name_of(1) + strlen(name_of(1)) - 5, "+0x10", 5), 0, "%s",
			name_of(1));
	}
}
