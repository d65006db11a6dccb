/* SPDX-License-Identifier: MIT */
/* Encoding protocol buffers: expected bytes from https://protobuf.dev/programming-guides/encoding/ */
#include <criterion/criterion.h>
#include <string.h>

#include "trace/protobuf.h"

static void expect(struct rs_protobuf *message, const char *bytes, size_t n)
{
	cr_assert(!message->failed);
	cr_expect_eq(message->n, n, "%zu bytes, not %zu", message->n, n);
	cr_expect_arr_eq(message->bytes, bytes, n);
	rs_protobuf_finish(message);
}

Test(protobuf, integers_are_varints)
{
	struct rs_protobuf message = {0};
	rs_protobuf_uint(&message, 1, 150);
	rs_protobuf_uint(&message, 50, UINT64_MAX);
	expect(&message, "\x08\x96\x01\x90\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 15);
}

Test(protobuf, texts_have_a_length)
{
	struct rs_protobuf message = {0};
	rs_protobuf_text(&message, 2, "testing");
	expect(&message, "\x12\x07testing", 9);
}

Test(protobuf, fixed_numbers_are_little_endian)
{
	struct rs_protobuf message = {0};
	rs_protobuf_fixed64(&message, 47, 0x0102030405060708);
	expect(&message, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01", 10);
}

Test(protobuf, messages_nest_at_any_length)
{
	static const size_t lengths[] = {0, 1, 125, 126, 127, 16380, 16384, 3000000};
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct rs_protobuf message = {0};
		char *text = calloc(lengths[i] + 1, 1);
		memset(text, 'x', lengths[i]);
		size_t outer = rs_protobuf_open(&message, 3);
		size_t inner = rs_protobuf_open(&message, 4);
		rs_protobuf_text(&message, 5, text);
		rs_protobuf_close(&message, inner);
		rs_protobuf_uint(&message, 6, 7);
		rs_protobuf_close(&message, outer);
		/* Read it back: each level has its own length and what follows. */
		const unsigned char *at = message.bytes;
		size_t left[3];
		for (int level = 0; level < 3; level++) {
			cr_assert_eq(*at++, (3 + level) << 3 | 2);
			left[level] = 0;
			for (unsigned shift = 0, more = 1; more; shift += 7, at++) {
				left[level] |= (size_t)(*at & 0x7f) << shift;
				more = *at >> 7;
			}
		}
		cr_expect_eq(left[2], lengths[i]);
		cr_expect(memcmp(at, text, lengths[i]) == 0);
		cr_expect_eq(at[left[2]], 6 << 3);
		cr_expect_eq(at + left[2] + 2, message.bytes + message.n);
		free(text);
		rs_protobuf_finish(&message);
	}
}
