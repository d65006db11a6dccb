/* SPDX-License-Identifier: MIT */
/*
 * String functions of the objects that are loaded into a measured program. The compiler includes
 * this file first (-include) in each of their sources. So each call of memcpy(), strlen() and so on
 * reaches rs_memcpy(), rs_strlen() and so on, also the calls that the compiler itself makes.
 * Sources call the functions of string.h as usual.
 *
 * libc's functions will not do: the program may define its own, and these may mark, or be
 * instrumented. The runtime would call itself, with its lock held and signals blocked.
 *
 * An assignment in the assembler renames a symbol in one object file (as glibc does for itself:
 * sysdeps/generic/symbol-hacks.h). A declaration with an asm label would not do: clang ignores it
 * where it makes a call itself.
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
RS_OWN_STRING(strcat)
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
