/* SPDX-License-Identifier: MIT */
/* Tests of error messages: the format that lib/base/err.h defines, and cutting of long messages. */
#include <criterion/criterion.h>

#include <errno.h>
#include <string.h>

#include "base/err.h"

Test(err, shape)
{
	struct rs_err err;
	cr_expect_not(rs_err_set_errno(&err, EACCES, "cannot count '%s'", "cycles"));
	cr_expect_str_eq(err.text, "cannot count 'cycles': Permission denied (EACCES)");
	rs_err_add_line(&err, "kernel.perf_event_paranoid is %d", 3);
	rs_err_add_line(&err, "try: %s", "sudo sysctl kernel.perf_event_paranoid=2");
	rs_err_prefix(&err, "-e");
	cr_expect_str_eq(err.text, "-e: cannot count 'cycles': Permission denied (EACCES)\n"
				   "  kernel.perf_event_paranoid is 3\n"
				   "  try: sudo sysctl kernel.perf_event_paranoid=2");
	rs_err_set(&err, "%s", "other");
	cr_expect_str_eq(err.text, "other");
}

Test(err, names)
{
	cr_expect_str_eq(rs_errno_name(EOPNOTSUPP), "EOPNOTSUPP");
	cr_expect_str_eq(rs_errno_name(513), "errno 513");
}

Test(err, too_long_is_cut_at_a_whole_character)
{
	/* Start with one ASCII byte, so that the last two-byte character does not fit as a
	 * whole. */
	static char text[2 * RS_ERR_BYTES + 2];
	text[0] = 'x';
	for (size_t i = 1; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xbc", 2);
	for (int shift = 0; shift < 2; shift++) {
		struct rs_err err;
		rs_err_set(&err, "%s", text + shift);
		size_t length = strlen(err.text);
		cr_expect_geq(length, RS_ERR_BYTES - 4);
		cr_expect_lt(length, RS_ERR_BYTES);
		cr_expect_eq((length - (shift ? 0 : 1)) % 2, 0, "half a character at the end");
	}
	struct rs_err err;
	rs_err_set(&err, "%s", "what");
	for (int i = 0; i < 100; i++)
		rs_err_prefix(&err, "a rather long prefix that fills the message up");
	cr_expect_lt(strlen(err.text), RS_ERR_BYTES);
}
