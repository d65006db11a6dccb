/* SPDX-License-Identifier: MIT */
/*
 * This file finds the object (program or library) that contains an address, and identifies it for
 * the launcher. The build-id in its mapped ELF notes identifies the object (the linker's
 * --build-id; elf(5), PT_NOTE). An object without a build-id is identified by its file's path, size
 * and time.
 */
#include "runtime/adapt/adapt.h"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "runtime/thread/thread.h"
#include "runtime/process/process.h"

#define NS_PER_S UINT64_C(1000000000)

/* A loaded object as the dynamic linker describes it. headers is NULL if the program headers were
 * not found. For the program itself, it is also NULL until they are needed. */
struct image {
	uint64_t bias;
	const char *path; /* "" for the program itself. */
	const ElfW(Phdr) * headers;
	size_t n_headers;
};

#if defined(DLFO_STRUCT_HAS_EH_DBASE)

/* Weak, because the program's C library may lack the function: musl, or glibc before 2.35. */
#pragma weak _dl_find_object

/* Find the object's program headers in its first page, where linkers put them. The next pages may
 * be unmapped or not part of the file. */
static bool find_headers(struct image *image, const char *start, const char *end)
{
	const ElfW(Ehdr) *elf = (const void *)start;
	if ((size_t)(end - start) < sizeof(*elf) || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	uint64_t bytes = (uint64_t)(end - start);
	if (bytes > RS_PAGE_BYTES)
		bytes = RS_PAGE_BYTES;
	uint64_t needed = (uint64_t)elf->e_phnum * sizeof(*image->headers);
	if (elf->e_phentsize != sizeof(*image->headers) || elf->e_phoff > bytes ||
		needed > bytes - elf->e_phoff)
		return false;
	image->headers = (const void *)(start + elf->e_phoff);
	image->n_headers = elf->e_phnum;
	return true;
}

static bool find_at_once(const void *address, struct image *image)
{
	struct dl_find_object found;
	if (!_dl_find_object || _dl_find_object((void *)(uintptr_t)address, &found) != 0)
		return false;
	const struct link_map *map = found.dlfo_link_map;
	image->bias = map->l_addr;
	image->path = map->l_name ? map->l_name : "";
	if (image->path[0])
		find_headers(image, found.dlfo_map_start, found.dlfo_map_end);
	return true;
}
#define HAS_FIND_OBJECT (_dl_find_object != NULL)

#else

static bool find_at_once(const void *address, struct image *image)
{
	(void)address;
	(void)image;
	return false;
}
#define HAS_FIND_OBJECT false

#endif

struct search {
	uintptr_t address;
	struct image *image;
};

static int look_at(struct dl_phdr_info *info, size_t bytes, void *context)
{
	(void)bytes;
	struct search *search = context;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type != PT_LOAD ||
			search->address - info->dlpi_addr - header->p_vaddr >= header->p_memsz)
			continue;
		*search->image = (struct image){
			info->dlpi_addr, info->dlpi_name, info->dlpi_phdr, info->dlpi_phnum};
		return 1;
	}
	return 0;
}

static void take_id(const char *contents, uint32_t bytes, void *context)
{
	struct rs_loaded *loaded = context;
	if (!bytes || loaded->build_id)
		return;
	loaded->build_id = (const void *)contents;
	loaded->build_id_bytes = bytes;
}

/* Fill in the object's build-id, or NULL if it has none. */
static void find_id(struct rs_loaded *loaded, const struct image *image)
{
	const struct rs_note_search search = {"GNU", NT_GNU_BUILD_ID, take_id, loaded};
	loaded->build_id = NULL;
	loaded->build_id_bytes = 0;
	rs_notes_search(&search, image->headers, image->n_headers, image->bias);
}

/* Fill in the absolute path of the object's file; "" if it does not fit. */
static void find_path(struct rs_loaded *loaded, const char *path)
{
	char *own = loaded->path;
	const size_t room = sizeof(loaded->path);
	size_t start = 0, bytes = strlen(path);
	own[0] = '\0';
	if (!path[0]) {
		long n = RS_SYS(readlinkat, AT_FDCWD, RS_OWN_FILE("exe"), own, room);
		own[n > 0 && n < (long)room ? n : 0] = '\0';
		return;
	}
	/* Complete a relative path, although the current directory may have changed since. */
	if (path[0] != '/') {
		long n = RS_SYS(getcwd, own, room - 1);
		if (n <= 1) /* The length includes the NUL. */
			return;
		start = (size_t)n - 1;
		own[start++] = '/';
	}
	if (start + bytes < room)
		memcpy(own + start, path, bytes + 1);
	else
		own[0] = '\0';
}

static void find_file(struct rs_loaded *loaded)
{
	struct stat status;
#ifdef SYS_newfstatat
	long failed = RS_SYS(newfstatat, AT_FDCWD, loaded->path, &status, 0);
#else
	long failed = -ENOSYS;
#endif
	if (failed || !loaded->path[0])
		return;
	loaded->file_bytes = (uint64_t)status.st_size;
	loaded->modified_ns = (uint64_t)status.st_mtim.tv_sec * NS_PER_S +
			      (uint64_t)status.st_mtim.tv_nsec;
}

bool rs_object_find(const void *address, struct rs_loaded *loaded)
{
	struct image image = {0};
	struct search search = {(uintptr_t)address, &image};
	if (HAS_FIND_OBJECT ? !find_at_once(address, &image) : !rs_each_object(look_at, &search))
		return false;
	loaded->bias = image.bias;
	loaded->file_bytes = loaded->modified_ns = 0;
	if (image.path[0] && !image.headers)
		rs_each_object(look_at, &search);
	if (!image.path[0] && !image.headers) {
		image.headers = (const void *)getauxval(AT_PHDR);
		image.n_headers = image.headers ? getauxval(AT_PHNUM) : 0;
	}
	find_id(loaded, &image);
	find_path(loaded, image.path);
	find_file(loaded);
	loaded->key = loaded->build_id
			      ? rs_object_key_of_id(loaded->build_id, loaded->build_id_bytes)
			      : rs_object_key_of_file(loaded->path, strlen(loaded->path),
					loaded->file_bytes, loaded->modified_ns);
	return true;
}

/* ---- object numbers ---- */

/* Results of rs_object_now(): 1 for the program itself; all others have bit 1 set. */
#define OF_PROGRAM UINT64_C(1)
#define OF_OTHERS UINT64_C(2)

struct changes {
	/* how many objects the dynamic linker has added and removed since the process began */
	uint64_t added, removed;
};

static int read_changes(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct changes *changes = context;
	if (bytes >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		*changes = (struct changes){info->dlpi_adds, info->dlpi_subs};
	return 1;
}

static uint64_t number_of(uint64_t one, uint64_t other)
{
	return rs_place_hash(one, other) | OF_OTHERS;
}

/* Hash a build-id, eight bytes at a time, because adapters need this at every call. */
static uint64_t number_of_id(const uint8_t *id, uint32_t n)
{
	uint64_t word, number = n;
	for (; n >= sizeof(word); id += sizeof(word), n -= (uint32_t)sizeof(word)) {
		memcpy(&word, id, sizeof(word));
		number = (number ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		number ^= number >> 32;
	}
	for (word = 0; n > 0; n--)
		word = word << 8 | *id++;
	return number ^ word;
}

uint64_t rs_object_now(const void *address)
{
	struct changes changes = {0};
	struct image image = {0};
	struct rs_loaded loaded;
	bool is_found = HAS_FIND_OBJECT && find_at_once(address, &image);
	if (HAS_FIND_OBJECT && !is_found)
		return 0;
	if (is_found && !image.path[0])
		return OF_PROGRAM;
	if (is_found)
		find_id(&loaded, &image);
	if (is_found && loaded.build_id)
		return number_of(number_of_id(loaded.build_id, loaded.build_id_bytes), image.bias);
	rs_each_object(read_changes, &changes);
	/* While the count of removals stays the same, no object was unloaded. If libc has no
	 * _dl_find_object(), the object was not looked up. An added object may contain the address
	 * now, so additions count too. */
	return is_found ? number_of(changes.removed, image.bias)
			: number_of(changes.removed, changes.added);
}
