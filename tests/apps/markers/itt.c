/* SPDX-License-Identifier: MIT */
/*
 * itt HOW [N]: a program with ITT markers. It prints its own values of its calls. HOW:
 *
 *   handed      N regions on each of 4 threads; the next thread ends each
 *   regions     N regions, each begun twice and ended twice
 *   frames      N frames without an id on each of 2 threads at once, one that another thread ends,
 *               and N submitted frames
 *   events      N events, and N without an end
 *   pauses      N tasks after a pause that does not apply to the host and so pauses nothing; then
 *               N tasks during a pause of the host
 *   detach      N tasks, N more after the collector is detached, and N after a resume
 *   functions   N tasks named after a function, and after addresses without code in two domains
 *   named       a task on each of 4 threads with names by ITT, given before or after their first
 *               task or never, and with names by the kernel; prints "thread TID NAME" for each
 *   places      tasks named after functions: the first task of each is in a signal handler, at any
 *               moment of at least N other tasks, and the second is outside of it; prints "handled
 *               COUNT", the number of the tasks in the handler
 *   plugins     arguments are pairs: a plugin (place.c), and the number of tasks named after its
 *               function on each of 4 threads, which begin them at once; each plugin is unloaded
 *               before the next is loaded, which may get the same address; prints "place at
 *               ADDRESS"
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../truth.h"
#include "itt_program.h"

#define N_THREADS 4

/* ---- tasks ---- */

static _Atomic int handed_id, last_id;

static void *handed_thread(void *unused)
{
	for (int i = 0; i < n; i++) {
		int id = ++last_id;
		ITT_CALL(region_begin, dom, id_of(id), ITT_NULL, outer);
		id = atomic_exchange(&handed_id, id);
		if (id)
			ITT_CALL(region_end, dom, id_of(id));
	}
	return unused;
}

static void handed(void)
{
	on_threads(N_THREADS, handed_thread, NULL, 0);
	ITT_CALL(region_end, dom, id_of(handed_id));
}

/* ---- regions, frames, events ---- */

static void regions(void)
{
	struct truth truth = {0};
	for (int i = 0; i < n; i++) {
		TRUTH_CALL(
			&truth,
			{
				ITT_CALL(region_begin, dom, id_of(i), ITT_NULL, outer);
				ITT_CALL(region_begin, dom, id_of(i), ITT_NULL, inner);
			},
			ITT_CALL(region_end, dom, id_of(i)), truth_work(200));
		ITT_CALL(region_end, dom, id_of(i));
	}
	truth_print("dom:outer", &truth);
}

static pthread_barrier_t together;

static void *frames_thread(void *argument)
{
	struct truth *truth = argument;
	for (int i = 0; i < n; i++) {
		pthread_barrier_wait(&together);
		TRUTH_CALL(truth, ITT_CALL(frame_begin_v3, dom, NULL),
			ITT_CALL(frame_end_v3, dom, NULL), pthread_barrier_wait(&together));
	}
	return NULL;
}

static void *end_frame(void *domain)
{
	ITT_CALL(frame_end_v3, domain, NULL);
	return NULL;
}

static void frames(void)
{
	struct truth truths[2] = {0};
	struct itt_domain *handed = ITT_DOMAIN("handed"), *named = ITT_DOMAIN("named");
	pthread_barrier_init(&together, NULL, 2);
	on_threads(2, frames_thread, truths, sizeof(truths[0]));
	for (int i = 0; i < 2; i++)
		truth_print("dom", &truths[i]);
	ITT_CALL(frame_begin_v3, handed, NULL);
	on_thread(end_frame, handed);
	for (int i = 0; i < n; i++) {
		struct itt_id one = id_of(1), two = id_of(2);
		ITT_CALL(frame_begin_v3, named, &one);
		ITT_CALL(frame_begin_v3, named, &two);
		ITT_CALL(frame_end_v3, named, &one);
		ITT_CALL(frame_end_v3, named, &two);
		ITT_CALL(frame_submit_v3, named, NULL, 1, 2);
	}
}

static void events(void)
{
	int span = itt_event_create("span and more", 4), moment = itt_event_create("moment", 6);
	CHECK(span > 0 && moment > 0 && span != moment);
	CHECK(itt_event_create("span", 4) == span);
	for (int i = 0; i < n; i++) {
		CHECK(!itt_event_start(span));
		CHECK(!itt_event_start(moment));
		CHECK(!itt_event_end(span));
	}
	CHECK(itt_event_start(0) != 0 && itt_event_start(1 << 30) != 0);
}

/* Names given before and after the first task, and the part that fits into a report. */
static const struct {
	const char *before, *after, *shown;
} called[N_THREADS] = {
	{"before any", NULL, "before any"},
	{NULL, "fourteen bytes\xe2\x82\xac and more", "fourteen bytes"},
	{"first", "second", "second"},
	{NULL, NULL, "the kernel's"},
};

static void *named_thread(void *argument)
{
	size_t i = (size_t)argument;
	char name[16];
	prctl(PR_SET_NAME, "the kernel's");
	if (called[i].before)
		itt_thread_set_name(called[i].before);
	tasks(1);
	if (called[i].after)
		itt_thread_set_name(called[i].after);
	prctl(PR_GET_NAME, name);
	CHECK(!strcmp(name, "the kernel's"));
	printf("thread %ld %s\n", syscall(SYS_gettid), called[i].shown);
	return NULL;
}

static void named(void)
{
	for (size_t i = 0; i < N_THREADS; i++)
		on_thread(named_thread, (void *)i);
}

static void pauses(void)
{
	itt_pause_scoped(1 << 1);
	tasks(n);
	itt_pause_scoped(1 << 0);
	tasks(n);
	itt_resume_scoped(0x7fffffff);
}

static void detach(void)
{
	tasks(n);
	itt_detach();
	tasks(n);
	itt_resume();
	tasks(n);
}

static void functions(void)
{
	struct itt_domain *other = ITT_DOMAIN("other");
	for (int i = 0; i < n; i++) {
		ITT_CALL(task_begin_fn, dom, ITT_NULL, ITT_NULL, (void *)(uintptr_t)functions);
		ITT_CALL(task_begin_fn, dom, ITT_NULL, ITT_NULL, (void *)0x10);
		ITT_CALL(task_begin_fn, other, ITT_NULL, ITT_NULL, (void *)0x10);
		ITT_END(other);
		ITT_END(dom);
		ITT_END(dom);
	}
}

/* ---- functions by address ---- */

#define PLACE(i)                    \
	static void place_##i(void) \
	{                           \
		n = (i);            \
	}
PLACE(0)
PLACE(1)
PLACE(2)
PLACE(3)
PLACE(4)
PLACE(5)
PLACE(6)
PLACE(7)
static void (*const places_met[])(void) = {
	place_0, place_1, place_2, place_3, place_4, place_5, place_6, place_7};
#define N_PLACES ((int)(sizeof(places_met) / sizeof(places_met[0])))
static volatile sig_atomic_t n_met;

static void at_place(int i)
{
	ITT_CALL(task_begin_fn, dom, ITT_NULL, ITT_NULL, (void *)(uintptr_t)places_met[i]);
	ITT_END(dom);
}

static void meet_place(int number)
{
	(void)number;
	if (n_met < N_PLACES)
		at_place(n_met++);
}

static void places(void)
{
	interrupt_every_us(200, meet_place, 0);
	while (n_met < N_PLACES)
		tasks(n);
	interrupt_no_more();
	for (int i = 0; i < N_PLACES; i++)
		at_place(i);
	printf("handled %d\n", N_PLACES);
}

/* ---- functions of plugins ---- */

static void *begin_at(void *place)
{
	pthread_barrier_wait(&together);
	for (int i = 0; i < n; i++) {
		ITT_CALL(task_begin_fn, dom, ITT_NULL, ITT_NULL, place);
		ITT_END(dom);
	}
	return NULL;
}

static char **arguments; /* after HOW */

static void plugins(void)
{
	CHECK(!pthread_barrier_init(&together, NULL, N_THREADS));
	for (; arguments[0] && arguments[1]; arguments += 2) {
		void *plugin = dlopen(arguments[0], RTLD_NOW), *(*place)(void) = NULL;
		void *symbol = plugin ? dlsym(plugin, "place") : NULL;
		memcpy(&place, &symbol, sizeof(place));
		CHECK(place);
		n = atoi(arguments[1]);
		printf("place at %p\n", place());
		on_threads(N_THREADS, begin_at, place(), 0);
		CHECK(!dlclose(plugin));
	}
}

static const struct how hows[] = {{"handed", handed}, {"regions", regions}, {"frames", frames},
	{"events", events}, {"named", named}, {"pauses", pauses}, {"detach", detach},
	{"functions", functions}, {"places", places}, {"plugins", plugins}};

int main(int argc, char **argv)
{
	const struct how *how = FIND_HOW(hows, argv[1]);
	arguments = argv + 2;
	n = argc > 2 ? atoi(argv[2]) : 1;
	itt_start(ITT_GROUP_ALL);
	names_create();
	how->run();
	return 0;
}
