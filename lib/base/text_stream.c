/* SPDX-License-Identifier: MIT */
/*
 * This file makes streams whose text is in memory. The stream is a custom one (fopencookie(3)), so
 * stdio keeps the error of a failed write.
 */
#include "base/text_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM ((size_t)4096)

struct text_stream {
	char *text; /* its allocated size is `room`; from the begin there is some for a NUL */
	size_t bytes, room;
	bool is_full; /* memory ran out */
	char **text_out;
	size_t *bytes_out;
};

static ssize_t add(void *cookie, const char *text, size_t bytes)
{
	struct text_stream *stream = cookie;
	size_t least = stream->bytes + bytes + 1; /* with the NUL */
	if (least > stream->room) {
		size_t room = 2 * least;
		char *grown = realloc(stream->text, room);
		stream->is_full |= !grown;
		if (!grown)
			return 0; /* an error: see fopencookie(3) */
		stream->text = grown;
		stream->room = room;
	}
	memcpy(stream->text + stream->bytes, text, bytes);
	stream->bytes += bytes;
	return (ssize_t)bytes;
}

static int finish(void *cookie)
{
	struct text_stream *stream = cookie;
	bool is_whole = add(stream, "", 1) == 1 && !stream->is_full;
	if (is_whole) {
		*stream->text_out = stream->text;
		*stream->bytes_out = stream->bytes - 1;
	} else {
		free(stream->text);
	}
	free(stream);
	return is_whole ? 0 : EOF;
}

FILE *rs_text_stream_open(char **text, size_t *bytes)
{
	struct text_stream *stream = malloc(sizeof(*stream));
	*text = NULL;
	if (!stream)
		return NULL;
	*stream = (struct text_stream){.text = malloc(LEAST_ROOM),
		.room = LEAST_ROOM,
		.text_out = text,
		.bytes_out = bytes};
	FILE *file = NULL;
	if (stream->text)
		file = fopencookie(
			stream, "w", (cookie_io_functions_t){.write = add, .close = finish});
	if (!file) {
		free(stream->text);
		free(stream);
	}
	return file;
}
