/* SPDX-License-Identifier: MIT */
/*
 * The markers as exported functions, for languages and interpreters that cannot include the marker
 * header. They do nothing if the program was not launched by regionstat. Each is a tail call, so
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

static const struct regionstat_table_14_ *find_table(void)
{
	/* Acquire pairs with the release store in regionstat_join(). Without it, another thread
	 * could call through a table that is not filled yet. */
	return atomic_load_explicit(&rs_functions_table, memory_order_acquire);
}

void regionstat_begin(const char *name)
{
	const struct regionstat_table_14_ *table = find_table();
	if (table)
		table->begin_name_(name);
}

void regionstat_end(const char *name)
{
	const struct regionstat_table_14_ *table = find_table();
	if (table)
		table->end_name_(name);
}

void regionstat_next(const char *ended, const char *begun)
{
	const struct regionstat_table_14_ *table = find_table();
	if (table)
		table->next_name_(ended, begun);
}

struct regionstat_call regionstat_start(const char *name)
{
	const struct regionstat_table_14_ *table = find_table();
	struct regionstat_call call = {0};
	if (table)
		table->start_name_(&call, name);
	return call;
}

void regionstat_stop(struct regionstat_call call)
{
	const struct regionstat_table_14_ *table = find_table();
	if (table)
		table->stop_(&call);
}

void regionstat_work(const char *name, unsigned long long bytes, unsigned long long flops)
{
	const struct regionstat_table_14_ *table = find_table();
	if (table)
		table->work_name_(name, bytes, flops);
}

void regionstat_pause(void)
{
	const struct regionstat_table_14_ *table = find_table();
	if (table)
		table->pause_();
}

void regionstat_resume(void)
{
	const struct regionstat_table_14_ *table = find_table();
	if (table)
		table->resume_();
}
