/* SPDX-License-Identifier: MIT */
/*
 * Growing lists of messages, and lists of names within one message.
 */
#include "stats/messages.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define MESSAGE_BYTES 4096

/* Room for one more item. */
static bool grow(struct rs_messages *messages)
{
	if (messages->n < messages->capacity)
		return true;
	size_t capacity = messages->capacity > 0 ? messages->capacity * 2 : 16;
	struct rs_message *items = rs_arena_array(messages->arena, capacity, sizeof(*items));
	if (!items)
		return false;
	if (messages->n > 0)
		memcpy(items, messages->items, messages->n * sizeof(*items));
	messages->items = items;
	messages->capacity = capacity;
	return true;
}

void rs_messages_add(
	struct rs_messages *messages, const struct rs_message_about *about, const char *format, ...)
{
	char text[MESSAGE_BYTES];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	char *item = grow(messages) ? rs_arena_format(messages->arena, "%s", text) : NULL;
	if (item)
		messages->items[messages->n++] = (struct rs_message){item, *about};
	else
		messages->failed = true;
}

const char *rs_message_show(struct rs_arena *arena, const char *text)
{
	size_t bytes = rs_text_escape(NULL, 0, text) + 1;
	char *shown = rs_arena_array(arena, bytes, 1);
	if (!shown)
		return "?";
	rs_text_escape(shown, bytes, text);
	return shown;
}

const char *rs_message_time(struct rs_arena *arena, double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t unit = 0;
	char *text = rs_arena_array(arena, 32, 1);
	for (; unit < 3 && ns >= 999.5; unit++)
		ns /= 1000;
	if (text)
		snprintf(text, 32, ns < 999.5 ? "%.3g %s" : "%.0f %s", ns, units[unit]);
	return text ? text : "?";
}

const char *rs_message_quote(struct rs_arena *arena, const char *name)
{
	const char *quoted = rs_arena_format(arena, "'%s'", rs_message_show(arena, name));
	return quoted ? quoted : "?";
}

void rs_name_list_add_with(
	struct rs_name_list *list, struct rs_arena *arena, const char *name, const char *detail)
{
	if (list->n++ >= RS_MESSAGE_NAMES)
		return;
	if (list->n == 1)
		list->first = rs_arena_format(arena, "%s", name);
	const char *before = list->n > 1 ? list->text : "";
	const char *comma = list->n > 1 ? ", " : "";
	const char *quoted = rs_message_quote(arena, name);
	const char *text = detail ? rs_arena_format(
					    arena, "%s%s%s (%s)", before, comma, quoted, detail)
				  : rs_arena_format(arena, "%s%s%s", before, comma, quoted);
	list->text = text ? text : before;
}

void rs_name_list_add(
	struct rs_name_list *list, struct rs_arena *arena, const char *name, uint64_t count)
{
	char detail[32];
	if (__builtin_add_overflow(list->total, count, &list->total))
		list->total = UINT64_MAX;
	snprintf(detail, sizeof(detail), "%" PRIu64, count);
	rs_name_list_add_with(list, arena, name, count > 0 ? detail : NULL);
}

const char *rs_name_list_text(const struct rs_name_list *list, struct rs_arena *arena)
{
	if (list->n == 0)
		return "";
	if (list->n <= RS_MESSAGE_NAMES)
		return list->text;
	const char *text = rs_arena_format(
		arena, "%s and %zu more", list->text, list->n - RS_MESSAGE_NAMES);
	return text ? text : list->text;
}

const char *rs_message_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}
