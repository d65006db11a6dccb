/* SPDX-License-Identifier: MIT */
/*
 * ompt HOW [N]: OpenMP's constructs with a runtime's calls of a tool, on threads of the program
 * itself. It prints its own times of its regions by two clocks, a line for each thread. HOW:
 *
 *   works      N of each worksharing construct on each of 4 threads
 *   waits      N of each wait on each of 4 threads
 *   deep       N works in one task, each within the previous one; twice
 *   places     4 threads use N new code addresses at the same time
 *   tasks      N tasks at once, with a loop in each
 *   handed     all but a few of the 4,096 tasks that the adapter can track are open; meanwhile 4
 *              threads have N parts each, one by one
 *   finalize   the runtime finalizes the tool while 4 threads continue, N loops each
 *
 * How and where the tool is started, and calls that no runtime should make:
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
#include <sched.h>
#include <stdatomic.h>

#include "../truth.h"
#include "ompt_part.h"

#define THREADS 4

static int n;
static union ompt_data task; /* the initial task */

/* Return a code address in the calling function. */
__attribute__((noinline)) static const void *here(void)
{
	return __builtin_return_address(0);
}

/* The functions differ, so that the compiler does not merge them. */
#define PLACE(name)                                             \
	__attribute__((noinline)) static const void *name(void) \
	{                                                       \
		const void *place = here();                     \
		__asm__ volatile("# at " #name : "+r"(place));  \
		return place;                                   \
	}
PLACE(outer)
PLACE(inner)

static void print(const char *name, struct truth *truth)
{
	flockfile(stdout); /* other threads print too */
	if (truth->calls)
		truth_print(name, truth);
	funlockfile(stdout);
	*truth = (struct truth){0};
}

/* ---- worksharing ---- */

static const char *const works[] = {[1] = "loop outer",
	[2] = "sections outer",
	[3] = "single outer",
	[5] = "workshare outer",
	[6] = "distribute outer",
	[7] = "taskloop outer",
	[8] = "scope outer"};

static void body_of_works(struct ompt_part *self)
{
	const void *place = outer();
	struct truth truth = {0};
	for (int type = 1; type < 9; type++) {
		for (int i = 0; i < n && works[type]; i++)
			TRUTH_CALL(&truth, ompt_work(type, OMPT_BEGIN, &self->task, place),
				ompt_work(type, OMPT_END, &self->task, place), truth_work(5000));
		print(works[type] ? works[type] : "", &truth);
	}
	for (int i = 0; i < n; i++)
		TRUTH_CALL(&truth, ompt_masked(OMPT_BEGIN, &self->task, place),
			ompt_masked(OMPT_END, &self->task, place), truth_work(5000));
	print("masked outer", &truth);
	/* Other works may begin within a scope. A thread that does not execute a single has
	 * none. */
	for (int i = 0; i < n; i++) {
		ompt_work(8, OMPT_BEGIN, &self->task, inner());
		ompt_work(4, OMPT_BEGIN, &self->task, inner());
		ompt_work(4, OMPT_END, &self->task, inner());
		ompt_work(12, OMPT_BEGIN, &self->task, inner());
		ompt_work(12, OMPT_END, &self->task, inner());
		ompt_work(8, OMPT_END, &self->task, inner());
	}
}

static void on_team(void (*body)(struct ompt_part *))
{
	struct ompt_team team = {.n = THREADS, .body = body};
	ompt_parallel(&task, &team, outer());
}

static void works_on_team(void)
{
	on_team(body_of_works);
}

/* ---- waits ---- */

static void body_of_waits(struct ompt_part *self)
{
	static const struct {
		enum ompt_event event;
		int kind;
		const char *name;
	} waits[] = {{OMPT_SYNC_REGION, 5, "OpenMP taskwait"},
		{OMPT_SYNC_REGION, 6, "OpenMP taskgroup"}, {OMPT_REDUCTION, 7, "OpenMP reduction"}};
	struct truth truth = {0};
	for (size_t k = 0; k < sizeof(waits) / sizeof(waits[0]); k++) {
		for (int i = 0; i < n; i++)
			TRUTH_CALL(&truth,
				ompt_wait(waits[k].event, waits[k].kind, OMPT_BEGIN, &self->task),
				ompt_wait(waits[k].event, waits[k].kind, OMPT_END, &self->task),
				truth_work(5000));
		print(waits[k].name, &truth);
	}
	for (int i = 0; i < n; i++)
		ompt_barrier(self, (int[]){1, 2, 3, 4, 8, 9, 10}[i % 7]);
}

static void waits_on_team(void)
{
	on_team(body_of_waits);
}

/* ---- depth ---- */

/* Nest works of three kinds in turn, in which others may begin. */
static void go_deep(union ompt_data *of, struct truth truths[3], int depth)
{
	static const int types[3] = {6, 7, 8};
	int k = depth % 3;
	if (depth < n)
		TRUTH_CALL(&truths[k], ompt_work(types[k], OMPT_BEGIN, of, outer()),
			   ompt_work(types[k], OMPT_END, of, outer()), truth_work(2000);
			   go_deep(of, truths, depth + 1); truth_work(2000));
}

static void body_of_deep(struct ompt_part *self)
{
	static const char *const names[3] = {"distribute outer", "taskloop outer", "scope outer"};
	struct truth truths[3] = {{0}};
	go_deep(&self->task, truths, 0);
	go_deep(&self->task, truths, 0);
	for (int i = 0; i < 3; i++)
		print(names[i], &truths[i]);
}

static void deep(void)
{
	struct ompt_team team = {.n = 2, .body = body_of_deep};
	ompt_parallel(&task, &team, inner());
}

/* ---- many ---- */

/* Wait for all threads of the team. This orders no memory accesses. So a sanitizer finds a thread
 * that relies on earlier writes of another one. */
static void meet(void)
{
	static _Atomic unsigned int n_come;
	unsigned int place = atomic_fetch_add_explicit(&n_come, 1, memory_order_relaxed);
	unsigned int all = (place / THREADS + 1) * THREADS;
	while (atomic_load_explicit(&n_come, memory_order_relaxed) < all)
		sched_yield();
}

/* All threads begin with the same code address. */
static void body_of_places(struct ompt_part *self)
{
	const char *first = (const char *)outer();
	meet();
	for (int i = 0; i < n; i++) {
		ompt_work(1, OMPT_BEGIN, &self->task, first + i);
		truth_work(200);
		ompt_work(1, OMPT_END, &self->task, first + i);
	}
}

static void places(void)
{
	on_team(body_of_places);
}

static void many_tasks(void)
{
	union ompt_data *tasks = calloc((size_t)n, sizeof(*tasks)), parallel = {0};
	CHECK(tasks);
	ompt_parallel_begin(&task, &parallel, (unsigned int)n, 0, outer());
	for (int i = 0; i < n; i++) {
		ompt_implicit_task(OMPT_BEGIN, &parallel, &tasks[i], (unsigned int)n,
			(unsigned int)i, OMPT_IMPLICIT);
		ompt_work(1, OMPT_BEGIN, &tasks[i], inner());
		ompt_work(1, OMPT_END, &tasks[i], inner());
	}
	for (int i = n - 1; i >= 0; i--)
		ompt_implicit_task(OMPT_END, NULL, &tasks[i], 0, (unsigned int)i, OMPT_IMPLICIT);
	ompt_parallel_end(&task, &parallel, 0, outer());
	free(tasks);
}

static void body_of_handed(struct ompt_part *self)
{
	meet();
	for (int i = 0; i < n; i++) {
		union ompt_data part = {0};
		ompt_implicit_task(OMPT_BEGIN, &self->team->parallel, &part, 1, 0, OMPT_IMPLICIT);
		ompt_work(1, OMPT_BEGIN, &part, inner());
		ompt_work(1, OMPT_END, &part, inner());
		ompt_implicit_task(OMPT_END, NULL, &part, 1, 0, OMPT_IMPLICIT);
	}
}

/* Memory that one thread releases is used by another one next. */
static void handed(void)
{
	enum { N_OPEN = 4096 - 2 * THREADS };
	static union ompt_data open[N_OPEN];
	for (int i = 0; i < N_OPEN; i++)
		ompt_implicit_task(OMPT_BEGIN, NULL, &open[i], 1, 0, OMPT_IMPLICIT);
	on_team(body_of_handed);
	for (int i = 0; i < N_OPEN; i++)
		ompt_implicit_task(OMPT_END, NULL, &open[i], 1, 0, OMPT_IMPLICIT);
}

/* ---- the end ---- */

static void body_of_finalize(struct ompt_part *self)
{
	meet();
	for (int i = 0; i < n; i++) {
		ompt_work(1, OMPT_BEGIN, &self->task, inner());
		if (self->index == 0 && i == n / 2)
			ompt_tool->finalize(&ompt_tool->data);
		ompt_work(1, OMPT_END, &self->task, inner());
	}
}

static void finalize(void)
{
	on_team(body_of_finalize);
}

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

/* The first ones start the tool themselves, or not at all. Add others at the end. */
#define N_STARTS 7
static const struct how hows[] = {{"twice", twice}, {"bare", bare}, {"nothing", nothing},
	{"some", some}, {"version", version}, {"alone", alone}, {"fork-first", fork_first},
	{"stray", stray}, {"lost", lost}, {"moved", moved}, {"fork", fork_within},
	{"works", works_on_team}, {"waits", waits_on_team}, {"deep", deep}, {"places", places},
	{"tasks", many_tasks}, {"handed", handed}, {"finalize", finalize}};

int main(int argc, char **argv)
{
	const struct how *how = FIND_HOW(hows, argv[1]);
	n = argc > 2 ? atoi(argv[2]) : 1;
	CHECK(how < &hows[N_STARTS] || ompt_start());
	how->run();
	return 0;
}
