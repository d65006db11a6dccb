/* SPDX-License-Identifier: MIT */
/*
 * These functions read JSON text from front to back, and build no tree. The caller reads the values
 * that it expects, and skips others. `regionstat merge` reads 100,000 files in this way, 20 times
 * as fast as with a tree.
 */
#ifndef RS_RECORD_JSON_READER_H
#define RS_RECORD_JSON_READER_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* State of reading text[end - text]. After an error all functions return false. */
struct rs_json_reader {
	const char *text;
	const char *at; /* the next byte that is read, or the place of the error */
	const char *end;
	const char *error; /* why the text is not JSON; NULL: no error so far */
};

/* A string as the text contains it, without its quotes. */
struct rs_json_string {
	const char *text;
	size_t bytes;
	bool is_escaped; /* the string contains backslashes */
};

/* An integer: its sign and its absolute value. */
struct rs_json_integer {
	uint64_t value;
	bool is_negative;
	bool is_exact; /* false: the number is too large, or has a fraction or an exponent */
};

/* Record an error at the next byte. Return false. */
bool rs_json_wrong(struct rs_json_reader *reader, const char *error);

/* Skip white space, and return the next byte without reading it. Return NUL at the end. */
static inline char rs_json_peek(struct rs_json_reader *reader)
{
	while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\n' ||
						   *reader->at == '\t' || *reader->at == '\r'))
		reader->at++;
	return reader->at < reader->end ? *reader->at : '\0';
}

/* If the next byte is `byte`, read it and return true. */
static inline bool rs_json_take(struct rs_json_reader *reader, char byte)
{
	if (rs_json_peek(reader) != byte)
		return false;
	reader->at++;
	return true;
}

/*
 * Move on to the next element of an array, or the next key of an object, whose opening bracket was
 * read. *is_first is true before the first call. Return false after the closing bracket, and after
 * an error.
 */
bool rs_json_more(struct rs_json_reader *reader, char close, bool *is_first);

/* Read a key and the colon after it. */
bool rs_json_read_key(struct rs_json_reader *reader, struct rs_json_string *key);

/* Read a string, which must be the next value. Check that its characters are UTF-8 and its escapes
 * are valid. */
bool rs_json_read_string(struct rs_json_reader *reader, struct rs_json_string *string);

/* Write the characters of a string into out[string->bytes + 1], with a NUL. */
void rs_json_decode(const struct rs_json_string *string, char *out);

/* Read a number, which must be the next value, as an integer. */
bool rs_json_read_integer(struct rs_json_reader *reader, struct rs_json_integer *integer);

/* Read up to eight digits, without a branch for each digit. Eight bytes at `at` must be readable.
 * Return how many digits there are. Lemire's "Quickly parsing eight digits" (2018) explains the
 * products. */
static inline unsigned rs_json_read_eight(const char *at, uint64_t *value)
{
	uint64_t digits;
	memcpy(&digits, at, sizeof(digits));
	digits = le64toh(digits) ^ 0x3030303030303030u;
	/* Set the high bit of the first byte that is above 9. Carries change only bytes after
	 * it. */
	uint64_t others = ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
	unsigned n = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
	*value = 0;
	if (n == 0)
		return 0;
	digits <<= 64 - 8 * n; /* put zeros before the digits */
	digits = digits * 10 + (digits >> 8);
	*value = ((digits & 0x000000ff000000ffu) * 0x000f424000000064u +
			 (digits >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
		 32;
	return n;
}

/* Read at most RS_JSON_DIGITS digits. RS_JSON_DIGITS + 1 bytes at `at` must be readable. Return the
 * text after the digits, or NULL if there is no digit. Numbers of so few digits always fit, so
 * there is no check for overflow. */
#define RS_JSON_DIGITS 19
static inline const char *rs_json_read_digits(const char *at, uint64_t *value)
{
	const char *begin = at, *end = at + RS_JSON_DIGITS;
	uint64_t number;
	unsigned n = rs_json_read_eight(at, &number);
	at += n;
	for (; n == 8 && *at >= '0' && *at <= '9' && at < end; at++)
		number = number * 10 + (unsigned)(*at - '0');
	*value = number;
	return at == begin || (*begin == '0' && at > begin + 1) ? NULL : at;
}

/* Read a number, which must be the next value. It may be infinite. */
bool rs_json_read_real(struct rs_json_reader *reader, double *real);

/* Read true, false or null. No other value begins with a letter. */
bool rs_json_read_word(struct rs_json_reader *reader, const char *word);

/* Read any value and check its syntax. */
bool rs_json_skip(struct rs_json_reader *reader);

#endif
