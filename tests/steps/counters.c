/* SPDX-License-Identifier: MIT */
/*
 * Simulated counter groups for a program in QEMU, which has no perf_event_open(2). The descriptor
 * of a group's leader is a socket. Before each read() of it, the plugin sends what the kernel would
 * return for a group that shares the PMU with others (plugin.c).
 */
#include <fcntl.h>
#include <sys/socket.h>

#include "runtime/count/count.h"
#include "steps.h"

bool steps_simulate_counters(struct steps_truth *truth)
{
	struct rs_thread *thread = rs_self;
	uint32_t n = thread ? thread->n_groups : 0;
	if (n > STEPS_MOST_GROUPS)
		return false;
	for (uint32_t g = 0; g < n; g++) {
		int sockets[2];
		uint32_t n_events = thread->shape->group_events[g];
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) ||
			fcntl(sockets[0], F_SETFL, O_APPEND | O_NONBLOCK) ||
			!rs_group_is_own(sockets[0]))
			return false;
		thread->counters.groups[g] = (struct rs_thread_group){.mode = RS_GROUP_READ,
			.fd = sockets[0],
			.bytes = (uint32_t)((3 + n_events) * sizeof(uint64_t))};
		truth->groups[g] = (struct steps_group){
			.fd = sockets[0], .peer = sockets[1], .n_events = n_events};
	}
	truth->n_groups = n;
	if (n)
		rs_counters_list(thread);
	return true;
}

void steps_make_probe(void)
{
	struct rs_frame *frame = rs_self->innermost ? rs_self->innermost->next : NULL;
	if (frame && frame->region)
		frame->region->parent = NULL;
}
