/* SPDX-License-Identifier: MIT */
/*
 * This file contains the C functions of the Fortran module. They copy names to the stack, add a
 * NUL, and call the markers of regionstat.h. Therefore a Fortran program needs no library at run
 * time, like a C program. If the program is not measured, names are not copied.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "regionstat.h"

/* Limit of the length of names. The runtime has a lower limit, and marks names that it cuts. */
#define NAME_BYTES 1024

/* The markers, numbered as in regionstat.f90. */
enum mark { MARK_BEGIN, MARK_END, MARK_NEXT };

void regionstat_fortran_mark_(
	int what, const char *name, size_t length, const char *other, size_t other_length);
void regionstat_fortran_start_(struct regionstat_call *call, const char *name, size_t length);
void regionstat_fortran_stop_(const struct regionstat_call *call);
void regionstat_fortran_work_(const char *name, size_t length, long long bytes, long long flops);
void regionstat_fortran_read_(const char *name, size_t length, const char *event,
	size_t event_length, int what, struct regionstat_values *values);
void regionstat_fortran_peek_(const struct regionstat_call *call, const char *event,
	size_t event_length, struct regionstat_values *values);
void regionstat_fortran_ask_(
	int is_report, const char *text, size_t length, char *message, size_t message_length);
void regionstat_fortran_pause_(void);
void regionstat_fortran_resume_(void);

/* Copy a name without the trailing blanks that Fortran adds. A long name is cut before a UTF-8
 * character. */
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

/* Call a marker by name. The runtime distinguishes calls of the same name by the caller's stack
 * frame. This must be the frame of the Fortran procedure that contains the marker. Therefore all
 * markers use this function, and the module's procedures only jump to it. */
void regionstat_fortran_mark_(
	int what, const char *name, size_t length, const char *other, size_t other_length)
{
	const struct regionstat_table_29_ *table = regionstat_table_();
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
	const struct regionstat_table_29_ *table = regionstat_table_();
	char text[NAME_BYTES];
	memset(call, 0, sizeof(*call));
	if (__builtin_expect(!table, 1))
		return;
	copy(text, name, length);
	table->start_name_(call, text);
}

void regionstat_fortran_stop_(const struct regionstat_call *call)
{
	const struct regionstat_table_29_ *table = regionstat_table_();
	if (__builtin_expect(!!table, 0))
		table->stop_(call);
}

/* Add work. Negative values count as 0. */
void regionstat_fortran_work_(const char *name, size_t length, long long bytes, long long flops)
{
	const struct regionstat_table_29_ *table = regionstat_table_();
	char text[NAME_BYTES];
	if (__builtin_expect(!table, 1))
		return;
	copy(text, name, length);
	regionstat_work(text, bytes > 0 ? (unsigned long long)bytes : 0,
		flops > 0 ? (unsigned long long)flops : 0);
}

void regionstat_fortran_read_(const char *name, size_t length, const char *event,
	size_t event_length, int what, struct regionstat_values *values)
{
	char region[NAME_BYTES], value[NAME_BYTES];
	copy(region, name, length);
	copy(value, event, event_length);
	regionstat_read(region, regionstat_event(value),
		(unsigned int)what | REGIONSTAT_SELF | REGIONSTAT_QUANTILES, values);
}

void regionstat_fortran_peek_(const struct regionstat_call *call, const char *event,
	size_t event_length, struct regionstat_values *values)
{
	char value[NAME_BYTES];
	copy(value, event, event_length);
	regionstat_peek(*call, regionstat_event(value), values);
}

/* Start measuring, or write the report. On failure, fill message with the reason, followed by
 * blanks; otherwise only with blanks. */
void regionstat_fortran_ask_(
	int is_report, const char *text, size_t length, char *message, size_t message_length)
{
	char *copied = malloc(length + 1);
	const char *why = "out of memory";
	while (length && text[length - 1] == ' ')
		length--;
	if (copied) {
		memcpy(copied, text, length);
		copied[length] = '\0';
		why = is_report ? regionstat_report(copied) : regionstat_open(copied);
	}
	free(copied);
	size_t bytes = why ? strlen(why) : 0;
	memset(message, ' ', message_length);
	memcpy(message, why ? why : "", bytes < message_length ? bytes : message_length);
}

void regionstat_fortran_pause_(void)
{
	regionstat_pause();
}

void regionstat_fortran_resume_(void)
{
	regionstat_resume();
}
