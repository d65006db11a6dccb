/* SPDX-License-Identifier: MIT */
/*
 * These functions read JSON text from front to back, and build no tree. The caller reads the values
 * that it expects, and skips others. `regionstat merge` reads 100,000 files in this way, 20 times
 * as fast as with a tree.
 */
#ifndef RS_RECORD_JSON_READER_H
#define RS_RECORD_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Read a number, which must be the next value. It may be infinite. */
bool rs_json_read_real(struct rs_json_reader *reader, double *real);

/* Read true, false or null. No other value begins with a letter. */
bool rs_json_read_word(struct rs_json_reader *reader, const char *word);

/* Read any value and check its syntax. */
bool rs_json_skip(struct rs_json_reader *reader);

#endif
