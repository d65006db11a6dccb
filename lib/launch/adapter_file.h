/* SPDX-License-Identifier: MIT */
/*
 * Whether a library can be given to a program to load.
 */
#ifndef RS_LAUNCH_ADAPTER_FILE_H
#define RS_LAUNCH_ADAPTER_FILE_H

#include <stdbool.h>

#include "base/err.h"

/*
 * Check that a file is a shared object of this machine's kind, and whole. ld.so maps what its
 * headers say. A program that loads a truncated file dies of a SIGBUS when it first touches the
 * missing part. Only headers are read. False, with err filled: it is not, or cannot be read.
 */
bool rs_adapter_file_check(const char *path, struct rs_err *err);

#endif
