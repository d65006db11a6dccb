/* SPDX-License-Identifier: MIT */
/*
 * This file defines the functions that own_string.h names: rs_memcpy() replaces memcpy(), and so
 * on. They are simple, because their speed does not matter: markers copy blocks of constant size,
 * and the compiler inlines these copies.
 */
#include <stddef.h>
#include <stdint.h>

/* An unaligned word of eight bytes that may alias any type. */
typedef uint64_t __attribute__((may_alias, aligned(1))) word;

/* Every loop uses this barrier. Without it the compiler would replace the loop by a call of
 * memcpy() or strlen(). */
#define RS_NO_IDIOM(pointer) __asm__ volatile("" : "+r"(pointer))

#define RS_HIDDEN __attribute__((visibility("hidden")))
RS_HIDDEN void *rs_memcpy(void *restrict to, const void *restrict from, size_t bytes);
RS_HIDDEN void *rs_memmove(void *to, const void *from, size_t bytes);
RS_HIDDEN void *rs_memset(void *to, int value, size_t bytes);
RS_HIDDEN int rs_memcmp(const void *one, const void *other, size_t bytes);
RS_HIDDEN int rs_bcmp(const void *one, const void *other, size_t bytes);
RS_HIDDEN void *rs_memchr(const void *memory, int value, size_t bytes);
RS_HIDDEN size_t rs_strlen(const char *text);
RS_HIDDEN size_t rs_strnlen(const char *text, size_t most);
RS_HIDDEN int rs_strcmp(const char *one, const char *other);
RS_HIDDEN int rs_strncmp(const char *one, const char *other, size_t most);
RS_HIDDEN char *rs_strchr(const char *text, int wanted);
RS_HIDDEN char *rs_strrchr(const char *text, int wanted);
RS_HIDDEN size_t rs_strcspn(const char *text, const char *unwanted);
RS_HIDDEN char *rs_strstr(const char *text, const char *wanted);
RS_HIDDEN char *rs_strcpy(char *restrict to, const char *restrict from);

/* Copy from the lowest address to the highest. Overlapping memory is copied correctly if d is below
 * s. */
static void copy(char *d, const char *s, size_t bytes)
{
	for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
		*(word *)(void *)d = *(const word *)(const void *)s;
		d += sizeof(word);
		s += sizeof(word);
		RS_NO_IDIOM(d);
	}
	for (; bytes; bytes--) {
		*d++ = *s++;
		RS_NO_IDIOM(d);
	}
}

void *rs_memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	copy(to, from, bytes);
	return to;
}

void *rs_memmove(void *to, const void *from, size_t bytes)
{
	char *d = to;
	const char *s = from;
	if ((uintptr_t)to - (uintptr_t)from >= bytes) {
		copy(d, s, bytes);
		return to;
	}
	while (bytes) {
		bytes--;
		d[bytes] = s[bytes];
		RS_NO_IDIOM(d);
	}
	return to;
}

void *rs_memset(void *to, int value, size_t bytes)
{
	char *d = to;
	uint64_t eight = (unsigned char)value * UINT64_C(0x0101010101010101);
	for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
		*(word *)(void *)d = eight;
		d += sizeof(word);
		RS_NO_IDIOM(d);
	}
	for (; bytes; bytes--) {
		*d++ = (char)value;
		RS_NO_IDIOM(d);
	}
	return to;
}

int rs_memcmp(const void *one, const void *other, size_t bytes)
{
	const unsigned char *a = one, *b = other;
	for (; bytes; bytes--, a++, b++) {
		RS_NO_IDIOM(a);
		if (*a != *b)
			return *a - *b;
	}
	return 0;
}

int rs_bcmp(const void *one, const void *other, size_t bytes)
{
	return rs_memcmp(one, other, bytes);
}

void *rs_memchr(const void *memory, int value, size_t bytes)
{
	const unsigned char *p = memory;
	for (; bytes; bytes--, p++) {
		RS_NO_IDIOM(p);
		if (*p == (unsigned char)value)
			return (void *)(uintptr_t)p;
	}
	return NULL;
}

size_t rs_strnlen(const char *text, size_t most)
{
	const char *p = text;
	for (; most && *p; most--, p++)
		RS_NO_IDIOM(p);
	return (size_t)(p - text);
}

size_t rs_strlen(const char *text)
{
	return rs_strnlen(text, SIZE_MAX);
}

int rs_strncmp(const char *one, const char *other, size_t most)
{
	const unsigned char *a = (const void *)one, *b = (const void *)other;
	for (; most; most--, a++, b++) {
		RS_NO_IDIOM(a);
		if (*a != *b || !*a)
			return *a - *b;
	}
	return 0;
}

int rs_strcmp(const char *one, const char *other)
{
	return rs_strncmp(one, other, SIZE_MAX);
}

char *rs_strchr(const char *text, int wanted)
{
	for (;; text++) {
		RS_NO_IDIOM(text);
		if (*text == (char)wanted)
			return (char *)(uintptr_t)text;
		if (!*text)
			return NULL;
	}
}

char *rs_strrchr(const char *text, int wanted)
{
	char *found = NULL;
	for (;; text++) {
		RS_NO_IDIOM(text);
		if (*text == (char)wanted)
			found = (char *)(uintptr_t)text;
		if (!*text)
			return found;
	}
}

size_t rs_strcspn(const char *text, const char *unwanted)
{
	const char *p = text;
	while (*p && !rs_strchr(unwanted, *p))
		p++;
	return (size_t)(p - text);
}

char *rs_strstr(const char *text, const char *wanted)
{
	size_t bytes = rs_strlen(wanted);
	for (;; text++) {
		if (!rs_strncmp(text, wanted, bytes))
			return (char *)(uintptr_t)text;
		if (!*text)
			return NULL;
	}
}

char *rs_strcpy(char *restrict to, const char *restrict from)
{
	return rs_memcpy(to, from, rs_strlen(from) + 1);
}
