/* SPDX-License-Identifier: MIT */
/*
 * Lists of messages for the reader of a report: each says what happened, then in indented lines
 * what to do. Names that the program chose are escaped on their way in.
 */
#ifndef RS_STATS_MESSAGES_H
#define RS_STATS_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/arena.h"

/* How many names a message lists before it only counts them. */
#define RS_MESSAGE_NAMES 4u

struct rs_messages {
	struct rs_arena *arena;
	char **items;
	size_t n;
	size_t capacity;
	bool failed; /* a message is missing: no memory */
};

/* Add one message of one or more lines. */
void rs_messages_add(struct rs_messages *messages, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* text fit to show, in arena; "?" when there is no memory. */
const char *rs_message_show(struct rs_arena *arena, const char *text);

/* name in quotes and fit to show, in arena; "?" when there is no memory. */
const char *rs_message_quote(struct rs_arena *arena, const char *name);

/* Names with counts, as one text: "'a' (3), 'b' (1) and 5 more". Zeroed: none yet. */
struct rs_name_list {
	const char *text; /* in arena, "" when none */
	size_t n;
	uint64_t total; /* sum of the counts, saturating */
};

/* Add one name that something happened to count times; count 0: without its count. */
void rs_name_list_add(
	struct rs_name_list *list, struct rs_arena *arena, const char *name, uint64_t count);

/* The whole list as text, in arena. */
const char *rs_name_list_text(const struct rs_name_list *list, struct rs_arena *arena);

/* "" for one, "s" for any other number. */
const char *rs_message_plural(uint64_t n);

#endif
