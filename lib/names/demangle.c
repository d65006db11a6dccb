/* SPDX-License-Identifier: MIT */
/*
 * This file demangles symbols with __cxa_demangle() (Itanium C++ ABI, 3.4) of the C++ library. If
 * that library is missing, symbols are not demangled. Rust's legacy symbols follow the same rules
 * and end in a hash (the rustc book, "Symbol Mangling"), which is removed.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/elf_file.h"

typedef char *demangler(const char *symbol, char *text, size_t *bytes, int *status);

static demangler *find_demangler(void)
{
	static demangler *found;
	static bool is_searched;
	if (!is_searched) {
		void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
		if (!library)
			library = dlopen("libc++abi.so.1", RTLD_NOW | RTLD_LOCAL);
		void *function = library ? dlsym(library, "__cxa_demangle") : NULL;
		memcpy(&found, &function, sizeof(found));
		is_searched = true;
	}
	return found;
}

/* Remove the hash of a Rust symbol: "::h" and 16 hexadecimal digits. */
static void cut_hash(char *text)
{
	size_t bytes = strlen(text);
	char *end = bytes > 19 ? text + bytes - 19 : NULL;
	if (end && strncmp(end, "::h", 3) == 0 && strspn(end + 3, "0123456789abcdef") == 16)
		*end = '\0';
}

void rs_demangle(const char *symbol, char *text, size_t bytes)
{
	int status = -1;
	bool is_mangled = symbol[0] == '_' && symbol[1] == 'Z' && strlen(symbol) < 4096;
	demangler *demangle = is_mangled ? find_demangler() : NULL;
	char *name = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
	bool is_done = name && status == 0 && name[0];
	snprintf(text, bytes, "%s", is_done ? name : symbol);
	if (is_done && strlen(name) < bytes)
		cut_hash(text);
	free(name);
}
