/* SPDX-License-Identifier: MIT */
/*
 * Where a trace comes from: the host and its boot. perfetto.c writes this into the first packet of a
 * file. Here it is read, from files that anybody may have written.
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

/* Read the origin from the begin of a file of n_bytes. Return false if the file is no trace of
 * Perfetto: its first packet must be whole, and another packet or nothing must follow it. */
bool rs_trace_origin_read(struct rs_trace_origin *origin, int fd, uint64_t n_bytes);

#endif
