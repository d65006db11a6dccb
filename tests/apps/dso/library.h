/* SPDX-License-Identifier: MIT */
/*
 * The functions of each build of library.c. One makes n calls of a region named after the library,
 * which each contain a call of "shared". The other two begin and end "across".
 */
#ifndef DSO_LIBRARY_H
#define DSO_LIBRARY_H

#define LIBRARY_DECLARE(library)                                                     \
	__attribute__((visibility("default"))) void library##_call(unsigned long n); \
	__attribute__((visibility("default"))) void library##_begin(void);           \
	__attribute__((visibility("default"))) void library##_end(void)

LIBRARY_DECLARE(first);
LIBRARY_DECLARE(second);
LIBRARY_DECLARE(plugin);
LIBRARY_DECLARE(closed);

#endif
