/* SPDX-License-Identifier: MIT */
/* Tests of names of code addresses: those of this program, of files that are not ELF, and of
 * damaged files. */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/directory.h"
#include "base/write.h"
#include "names/apart.h"
#include "names/elf_file.h"
#include "names/names.h"
#include "stats/random.h"

#define MOST_MS 60000

int names_test_known_function(int n);

enum { KNOWN_LINE = __LINE__ + 1 };
__attribute__((noinline)) int names_test_known_function(int n)
{
	return n + 1;
}

static struct rs_names_object object;
static struct rs_names_place place;
static struct rs_names_answer answer;

/* Make an object of this program, and a code address of one of its functions. */
static void start(void)
{
	struct link_map *map = NULL;
	struct rs_elf_file file;
	Dl_info info;
	void *address = NULL;
	int (*function)(int) = names_test_known_function;
	memcpy(&address, &function, sizeof(address));
	cr_assert_neq(dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP), 0);
	memset(&object, 0, sizeof(object));
	cr_assert_gt(readlink("/proc/self/exe", object.path, sizeof(object.path) - 1), 0);
	cr_assert(rs_elf_file_open(&file, object.path));
	object.build_id_bytes = (uint32_t)file.build_id_bytes;
	if (file.build_id_bytes > 0)
		memcpy(object.build_id, file.build_id, file.build_id_bytes);
	object.file_bytes = file.file_bytes;
	object.modified_ns = file.modified_ns;
	object.key = rs_elf_file_key(&file);
	rs_elf_file_close(&file);
	place = (struct rs_names_place){object.key, (uintptr_t)address - map->l_addr, false};
	directory_init();
}

TestSuite(names, .init = start, .fini = directory_finish, .timeout = 300);

static bool find(void)
{
	return rs_names_resolve(&object, 1, &place, 1, &answer, MOST_MS);
}

Test(names, function_and_line)
{
	cr_assert(find());
	cr_assert_eq(answer.status, RS_NAMES_FOUND);
	cr_assert_str_eq(answer.function, "names_test_known_function");
	cr_assert(answer.line == KNOWN_LINE || answer.line == KNOWN_LINE + 1, "%u", answer.line);
	cr_assert(strstr(answer.file, "names_test.c"), "%s", answer.file);
	cr_assert_eq(answer.distance, 0);
}

/* An address within a function gets its name and its distance from the start. A return address gets
 * the same. */
Test(names, places_within_a_function)
{
	place.offset += 2;
	for (int is_return = 0; is_return < 2; is_return++) {
		place.is_return = is_return;
		cr_assert(find());
		cr_assert_str_eq(answer.function, "names_test_known_function");
		cr_assert_eq(answer.distance, 2);
	}
}

Test(names, where_no_function_is)
{
	place.offset = UINT64_MAX;
	cr_assert(find());
	cr_assert_eq(answer.status, RS_NAMES_NO_SYMBOL);
	place.offset = 0;
	place.is_return = true;
	cr_assert(find());
	cr_assert_eq(answer.status, RS_NAMES_NO_SYMBOL);
}

Test(names, what_is_returned_to_belongs_to_the_call)
{
	place.is_return = true; /* the byte before the function belongs to another one */
	cr_assert(find());
	cr_assert(answer.status != RS_NAMES_FOUND ||
		  strcmp(answer.function, "names_test_known_function") != 0);
	place.offset++;
	cr_assert(find());
	cr_assert_str_eq(answer.function, "names_test_known_function");
}

Test(names, objects_that_nobody_told_of)
{
	place.key++;
	cr_assert(find());
	cr_assert_eq(answer.status, RS_NAMES_UNKNOWN);
	cr_assert(rs_names_resolve(NULL, 0, &place, 1, &answer, MOST_MS));
	cr_assert_eq(answer.status, RS_NAMES_UNKNOWN);
	cr_assert(rs_names_resolve(NULL, 0, NULL, 0, NULL, MOST_MS));
}

Test(names, of_two_files_the_one_that_is_there)
{
	struct rs_names_object objects[2] = {object, object};
	strcpy(objects[0].path, "/nonexistent/program");
	cr_assert(rs_names_resolve(objects, 2, &place, 1, &answer, MOST_MS));
	cr_assert_eq(answer.status, RS_NAMES_FOUND);
	cr_assert(rs_names_resolve(objects, 1, &place, 1, &answer, MOST_MS));
	cr_assert_eq(answer.status, RS_NAMES_MISSING);
}

/* An address that is not found in time stays unknown. */
Test(names, no_time)
{
	cr_assert_not(rs_names_resolve(&object, 1, &place, 1, &answer, 0));
	cr_assert_eq(answer.status, RS_NAMES_UNKNOWN);
	cr_assert_str_eq(answer.function, "");
}

/* Each address is answered by its own object. */
Test(names, one_file_after_another)
{
	struct rs_names_object objects[3] = {object, object, object};
	struct rs_names_place places[2] = {place, place};
	struct rs_names_answer answers[2];
	strcpy(objects[0].path, "/dev/zero");
	objects[0].key = places[0].key = ~object.key;
	cr_assert(rs_names_resolve(objects, 3, places, 2, answers, MOST_MS));
	cr_assert_eq(answers[0].status, RS_NAMES_MISSING);
	cr_assert_eq(answers[1].status, RS_NAMES_FOUND);
	cr_assert_gt(answers[1].line, 0);
}

Test(names, another_file_is_not_believed)
{
	object.file_bytes++;
	if (object.build_id_bytes > 0)
		object.build_id[0] ^= 1;
	cr_assert(find());
	cr_assert_eq(answer.status, RS_NAMES_REPLACED);
}

/* Opening these must neither wait nor have effects. */
Test(names, what_is_no_file)
{
	static const char *const paths[] = {
		"", "/", "/dev/zero", "/dev/tty", "/proc/self/maps", "/nonexistent", "relative"};
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		strcpy(object.path, paths[i]);
		cr_assert(find());
		cr_assert_eq(answer.status, RS_NAMES_MISSING, "%s", paths[i]);
	}
	strcpy(object.path, directory_path("fifo"));
	cr_assert_eq(mkfifo(object.path, 0600), 0);
	cr_assert(find());
	cr_assert_eq(answer.status, RS_NAMES_MISSING);
}

/* Read this program's bytes, and change the type of its build-id note. Otherwise the build-id would
 * identify a damaged copy. */
static char *read_program(size_t n)
{
	char *bytes = calloc(1, n);
	FILE *stream = fopen(object.path, "rb");
	cr_assert(bytes && stream);
	cr_assert_eq(fread(bytes, 1, n, stream), n);
	fclose(stream);
	if (object.build_id_bytes > 0) {
		char *id = memmem(bytes, n, object.build_id, object.build_id_bytes);
		cr_assert(id && id - bytes > 16);
		id[-8] = 99; /* namesz, descsz, type and "GNU" precede the build-id */
	}
	return bytes;
}

/* Copies of this program with bytes overwritten or cut off. The search must end, and its answers
 * must be valid texts. The first copy is not damaged. */
Test(names, damaged_files)
{
	const size_t whole = object.file_bytes;
	char *bytes = read_program(whole), *copy = calloc(1, whole);
	uint64_t random = 42;
	cr_assert(copy);
	object.build_id_bytes = 0;
	for (int round = 0; round < 60; round++) {
		struct stat status;
		size_t n = whole;
		memcpy(copy, bytes, n);
		for (int i = 0; round > 0 && i < 1 << round % 10; i++) {
			random = random_next(&random);
			/* Damage headers and tables at both ends more often than the middle. */
			size_t reach = round % 3 == 0 ? 1024 : round % 3 == 1 ? 1 << 15 : n;
			size_t at = (size_t)(random >> 20) % (reach < n ? reach : n);
			copy[i % 2 ? n - 1 - at : at] = (char)(random >> 56);
		}
		if (round % 5 == 4)
			n = (size_t)(random >> 16) % n;
		strcpy(object.path, directory_write("damaged", copy, n));
		cr_assert_eq(stat(object.path, &status), 0);
		object.file_bytes = (uint64_t)status.st_size;
		object.modified_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 +
				     (uint64_t)status.st_mtim.tv_nsec;
		find();
		cr_assert(round > 0 || answer.status == RS_NAMES_FOUND);
		cr_assert_leq(answer.status, RS_NAMES_REPLACED);
		cr_assert_lt(
			strnlen(answer.function, sizeof(answer.function)), sizeof(answer.function));
		cr_assert_lt(strnlen(answer.file, sizeof(answer.file)), sizeof(answer.file));
	}
	free(bytes);
	free(copy);
}

Test(names, demangled)
{
	char text[64];
	rs_demangle("plain", text, sizeof(text));
	cr_assert_str_eq(text, "plain");
	if (!dlopen("libstdc++.so.6", RTLD_LAZY) && !dlopen("libc++abi.so.1", RTLD_LAZY))
		cr_skip_test("there is no C++ library that demangles");
	rs_demangle("_ZN4some4nameEi", text, sizeof(text));
	cr_assert_str_eq(text, "some::name(int)");
	rs_demangle("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", text, sizeof(text));
	cr_assert_str_eq(text, "core::fmt::Formatter::pad");
	rs_demangle("_Zgarbage", text, sizeof(text));
	cr_assert_str_eq(text, "_Zgarbage");
	rs_demangle("_ZN4some4nameEi", text, 8);
	cr_assert_str_eq(text, "some::n");
}

/* ---- choosing functions ---- */

/* An empty part of PATH is the current directory. */
Test(names, chosen_of_a_program_in_this_directory)
{
	char *slash = strrchr(object.path, '/');
	const char *words[] = {slash + 1, NULL};
	const char *globs[] = {"names_test_known_*"};
	uint64_t *hashes = NULL;
	size_t n = 0, unmatched;
	struct rs_err err;
	*slash = '\0';
	cr_assert_eq(chdir(object.path), 0);
	setenv("PATH", "/nonexistent::/usr/bin:/bin", 1);
	cr_assert(rs_names_choose(words, globs, 1, &hashes, &n, &unmatched, &err), "%s", err.text);
	cr_assert_eq(n, 1);
	free(hashes);
}

/* ---- the separate process ---- */

static size_t n_taken;

static bool take(const void *bytes, size_t n, void *context)
{
	(void)bytes, (void)context;
	n_taken += n;
	return true;
}

static bool dies(void *context, int fd)
{
	(void)context;
	rs_write_all(fd, "12345", 5);
	return raise(SIGKILL) != 0;
}

static bool hangs(void *context, int fd)
{
	(void)context;
	rs_write_all(fd, "123", 3);
	while (pause() != 0)
		;
	return true;
}

static bool never_ends(void *context, int fd)
{
	(void)context;
	while (rs_write_all(fd, "1234567", 7) == 0)
		;
	return true;
}

static bool gives_up(void *context, int fd)
{
	(void)context, (void)fd;
	return false;
}

static bool refuse(const void *bytes, size_t n, void *context)
{
	(void)bytes, (void)n, (void)context;
	return false;
}

Test(names, work_that_dies_hangs_or_never_ends)
{
	cr_assert_not(rs_apart(dies, take, NULL, MOST_MS));
	cr_assert_eq(n_taken, 5);
	cr_assert_not(rs_apart(hangs, take, NULL, 300));
	cr_assert_eq(n_taken, 8);
	cr_assert_not(rs_apart(never_ends, take, NULL, 300));
	cr_assert_not(rs_apart(never_ends, refuse, NULL, MOST_MS));
	cr_assert_not(rs_apart(gives_up, take, NULL, MOST_MS));
}
