/* SPDX-License-Identifier: MIT */
/*
 * This file implements ROCTx, AMD's markers (roctx.h of roctracer 4.1, and of rocprofiler-sdk,
 * which also has pauses and names). LD_PRELOAD loads the adapter before libroctx64.so or
 * librocprofiler-sdk-roctx.so. The adapter also calls the library, outside the measured time,
 * because the library passes calls to AMD's tools. The program gets the library's results. If
 * regionstat does not measure, the adapter only calls the library.
 */
#include "adapters/pauses.h"
#include "adapters/preload.h"
#include "adapters/ranges.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_ROCTX;

#define KEY 1u /* key of a thread's ranges: ROCTx has no domains */

/* Return true if calls are measured. Prepare the table of open calls the first time. */
static bool is_measured(void)
{
	static atomic_bool is_prepared;
	if (!rs_adapter_called())
		return false;
	if (!atomic_load_explicit(&is_prepared, memory_order_relaxed) &&
		!atomic_exchange_explicit(&is_prepared, true, memory_order_relaxed))
		rs_open_prepare();
	return true;
}

/* Define a function of ROCTx. Its body may call `next`, the library's function. `next` is NULL if
 * there is none. */
#define FUNCTION(type, name, parameters, ...)   \
	RS_ADAPTER_EXPORT type name parameters; \
	type name parameters                    \
	{                                       \
		RS_ADAPTER_NEXT(name);          \
		__VA_ARGS__                     \
	}

FUNCTION(void, roctxMarkA, (const char *message), {
	if (next)
		next(message);
	if (is_measured())
		rs_range_mark(rs_adapter_site_text(message));
})

FUNCTION(int, roctxRangePushA, (const char *message), {
	int theirs = next ? next(message) : 0;
	int level = is_measured() ? rs_stack_push_level(KEY, rs_adapter_site_text(message)) : 0;
	return next ? theirs : level;
})

FUNCTION(int, roctxRangePop, (void), {
	int level = is_measured() ? rs_stack_pop(KEY) : -1;
	return next ? next() : level;
})

FUNCTION(uint64_t, roctxRangeStartA, (const char *message), {
	uint64_t theirs = next ? next(message) : 0;
	return is_measured() ? rs_range_start(rs_adapter_site_text(message), next ? &theirs : NULL)
			     : theirs;
})

FUNCTION(void, roctxRangeStop, (uint64_t id), {
	if (is_measured())
		rs_range_end(id);
	if (next)
		next(id);
})

/* Pause or resume all threads. Count a pause of only one thread as ignored. */
static void set_paused(uint64_t thread, void (*pause_or_resume)(void))
{
	if (thread)
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
	else
		pause_or_resume();
}

FUNCTION(int, roctxProfilerPause, (uint64_t thread), {
	if (is_measured())
		set_paused(thread, rs_pause);
	return next ? next(thread) : 0;
})

FUNCTION(int, roctxProfilerResume, (uint64_t thread), {
	int result = next ? next(thread) : 0;
	if (is_measured())
		set_paused(thread, rs_resume);
	return result;
})

FUNCTION(int, roctxNameOsThread, (const char *name), {
	if (name && is_measured())
		rs_adapter_name_thread(RS_THREAD_CALLING, name, strlen(name));
	return next ? next(name) : 0;
})
