/* SPDX-License-Identifier: MIT */
/*
 * The calling thread's state pointer, rs_self, and its special values: not attached yet, ended, and
 * inside a function that the program may define.
 */
#include "runtime/process/self.h"

#include <stddef.h>

#include "runtime/process/process.h"

struct rs_runtime *rs_state;

struct rs_thread rs_unseen = {.busy = RS_BUSY_ALWAYS};
__attribute__((used)) __thread struct rs_locals rs_locals = {&rs_unseen, NULL};
/* Define symbols for the two members. The second one is weak, so that a program may define it
 * itself. rs_context_publish() then finds the program's definition. */
__asm__(".globl rs_self\n"
	".hidden rs_self\n"
	".type rs_self, STT_TLS\n"
	".set rs_self, rs_locals\n"
	".size rs_self, 8\n"
	".weak otel_thread_ctx_v1\n"
	".type otel_thread_ctx_v1, STT_TLS\n"
	".set otel_thread_ctx_v1, rs_locals + 8\n"
	".size otel_thread_ctx_v1, 8\n");
static_assert(offsetof(struct rs_locals, label) == 8, "as above");
#ifdef RS_TLS_PLACE
intptr_t rs_self_distance;
#endif

/* The state after the thread's end. The thread may use markers again, because destructors run
 * repeatedly. */
struct rs_thread rs_ended = {.busy = RS_BUSY_ALWAYS};

/* The state between rs_call_out_begin() and rs_call_out_end(). */
static struct rs_thread calling_out = {.busy = RS_BUSY_ALWAYS};

struct rs_thread *rs_call_out_begin(void)
{
	struct rs_thread *thread = rs_self;
	rs_self = &calling_out;
	return thread;
}

void rs_call_out_end(struct rs_thread *thread)
{
	rs_self = thread;
}

bool rs_is_calling_out(const struct rs_thread *thread)
{
	return thread == &calling_out;
}

bool rs_is_unattached(const struct rs_thread *thread)
{
	return thread == &rs_unseen || thread == &rs_ended;
}
