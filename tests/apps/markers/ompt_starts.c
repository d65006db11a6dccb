/* SPDX-License-Identifier: MIT */
/*
 * ompt_starts HOW [N]: how and where an OMPT tool is started, and calls that no runtime should
 * make. HOW:
 *
 *   twice       the tool is started twice, with N loops after each start
 *   bare        the runtime refuses all callbacks
 *   nothing     the runtime has no functions to look up
 *   some        the runtime has no callback for implicit tasks; N loops
 *   version     the runtime reports an unknown version; N loops
 *   alone       there is no tool, or the adapter has nothing to measure; N loops
 *   stray       ends without a begin, unknown kinds, and N loops
 *   lost        N parallel regions; each part of them has N `single` without an end, N loops, and
 *               one more such `single`
 *   moved       N works end on another thread than they began on
 *   fork        a child continues its parent's part of a parallel region: it has N loops, and ends
 *               the part
 *   fork-first  the tool starts in a child, N loops there
 */
#include "ompt_part.h"

static int n;
static union ompt_data task; /* the initial task */

PLACE(outer)

static void loops(union ompt_data *of)
{
	for (int i = 0; i < n; i++) {
		ompt_work(1, OMPT_BEGIN, of, outer());
		ompt_work(1, OMPT_END, of, outer());
	}
}

/* ---- starts ---- */

static void twice(void)
{
	for (int i = 0; i < 2; i++) {
		CHECK(ompt_start());
		loops(&task);
	}
}

static void bare(void)
{
	ompt_available = 0;
	CHECK(!ompt_start());
	loops(&task);
}

static ompt_function look_up_nothing(const char *name)
{
	(void)name;
	return NULL;
}

static void nothing(void)
{
	CHECK(!ompt_start_with(look_up_nothing));
	CHECK(!ompt_start_with(NULL));
	loops(&task);
}

static void body_of_loops(struct ompt_part *self)
{
	loops(&self->task);
}

static void some(void)
{
	struct ompt_team team = {.n = 2, .body = body_of_loops};
	ompt_available = ~(UINT64_C(1) << OMPT_IMPLICIT_TASK);
	CHECK(ompt_start());
	ompt_parallel(&task, &team, outer());
}

static void version(void)
{
	ompt_version = 0;
	ompt_name = NULL;
	CHECK(ompt_start());
	loops(&task);
}

static void alone(void)
{
	CHECK(!ompt_start());
	loops(&task);
}

/* ---- wrong calls ---- */

static void stray(void)
{
	union ompt_data empty = {0};
	CHECK(ompt_start());
	ompt_work(1, OMPT_END, &task, outer()); /* unmatched */
	ompt_masked(OMPT_END, &task, outer()); /* unmatched */
	ompt_implicit_task(OMPT_END, NULL, &empty, 0, 0, OMPT_IMPLICIT);
	ompt_implicit_task(OMPT_BEGIN, NULL, &empty, 1, 0, OMPT_INITIAL);
	ompt_implicit_task(OMPT_END, NULL, &empty, 1, 0, OMPT_INITIAL);
	ompt_implicit_task(OMPT_BEGIN, NULL, NULL, 0, 0, OMPT_IMPLICIT);
	ompt_implicit_task(OMPT_END, NULL, NULL, 0, 0, OMPT_IMPLICIT);
	ompt_parallel_begin(&task, NULL, 1, 0, outer());
	ompt_parallel_end(&task, NULL, 0, outer());
	ompt_work(1, OMPT_BEGIN, NULL, outer());
	ompt_work(1, OMPT_END, NULL, outer());
	ompt_masked(OMPT_BEGIN, NULL, outer());
	for (int type = -1; type < 100; type += 20) /* ignored: -1, 19, 39, 59, 79, 99 */
		ompt_work(type, OMPT_BEGIN, &task, outer());
	ompt_work(1, 0, &task, outer()); /* ignored */
	ompt_work(1, 4, &task, outer()); /* ignored */
	ompt_wait(OMPT_SYNC_REGION, 0, OMPT_BEGIN, &task); /* ignored */
	ompt_wait(OMPT_SYNC_REGION, 99, OMPT_BEGIN, &task); /* ignored */
	ompt_wait(OMPT_SYNC_REGION, 5, 9, &task); /* ignored */
	/* Begin and end in one call. */
	ompt_work(3, OMPT_BEGIN_AND_END, &task, outer());
	ompt_wait(OMPT_SYNC_REGION, 5, OMPT_BEGIN_AND_END, &task);
	/* LLVM's runtime ends the loop of a `distribute parallel for` like this. */
	ompt_work(1, OMPT_BEGIN, &task, outer());
	ompt_work(6, OMPT_END, &task, outer());
	loops(&task);
}

static void body_of_lost(struct ompt_part *self)
{
	for (int i = 0; i < n; i++)
		ompt_work(3, OMPT_BEGIN, &self->task, outer());
	loops(&self->task);
	ompt_work(3, OMPT_BEGIN, &self->task, outer());
}

static void lost(void)
{
	struct ompt_team team = {.n = 2, .body = body_of_lost};
	CHECK(ompt_start());
	for (int i = 0; i < n; i++)
		ompt_parallel(&task, &team, outer());
}

static void *end_work(void *of)
{
	ompt_work(7, OMPT_END, of, outer());
	return NULL;
}

static void moved(void)
{
	CHECK(ompt_start());
	for (int i = 0; i < n; i++) {
		ompt_work(7, OMPT_BEGIN, &task, outer());
		on_thread(end_work, &task);
	}
	loops(&task);
}

/* ---- processes ---- */

static void fork_within(void)
{
	union ompt_data parallel = {0}, part = {0};
	CHECK(ompt_start());
	ompt_parallel_begin(&task, &parallel, 1, 0, outer());
	ompt_implicit_task(OMPT_BEGIN, &parallel, &part, 1, 0, OMPT_IMPLICIT);
	ompt_work(6, OMPT_BEGIN, &part, outer());
	pid_t child = fork_flushed();
	if (child == 0)
		loops(&part);
	ompt_work(6, OMPT_END, &part, outer());
	ompt_implicit_task(OMPT_END, NULL, &part, 1, 0, OMPT_IMPLICIT);
	ompt_parallel_end(&task, &parallel, 0, outer());
	if (child == 0)
		_exit(0);
	wait_for(child);
}

static void start_and_loop(void)
{
	CHECK(ompt_start());
	loops(&task);
}

static void fork_first(void)
{
	in_child(start_and_loop);
}

static const struct how hows[] = {{"twice", twice}, {"bare", bare}, {"nothing", nothing},
	{"some", some}, {"version", version}, {"alone", alone}, {"stray", stray}, {"lost", lost},
	{"moved", moved}, {"fork", fork_within}, {"fork-first", fork_first}};

int main(int argc, char **argv)
{
	n = argc > 2 ? atoi(argv[2]) : 1;
	FIND_HOW(hows, argv[1])->run();
	return 0;
}
