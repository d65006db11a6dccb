/* SPDX-License-Identifier: MIT */
/*
 * A program can name a thread through a profiling API. This file stores the name, and does not
 * change the kernel's name of the thread. Longer names are cut to the length that reports show.
 */
#include "runtime/adapt/adapt.h"

#include <string.h>

#include "runtime/mark/slow.h"
#include "runtime/process/process.h"
#include "runtime/process/self.h"
#include "runtime/thread/thread.h"

bool rs_adapter_name_thread(uint32_t tid, const char *name, size_t bytes)
{
	struct rs_thread *thread = rs_state ? rs_enter_slowly(RS_STACK) : NULL;
	if (!thread)
		return false;
	char head[RS_THREAD_NAME_BYTES] = {0};
	size_t room = sizeof(head) - 1, length = bytes < room ? bytes : room;
	/* Do not cut inside a UTF-8 character. */
	while (length < bytes && length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--;
	memcpy(head, name, length);
	bool is_named = rs_thread_set_name(thread, tid, head);
	rs_leave(thread);
	return is_named;
}
