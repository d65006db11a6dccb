/* SPDX-License-Identifier: MIT */
/* This file reads the host and the boot of a trace from its first packet (origin.h). */
#include "trace/origin.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define FIRST_BYTES 4096 /* the first packet, which perfetto.c writes, is shorter */
#define PACKET_KEY 0x0a /* TracePacket of a trace: field 1, with a length */
#define TEXT_KEY 0x1a /* string_value of an attribute: field 3, with a length */

/* Find the attribute with this key in a packet, and copy its text, which follows the key.
 * perfetto.c writes texts of less than 128 bytes, so the length is one byte. */
static void find_text(
	char to[RS_MACHINE_TEXT_BYTES], const unsigned char *packet, size_t n, const char *key)
{
	char text[RS_MACHINE_TEXT_BYTES];
	const unsigned char *at = memmem(packet, n, key, strlen(key)), *end = packet + n;
	at = at ? at + strlen(key) : end;
	if (end - at < 2 || at[0] != TEXT_KEY || at[1] >= sizeof(text) || at[1] > end - at - 2)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)at[1], (const char *)at + 2);
	rs_text_escape(to, RS_MACHINE_TEXT_BYTES, text);
}

bool rs_trace_origin_read(struct rs_trace_origin *origin, int fd, uint64_t n_bytes)
{
	unsigned char bytes[FIRST_BYTES], next;
	uint64_t packet_bytes = 0;
	size_t begin = 1;
	*origin = (struct rs_trace_origin){0};
	ssize_t n_read = pread(fd, bytes, sizeof(bytes), 0);
	if (n_read < 2 || bytes[0] != PACKET_KEY)
		return false;
	for (unsigned shift = 0; begin < (size_t)n_read && shift < 63; shift += 7) {
		packet_bytes |= (uint64_t)(bytes[begin] & 0x7f) << shift;
		if (bytes[begin++] < 0x80)
			break;
	}
	if (packet_bytes == 0 || n_bytes < begin || packet_bytes > n_bytes - begin)
		return false;
	uint64_t end = begin + packet_bytes;
	if (end < n_bytes && (pread(fd, &next, 1, (off_t)end) != 1 || next != PACKET_KEY))
		return false;
	size_t n = end < (uint64_t)n_read ? (size_t)end : (size_t)n_read;
	find_text(origin->host, bytes, n, RS_TRACE_HOST);
	find_text(origin->boot, bytes, n, RS_TRACE_BOOT);
	return true;
}
