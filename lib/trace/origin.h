/* SPDX-License-Identifier: MIT */
/*
 * The origin of a trace is its host and the boot of the host. perfetto.c writes the origin into the
 * first packet of a file. This module reads the origin from files that may contain anything.
 */
#ifndef RS_TRACE_ORIGIN_H
#define RS_TRACE_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/machine.h"

/* Names of attributes in Perfetto's TraceAttributes. */
#define RS_TRACE_HOST "regionstat.host"
#define RS_TRACE_BOOT "regionstat.boot_id"

struct rs_trace_origin {
	char host[RS_MACHINE_TEXT_BYTES]; /* safe to show; "": unknown */
	char boot
		[RS_MACHINE_TEXT_BYTES]; /* the kernel's random boot_id; safe to show; "": unknown */
};

/* Read the origin from the beginning of a file of n_bytes. Return false if the file is no trace
 * of Perfetto. The first packet must be complete, and either end the file or precede another
 * packet. */
bool rs_trace_origin_read(struct rs_trace_origin *origin, int fd, uint64_t n_bytes);

#endif
