/* SPDX-License-Identifier: MIT */
/*
 * This file opens ELF files and their debug files. Files are read and not mapped. If a file is
 * truncated meanwhile, reading it gives wrong bytes instead of SIGBUS.
 */
#include "names/elf_file.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/owner.h"
#include "launch/elf_object.h"
#include "names/rights.h"

#define DEBUG_DIRECTORY "/usr/lib/debug"
#define NS_PER_S UINT64_C(1000000000)

static Elf *open_elf(int fd)
{
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return NULL;
	}
	return elf;
}

/* Initialize file from fd, which it then owns. fd is -1 if the file could not be opened. */
static bool take(struct rs_elf_file *file, const char *path, int fd, const struct stat *status)
{
	*file = (struct rs_elf_file){.fd = fd, .debug_fd = -1};
	snprintf(file->path, sizeof(file->path), "%s", path);
	if (file->fd < 0 || !(file->elf = open_elf(file->fd))) {
		rs_elf_file_close(file);
		return false;
	}
	file->owner = status->st_uid;
	file->file_bytes = (uint64_t)status->st_size;
	file->modified_ns = (uint64_t)status->st_mtim.tv_sec * NS_PER_S +
			    (uint64_t)status->st_mtim.tv_nsec;
	ssize_t bytes = dwelf_elf_gnu_build_id(file->elf, &file->build_id);
	file->build_id_bytes = bytes > 0 ? (size_t)bytes : 0;
	return true;
}

bool rs_elf_file_open(struct rs_elf_file *file, const char *path)
{
	struct stat status;
	return take(file, path, rs_open_regular(path, &status), &status);
}

bool rs_elf_file_open_as(struct rs_elf_file *file, const char *path, uint32_t uid)
{
	struct stat status;
	return take(file, path, rs_rights_open(path, uid, &status), &status);
}

void rs_elf_file_close(struct rs_elf_file *file)
{
	rs_arena_finish(&file->arena);
	dwarf_end(file->dwarf);
	elf_end(file->debug);
	elf_end(file->elf);
	if (file->debug_fd >= 0)
		close(file->debug_fd);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct rs_elf_file){.fd = -1, .debug_fd = -1};
}

uint64_t rs_elf_file_key(const struct rs_elf_file *file)
{
	return file->build_id_bytes > 0 ? rs_object_key_of_id(file->build_id, file->build_id_bytes)
					: rs_object_key_of_file(file->path, strlen(file->path),
						  file->file_bytes, file->modified_ns);
}

bool rs_elf_file_is(const struct rs_elf_file *file, const struct rs_names_object *object)
{
	if (object->build_id_bytes == 0)
		return file->build_id_bytes == 0 && file->file_bytes == object->file_bytes &&
		       file->modified_ns == object->modified_ns;
	size_t kept = object->build_id_bytes < RS_BUILD_ID_BYTES ? object->build_id_bytes
								 : RS_BUILD_ID_BYTES;
	return file->build_id_bytes == object->build_id_bytes &&
	       memcmp(file->build_id, object->build_id, kept) == 0 &&
	       rs_elf_file_key(file) == object->key;
}

/* ---- debug files ---- */

/* Return true if a file has this CRC-32, which comes from .gnu_debuglink. */
static bool has_crc(int fd, uint32_t expected)
{
	static unsigned char bytes[1 << 16];
	uLong crc = crc32(0, NULL, 0);
	ssize_t n;
	for (off_t at = 0; (n = pread(fd, bytes, sizeof(bytes), at)) > 0; at += n)
		crc = crc32(crc, bytes, (uInt)n);
	return n == 0 && crc == expected;
}

/* Use a debug file if it has the same build-id, or the right crc if the object has no build-id.
 * Return false if it does not belong to the object. */
static bool take_debug(struct rs_elf_file *file, const char *path, const uint32_t *crc)
{
	struct stat status;
	const void *id;
	int fd = rs_open_regular(path, &status);
	bool is_trusted = fd >= 0 && !rs_owner_find_doubt(&status, file->owner);
	Elf *elf = is_trusted ? open_elf(fd) : NULL;
	bool belongs = false;
	if (elf && file->build_id_bytes > 0)
		belongs = dwelf_elf_gnu_build_id(elf, &id) == (ssize_t)file->build_id_bytes &&
			  memcmp(id, file->build_id, file->build_id_bytes) == 0;
	else if (elf && crc)
		belongs = has_crc(fd, *crc);
	if (belongs) {
		file->debug = elf;
		file->debug_fd = fd;
		snprintf(file->debug_path, sizeof(file->debug_path), "%s", path);
		return true;
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return false;
}

static bool take_by_build_id(struct rs_elf_file *file)
{
	const unsigned char *id = file->build_id;
	char path[sizeof(DEBUG_DIRECTORY) + 32 + 2 * 64] = DEBUG_DIRECTORY "/.build-id/";
	char *end = path + strlen(path);
	if (file->build_id_bytes < 2 || file->build_id_bytes > 64)
		return false;
	for (size_t i = 0; i < file->build_id_bytes; i++)
		end += sprintf(end, "%02x%s", id[i], i == 0 ? "/" : "");
	strcpy(end, ".debug");
	return take_debug(file, path, NULL);
}

static void take_by_link(struct rs_elf_file *file)
{
	static const char *const directories[] = {"", "", DEBUG_DIRECTORY};
	static const char *const below[] = {"/", "/.debug/", "/"};
	char directory[sizeof(file->path)], path[3 * sizeof(file->path)];
	GElf_Word crc = 0;
	const char *name = dwelf_elf_gnu_debuglink(file->elf, &crc);
	strcpy(directory, file->path);
	char *slash = strrchr(directory, '/');
	if (!name || !*name || strchr(name, '/') || strlen(name) > sizeof(directory) || !slash)
		return;
	*slash = '\0';
	const uint32_t sum = crc;
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		snprintf(path, sizeof(path), "%s%s%s%s", directories[i], directory, below[i], name);
		if (strcmp(path, file->path) != 0 && take_debug(file, path, &sum))
			return;
	}
}

/* Check the supplementary file of dwz(1) before libdw opens it. libdw opens any kind of file, and a
 * named pipe would make it wait. */
static bool has_good_supplement(const struct rs_elf_file *file, Dwarf *dwarf)
{
	const char *name = NULL;
	const void *id;
	char path[2 * sizeof(file->path)];
	struct stat status;
	if (dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) <= 0 || !name)
		return true;
	const char *of = file->debug_path[0] ? file->debug_path : file->path;
	const char *slash = name[0] == '/' ? NULL : strrchr(of, '/');
	int directory = slash ? (int)(slash - of + 1) : 0;
	int n = snprintf(path, sizeof(path), "%.*s%s", directory, of, name);
	bool is_short = n > 0 && (size_t)n < sizeof(path);
	return is_short && (stat(path, &status) != 0 || !rs_owner_find_doubt(&status, file->owner));
}

static bool has_lines(Elf *elf)
{
	return rs_elf_has_section(elf, ".debug_line") || rs_elf_has_section(elf, ".zdebug_line");
}

void rs_elf_file_find_debug(struct rs_elf_file *file)
{
	if (!(has_lines(file->elf) && rs_elf_has_section(file->elf, ".symtab")) &&
		!take_by_build_id(file))
		take_by_link(file);
}

Dwarf *rs_elf_file_dwarf(struct rs_elf_file *file)
{
	if (file->is_dwarf_sought)
		return file->dwarf;
	file->is_dwarf_sought = true;
	bool is_apart = file->debug && !has_lines(file->elf);
	file->dwarf = dwarf_begin_elf(is_apart ? file->debug : file->elf, DWARF_C_READ, NULL);
	if (!is_apart)
		file->debug_path[0] = '\0';
	if (file->dwarf && !has_good_supplement(file, file->dwarf)) {
		dwarf_end(file->dwarf);
		file->dwarf = NULL;
	}
	return file->dwarf;
}
