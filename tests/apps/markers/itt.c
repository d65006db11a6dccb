/* SPDX-License-Identifier: MIT */
/*
 * itt HOW [N] [PLUGIN]: a program with ITT's markers. Prints what it knows of the calls that it
 * made, and what the adapter has counted. HOW:
 *   nested      N tasks "outer", in each of them an "inner", on 4 threads
 *   recursion   a task within itself, 20 deep, N times
 *   domains     tasks of two domains, of which each ends before the one begun after it
 *   overlapped  N tasks at once, which another thread ends in another order
 *   regions     N regions, each begun twice and ended twice
 *   frames      N frames without an id on each of 2 threads at once, and one that another thread ends;
 *               N more that are submitted
 *   events      N events, and N moments
 *   pauses      N tasks, N more in a pause within a pause, N more after it
 *   names       domains and strings as wide characters, from before the start, and without a name
 *   old         domains from before the start, which are off, as static parts of 2011 make them
 *   functions   N tasks called after a function
 *   masked      only the functions of some groups are wanted
 *   twice       the static part is started twice, N tasks after each time
 *   stray       ends without a begin
 *   signals     tasks in a signal handler that comes at any moment, while N tasks are made
 *   fork        N tasks in a child that is forked within one; the child ends that too
 *   fork-first  the static part starts in a child, N tasks there
 *   plugin      N tasks of PLUGIN, which is loaded late; twice, unloaded between
 *   magic, version, entries, library   the static part is unlike any that is known
 */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counts.h"
#include "itt_part.h"
#include "../truth.h"

#define N_THREADS 4

static struct itt_domain *dom;
static struct itt_string *outer, *inner;
static int n;

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			exit(3);                                                        \
		}                                                                       \
	} while (0)

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

struct two_truths {
	struct truth outer, inner;
	pthread_t thread;
};

static void nested_inner(struct truth *truth)
{
	TRUTH_CALL(truth, ITT_CALL(task_begin_ex, dom, NULL, 7, ITT_NULL, ITT_NULL, inner),
		ITT_CALL(task_end_ex, dom, NULL, 9), truth_work(200));
}

static void *nested_thread(void *argument)
{
	struct two_truths *two = argument;
	for (int i = 0; i < n; i++)
		TRUTH_CALL(&two->outer, ITT_BEGIN(dom, outer), ITT_END(dom), {
			truth_work(100);
			nested_inner(&two->inner);
		});
	return NULL;
}

static void nested(void)
{
	static struct two_truths two[N_THREADS];
	for (int i = 0; i < N_THREADS; i++)
		CHECK(!pthread_create(&two[i].thread, NULL, nested_thread, &two[i]));
	for (int i = 0; i < N_THREADS; i++) {
		pthread_join(two[i].thread, NULL);
		truth_print("dom:outer", &two[i].outer);
		truth_print("dom:inner", &two[i].inner);
	}
}

static void recurse(struct truth *truth, int depth)
{
	TRUTH_CALL(truth, ITT_BEGIN(dom, outer), ITT_END(dom), {
		truth_work(20);
		if (depth > 1)
			recurse(truth, depth - 1);
	});
}

static void recursion(void)
{
	struct truth truth = {0};
	for (int i = 0; i < n; i++)
		recurse(&truth, 20);
	truth_print("dom:outer", &truth);
}

static void domains(void)
{
	struct itt_domain *other = ITT_DOMAIN("other");
	for (int i = 0; i < n; i++) {
		ITT_BEGIN(dom, outer);
		ITT_BEGIN(other, outer);
		ITT_BEGIN(dom, inner);
		ITT_END(other);
		ITT_BEGIN(other, inner);
		ITT_END(dom);
		ITT_END(dom);
		ITT_END(other);
	}
}

static void *end_shuffled(void *unused)
{
	for (int i = 0; i < n; i++)
		ITT_CALL(task_end_overlapped, dom, id_of((int)((i * 7919L) % n)));
	return unused;
}

static void overlapped(void)
{
	pthread_t thread;
	for (int i = 0; i < n; i++)
		ITT_CALL(task_begin_overlapped, dom, id_of(i), ITT_NULL, i % 2 ? inner : outer);
	CHECK(!pthread_create(&thread, NULL, end_shuffled, NULL));
	pthread_join(thread, NULL);
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
	pthread_t threads[2];
	struct itt_domain *handed = ITT_DOMAIN("handed"), *named = ITT_DOMAIN("named");
	pthread_barrier_init(&together, NULL, 2);
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, frames_thread, &truths[i]));
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		truth_print("dom", &truths[i]);
	}
	ITT_CALL(frame_begin_v3, handed, NULL);
	CHECK(!pthread_create(&threads[0], NULL, end_frame, handed));
	pthread_join(threads[0], NULL);
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

static void pauses(void)
{
	tasks(n);
	itt_pause();
	itt_pause();
	tasks(n);
	itt_resume();
	tasks(n);
	itt_pause_scoped(1 << 1);
	tasks(n);
	itt_pause_scoped(1 << 0);
	tasks(n);
	itt_resume_scoped(0x7fffffff);
}

/* ---- names ---- */

static void names(struct itt_domain *early, struct itt_string *early_string)
{
	CHECK(ITT_DOMAIN("dom") == dom && ITT_STRING("outer") == outer);
	CHECK(!ITT_DOMAIN(NULL) && !ITT_STRING(NULL));
	/* what was there is as what is there now */
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

static void functions(void)
{
	for (int i = 0; i < n; i++) {
		ITT_CALL(task_begin_fn, dom, ITT_NULL, ITT_NULL, (void *)(uintptr_t)functions);
		ITT_END(dom);
	}
}

static void masked(void)
{
	CHECK(itt_task_begin && itt_domain_create);
	CHECK(!itt_event_create && !itt_event_start && !itt_pause);
	CHECK(!itt_sync_prepare && !itt_thread_set_name);
	tasks(n);
}

/* ---- processes and signals ---- */

static void on_signal(int number)
{
	(void)number;
	int saved = n;
	ITT_BEGIN(dom, inner);
	ITT_CALL(region_begin, dom, id_of(1), ITT_NULL, inner);
	ITT_CALL(region_end, dom, id_of(1));
	ITT_END(dom);
	n = saved;
}

static void signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct itimerval often = {{0, 200}, {0, 200}};
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < n; i++) {
		ITT_BEGIN(dom, outer);
		ITT_CALL(task_begin_overlapped, dom, id_of(i + 2), ITT_NULL, outer);
		ITT_CALL(task_end_overlapped, dom, id_of(i + 2));
		ITT_END(dom);
	}
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
}

static void wait_for(pid_t child)
{
	int status;
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void fork_within(void)
{
	ITT_BEGIN(dom, outer);
	ITT_CALL(region_begin, dom, id_of(1), ITT_NULL, outer);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		ITT_CALL(region_end, dom, id_of(1));
		ITT_END(dom);
		for (int i = 0; i < n; i++) {
			ITT_BEGIN(dom, inner);
			ITT_END(dom);
		}
		_exit(0);
	}
	wait_for(child);
	ITT_CALL(region_end, dom, id_of(1));
	ITT_END(dom);
}

static void fork_first(void)
{
	pid_t child = fork();
	if (child == 0) {
		CHECK(itt_start(ITT_GROUP_ALL));
		names_create();
		tasks(n);
		_exit(0);
	}
	wait_for(child);
}

static void plugin(const char *path)
{
	for (int i = 0; i < 2; i++) {
		void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		CHECK(handle);
		void (*run)(int);
		*(void **)&run = dlsym(handle, "plugin_run");
		CHECK(run);
		ITT_BEGIN(dom, outer);
		run(n);
		ITT_END(dom);
		CHECK(!dlclose(handle));
	}
}

/* ---- static parts unlike what is known ---- */

/* Entries as they were before 2010, of four words. */
static struct {
	const char *name;
	void (**func_ptr)(void);
	void (*init_func)(void);
	long group;
} short_entries[] = {{"__itt_task_begin", (void (**)(void))(void *)&itt_task_begin, itt_before, -1},
	{"__itt_task_end", (void (**)(void))(void *)&itt_task_end, itt_before, -1},
	{NULL, NULL, NULL, 0}};

static void unlike(const char *how)
{
	if (!strcmp(how, "magic"))
		itt_part.magic[3] ^= 1;
	else if (!strcmp(how, "version"))
		itt_part.version_major = 4;
	else if (!strcmp(how, "entries"))
		itt_part.api_list_ptr = (struct itt_entry *)(void *)short_entries;
	if (strcmp(how, "library") != 0) {
		itt_start(ITT_GROUP_ALL);
	} else {
		/* who calls is not what the static part has loaded */
		void (*init)(struct itt_global *, int);
		void *library = dlopen(getenv("INTEL_LIBITTNOTIFY64"), RTLD_LAZY);
		*(void **)&init = dlsym(library, "__itt_api_init");
		itt_part.lib = &itt_part;
		init(&itt_part, ITT_GROUP_ALL);
	}
	CHECK(!itt_task_begin && !itt_domain_create);
}

static int is_unlike(const char *how)
{
	return !strcmp(how, "magic") || !strcmp(how, "version") || !strcmp(how, "entries") ||
	       !strcmp(how, "library");
}

static const struct {
	const char *how;
	void (*run)(void);
	int groups;
} hows[] = {
	{"nested", nested, ITT_GROUP_ALL},
	{"recursion", recursion, ITT_GROUP_ALL},
	{"domains", domains, ITT_GROUP_ALL},
	{"overlapped", overlapped, ITT_GROUP_ALL},
	{"regions", regions, ITT_GROUP_ALL},
	{"frames", frames, ITT_GROUP_ALL},
	{"events", events, ITT_GROUP_ALL},
	{"pauses", pauses, ITT_GROUP_ALL},
	{"functions", functions, ITT_GROUP_ALL},
	{"masked", masked, ITT_GROUP_STRUCTURE},
	{"signals", signals, ITT_GROUP_ALL},
	{"fork", fork_within, ITT_GROUP_ALL},
};

static int start_and_run(const char *how)
{
	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++)
		if (!strcmp(hows[i].how, how)) {
			itt_start(hows[i].groups);
			names_create();
			hows[i].run();
			return 1;
		}
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	n = argc > 2 ? atoi(argv[2]) : 1;
	if (!strcmp(how, "names") || !strcmp(how, "old")) {
		int is_old = !strcmp(how, "old");
		if (is_old)
			itt_part.version_build = 20111111;
		struct itt_domain *early = itt_early_domain("early", !is_old);
		struct itt_domain *off = itt_early_domain("off", 0);
		struct itt_string *early_string = itt_early_string("early string");
		CHECK(itt_start(ITT_GROUP_ALL));
		CHECK(early->flags && !off->flags == !is_old);
		names_create();
		names(early, early_string);
	} else if (!strcmp(how, "stray")) {
		itt_start(ITT_GROUP_ALL);
		names_create();
		ITT_END(dom);
		ITT_CALL(region_end, dom, id_of(1));
		ITT_CALL(task_end_overlapped, dom, id_of(1));
		ITT_CALL(frame_end_v3, dom, NULL);
		tasks(n);
		ITT_END(dom);
	} else if (!strcmp(how, "twice")) {
		for (int i = 0; i < 2; i++) {
			itt_start(ITT_GROUP_ALL);
			names_create();
			tasks(n);
		}
	} else if (!strcmp(how, "fork-first")) {
		fork_first();
	} else if (!strcmp(how, "plugin") && argc > 3) {
		itt_start(ITT_GROUP_ALL);
		names_create();
		plugin(argv[3]);
	} else if (is_unlike(how)) {
		unlike(how);
	} else if (!start_and_run(how)) {
		fprintf(stderr, "itt: what is '%s'?\n", how);
		return 2;
	}
	counts_print(RS_ADAPTER_ITT);
	return 0;
}
