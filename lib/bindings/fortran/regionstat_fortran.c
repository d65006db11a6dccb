/* SPDX-License-Identifier: MIT */
/*
 * Functions for the Fortran module: names with a length become names with a NUL, on the stack, for
 * the markers of the header. So a Fortran program needs no library at run time, as a C program
 * needs none. Where nothing is measured a name is not even looked at.
 */
#include <stddef.h>
#include <string.h>

#include "regionstat.h"

/* Longer names are cut here; the runtime shortens what is left to what a region's name may be. */
#define NAME_BYTES 1024

/* As in regionstat.f90. */
enum mark { MARK_BEGIN, MARK_END, MARK_NEXT };

void regionstat_fortran_mark_(
	int what, const char *name, size_t length, const char *other, size_t other_length);
void regionstat_fortran_start_(struct regionstat_call *call, const char *name, size_t length);
void regionstat_fortran_stop_(const struct regionstat_call *call);
void regionstat_fortran_work_(const char *name, size_t length, long long bytes, long long flops);
void regionstat_fortran_pause_(void);
void regionstat_fortran_resume_(void);

/* Without trailing blanks, of which Fortran's texts may be full; cut before a character of
 * UTF-8. */
static void copy(char to[NAME_BYTES], const char *name, size_t length)
{
	while (length && name[length - 1] == ' ')
		length--;
	if (length >= NAME_BYTES)
		for (length = NAME_BYTES - 1; length && (name[length] & 0xc0) == 0x80;)
			length--;
	memcpy(to, name, length);
	to[length] = '\0';
}

/* The runtime distinguishes calls of the same name by the caller's stack frame. So there is one
 * function for all markers, and the module's procedures are jumps to it: the frame is that of the
 * Fortran procedure. */
void regionstat_fortran_mark_(
	int what, const char *name, size_t length, const char *other, size_t other_length)
{
	const struct regionstat_table_14_ *table = regionstat_table_();
	char first[NAME_BYTES], second[NAME_BYTES];
	if (__builtin_expect(!table, 1))
		return;
	copy(first, name, length);
	if (what == MARK_NEXT) {
		copy(second, other, other_length);
		table->next_name_(first, second);
	} else if (what == MARK_BEGIN) {
		table->begin_name_(first);
	} else {
		table->end_name_(first);
	}
}

void regionstat_fortran_start_(struct regionstat_call *call, const char *name, size_t length)
{
	const struct regionstat_table_14_ *table = regionstat_table_();
	char text[NAME_BYTES];
	memset(call, 0, sizeof(*call));
	if (__builtin_expect(!table, 1))
		return;
	copy(text, name, length);
	table->start_name_(call, text);
}

void regionstat_fortran_stop_(const struct regionstat_call *call)
{
	const struct regionstat_table_14_ *table = regionstat_table_();
	if (__builtin_expect(!!table, 0))
		table->stop_(call);
}

/* Negative numbers are of nothing that was done. */
void regionstat_fortran_work_(const char *name, size_t length, long long bytes, long long flops)
{
	const struct regionstat_table_14_ *table = regionstat_table_();
	char text[NAME_BYTES];
	if (__builtin_expect(!table, 1))
		return;
	copy(text, name, length);
	regionstat_work(text, bytes > 0 ? (unsigned long long)bytes : 0,
		flops > 0 ? (unsigned long long)flops : 0);
}

void regionstat_fortran_pause_(void)
{
	regionstat_pause();
}

void regionstat_fortran_resume_(void)
{
	regionstat_resume();
}
