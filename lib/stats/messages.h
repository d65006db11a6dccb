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

/* What a message is about, for programs that read it. */
struct rs_message_about {
	const char *code; /* which message it is, whatever its words: "lost", "sampled"; static */
	const char *region; /* the first that it names; NULL: none */
	double number; /* how many of what it tells of there are; 0: it tells of none */
};
#define RS_ABOUT(...) (&(const struct rs_message_about){__VA_ARGS__})

struct rs_message {
	const char *text; /* one or more lines: what, then indented what to do */
	struct rs_message_about about;
};

struct rs_messages {
	struct rs_arena *arena;
	struct rs_message *items;
	size_t n;
	size_t capacity;
	bool failed; /* a message is missing: no memory */
};

/* Add one message of one or more lines. about: copied; its region must live as long as messages. */
void rs_messages_add(struct rs_messages *messages, const struct rs_message_about *about,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* text fit to show, in arena; "?" when there is no memory. */
const char *rs_message_show(struct rs_arena *arena, const char *text);

/* So many ns, at least 0, in three digits: "1.17 s"; in arena; "?" when there is no memory. */
const char *rs_message_time(struct rs_arena *arena, double ns);

/* name in quotes and fit to show, in arena; "?" when there is no memory. */
const char *rs_message_quote(struct rs_arena *arena, const char *name);

/* Names with counts, as one text: "'a' (3), 'b' (1) and 5 more". Zeroed: none yet. */
struct rs_name_list {
	const char *text; /* in arena, "" when none */
	const char *first; /* of the names, in arena, any bytes; NULL when none */
	size_t n;
	uint64_t total; /* sum of the counts, saturating */
};

/* Add one name that something happened to count times; count 0: without its count. */
void rs_name_list_add(
	struct rs_name_list *list, struct rs_arena *arena, const char *name, uint64_t count);

/* The same with any detail in place of the count: "'a' (4.48 GHz)". Fit to show; NULL: none. */
void rs_name_list_add_with(
	struct rs_name_list *list, struct rs_arena *arena, const char *name, const char *detail);

/* The whole list as text, in arena. */
const char *rs_name_list_text(const struct rs_name_list *list, struct rs_arena *arena);

/* "" for one, "s" for any other number. */
const char *rs_message_plural(uint64_t n);

#endif
