/* SPDX-License-Identifier: MIT */
/*
 * This file checks a library before a program loads it, because the dynamic linker does not check
 * it.
 */
#include "launch/markers.h"

#include <errno.h>
#include <gelf.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/text.h"
#include "launch/elf_object.h"

/* Return true if the file is a library that needs another one, and contains all segments that the
 * dynamic linker would load. */
static bool is_whole(const struct rs_object *object)
{
	size_t n = 0;
	struct stat status;
	GElf_Ehdr header;
	GElf_Phdr at;
	bool has_code = false;
	if (!gelf_getehdr(object->elf, &header) || header.e_type != ET_DYN ||
		object->n_needed == 0 || fstat(object->fd, &status) != 0 ||
		elf_getphdrnum(object->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint64_t bytes = (uint64_t)status.st_size;
		if (!gelf_getphdr(object->elf, (int)i, &at))
			return false;
		if (at.p_type != PT_LOAD && at.p_type != PT_DYNAMIC)
			continue;
		if (at.p_offset > bytes || at.p_filesz > bytes - at.p_offset ||
			at.p_filesz > at.p_memsz)
			return false;
		has_code |= at.p_flags & PF_X;
	}
	return has_code;
}

bool rs_adapter_file_check(const char *path, struct rs_err *err)
{
	struct rs_object object;
	bool is = rs_object_init(&object, path) && is_whole(&object);
	if (object.fd < 0) {
		rs_err_set_errno(err, errno, "cannot read %s", rs_text_shown(path).text);
		rs_err_add_line(err, "try: make it readable for regionstat's user, or reinstall "
				     "regionstat (meson install)");
	} else if (!is) {
		rs_err_set(err, "%s is damaged, or no library of this machine",
			rs_text_shown(path).text);
		rs_err_add_line(err, "a program that loads it might die of that");
		rs_err_add_line(err, "try: reinstall regionstat (meson install)");
	}
	rs_object_finish(&object);
	return is;
}
