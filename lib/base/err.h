/* SPDX-License-Identifier: MIT */
/*
 * Errors as text that a person can act on. A function that can fail takes `struct rs_err *err` as
 * its last parameter, sets err and returns false. The lowest function that can name the object
 * writes the message. A caller may add a prefix once. Only main() prints the message and exits.
 *
 * The first line of a message says what failed and why. Further lines are indented by two spaces.
 * They explain the reason, or give a remedy that starts with "try: ".
 */
#ifndef RS_BASE_ERR_H
#define RS_BASE_ERR_H

#include <stdbool.h>

#define RS_ERR_BYTES 2048

struct rs_err {
	char text[RS_ERR_BYTES]; /* ends with NUL, without a newline; "" if nothing failed */
};

/*
 * Set err's message as printf(3) does, and replace the previous one. A message that is too long is
 * cut after a whole UTF-8 character.
 *
 * Always return false, so that a caller can write `return rs_err_set(err, ...)`. Threads may call
 * this at the same time, each with its own err.
 */
bool rs_err_set(struct rs_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set err's message as rs_err_set() does, and append ": strerror(number) (ENAME)". Always return
 * false. */
bool rs_err_set_errno(struct rs_err *err, int number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "prefix: " before the message in err. Always return false. */
bool rs_err_prefix(struct rs_err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append a line, indented by two spaces, to the message in err. Always return false. */
bool rs_err_add_line(struct rs_err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return the name of an errno value, such as "EACCES", or "errno 513" if it has none. The text is
 * in thread-local storage, and valid until the thread's next call. */
const char *rs_errno_name(int number);

/* Return the name of a signal without "SIG", such as "TERM", in static storage. Return NULL if it
 * has none. */
const char *rs_signal_name(int number);

#endif
