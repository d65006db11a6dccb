/* SPDX-License-Identifier: MIT */
/* The check of an adapter's file before a program gets it. */
#ifndef RS_LAUNCH_ADAPTER_FILE_H
#define RS_LAUNCH_ADAPTER_FILE_H

#include <stdbool.h>

#include "base/err.h"

/* Check that a file is a complete shared object for this machine. The dynamic linker maps whatever
 * the headers say, and SIGBUS kills a program that touches a missing part. Only headers are read.
 * Return false and set err if the file is not such an object or cannot be read. */
bool rs_adapter_file_check(const char *path, struct rs_err *err);

#endif
