/* SPDX-License-Identifier: MIT */
/*
 * This file prints regionstat's messages to stderr. Each begins with the command's name, so that a
 * reader can distinguish it from the program's output.
 */
#include "command.h"

#include <errno.h>
#include <stdio.h>

void rs_command_complain(const struct rs_err *err)
{
	fprintf(stderr, "regionstat: %s\n", err->text);
}

int rs_command_refuse(const struct rs_err *err)
{
	rs_command_complain(err);
	fprintf(stderr, "regionstat: nothing was run (exit status %d)\n", RS_STATUS_FAILED);
	return RS_STATUS_FAILED;
}

int rs_command_flush(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	struct rs_err err;
	rs_err_set_errno(&err, errno, "cannot write to the standard output");
	rs_command_complain(&err);
	return RS_STATUS_FAILED;
}
