/* SPDX-License-Identifier: MIT */
/*
 * Words on ranks. In come a summary's processes that have one; out goes one message, which lists
 * all of them where they are few, and else the first and how many there are.
 */
#include "stats/ranks.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

#define MOST_LISTED 16u

void rs_ranks_tell(struct rs_messages *messages, const struct rs_summary *summary)
{
	struct rs_arena *arena = messages->arena;
	const char *text = "";
	size_t n = summary->n_ranks;
	for (size_t i = 0; i < n && i < MOST_LISTED && text; i++) {
		const struct rs_summary_process *process = &summary->ranks[i];
		text = rs_arena_format(arena, "%s%s%" PRIu32 " (%s %s)", text, i > 0 ? ", " : "",
			process->rank, rs_message_show(arena, process->name), process->label);
	}
	if (text && n > MOST_LISTED)
		text = rs_arena_format(arena, "%s and %zu more", text, n - MOST_LISTED);
	if (!text)
		messages->failed = true;
	else if (n > 0)
		rs_messages_add(messages, RS_ABOUT("ranks", NULL, (double)n),
			"rank%s of an MPI program: %s", n == 1 ? "" : "s", text);
}
