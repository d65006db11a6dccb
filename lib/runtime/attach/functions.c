/* SPDX-License-Identifier: MIT */
/*
 * The markers as exported functions, for languages and interpreters that cannot include the marker
 * header. They have no effect while the program is not measured. Each function is a tail call, so
 * that a marker by name finds the stack frame of the function's caller.
 */
#include "runtime/attach/attach.h"

#define RS_EXPORTED __attribute__((visibility("default")))

RS_EXPORTED void regionstat_begin(const char *name);
RS_EXPORTED void regionstat_end(const char *name);
RS_EXPORTED void regionstat_next(const char *ended, const char *begun);
RS_EXPORTED struct regionstat_call regionstat_start(const char *name);
RS_EXPORTED void regionstat_stop(struct regionstat_call call);
RS_EXPORTED void regionstat_work(
	const char *name, unsigned long long bytes, unsigned long long flops);
RS_EXPORTED void regionstat_pause(void);
RS_EXPORTED void regionstat_resume(void);
RS_EXPORTED int regionstat_read(
	const char *name, int event, unsigned int what, struct regionstat_values *values);
RS_EXPORTED int regionstat_event(const char *name);
RS_EXPORTED const char *regionstat_event_name(int event);
RS_EXPORTED const char *regionstat_report(const char *path);

static const struct regionstat_table_29_ *find_table(void)
{
	/* Acquire pairs with the release store in rs_turn_on(): the table's contents are there. */
	return atomic_load_explicit(&rs_functions_table, memory_order_acquire);
}

void regionstat_begin(const char *name)
{
	const struct regionstat_table_29_ *table = find_table();
	if (table)
		table->begin_name_(name);
}

void regionstat_end(const char *name)
{
	const struct regionstat_table_29_ *table = find_table();
	if (table)
		table->end_name_(name);
}

void regionstat_next(const char *ended, const char *begun)
{
	const struct regionstat_table_29_ *table = find_table();
	if (table)
		table->next_name_(ended, begun);
}

struct regionstat_call regionstat_start(const char *name)
{
	const struct regionstat_table_29_ *table = find_table();
	struct regionstat_call call = {0};
	if (table)
		table->start_name_(&call, name);
	return call;
}

void regionstat_stop(struct regionstat_call call)
{
	const struct regionstat_table_29_ *table = find_table();
	if (table)
		table->stop_(&call);
}

void regionstat_work(const char *name, unsigned long long bytes, unsigned long long flops)
{
	const struct regionstat_table_29_ *table = find_table();
	if (table)
		table->work_name_(name, bytes, flops);
}

void regionstat_pause(void)
{
	const struct regionstat_table_29_ *table = find_table();
	if (table)
		table->pause_();
}

void regionstat_resume(void)
{
	const struct regionstat_table_29_ *table = find_table();
	if (table)
		table->resume_();
}

int regionstat_read(
	const char *name, int event, unsigned int what, struct regionstat_values *values)
{
	const struct regionstat_table_29_ *table = find_table();
	*values = (struct regionstat_values){0};
	return table ? table->read_name_(name, event, what, values, sizeof(*values))
		     : REGIONSTAT_ABSENT;
}

int regionstat_event(const char *name)
{
	const struct regionstat_table_29_ *table = find_table();
	return table ? table->event_(name) : -1;
}

const char *regionstat_event_name(int event)
{
	const struct regionstat_table_29_ *table = find_table();
	return table ? table->event_name_(event) : NULL;
}

const char *regionstat_report(const char *path)
{
	const struct regionstat_table_29_ *table = find_table();
	return table ? table->report_(path) : "nothing is measured; try: regionstat_open(\"\")";
}
