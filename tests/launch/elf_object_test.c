/* SPDX-License-Identifier: MIT */
/* Tests of reading ELF files: texts among constants, symbols, and files that are not ELF. */
#include <criterion/criterion.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/directory.h"
#include "launch/elf_object.h"

TestSuite(elf_object, .init = directory_init, .fini = directory_finish, .timeout = 60);

#define RODATA_AT 512u

/* Write the smallest ELF file with constants; contents[n] is its .rodata. */
static const char *write_object(const char *contents, size_t n)
{
	static const char names[] = "\0.shstrtab\0.rodata.str1.8";
	char *bytes = calloc(1, RODATA_AT + n);
	Elf64_Ehdr header = {
		.e_type = ET_DYN,
#if defined(__x86_64__)
		.e_machine = EM_X86_64,
#else
		.e_machine = EM_AARCH64,
#endif
		.e_version = EV_CURRENT,
		.e_shoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 1
	};
	Elf64_Shdr sections[3] = {[1] = {.sh_name = 1,
					  .sh_type = SHT_STRTAB,
					  .sh_offset = 400,
					  .sh_size = sizeof(names)},
		[2] = {.sh_name = 11,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC,
			.sh_offset = RODATA_AT,
			.sh_size = n,
			.sh_addralign = 1}};
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	cr_assert(bytes);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), sections, sizeof(sections));
	memcpy(bytes + 400, names, sizeof(names));
	memcpy(bytes + RODATA_AT, contents, n);
	const char *path = directory_write("object", bytes, RODATA_AT + n);
	free(bytes);
	return path;
}

static const char *const texts[] = {"INTEL_LIBITTNOTIFY64", "KOKKOS_TOOLS_LIBS", "AB"};

/* Return true if the first text is found in contents. *budget becomes the rest of the budget. */
static bool finds(const char *contents, size_t n, size_t n_texts, size_t *budget)
{
	struct rs_object object;
	bool found[3] = {false};
	cr_assert(rs_object_init(&object, write_object(contents, n)));
	rs_object_find_texts(&object, texts, found, n_texts, budget);
	rs_object_finish(&object);
	cr_assert(!found[1] && !found[2]);
	return found[0];
}

Test(elf_object, texts_at_every_place_of_two_chunks)
{
	const size_t chunk = 256 << 10, n = 2 * chunk + 4096;
	char *contents = malloc(n);
	cr_assert(contents);
	for (size_t i = 0; i < 400; i++) {
		/* Positions around the end of a chunk and its overlap, and at the beginning and the
		 * end. */
		size_t length = strlen(texts[0]) + 1, place = chunk - 300 + i;
		if (i < 2)
			place = i == 0 ? 0 : n - length;
		memset(contents, 'I', n);
		if (place > 0)
			contents[place - 1] = '\0';
		memcpy(contents + place, texts[0], length);
		size_t budget = 4 * n;
		cr_assert(finds(contents, n, 1 + i % 3, &budget), "%zu", place);
	}
	free(contents);
}

/* Before a text may be another string, a longer string with the same end, a table or a number.
 * After it is its NUL. */
Test(elf_object, texts_behind_anything)
{
	static const char text[] = "INTEL_LIBITTNOTIFY64"; /* including its NUL */
	char contents[64];
	size_t budget = 1 << 20;
	for (int before = 0; before < 256; before++) {
		contents[0] = (char)before;
		memcpy(contents + 1, text, sizeof(text));
		cr_assert(finds(contents, 1 + sizeof(text), 2, &budget), "%d", before);
	}
	const double numbers[] = {1e9, 1.5, -2e-7}; /* 1e9 ends in the byte 'A', as a name might */
	memcpy(contents, numbers, sizeof(numbers));
	memcpy(contents + sizeof(numbers), text, sizeof(text));
	cr_assert(finds(contents, sizeof(numbers) + sizeof(text), 2, &budget));
}

Test(elf_object, texts_without_their_end)
{
	size_t budget = 1 << 20;
	cr_assert(!finds("\0INTEL_LIBITTNOTIFY64X", 23, 2, &budget));
	cr_assert(!finds("\0INTEL_LIBITTNOTIFY64", 21, 2, &budget));
	cr_assert(!finds("\0INTEL_LIBITTNOTIFY6", 21, 2, &budget));
	cr_assert(finds("\0INTEL_LIBITTNOTIFY64", 22, 2, &budget));
	cr_assert(finds("INTEL_LIBITTNOTIFY64", 21, 2, &budget));
	budget = 20;
	cr_assert(!finds("\0INTEL_LIBITTNOTIFY64", 22, 2, &budget));
	cr_assert_eq(budget, 0);
}

static bool note_main(void *context, const char *name, bool is_defined)
{
	bool *seen = context;
	*seen |= strcmp(name, "cr_assert_is_no_symbol") == 0;
	seen[1] |= strcmp(name, "pthread_create") == 0 || strcmp(name, "gelf_getsym") == 0 ||
		   strcmp(name, "elf_begin") == 0;
	seen[2] |= is_defined;
	return true;
}

Test(elf_object, own_program)
{
	struct rs_object object;
	bool seen[3] = {false}, has_elf = false;
	cr_assert(rs_object_init(&object, "/proc/self/exe"));
	cr_assert(object.interpreter && strstr(object.interpreter, "ld-"));
	for (size_t i = 0; i < object.n_needed; i++)
		has_elf |= strncmp(object.needed[i], "libelf.so", 9) == 0;
	cr_assert(has_elf);
	rs_object_visit_symbols(&object, note_main, seen);
	cr_assert(!seen[0] && seen[1]);
	rs_object_finish(&object);
}

Test(elf_object, what_is_no_object)
{
	struct rs_object object;
	cr_assert(!rs_object_init(&object, "/nowhere"));
	rs_object_finish(&object);
	cr_assert(!rs_object_init(&object, "/tmp"));
	rs_object_finish(&object);
	cr_assert(!rs_object_init(&object, "/dev/null"));
	rs_object_finish(&object);
	cr_assert(!rs_object_init(&object, directory_write("short", ELFMAG, SELFMAG)));
	rs_object_finish(&object);
}
