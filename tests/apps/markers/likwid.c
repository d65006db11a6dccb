/* SPDX-License-Identifier: MIT */
/*
 * likwid HOW [N]: LIKWID markers on threads of the program itself, so that a sanitizer sees all of
 * them, or of OpenMP with -fopenmp. It prints its own times of its regions by two clocks and the
 * results of GET, a line for each thread. HOW:
 *
 *   phases      N times START in one phase of 4 threads, work in the next, STOP in the third
 *   elsewhere   N regions start on one thread, and STOP is called on another
 *   close       one thread closes while the others continue, N regions each
 *   disorder    calls before the start, twice, too late, or of no region
 *   fortran     N regions by Fortran's names
 *   regions     with OpenMP: N times START, work and STOP in three parallel regions of its threads
 */
#include <likwid-marker.h>

#include <inttypes.h>

#include "../truth.h"
#include "../check.h"

#define THREADS 4

static int n;

/* ---- threads ---- */

static pthread_barrier_t barrier;

struct own {
	int index;
	void (*body)(int index);
};

static void *run(void *argument)
{
	const struct own *own = argument;
	LIKWID_MARKER_THREADINIT;
	own->body(own->index);
	/* A thread that replaces an ended one also gets its calls. So no thread may end early. */
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void together(void (*body)(int))
{
	struct own owns[THREADS];
	CHECK(!pthread_barrier_init(&barrier, NULL, THREADS));
	for (int i = 0; i < THREADS; i++)
		owns[i] = (struct own){i, body};
	LIKWID_MARKER_INIT;
#ifdef _OPENMP
#pragma omp parallel for num_threads(THREADS) schedule(static, 1)
	for (int i = 0; i < THREADS; i++)
		run(&owns[i]);
#else
	on_threads(THREADS, run, owns, sizeof(owns[0]));
#endif
	LIKWID_MARKER_CLOSE;
}

/* Print the thread's own values and those of GET: calls, ns, and the first event. */
static void print(const char *name, const struct truth *truth)
{
	double seconds = -1, events[2] = {-1, -1};
	int n_events = 2, calls = -1;
	LIKWID_MARKER_GET(name, &n_events, events, &seconds, &calls);
	flockfile(stdout);
	truth_print(name, truth);
	printf("get %d %d %.0f %" PRIu64 " %" PRIu64 " %" PRIu64 " %.0f %s\n", calls, n_events,
		seconds * 1e9, truth->calls, truth->within.sum_ns, truth->around.sum_ns, events[0],
		name);
	funlockfile(stdout);
}

/* ---- what threads do ---- */

static void phases_of(int index)
{
	struct truth own = {0}, all = {0};
	for (int i = 0; i < n; i++) {
		uint64_t all_ns = truth_enter(&all.around), own_ns = truth_enter(&own.around);
		LIKWID_MARKER_START("all");
		uint64_t within_all_ns = truth_enter(&all.within);
		LIKWID_MARKER_START(index % 2 ? "odd" : "even");
		uint64_t within_ns = truth_enter(&own.within);
		pthread_barrier_wait(&barrier);
		truth_work(100000);
		pthread_barrier_wait(&barrier);
		/* in the order in which they began */
		truth_leave(&all.within, within_all_ns);
		LIKWID_MARKER_STOP("all");
		truth_leave(&all.around, all_ns);
		truth_leave(&own.within, within_ns);
		LIKWID_MARKER_STOP(index % 2 ? "odd" : "even");
		truth_leave(&own.around, own_ns);
		all.calls++;
		own.calls++;
	}
	print("all", &all);
	print(index % 2 ? "odd" : "even", &own);
}

static void phases(void)
{
	together(phases_of);
}

static void elsewhere_of(int index)
{
	for (int i = 0; i < n; i++) {
		if (index == 0)
			LIKWID_MARKER_START("moved");
		pthread_barrier_wait(&barrier);
		if (index == 1)
			LIKWID_MARKER_STOP("moved");
		pthread_barrier_wait(&barrier);
	}
	if (index == 2) {
		LIKWID_MARKER_START("stayed");
		LIKWID_MARKER_STOP("stayed");
	}
}

static void elsewhere(void)
{
	together(elsewhere_of);
}

static void close_early_of(int index)
{
	pthread_barrier_wait(&barrier);
	if (index == 0)
		LIKWID_MARKER_CLOSE;
	for (int i = 0; i < n; i++) {
		LIKWID_MARKER_START("region");
		LIKWID_MARKER_STOP("region");
	}
}

static void close_early(void)
{
	together(close_early_of);
}

#ifdef _OPENMP
static void regions(void)
{
	LIKWID_MARKER_INIT;
	for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(THREADS)
		LIKWID_MARKER_START("triad");
#pragma omp parallel num_threads(THREADS)
		truth_work(1000);
#pragma omp parallel num_threads(THREADS)
		LIKWID_MARKER_STOP("triad");
	}
	LIKWID_MARKER_CLOSE;
}
#endif

/* ---- one thread ---- */

static void disorder(void)
{
	int n_events = 3, calls = -1;
	double seconds = -1;
	LIKWID_MARKER_STOP("early");
	LIKWID_MARKER_START("open");
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_THREADINIT;
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_THREADINIT;
	LIKWID_MARKER_REGISTER("known");
	LIKWID_MARKER_GET("known", &n_events, NULL, &seconds, &calls);
	CHECK(n_events == 0 && calls == 0 && seconds >= 0 && seconds <= 0);
	LIKWID_MARKER_GET("unknown", NULL, NULL, NULL, NULL);
	LIKWID_MARKER_SWITCH;
	LIKWID_MARKER_RESET("open");
#ifdef LIKWID_MARKER_WRITE_FILE /* not in LIKWID's own header of version 5.2 */
	LIKWID_MARKER_WRITE_FILE("/nonexistent/file");
#endif
	LIKWID_MARKER_STOP("open");
	LIKWID_MARKER_GET("open", NULL, NULL, NULL, &calls);
	CHECK(calls == 1 || !getenv("REGIONSTAT_SEGMENT"));
	LIKWID_MARKER_RESET("open");
	LIKWID_MARKER_CLOSE;
	LIKWID_MARKER_CLOSE;
	LIKWID_MARKER_START("late");
	LIKWID_MARKER_STOP("late");
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_START("known");
	LIKWID_MARKER_STOP("known");
	LIKWID_MARKER_CLOSE;
}

void likwid_markerinit_(void);
void likwid_markerthreadinit_(void);
void likwid_markernextgroup_(void);
void likwid_markerclose_(void);
void likwid_markerregisterregion_(const char *, int);
void likwid_markerstartregion_(const char *, int);
void likwid_markerstopregion_(const char *, int);
void likwid_markerresetregion_(const char *, int);
void likwid_markerwritefile_(const char *, int);
void likwid_markergetregion_(const char *, int *, double *, double *, int *, int);

static void fortran(void)
{
	double seconds, events[1];
	int n_events = 1, calls = -1;
	likwid_markerinit_();
	likwid_markerthreadinit_();
	likwid_markerregisterregion_("padded    ", 10);
	for (int i = 0; i < n; i++) {
		likwid_markerstartregion_("padded  and more", 8);
		likwid_markerstopregion_("padded    ", 10);
		likwid_markernextgroup_(); /* ignored */
	}
	likwid_markerresetregion_("padded", 6); /* ignored */
#ifdef LIKWID_MARKER_WRITE_FILE
	likwid_markerwritefile_("file", 4); /* ignored */
#endif
	likwid_markergetregion_("padded  ", &n_events, events, &seconds, &calls, 8);
	CHECK(calls == (getenv("REGIONSTAT_SEGMENT") ? n : 0));
	likwid_markerclose_();
}

int main(int argc, char **argv)
{
	static const struct how hows[] = {
#ifdef _OPENMP
		{"regions", regions},
#endif
		{"phases", phases}, {"elsewhere", elsewhere}, {"close", close_early},
		{"disorder", disorder}, {"fortran", fortran}};
	CHECK(argc > 1);
	n = argc > 2 ? atoi(argv[2]) : 1;
	FIND_HOW(hows, argv[1])->run();
	return 0;
}
