/* SPDX-License-Identifier: MIT */
/*
 * Names of threads that a program tells its tools, and not the kernel. In comes a name, out goes what
 * the thread's slot shows of it; the thread keeps it for the slots that it may yet have.
 */
#include "runtime/adapt/adapt.h"

#include <string.h>

#include "runtime/mark/otherwise.h"
#include "runtime/process/self.h"

void rs_adapter_name_thread(const char *name, size_t bytes)
{
	struct rs_thread *thread = rs_state ? rs_enter_slowly(RS_STACK) : NULL;
	if (!thread)
		return;
	size_t room = sizeof(thread->name) - 1, length = bytes < room ? bytes : room;
	/* not into the middle of a character */
	while (length < bytes && length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--;
	memset(thread->name, 0, sizeof(thread->name));
	memcpy(thread->name, name, length);
	rs_slot_name(thread->slot, thread);
	rs_leave(thread);
}
