/* SPDX-License-Identifier: MIT */
/* Tests of what a reader knows of a segment that a program is writing to. */
#include <criterion/criterion.h>
#include <sys/mman.h>
#include <unistd.h>

#include "segment/layout.h"
#include "stats/segment_reader.h"

#define FIRST 100 /* two offsets that no window of the reader contains together */
#define SECOND 1000000

static struct rs_segment_reader reader;

static void start(void)
{
	struct rs_err err;
	int fd = memfd_create("segment", MFD_CLOEXEC);
	cr_assert_eq(ftruncate(fd, RS_SEGMENT_BYTES), 0);
	cr_assert(rs_segment_reader_init(&reader, fd, &err));
}

static void finish(void)
{
	close(reader.fd);
	rs_segment_reader_finish(&reader);
}

TestSuite(segment_reader, .init = start, .fini = finish);

/* Let the program write the same number at both places. */
static void write_both(char number)
{
	cr_assert_eq(pwrite(reader.fd, &number, 1, FIRST), 1);
	cr_assert_eq(pwrite(reader.fd, &number, 1, SECOND), 1);
}

static char read_one(uint64_t offset)
{
	char number = -1;
	cr_assert(rs_segment_reader_read(&reader, offset, &number, 1));
	return number;
}

Test(segment_reader, no_byte_is_older_than_the_first_one)
{
	write_both(1);
	cr_assert_eq(read_one(SECOND), 1);
	write_both(2);
	cr_assert(rs_segment_reader_begin(&reader, FIRST));
	cr_assert_eq(read_one(FIRST), 2);
	cr_assert_eq(read_one(SECOND), 2);
}

Test(segment_reader, a_byte_may_be_newer_than_the_first_one)
{
	write_both(1);
	cr_assert_eq(read_one(FIRST), 1);
	cr_assert_eq(read_one(SECOND), 1);
	write_both(2);
	cr_assert(rs_segment_reader_begin(&reader, FIRST));
	cr_assert_eq(read_one(FIRST), 1);
	cr_assert_eq(read_one(SECOND), 1);
	rs_segment_reader_forget(&reader);
	cr_assert_eq(read_one(FIRST), 2);
	cr_assert_eq(read_one(SECOND), 2);
}

Test(segment_reader, data_beyond_the_segment)
{
	char number;
	cr_assert_not(rs_segment_reader_begin(&reader, RS_SEGMENT_BYTES));
	cr_assert_not(rs_segment_reader_read(&reader, RS_SEGMENT_BYTES - 1, &number, 2));
}
