/* SPDX-License-Identifier: MIT */
/* Tests of streams in memory: the whole text, or an error. */
#include <criterion/criterion.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"

Test(text_stream, the_text_is_whole_and_ends_with_a_nul)
{
	static const size_t lines[] = {0, 1, 819, 820, 100000};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char *text;
		size_t bytes;
		FILE *stream = rs_text_stream_open(&text, &bytes);
		cr_assert_null(text);
		for (size_t k = 0; k < lines[i]; k++)
			fprintf(stream, "%09zu\n", k);
		cr_assert_eq(fclose(stream), 0);
		cr_assert_eq(bytes, 10 * lines[i]);
		cr_assert_eq(strlen(text), bytes);
		for (size_t k = 0; k < lines[i]; k++)
			cr_assert_eq(strtoul(text + 10 * k, NULL, 10), k);
		free(text);
	}
}

static size_t most_bytes = SIZE_MAX;

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

/* The linker replaces realloc() in the stream by this one (--wrap). */
void *__wrap_realloc(void *memory, size_t bytes)
{
	return bytes > most_bytes ? NULL : __real_realloc(memory, bytes);
}

/* Later writes are shorter than what is left. */
Test(text_stream, a_lost_part_is_an_error)
{
	static char part[1 << 16];
	char *text;
	size_t bytes, n = 0;
	memset(part, 'x', sizeof(part));
	most_bytes = 1 << 20;
	FILE *stream = rs_text_stream_open(&text, &bytes);
	while (n < 16 && fwrite(part, sizeof(part), 1, stream) == 1)
		n++;
	cr_assert_lt(n, 16);
	fputs("the end", stream);
	cr_assert_neq(fclose(stream), 0);
	cr_assert_null(text);
}

Test(text_stream, an_empty_text_needs_no_more_memory)
{
	char *text;
	size_t bytes;
	FILE *stream = rs_text_stream_open(&text, &bytes);
	most_bytes = 0;
	cr_assert_eq(fclose(stream), 0);
	cr_assert_str_eq(text, "");
	free(text);
}
