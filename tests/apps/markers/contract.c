/* SPDX-License-Identifier: MIT */
/*
 * contract API HOW [N]: what all marker APIs have in common, by a table of their functions. The
 * program prints its own values of its calls. Ranges are calls that any thread may end. HOW:
 *
 *   nested      N calls of "outer" with an "inner" in each, on 4 threads
 *   recursion   a call within itself, 20 deep, N times
 *   deep        N nested calls of "inner" within an "outer", and then calls that fit again
 *   signals     N calls and ranges; at any moment, a signal handler makes others
 *   fork        N calls in a child that is forked within a call and a range, and ends those too
 *   fork-first  the API starts in a child with N calls, and then in its parent with N calls
 *   twice       N calls before and after the API starts again, and after a child starts it
 *   stray       N calls, and one end too many
 *   bytes       N calls of a name that is not UTF-8
 *   names       N times five nested calls, with these names: a name, a longer one that begins with
 *               it, an empty one, one in UTF-8, and one that is too long
 *   meet        4 threads use N new names at the same time
 *   ended       N threads, one after the other, each with a call and one that stays open; prints
 *               how much memory the process has taken meanwhile
 *   domains     calls of two domains, each ended before the one that began after it, N times
 *   pauses      N calls, N more in a pause within a pause, N more after it
 *   overlap     N times two ranges, or calls that end by name; the first ends while the second is
 *               open
 *   elsewhere   N ranges at once, which another thread ends in another order
 *   room        as `elsewhere`, but this thread ends the ranges; then one end too many
 *   faults      N calls, N ranges one after the other and N ranges at once, without page faults;
 *               and the same in a forked child
 */
#include <dlfcn.h>
#include <stdint.h>

#include "../caliper/caliper.h"
#include "../check.h"
#include "itt_part.h"
#include "nvtx_part.h"
#include "../kokkos/part.h"
#include "../rules/pages.h"
#include "../rules/rules.h"
#include "../truth.h"

#define N_THREADS 4

struct api {
	const char *name;
	void (*start)(void);
	void (*begin)(const char *name); /* nested calls of the thread */
	void (*end)(const char *name);
	uint64_t (*range_begin)(const char *name); /* NULL: the API has no ranges */
	void (*range_end)(uint64_t id);
	/* Nested calls in a domain. NULL: the API has no domains, or this row is not about them. */
	void (*domain_begin)(const char *domain, const char *name);
	void (*domain_end)(const char *domain);
	void (*pause)(void), (*resume)(void);
};

static struct api api; /* start() adds the functions that are found at run time */

/* ---- ITT ---- */

static struct itt_domain *itt_nameless;

static void itt_begin(void)
{
	itt_start(ITT_GROUP_ALL);
	itt_nameless = ITT_DOMAIN("");
	api.pause = itt_pause;
	api.resume = itt_resume;
}

static void itt_task(const char *name)
{
	ITT_BEGIN(itt_nameless, ITT_STRING(name));
}

static void itt_end_task(const char *name)
{
	(void)name;
	ITT_END(itt_nameless);
}

static void itt_task_of(const char *domain, const char *name)
{
	ITT_BEGIN(ITT_DOMAIN(domain), ITT_STRING(name));
}

static void itt_end_task_of(const char *domain)
{
	ITT_END(ITT_DOMAIN(domain));
}

/* Make the same call with a timestamp from the program. */
static void itt_task_ex(const char *name)
{
	ITT_CALL(task_begin_ex, itt_nameless, NULL, 7, ITT_NULL, ITT_NULL, ITT_STRING(name));
}

static void itt_end_task_ex(const char *name)
{
	(void)name;
	ITT_CALL(task_end_ex, itt_nameless, NULL, 9);
}

static struct itt_id itt_id_of(uint64_t id)
{
	return (struct itt_id){1, id, 0};
}

static uint64_t itt_new_id(void)
{
	static _Atomic uint64_t last;
	return ++last;
}

static uint64_t itt_overlapped(const char *name)
{
	uint64_t id = itt_new_id();
	ITT_CALL(task_begin_overlapped, itt_nameless, itt_id_of(id), ITT_NULL, ITT_STRING(name));
	return id;
}

static void itt_end_overlapped(uint64_t id)
{
	ITT_CALL(task_end_overlapped, itt_nameless, itt_id_of(id));
}

static uint64_t itt_region(const char *name)
{
	uint64_t id = itt_new_id();
	ITT_CALL(region_begin, itt_nameless, itt_id_of(id), ITT_NULL, ITT_STRING(name));
	return id;
}

static void itt_end_region(uint64_t id)
{
	ITT_CALL(region_end, itt_nameless, itt_id_of(id));
}

/* ---- NVTX ---- */

static void nvtx_begin(void)
{
	nvtx_start();
}

static void nvtx_push_name(const char *name)
{
	nvtx_push(name);
}

static void nvtx_pop_name(const char *name)
{
	(void)name;
	nvtx_pop();
}

static void nvtx_push_of(const char *domain, const char *name)
{
	struct nvtx_attributes message = nvtx_message(NVTX_TEXT, name);
	nvtx_domain_push(nvtx_domain_create(domain), &message);
}

static void nvtx_pop_of(const char *domain)
{
	nvtx_domain_pop(nvtx_domain_create(domain));
}

/* ---- Kokkos: regions and sections, or kernels ---- */

static void kokkos_begin(void)
{
	load();
	CHECK(tool.init_library);
	CALL(init_library, 0, VERSION, 0, NULL);
}

static void kokkos_push(const char *name)
{
	CALL(push_profile_region, name);
}

static void kokkos_pop(const char *name)
{
	(void)name;
	CALL(pop_profile_region, );
}

static uint64_t kokkos_section(const char *name)
{
	uint32_t id = 0;
	CALL(create_profile_section, name, &id);
	CALL(start_profile_section, id);
	return id;
}

static void kokkos_end_section(uint64_t id)
{
	CALL(stop_profile_section, (uint32_t)id);
	CALL(destroy_profile_section, (uint32_t)id);
}

/* The ids of the thread's open kernels. A signal handler restores what it takes. */
static __thread volatile uint64_t kernels[1 << 15];
static __thread volatile int n_kernels;

static void kokkos_kernel(const char *name)
{
	uint64_t id = 0;
	int at = n_kernels++; /* first, because a handler may write to the element above */
	CALL(begin_parallel_for, name, 0, &id);
	kernels[at] = id;
}

static void kokkos_end_kernel(const char *name)
{
	uint64_t id = n_kernels ? kernels[n_kernels - 1] : 0;
	(void)name;
	n_kernels -= n_kernels > 0;
	CALL(end_parallel_for, id);
}

/* ---- APIs of preloaded adapters, which are found like the program's own symbols ---- */

static void *symbol(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);
	CHECK(found);
	return found;
}

static int (*begin_name)(const char *name), (*end_name)(const char *name);

static void named_begin(const char *name)
{
	begin_name(name);
}

static void named_end(const char *name)
{
	end_name(name);
}

static void likwid_begin(void)
{
	*(void **)&begin_name = symbol("likwid_markerStartRegion");
	*(void **)&end_name = symbol("likwid_markerStopRegion");
}

static void papi_begin(void)
{
	*(void **)&begin_name = symbol("PAPI_hl_region_begin");
	*(void **)&end_name = symbol("PAPI_hl_region_end");
}

static int (*roctx_push)(const char *message), (*roctx_pop)(void);
static int (*roctx_pause)(uint64_t thread), (*roctx_resume)(uint64_t thread);

static void roctx_begin(void)
{
	*(void **)&roctx_push = symbol("roctxRangePushA");
	*(void **)&roctx_pop = symbol("roctxRangePop");
	*(void **)&api.range_begin = symbol("roctxRangeStartA");
	*(void **)&api.range_end = symbol("roctxRangeStop");
	*(void **)&roctx_pause = symbol("roctxProfilerPause");
	*(void **)&roctx_resume = symbol("roctxProfilerResume");
}

static void roctx_pause_all(void)
{
	roctx_pause(0);
}

static void roctx_resume_all(void)
{
	roctx_resume(0);
}

static void roctx_push_name(const char *name)
{
	roctx_push(name);
}

static void roctx_pop_name(const char *name)
{
	(void)name;
	roctx_pop();
}

static const struct api apis[] = {
	{"itt", itt_begin, itt_task, itt_end_task, itt_overlapped, itt_end_overlapped, itt_task_of,
		itt_end_task_of},
	{"itt-regions", itt_begin, itt_task_ex, itt_end_task_ex, itt_region, itt_end_region},
	{"nvtx", nvtx_begin, nvtx_push_name, nvtx_pop_name, nvtx_range_start, nvtx_range_end,
		nvtx_push_of, nvtx_pop_of},
	{"kokkos", kokkos_begin, kokkos_push, kokkos_pop, kokkos_section, kokkos_end_section},
	{"kokkos-kernels", kokkos_begin, kokkos_kernel, kokkos_end_kernel},
	{"caliper", cali_init, cali_begin_region, cali_end_region},
	{"roctx", roctx_begin, roctx_push_name, roctx_pop_name, .pause = roctx_pause_all,
		.resume = roctx_resume_all},
	{"likwid", likwid_begin, named_begin, named_end},
	{"papi", papi_begin, named_begin, named_end},
};

static int n;

static void calls(const char *name, int count)
{
	for (int i = 0; i < count; i++) {
		api.begin(name);
		api.end(name);
	}
}

/* ---- nesting ---- */

struct two_truths {
	struct truth outer, inner;
};

static void nested_inner(struct truth *truth)
{
	TRUTH_CALL(truth, api.begin("inner"), api.end("inner"), truth_work(200));
}

static void *nested_thread(void *argument)
{
	struct two_truths *two = argument;
	for (int i = 0; i < n; i++)
		TRUTH_CALL(&two->outer, api.begin("outer"), api.end("outer"), {
			truth_work(100);
			nested_inner(&two->inner);
		});
	return NULL;
}

static void nested(void)
{
	static struct two_truths two[N_THREADS];
	on_threads(N_THREADS, nested_thread, two, sizeof(two[0]));
	for (int i = 0; i < N_THREADS; i++) {
		truth_print("outer", &two[i].outer);
		truth_print("inner", &two[i].inner);
	}
}

static void recurse(struct truth *truth, int depth)
{
	TRUTH_CALL(truth, api.begin("outer"), api.end("outer"), {
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
	truth_print("outer", &truth);
}

static void deep(void)
{
	api.begin("outer");
	for (int i = 0; i < n; i++)
		api.begin("inner");
	for (int i = 0; i < n; i++)
		api.end("inner");
	api.end("outer");
	calls("after", 1);
}

static void stray(void)
{
	calls("outer", n);
	api.end("outer");
}

static void bytes(void)
{
	calls("caf\xe9 \xc3\xa9 \xf0\x9f\x98 \x80", n);
}

static void names(void)
{
	char longest[300];
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	const char *const all[] = {"solve", "solve matrix", "", "l\u00f6se", longest};
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < 5; k++)
			api.begin(all[k]);
		for (int k = 5; k-- > 0;)
			api.end(all[k]);
	}
}

static pthread_barrier_t together;

static void *meet_thread(void *unused)
{
	char name[32];
	pthread_barrier_wait(&together);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "turn %d", i);
		calls(name, 1);
	}
	return unused;
}

static void meet(void)
{
	CHECK(!pthread_barrier_init(&together, NULL, N_THREADS));
	on_threads(N_THREADS, meet_thread, NULL, 0);
}

static void *leave_open(void *unused)
{
	calls("outer", 1);
	api.begin("open");
	return unused;
}

static long resident_kib(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	CHECK(file && fscanf(file, "%*d %ld", &pages) == 1);
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void ended(void)
{
	long before = 0;
	for (int i = 0; i < n; i++) {
		on_thread(leave_open, NULL);
		if (i == n / 10)
			before = resident_kib();
	}
	printf("grew_kib %ld\n", resident_kib() - before);
}

static void domains(void)
{
	for (int i = 0; i < n; i++) {
		api.domain_begin("dom", "outer");
		api.domain_begin("other", "outer");
		api.domain_begin("dom", "inner");
		api.domain_end("other");
		api.domain_begin("other", "inner");
		api.domain_end("dom");
		api.domain_end("dom");
		api.domain_end("other");
	}
}

static void pauses(void)
{
	calls("outer", n);
	api.pause();
	api.pause();
	calls("outer", n);
	api.resume();
	calls("outer", n);
}

/* ---- processes and signals ---- */

static void on_signal(int number)
{
	(void)number;
	api.begin("handler");
	if (api.range_begin)
		api.range_end(api.range_begin("handler range"));
	api.end("handler");
}

static void signals(void)
{
	interrupt_every_us(200, on_signal, 0);
	for (int i = 0; i < n; i++) {
		api.begin("outer");
		if (api.range_begin)
			api.range_end(api.range_begin("range"));
		api.end("outer");
	}
	interrupt_no_more();
}

static uint64_t forked_range;

static void end_all_and_call(void)
{
	if (api.range_begin)
		api.range_end(forked_range);
	api.end("outer");
	calls("inner", n);
}

static void fork_within(void)
{
	api.begin("outer");
	forked_range = api.range_begin ? api.range_begin("range") : 0;
	in_child(end_all_and_call);
	if (api.range_begin)
		api.range_end(forked_range);
	api.end("outer");
}

static void start_and_call(void)
{
	api.start();
	calls("outer", n);
}

static void fork_first(void)
{
	in_child(start_and_call);
	start_and_call();
}

static void twice(void)
{
	calls("outer", n);
	start_and_call();
	in_child(start_and_call);
}

/* ---- ranges ---- */

static uint64_t begin_any(const char *name)
{
	if (api.range_begin)
		return api.range_begin(name);
	api.begin(name);
	return 0;
}

static void end_any(const char *name, uint64_t id)
{
	if (api.range_begin)
		api.range_end(id);
	else
		api.end(name);
}

static void overlap(void)
{
	struct truth first = {0}, second = {0};
	uint64_t two[2];
	for (int i = 0; i < n; i++)
		TRUTH_OVERLAP(&first, two[0] = begin_any("first"), end_any("first", two[0]),
			&second, two[1] = begin_any("second"), end_any("second", two[1]),
			truth_work(4000));
	truth_print("first", &first);
	truth_print("second", &second);
}

static uint64_t *ids;

static void ranges_begin(const char *name)
{
	for (int i = 0; i < n; i++)
		ids[i] = api.range_begin(name);
}

/* Ends every range once, since n is not a multiple of 7919. */
static void *ranges_end(void *unused)
{
	for (int i = 0; i < n; i++)
		api.range_end(ids[(i * 7919L) % n]);
	return unused;
}

static void elsewhere(void)
{
	ids = calloc((size_t)n, sizeof(*ids));
	ranges_begin("range");
	on_thread(ranges_end, NULL);
}

static void room(void)
{
	ids = calloc((size_t)n, sizeof(*ids));
	ranges_begin("range");
	ranges_end(NULL);
	api.range_end(ids[0]);
}

/* Touch memory and stack before, so that nothing here but markers could fault. */
static void without_faults(const char *call, const char *range, const char *many)
{
	warm_up_faults();
	for (int i = 0; i < 4; i++) {
		calls("warm-up call", 1);
		if (api.range_begin)
			api.range_end(api.range_begin("warm-up range"));
	}
	for (int i = 0; i < n; i++) {
		api.begin(call);
		truth_now_ns();
		api.end(call);
	}
	for (int i = 0; i < n && api.range_begin; i++) {
		uint64_t id = api.range_begin(range);
		truth_now_ns();
		api.range_end(id);
	}
	if (!api.range_begin || !many)
		return;
	ranges_begin(many);
	ranges_end(NULL);
}

/* Calls that are open meanwhile contain the faults of the child's start. */
static void without_faults_in_child(void)
{
	without_faults("child's call", "child's range", NULL);
}

static void faults(void)
{
	ids = calloc((size_t)n, sizeof(*ids));
	memset(ids, 1, (size_t)n * sizeof(*ids));
	without_faults("call", "range", "many");
	in_child(without_faults_in_child);
}

static const struct how hows[] = {{"nested", nested}, {"recursion", recursion}, {"deep", deep},
	{"signals", signals}, {"fork", fork_within}, {"fork-first", fork_first}, {"twice", twice},
	{"stray", stray}, {"bytes", bytes}, {"names", names}, {"meet", meet}, {"ended", ended},
	{"domains", domains}, {"pauses", pauses}, {"overlap", overlap}, {"elsewhere", elsewhere},
	{"room", room}, {"faults", faults}};

int main(int argc, char **argv)
{
	CHECK(argc > 2);
	const struct how *how = FIND_HOW(hows, argv[2]);
	n = argc > 3 ? atoi(argv[3]) : 1;
	for (size_t i = 0; i < sizeof(apis) / sizeof(apis[0]); i++)
		if (!strcmp(apis[i].name, argv[1]))
			api = apis[i];
	CHECK(api.name);
	if (how->run != fork_first)
		api.start();
	how->run();
	return 0;
}
