/* SPDX-License-Identifier: MIT */
/*
 * AMD uProf's profile control: a library to link in the place of uProf's, which programs link
 * statically as a rule. From Resume to Pause is a call of the region "amdProfile", of the process
 * and not of a thread. Any thread may end it, and no region is its parent. With
 * REGIONSTAT_UPROF=control they let all counting of the run go on and stop instead. The launcher
 * stops it before the first Resume, as with uProf's --start-paused. With REGIONSTAT_UPROF=off they
 * do nothing. A Resume while counting runs and a Pause while it does not change nothing. A program
 * may pause before it resumes for the first time; one that was built for a profiler that begins at
 * once does.
 *
 * It is one object that needs no other of regionstat's, so that a program may link any of its
 * libraries beside it.
 */
#include <stdlib.h>
#include <unistd.h>

#include "adapters/adapter.h"
#include "adapters/standin/AMDProfileController.h"

/* Ends in the process that it was begun in: a forked child has its own. */
enum state { STATE_PAUSED, STATE_BUSY, STATE_RUNNING };
struct control {
	_Atomic uint64_t word; /* the process, and an enum state in its lowest bits */
	struct regionstat_call call; /* while it is running */
};
#define STATE_BITS 2

static struct control control;
static bool is_control, is_off; /* set before main() */

static uint64_t word_of(enum state state)
{
	return (uint64_t)getpid() << STATE_BITS | state;
}

static void note(enum rs_adapter_count count)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	if (table)
		table->note(RS_ADAPTER_UPROF, count, 1);
}

/* Once a process: somebody calls, and the region is met. */
static void note_loaded(void)
{
	static _Atomic bool is_noted;
	if (atomic_exchange_explicit(&is_noted, true, memory_order_relaxed))
		return;
	note(RS_ADAPTER_COUNT_LOADED);
	if (!is_control)
		note(RS_ADAPTER_COUNT_REGIONS);
}

/* From one state to busy, which is the caller's until it has set another; false: it was not in it.
 * A process that was forked has no call open; whether all is counted it takes as it was. */
static bool take(enum state from)
{
	uint64_t word = atomic_load_explicit(&control.word, memory_order_relaxed);
	do {
		enum state state = (enum state)(word & ((1u << STATE_BITS) - 1));
		if (word >> STATE_BITS != (uint64_t)getpid() &&
			(!is_control || state == STATE_BUSY))
			state = STATE_PAUSED;
		if (state != from)
			return false;
		/* acquire: pairs with the release in give() */
	} while (!atomic_compare_exchange_weak_explicit(&control.word, &word, word_of(STATE_BUSY),
		memory_order_acquire, memory_order_relaxed));
	return true;
}

static void give(enum state state)
{
	atomic_store_explicit(&control.word, word_of(state), memory_order_release);
}

/* By hand: the program may have a strcmp() of its own, which marks. */
static bool is_word(const char *word, const char *wanted)
{
	for (; *word && *word == *wanted; word++)
		wanted++;
	return *word == *wanted;
}

/* After the header's own, which has 101. */
__attribute__((constructor(102))) static void start(void)
{
	const char *word = secure_getenv("REGIONSTAT_UPROF");
	is_control = word && is_word(word, "control");
	is_off = word && is_word(word, "off");
}

static void resume(void)
{
	static struct regionstat_site_ site = {"amdProfile", 0, 1};
	note_loaded();
	if (!take(STATE_PAUSED)) {
		note(RS_ADAPTER_COUNT_IGNORED);
		return;
	}
	if (is_control)
		regionstat_resume();
	else
		control.call = regionstat_start_site_(&site);
	give(STATE_RUNNING);
}

static void pause_again(void)
{
	note_loaded();
	if (!take(STATE_RUNNING)) {
		note(RS_ADAPTER_COUNT_IGNORED);
		return;
	}
	if (is_control)
		regionstat_pause();
	else
		regionstat_stop(control.call);
	give(STATE_PAUSED);
}

/* uProf 5's header is said to call names of its own, with Impl behind them. A program that was
 * built with it and links this library finds those, too. */
#define ENTRY(name, action)                                \
	RS_ADAPTER_EXPORT bool name(unsigned int reserved) \
	{                                                  \
		(void)reserved;                            \
		if (!is_off && regionstat_table_())        \
			action();                          \
		return true;                               \
	}                                                  \
	RS_ADAPTER_EXPORT bool name##Impl(unsigned int) __attribute__((alias(#name)));

ENTRY(amdProfileResume, resume)
ENTRY(amdProfilePause, pause_again)
ENTRY(amdProfileStrictResume, resume)
ENTRY(amdProfileStrictPause, pause_again)

RS_ADAPTER_EXPORT int amdGetLastProfileError(void)
{
	return 0;
}
