/* SPDX-License-Identifier: MIT */
/* Names of errno values and signals, independent of the C library. */
#ifndef RS_BASE_SYSTEM_NAMES_H
#define RS_BASE_SYSTEM_NAMES_H

/* Return the name of an errno value, such as "EACCES", in static storage. Return NULL if it has
 * none. */
const char *rs_system_errno_name(int number);

/* Return the name of a signal without "SIG", such as "TERM", in static storage. Return NULL if it
 * has none. */
const char *rs_system_signal_name(int number);

#endif
