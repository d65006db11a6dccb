/* SPDX-License-Identifier: MIT */
/*
 * nvtx HOW [N] [PLUGIN]: a program with NVTX markers. It prints its own values of its calls. HOW:
 *
 *   levels      results of push and pop, with a domain and without, and one pop too many
 *   deep        nested ranges, N deep
 *   ranges      N ranges by id at once, which another thread ends in another order
 *   marks       N marks
 *   names       names of all kinds, and missing names
 *   unknown     attributes of unknown versions and sizes, and missing ones
 *   plugin      N ranges of PLUGIN, which is loaded late; twice, and unloaded in between
 *   renamed     N domains with a range each, which are then destroyed; every second has no name
 *   threads     threads that NVTX names. Some name themselves, before or after their first range.
 *               The first thread names others, before their first range or after their last one.
 *               Some of these run until the program ends. The kernel keeps another name for each.
 *               It prints "thread TID NAME" for each
 *   handles     all objects with handles, for a tool that checks them
 *
 * What an injection library may find when NVTX starts; each case makes N ranges of all kinds:
 *
 *   table, callbacks, module, functions   an incomplete NVTX without the named part
 *   small       the table of the core functions ends before the known ones
 *   older       an NVTX without domains
 *   holes       tables that lack single functions
 *   both        NVTX of this program and that of PLUGIN start on two threads at once
 */
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../truth.h"
#include "nvtx_part.h"
#include "plugin.h"

static int n;
static const char *what, *plugin_path;

/* ---- nesting ---- */

static void levels(void)
{
	struct nvtx_attributes message = nvtx_message(NVTX_TEXT, "in");
	void *domain = nvtx_domain_create("dom");
	for (int i = 0; i < n; i++) {
		CHECK(nvtx_push("a") == 0);
		CHECK(nvtx_domain_push(domain, &message) == 0);
		CHECK(nvtx_push_wide(L"b") == 1);
		CHECK(nvtx_domain_push(NULL, &message) == 2);
		CHECK(nvtx_domain_push(domain, &message) == 1);
		CHECK(nvtx_push_ex(&message) == 3);
		CHECK(nvtx_pop() == 3);
		CHECK(nvtx_domain_pop(NULL) == 2);
		CHECK(nvtx_domain_pop(domain) == 1);
		CHECK(nvtx_pop() == 1);
		CHECK(nvtx_domain_pop(domain) == 0);
		CHECK(nvtx_domain_pop(domain) < 0);
		CHECK(nvtx_pop() == 0);
		CHECK(nvtx_pop() < 0);
	}
}

static void deep(void)
{
	for (int i = 0; i < n; i++)
		CHECK(nvtx_push("deep") == i);
	truth_work(200000);
	for (int i = n; i > 0; i--)
		CHECK(nvtx_pop() == i - 1);
	CHECK(nvtx_pop() < 0);
}

/* ---- ranges by id ---- */

static uint64_t *ids;

static void *end_shuffled(void *domain)
{
	for (int i = 0; i < n; i++) {
		int at = (int)((i * 7919L) % n);
		if (at % 2)
			nvtx_domain_end(domain, ids[at]);
		else
			nvtx_range_end(ids[at]);
	}
	return NULL;
}

static void ranges(void)
{
	struct nvtx_attributes message = nvtx_message(NVTX_WIDE, L"odd");
	void *domain = nvtx_domain_create_wide(L"dom");
	ids = calloc((size_t)n, sizeof(*ids));
	for (int i = 0; i < n; i++)
		ids[i] = i % 2	 ? nvtx_domain_start(domain, &message)
			 : i % 4 ? nvtx_range_start_wide(L"even")
				 : nvtx_range_start("even");
	on_thread(end_shuffled, domain);
	free(ids);
}

/* ---- names ---- */

static void marks(void)
{
	struct nvtx_attributes message = nvtx_message(NVTX_TEXT, "here");
	void *domain = nvtx_domain_create("dom");
	struct truth truth = {0};
	for (int i = 0; i < n; i++) {
		TRUTH_CALL(&truth, nvtx_mark("mark"), , );
		nvtx_domain_mark(domain, &message);
	}
	truth_print("mark", &truth);
}

static void push_message(void *domain, struct nvtx_attributes message)
{
	nvtx_domain_push(domain, &message);
	nvtx_domain_pop(domain);
}

static void names(void)
{
	void *dom = nvtx_domain_create("dom"), *same = nvtx_domain_create("dom");
	void *wide = nvtx_domain_create_wide(L"w\u00efde");
	static const wchar_t broken[] = {'x', 0xd800, 0x110000, 'y', 0};
	static char longest[4000];
	memset(longest, 'l', sizeof(longest) - 1);
	push_message(dom, nvtx_message(NVTX_REGISTERED, nvtx_register(dom, "registered")));
	push_message(same, nvtx_message(NVTX_TEXT, "registered"));
	push_message(wide,
		nvtx_message(NVTX_REGISTERED, nvtx_register_wide(wide, L"\u20ac \U0001f600")));
	push_message(NULL, nvtx_message(NVTX_REGISTERED, nvtx_register(NULL, "bare")));
	push_message(dom, nvtx_message(NVTX_WIDE, broken));
	push_message(dom, nvtx_message(0, "not looked at"));
	push_message(dom, nvtx_message(NVTX_REGISTERED, NULL));
	push_message(dom, nvtx_message(NVTX_TEXT, longest));
	nvtx_push(NULL);
	nvtx_pop();
	nvtx_push("");
	nvtx_pop();
	nvtx_name_category(dom, 5, "category");
}

static void unknown(void)
{
	struct nvtx_attributes newer = nvtx_message(NVTX_TEXT, "newer");
	struct nvtx_attributes smaller = nvtx_message(NVTX_TEXT, "smaller");
	newer.version = 4;
	smaller.size = 40;
	for (int i = 0; i < n; i++) {
		CHECK(nvtx_push_ex(&newer) == 0);
		CHECK(nvtx_push_ex(&smaller) == 1);
		CHECK(nvtx_push_ex(NULL) == 2);
		nvtx_domain_mark(NULL, NULL);
		nvtx_range_end(nvtx_domain_start(NULL, NULL));
		CHECK(nvtx_pop() == 2);
		CHECK(nvtx_pop() == 1);
		CHECK(nvtx_pop() == 0);
	}
}

static void handles(void)
{
	void *dom = nvtx_domain_create("dom");
	void *wide = nvtx_domain_create_wide(L"wide");
	struct nvtx_attributes text = nvtx_message(NVTX_REGISTERED, nvtx_register(dom, "text"));
	struct nvtx_attributes other = nvtx_message(
		NVTX_REGISTERED, nvtx_register_wide(wide, L"other"));
	struct nvtx_attributes late = nvtx_message(NVTX_TEXT, "late");
	nvtx_name_category(dom, 1, "category");
	nvtx_name_thread((uint32_t)getpid(), "named");
	nvtx_domain_mark(dom, &late);
	for (int i = 0; i < n; i++) {
		printf("push %d\n", nvtx_domain_push(dom, &text));
		uint64_t id = nvtx_domain_start(wide, &other);
		printf("id %llu\n", (unsigned long long)id);
		printf("pop %d\n", nvtx_domain_pop(dom));
		nvtx_domain_end(wide, id);
		printf("push %d\n", nvtx_push("plain"));
		nvtx_domain_mark(wide, &other);
		printf("pop %d\n", nvtx_pop());
	}
	nvtx_domain_destroy(dom);
}

static void renamed(void)
{
	struct nvtx_attributes text = nvtx_message(NVTX_TEXT, "text");
	for (int i = 0; i < n; i++) {
		void *dom = nvtx_domain_create(i % 2 ? "" : "dom");
		nvtx_domain_push(dom, &text);
		nvtx_domain_pop(dom);
		if (dom)
			nvtx_domain_destroy(dom);
	}
}

/* ---- names of threads ---- */

#define KERNELS "the kernel's"

enum who { NOBODY, ITSELF, THE_FIRST };
/* late: makes a call after the runtime has seen its end */
enum end { ENDS, STAYS, IS_LATE };

static const struct named {
	enum who before, after;
	const char *text;
	const wchar_t *wide;
	const char *shown;
	enum end end;
} threads[] = {
	{ITSELF, NOBODY, "before any", NULL, "before any", ENDS},
	{NOBODY, ITSELF, NULL, L"fourteen bytes\u20ac and more", "fourteen bytes", ENDS},
	{THE_FIRST, NOBODY, NULL, L"told before", KERNELS, ENDS},
	{NOBODY, THE_FIRST, "told after", NULL, "told after", ENDS},
	{NOBODY, THE_FIRST, "stays", NULL, "stays", STAYS},
	{ITSELF, THE_FIRST, "both", NULL, "both", STAYS},
	{ITSELF, NOBODY, "to the end", NULL, "to the end", IS_LATE},
	{NOBODY, NOBODY, NULL, NULL, KERNELS, ENDS},
};

static pthread_barrier_t steps; /* for the first thread and one other */
static long tid;

static void name_thread(const struct named *named, long thread)
{
	if (named->text)
		nvtx_name_thread((uint32_t)thread, named->text);
	else
		nvtx_name_thread_wide((uint32_t)thread, named->wide);
}

/* created after the runtime's key, so that its destructor runs later */
static pthread_key_t late_key;

static void mark_late(void *unused)
{
	(void)unused;
	nvtx_push("late");
	nvtx_pop();
}

static void *run_named(void *argument)
{
	const struct named *named = argument;
	char kernels[16];
	prctl(PR_SET_NAME, KERNELS);
	tid = syscall(SYS_gettid);
	pthread_barrier_wait(&steps);
	pthread_barrier_wait(&steps);
	if (named->before == ITSELF)
		name_thread(named, tid);
	nvtx_push("range");
	nvtx_pop();
	if (named->after == ITSELF)
		name_thread(named, tid);
	pthread_barrier_wait(&steps);
	pthread_barrier_wait(&steps);
	prctl(PR_GET_NAME, kernels);
	CHECK(!strcmp(kernels, KERNELS));
	pthread_barrier_wait(&steps);
	if (named->end == IS_LATE)
		pthread_setspecific(late_key, named);
	while (named->end == STAYS)
		pause();
	return NULL;
}

static void meet(const struct named *named)
{
	pthread_t thread;
	CHECK(!pthread_create(&thread, NULL, run_named, (void *)(uintptr_t)named));
	pthread_barrier_wait(&steps);
	printf("thread %ld %s\n", tid, named->shown);
	if (named->before == THE_FIRST)
		name_thread(named, tid);
	pthread_barrier_wait(&steps);
	pthread_barrier_wait(&steps);
	if (named->after == THE_FIRST)
		name_thread(named, tid);
	pthread_barrier_wait(&steps);
	pthread_barrier_wait(&steps);
	if (named->end != STAYS)
		pthread_join(thread, NULL);
}

static void name_threads(void)
{
	CHECK(!pthread_barrier_init(&steps, NULL, 2) && !pthread_key_create(&late_key, mark_late));
	nvtx_name_thread((uint32_t)getpid(), "the first");
	nvtx_push("range");
	nvtx_pop();
	printf("thread %d the first\n", getpid());
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		meet(&threads[i]);
	/* A thread of another process, no thread, and a missing name. */
	nvtx_name_thread((uint32_t)getppid(), "another's");
	nvtx_name_thread(0, "nobody's");
	nvtx_name_thread((uint32_t)getpid(), NULL);
}

/* ---- starts ---- */

static int is(const char *wanted)
{
	return !strcmp(what, wanted);
}

static int get_module(int module, void (****table)(void), unsigned int *size)
{
	if (is("module") || (is("older") && module == 5) || !nvtx_get_module(module, table, size))
		return 0;
	if (is("functions"))
		*table = NULL;
	if (is("holes") && module == 1)
		nvtx_core_table[9] = nvtx_core_table[2] = NULL; /* PushA, MarkA */
	if (is("holes") && module == 5)
		nvtx_core2_table[5] = NULL; /* DomainPop */
	if (is("small") && module == 1)
		*size = 11;
	return 1;
}

static const void *get_table(uint32_t id)
{
	static struct nvtx_callbacks callbacks = {sizeof(callbacks), get_module};
	if (is("callbacks"))
		callbacks.struct_size = sizeof(size_t);
	return id != 1 || is("table") ? NULL : &callbacks;
}

static void all_kinds(void)
{
	struct nvtx_attributes message = nvtx_message(NVTX_TEXT, "of a domain");
	void *domain = nvtx_domain_create("dom");
	for (int i = 0; i < n; i++) {
		nvtx_push("pushed");
		nvtx_range_end(nvtx_range_start("started"));
		nvtx_mark("marked");
		nvtx_domain_push(domain, &message);
		nvtx_domain_pop(domain);
		nvtx_pop();
	}
}

static void start_and_run(void)
{
	nvtx_start();
	all_kinds();
}

/* ---- plugins ---- */

static void both(void)
{
	plugin_run_beside(plugin_path, n, start_and_run);
}

static void plugin(void)
{
	for (int i = 0; i < 2; i++) {
		void *handle;
		plugin_run_function *run = plugin_open(plugin_path, &handle);
		nvtx_push("outer");
		run(n);
		nvtx_pop();
		CHECK(!dlclose(handle));
	}
}

static const struct how hows[] = {{"levels", levels}, {"deep", deep}, {"ranges", ranges},
	{"marks", marks}, {"names", names}, {"unknown", unknown}, {"handles", handles},
	{"threads", name_threads}, {"renamed", renamed}, {"plugin", plugin}, {"both", both},
	{"table", all_kinds}, {"callbacks", all_kinds}, {"module", all_kinds},
	{"functions", all_kinds}, {"small", all_kinds}, {"older", all_kinds}, {"holes", all_kinds}};

int main(int argc, char **argv)
{
	const struct how *how = FIND_HOW(hows, argv[1]);
	what = argv[1];
	n = argc > 2 ? atoi(argv[2]) : 1;
	plugin_path = argc > 3 ? argv[3] : "";
	if (how->run != both)
		nvtx_start_with(get_table);
	how->run();
	return 0;
}
