/* SPDX-License-Identifier: MIT */
/*
 * A program with AMD uProf's profile control, linked with a replacement for uProf's library. The
 * first argument selects its action.
 */
#include <AMDProfileController.h>
#include <regionstat.h>

#include "check.h"
#include "truth.h"

static int n_false;
static struct truth truth;

static void resume(void)
{
	n_false += !amdProfileResume(AMD_PROFILE_CPU);
}

static void pause_again(void)
{
	n_false += !amdProfilePause(AMD_PROFILE_CPU);
}

/* Work in regions that tell which parts are counted, and which are not if uProf's calls control
 * counting. */
static void work(void)
{
	REGIONSTAT_SCOPE("inside");
	truth_work(2000);
}

static void rest(void)
{
	REGIONSTAT_SCOPE("outside");
	truth_work(100);
}

static void *pause_there(void *unused)
{
	pause_again();
	return unused;
}

static void calls(void)
{
	for (int i = 0; i < 40; i++)
		TRUTH_CALL(&truth, resume(), pause_again(), truth_work(2000));
}

static void strict(void)
{
	for (int i = 0; i < 40; i++)
		TRUTH_CALL(&truth, n_false += !amdProfileStrictResume(AMD_PROFILE_CPU),
			n_false += !amdProfileStrictPause(AMD_PROFILE_CPU), truth_work(2000));
}

static void mark(int n)
{
	for (int i = 0; i < n; i++) {
		rest();
		resume();
		work();
		pause_again();
	}
}

static void marked(void)
{
	mark(40);
}

static void threads(void)
{
	for (int i = 0; i < 20; i++) {
		resume();
		on_thread(pause_there, NULL);
	}
}

static void mark_in_child(void)
{
	mark(10);
	CHECK(!n_false);
}

/* Fork within a call. */
static void within(void)
{
	rest();
	resume();
	work();
	in_child(mark_in_child);
	pause_again();
}

/* The child calls first: there was no call before the fork. */
static void first_in_child(void)
{
	in_child(mark_in_child);
}

static void wrong(void)
{
	pause_again(); /* not running */
	resume();
	resume(); /* running */
	pause_again();
	pause_again(); /* not running */
}

static const struct how hows[] = {{"calls", calls}, {"strict", strict}, {"marked", marked},
	{"threads", threads}, {"fork", within}, {"fork-first", first_in_child}, {"wrong", wrong},
	{"resumed", resume}};

int main(int argc, char **argv)
{
	FIND_HOW(hows, argc > 1 ? argv[1] : "calls")->run();
	if (truth.calls)
		truth_print("amdProfile", &truth);
	printf("false %d error %d\n", n_false, amdGetLastProfileError());
	return 0;
}
