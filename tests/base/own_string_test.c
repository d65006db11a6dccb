/* SPDX-License-Identifier: MIT */
/* Tests of the string functions of loaded objects against those of libc. All lengths and alignments
 * that matter to a loop over eight bytes are used. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

void *rs_memcpy(void *to, const void *from, size_t bytes);
void *rs_memmove(void *to, const void *from, size_t bytes);
void *rs_memset(void *to, int value, size_t bytes);
int rs_memcmp(const void *one, const void *other, size_t bytes);
int rs_bcmp(const void *one, const void *other, size_t bytes);
void *rs_memchr(const void *memory, int value, size_t bytes);
size_t rs_strlen(const char *text);
size_t rs_strnlen(const char *text, size_t most);
int rs_strcmp(const char *one, const char *other);
int rs_strncmp(const char *one, const char *other, size_t most);
char *rs_strchr(const char *text, int wanted);
char *rs_strrchr(const char *text, int wanted);
size_t rs_strcspn(const char *text, const char *unwanted);
char *rs_strstr(const char *text, const char *wanted);
char *rs_strcpy(char *to, const char *from);

#define MOST 40
#define ROOM 128

static void fill(char *memory)
{
	for (int i = 0; i < ROOM; i++)
		memory[i] = (char)(i * 37 + 11);
}

static int sign(int number)
{
	return (number > 0) - (number < 0);
}

Test(own_string, copies_and_sets)
{
	char from[ROOM], ours[ROOM], theirs[ROOM];
	fill(from);
	for (size_t at = 0; at < 9; at++) {
		for (size_t bytes = 0; bytes < MOST; bytes++) {
			memset(ours, 1, ROOM);
			memset(theirs, 1, ROOM);
			cr_assert_eq(rs_memcpy(ours + at, from + 3, bytes), ours + at);
			memcpy(theirs + at, from + 3, bytes);
			cr_assert_arr_eq(ours, theirs, ROOM);
			cr_assert_eq(rs_memset(ours + at, 0x1ff, bytes), ours + at);
			memset(theirs + at, 0x1ff, bytes);
			cr_assert_arr_eq(ours, theirs, ROOM);
		}
	}
}

Test(own_string, moves_what_overlaps)
{
	char ours[ROOM], theirs[ROOM];
	for (size_t from = 0; from < MOST; from++) {
		for (size_t to = 0; to < MOST; to++) {
			for (size_t bytes = 0; bytes < MOST; bytes++) {
				fill(ours);
				fill(theirs);
				cr_assert_eq(rs_memmove(ours + to, ours + from, bytes), ours + to);
				memmove(theirs + to, theirs + from, bytes);
				cr_assert_arr_eq(ours, theirs, ROOM);
			}
		}
	}
}

Test(own_string, compares_memory)
{
	char one[ROOM], other[ROOM];
	fill(one);
	for (size_t differs = 0; differs < MOST; differs++) {
		fill(other);
		other[differs] ^= (char)0x80;
		for (size_t bytes = 0; bytes < MOST; bytes++) {
			int expected = sign(memcmp(one, other, bytes));
			cr_assert_eq(sign(rs_memcmp(one, other, bytes)), expected);
			cr_assert_eq(sign(rs_memcmp(other, one, bytes)), -expected);
			cr_assert_eq(!rs_bcmp(one, other, bytes), !expected);
			cr_assert_eq(rs_memchr(other, other[differs], bytes),
				memchr(other, other[differs], bytes));
		}
	}
}

Test(own_string, looks_at_texts)
{
	const char *texts[] = {"", "a", "b", "ab", "aab", "abc", "abcab", "\xff", "a\xff", "b;a",
		"aaaaaaaaaaaaaaab"};
	size_t n = sizeof(texts) / sizeof(*texts);
	for (size_t i = 0; i < n; i++) {
		const char *text = texts[i];
		char copy[ROOM];
		cr_assert_eq(rs_strcpy(copy, text), copy);
		cr_assert_str_eq(copy, text);
		cr_assert_eq(rs_strlen(text), strlen(text));
		for (int c = 0; c < 256; c++) {
			cr_assert_eq(rs_strchr(text, c), strchr(text, c));
			cr_assert_eq(rs_strrchr(text, c), strrchr(text, c));
		}
		for (size_t k = 0; k < n; k++) {
			cr_assert_eq(sign(rs_strcmp(text, texts[k])), sign(strcmp(text, texts[k])));
			cr_assert_eq(rs_strstr(text, texts[k]), strstr(text, texts[k]));
			cr_assert_eq(rs_strcspn(text, texts[k]), strcspn(text, texts[k]));
			for (size_t most = 0; most < 20; most++) {
				cr_assert_eq(sign(rs_strncmp(text, texts[k], most)),
					sign(strncmp(text, texts[k], most)));
				cr_assert_eq(rs_strnlen(text, most), strnlen(text, most));
			}
		}
	}
}
