/* SPDX-License-Identifier: MIT */
/*
 * Own string functions for the objects that are loaded into a measured program. The build includes
 * this file first (-include) in each of their sources. As a result, every call of memcpy(),
 * strlen() and so on calls rs_memcpy(), rs_strlen() and so on instead. This includes calls that the
 * compiler generates. Sources call the functions of string.h as usual.
 *
 * libc's functions are not safe here. The program may define its own memcpy(), which may contain
 * markers or be instrumented. Then the runtime would call itself while it holds its lock and blocks
 * signals.
 *
 * An assignment in the assembler renames a symbol in one object file, as glibc does for itself
 * (sysdeps/generic/symbol-hacks.h). A declaration with an asm label is not enough: clang ignores it
 * for the calls that it generates.
 */
#ifndef RS_BASE_OWN_STRING_H
#define RS_BASE_OWN_STRING_H

#define RS_OWN_STRING(name) __asm__(#name " = rs_" #name);

RS_OWN_STRING(bcmp)
RS_OWN_STRING(memchr)
RS_OWN_STRING(memcmp)
RS_OWN_STRING(memcpy)
RS_OWN_STRING(memmove)
RS_OWN_STRING(memset)
RS_OWN_STRING(strchr)
RS_OWN_STRING(strcmp)
RS_OWN_STRING(strcpy)
RS_OWN_STRING(strcspn)
RS_OWN_STRING(strlen)
RS_OWN_STRING(strncmp)
RS_OWN_STRING(strnlen)
RS_OWN_STRING(strrchr)
RS_OWN_STRING(strstr)

#undef RS_OWN_STRING

#endif
