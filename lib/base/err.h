/* SPDX-License-Identifier: MIT */
/*
 * Errors as text that a person can act on. A fallible function takes `struct rs_err *err` last,
 * returns false and fills err. The lowest function that can name the object writes the message. A
 * caller may prefix it once, and only main() prints it and exits.
 *
 * The first line says what failed and why; further lines, each indented by two spaces, give the
 * reason in full and a remedy that starts with "try: ".
 */
#ifndef RS_BASE_ERR_H
#define RS_BASE_ERR_H

#include <stdbool.h>

#define RS_ERR_BYTES 2048

struct rs_err {
	char text[RS_ERR_BYTES]; /* NUL-terminated, no final newline; "" when nothing failed */
};

/*
 * Set err's message, replacing what it held. Too long a message is cut at a whole character.
 * err: borrowed, or NULL to drop the message. Returns false always, so that a caller can write
 * `return rs_err_set(err, ...)`. Any thread, on its own err.
 */
bool rs_err_set(struct rs_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, with ": strerror(number) (ENAME)" added to the first line. */
bool rs_err_set_errno(struct rs_err *err, int number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "prefix: " before the message that err holds. Returns false always. */
bool rs_err_prefix(struct rs_err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Add one line, indented by two spaces, to the message that err holds. Returns false always. */
bool rs_err_add_line(struct rs_err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The name of an errno value such as "EACCES", or "errno 513" (static storage of the thread). */
const char *rs_errno_name(int number);

#endif
