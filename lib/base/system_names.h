/* SPDX-License-Identifier: MIT */
/*
 * Names of errno values and signals in C, with any C library.
 */
#ifndef RS_BASE_SYSTEM_NAMES_H
#define RS_BASE_SYSTEM_NAMES_H

/* The name of an errno value such as "EACCES"; NULL: it has none. Static storage. */
const char *rs_system_errno_name(int number);

/* The name of a signal without its SIG, such as "TERM"; NULL: it has none. Static storage. */
const char *rs_system_signal_name(int number);

#endif
