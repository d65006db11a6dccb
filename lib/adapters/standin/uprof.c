/* SPDX-License-Identifier: MIT */
/*
 * This library replaces AMD uProf's library for profile control, which programs usually link
 * statically. The time from Resume to Pause is a call of the region "amdProfile". The call belongs
 * to the process: any thread may end it, and it has no parent region.
 *
 * If REGIONSTAT_UPROF is "control", the functions resume and pause all counting of the run instead.
 * The launcher then starts the run paused, like uProf's --start-paused. If REGIONSTAT_UPROF is
 * "off", the functions do nothing. A Resume while counting runs, or a Pause while it is paused,
 * changes nothing. Therefore a program may pause before its first Resume, for example if it was
 * written for a profiler that measures from the start.
 *
 * The library is one object file that needs no other part of regionstat. Therefore a program may
 * also link any of regionstat's libraries.
 */
#include <stdlib.h>
#include <unistd.h>

#include "adapters/adapter.h"
#include "adapters/standin/AMDProfileController.h"

/* A call ends in the process that began it. A forked child has its own state. */
enum state { STATE_PAUSED, STATE_BUSY, STATE_RUNNING };
struct control {
	_Atomic uint64_t word; /* the PID, and an enum state in its lowest bits */
	struct regionstat_call call; /* valid while the state is STATE_RUNNING */
};
#define STATE_BITS 2

static struct control control;
static bool is_control, is_off; /* written before main(), constant afterwards */

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

/* Record once in a process that the program uses this library, and that the region exists. */
static void note_loaded(void)
{
	static _Atomic bool is_noted;
	if (atomic_exchange_explicit(&is_noted, true, memory_order_relaxed))
		return;
	note(RS_ADAPTER_COUNT_LOADED);
	if (!is_control)
		note(RS_ADAPTER_COUNT_REGIONS);
}

/* Change the state from `from` to STATE_BUSY, so that no other thread changes it. Return false if
 * the state differs. A forked process inherits whether counting is paused, but no open call. */
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

/* Return true if the words are equal. Do not use strcmp(), because the program may define a
 * strcmp() that contains markers. */
static bool is_word(const char *word, const char *wanted)
{
	for (; *word && *word == *wanted; word++)
		wanted++;
	return *word == *wanted;
}

/* Run after the constructor of the marker header, which has priority 101. */
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

/* As far as is known, programs that were built with the header of uProf 5 call functions whose
 * names end in Impl. This library defines these names too. */
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
