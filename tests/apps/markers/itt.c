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
 *
 * How and where a static part of ITT starts, and what a collector finds there; PLUGIN is after N:
 *
 *   names       domains and strings as wide characters, from before the start, and without a name
 *   old         domains from before the start, which are off, as in static parts of 2011
 *   masked      only functions of some groups are requested, N tasks
 *   clocks      N tasks with times of the program's own clock, each around an overlapped one
 *   stray       ends without a begin, and N tasks
 *   plugin      N tasks of PLUGIN, which is loaded late; twice, and unloaded in between
 *   both        this static part and that of PLUGIN start on two threads at once, N tasks each
 *   magic, version, entries, library   the static part is of an unknown kind
 *   none, half, nothing   the static part is incomplete: no entries, an entry without a function,
 *               or no static part at all
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../truth.h"
#include "itt_part.h"
#include "plugin.h"

#define N_THREADS 4

static struct itt_domain *dom;
static struct itt_string *outer, *inner;
static int n;

static void names_create(void)
{
	dom = ITT_DOMAIN("dom");
	outer = ITT_STRING("outer");
	inner = ITT_STRING("inner");
}

static void tasks(int count)
{
	for (int i = 0; i < count; i++) {
		ITT_BEGIN(dom, outer);
		ITT_END(dom);
	}
}

static struct itt_id id_of(int number)
{
	return (struct itt_id){(unsigned long long)(uintptr_t)&n, (unsigned)number, 0};
}

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

/* ---- names ---- */

static void use_names(struct itt_domain *early, struct itt_string *early_string)
{
	CHECK(ITT_DOMAIN("dom") == dom && ITT_STRING("outer") == outer);
	CHECK(!ITT_DOMAIN(NULL) && !ITT_STRING(NULL));
	/* The data from before the start is used again. */
	struct itt_domain *again = ITT_DOMAIN("early");
	ITT_BEGIN(early, early_string);
	ITT_END(again);
	ITT_BEGIN(again, ITT_STRING("early string"));
	ITT_END(early);
	ITT_BEGIN(
		itt_domain_createW(L"w\u00efde"), itt_string_handle_createW(L"\u20ac \U0001f600"));
	ITT_END(ITT_DOMAIN("w\u00efde"));
	ITT_BEGIN(ITT_DOMAIN(""), ITT_STRING("bare"));
	ITT_END(ITT_DOMAIN(""));
	ITT_BEGIN(dom, NULL);
	ITT_END(dom);
}

static void names_from_before(int is_old)
{
	if (is_old)
		itt_part.version_build = 20111111;
	struct itt_domain *early = itt_early_domain("early", !is_old);
	struct itt_domain *off = itt_early_domain("off", 0);
	struct itt_string *early_string = itt_early_string("early string");
	CHECK(itt_start(ITT_GROUP_ALL));
	CHECK(early->flags && !off->flags == !is_old);
	names_create();
	use_names(early, early_string);
}

static void names(void)
{
	names_from_before(0);
}

static void old(void)
{
	names_from_before(1);
}

static void masked(void)
{
	itt_start(ITT_GROUP_STRUCTURE);
	names_create();
	CHECK(itt_task_begin && itt_domain_create);
	CHECK(!itt_event_create && !itt_event_start && !itt_pause);
	CHECK(!itt_sync_prepare && !itt_thread_set_name);
	tasks(n);
}

static void start(void)
{
	itt_start(ITT_GROUP_ALL);
	names_create();
}

static void clocks(void)
{
	for (int i = 0; i < n; i++) {
		ITT_CALL(task_begin_ex, dom, NULL, 1, ITT_NULL, ITT_NULL, outer);
		ITT_CALL(task_begin_overlapped, dom, id_of(i), ITT_NULL, inner);
		ITT_CALL(task_end_ex, dom, NULL, 2);
		ITT_CALL(task_end_overlapped, dom, id_of(i));
	}
}

static void stray(void)
{
	ITT_END(dom);
	ITT_CALL(region_end, dom, id_of(1));
	ITT_CALL(task_end_overlapped, dom, id_of(1));
	ITT_CALL(frame_end_v3, dom, NULL);
	tasks(n);
	ITT_END(dom);
}

/* ---- plugins ---- */

static const char *path;

static void plugin(void)
{
	for (int i = 0; i < 2; i++) {
		void *handle;
		plugin_run_function *run = plugin_open(path, &handle);
		ITT_BEGIN(dom, outer);
		run(n);
		ITT_END(dom);
		CHECK(!dlclose(handle));
	}
}

static void start_and_run(void)
{
	start();
	tasks(n);
}

static void start_both(void)
{
	plugin_run_beside(path, n, start_and_run);
}

/* ---- unknown static parts ---- */

/* Entries as before 2010, with four words. */
static struct {
	const char *name;
	void (**func_ptr)(void);
	void (*init_func)(void);
	long group;
} short_entries[] = {{"__itt_task_begin", (void (**)(void))(void *)&itt_task_begin, itt_before, -1},
	{"__itt_task_end", (void (**)(void))(void *)&itt_task_end, itt_before, -1},
	{NULL, NULL, NULL, 0}};

static const char *what;

static void unlike(void)
{
	if (!strcmp(what, "magic"))
		itt_part.magic[3] ^= 1;
	else if (!strcmp(what, "version"))
		itt_part.version_major = 4;
	else if (!strcmp(what, "entries"))
		itt_part.api_list_ptr = (struct itt_entry *)(void *)short_entries;
	else if (!strcmp(what, "none"))
		itt_part.api_list_ptr = NULL;
	else if (!strcmp(what, "half"))
		itt_part.api_list_ptr[3].func_ptr = NULL;
	if (strcmp(what, "library") != 0 && strcmp(what, "nothing") != 0) {
		itt_start(ITT_GROUP_ALL);
	} else {
		/* The caller is not the library that the static part has loaded. */
		void (*init)(struct itt_global *, int);
		void *library = dlopen(getenv("INTEL_LIBITTNOTIFY64"), RTLD_LAZY);
		*(void **)&init = dlsym(library, "__itt_api_init");
		itt_part.lib = &itt_part;
		init(!strcmp(what, "library") ? &itt_part : NULL, ITT_GROUP_ALL);
	}
	CHECK(!itt_task_begin && !itt_domain_create);
}

/* The first ones start ITT themselves. Add others at the end. */
#define N_STARTS 11
static const struct how hows[] = {{"names", names}, {"old", old}, {"masked", masked},
	{"both", start_both}, {"none", unlike}, {"half", unlike}, {"nothing", unlike},
	{"magic", unlike}, {"version", unlike}, {"entries", unlike}, {"library", unlike},
	{"clocks", clocks}, {"stray", stray}, {"plugin", plugin}, {"handed", handed},
	{"regions", regions}, {"frames", frames}, {"events", events}, {"named", named},
	{"pauses", pauses}, {"detach", detach}, {"functions", functions}, {"places", places},
	{"plugins", plugins}};

int main(int argc, char **argv)
{
	const struct how *how = FIND_HOW(hows, argv[1]);
	what = argv[1];
	arguments = argv + 2;
	n = argc > 2 ? atoi(argv[2]) : 1;
	path = argc > 3 ? argv[3] : "";
	if (how >= &hows[N_STARTS])
		start();
	how->run();
	return 0;
}
