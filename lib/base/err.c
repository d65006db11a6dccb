/* SPDX-License-Identifier: MIT */
/*
 * This file formats error messages into a fixed buffer that the caller owns. It allocates nothing,
 * so that reporting an error cannot fail.
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* These are weak, because a program may lack them: with musl, with glibc before 2.32, or if it is
 * static. Its messages then have numbers in place of names. */
const char *strerrorname_np(int number) __attribute__((weak));
const char *sigabbrev_np(int number) __attribute__((weak));

/* Append the formatted arguments of the calling function. */
#define APPEND(text, format)                                                    \
	do {                                                                    \
		va_list arguments;                                              \
		size_t end = strlen(text);                                      \
		va_start(arguments, format);                                    \
		vsnprintf((text) + end, RS_ERR_BYTES - end, format, arguments); \
		va_end(arguments);                                              \
	} while (0)

/* End a message: if it filled the buffer, remove a UTF-8 character that was cut in two. Return
 * false. */
static bool end_text(char *text)
{
	size_t end = strlen(text);
	if (end + 1 < RS_ERR_BYTES)
		return false;
	while (end > 0 && ((unsigned char)text[end - 1] & 0xc0) == 0x80)
		end--;
	if (end > 0 && (unsigned char)text[end - 1] >= 0xc0)
		end--;
	text[end] = '\0';
	return false;
}

bool rs_err_set(struct rs_err *err, const char *format, ...)
{
	err->text[0] = '\0';
	APPEND(err->text, format);
	return end_text(err->text);
}

bool rs_err_set_errno(struct rs_err *err, int number, const char *format, ...)
{
	err->text[0] = '\0';
	APPEND(err->text, format);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s (%s)", strerror(number),
		rs_errno_name(number));
	return end_text(err->text);
}

bool rs_err_prefix(struct rs_err *err, const char *format, ...)
{
	char rest[RS_ERR_BYTES];
	memcpy(rest, err->text, sizeof(rest));
	err->text[0] = '\0';
	APPEND(err->text, format);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", rest);
	return end_text(err->text);
}

bool rs_err_add_line(struct rs_err *err, const char *format, ...)
{
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, "\n  ");
	APPEND(err->text, format);
	return end_text(err->text);
}

const char *rs_errno_name(int number)
{
	static _Thread_local char unknown[24];
	const char *name = strerrorname_np ? strerrorname_np(number) : NULL;
	if (name)
		return name;
	snprintf(unknown, sizeof(unknown), "errno %d", number);
	return unknown;
}

const char *rs_signal_name(int number)
{
	return sigabbrev_np ? sigabbrev_np(number) : NULL;
}
