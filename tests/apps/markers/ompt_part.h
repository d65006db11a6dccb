/* SPDX-License-Identifier: MIT */
/*
 * The part of an OpenMP runtime that OMPT describes, as small as possible. It is written from the
 * published contract (OpenMP API 5.2, chapter 19, and the numbers of its omp-tools.h). It finds a
 * tool as runtimes do, and calls it for the actions that its caller names. All threads and locks
 * belong to the program, so that a sanitizer sees them. It can also make calls that no runtime
 * makes.
 */
#ifndef OMPT_PART_H
#define OMPT_PART_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

union ompt_data {
	uint64_t value;
	void *ptr;
};

enum ompt_event {
	OMPT_PARALLEL_BEGIN = 3,
	OMPT_PARALLEL_END = 4,
	OMPT_IMPLICIT_TASK = 7,
	OMPT_WORK = 20,
	OMPT_MASKED = 21,
	OMPT_SYNC_REGION = 23,
	OMPT_REDUCTION = 31,
	OMPT_EVENTS = 64
};
enum { OMPT_BEGIN = 1, OMPT_END = 2, OMPT_BEGIN_AND_END = 3 };
enum { OMPT_SET_IMPOSSIBLE = 2, OMPT_SET_ALWAYS = 5 };
enum { OMPT_INITIAL = 1, OMPT_IMPLICIT = 2 };

typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *);

struct ompt_tool {
	int (*initialize)(ompt_lookup lookup, int device, union ompt_data *data);
	void (*finalize)(union ompt_data *data);
	union ompt_data data;
};

typedef struct ompt_tool *(*ompt_start_tool_function)(unsigned int version, const char *runtime);

static ompt_function ompt_callbacks[OMPT_EVENTS];
static struct ompt_tool *ompt_tool;
/* Bit mask of available functions, for tests of runtimes that lack some. */
static uint64_t ompt_available = ~UINT64_C(0);
static unsigned int ompt_version = 202111;
static const char *ompt_name = "regionstat's own";

static int ompt_set_callback(int event, ompt_function callback)
{
	if (event <= 0 || event >= OMPT_EVENTS || !(ompt_available >> event & 1))
		return OMPT_SET_IMPOSSIBLE;
	ompt_callbacks[event] = callback;
	return OMPT_SET_ALWAYS;
}

static union ompt_data *ompt_get_thread_data(void)
{
	static __thread union ompt_data data;
	return &data;
}

static ompt_function ompt_look_up(const char *name)
{
	if (!strcmp(name, "ompt_set_callback"))
		return (ompt_function)ompt_set_callback;
	return strcmp(name, "ompt_get_thread_data") ? NULL : (ompt_function)ompt_get_thread_data;
}

static struct ompt_tool *ompt_ask(void *object)
{
	union {
		void *object;
		ompt_start_tool_function function;
	} found = {.object = dlsym(object, "ompt_start_tool")};
	return found.object ? found.function(ompt_version, ompt_name) : NULL;
}

/* Start the first tool that answers: one in the program, or else one in OMP_TOOL_LIBRARIES. Return
 * the result of its initialize(), or 0 if there is no tool. */
static int ompt_start_with(ompt_lookup lookup)
{
	const char *list = getenv("OMP_TOOL_LIBRARIES");
	char *paths = strdup(list ? list : ""), *rest;
	CHECK(paths);
	ompt_tool = ompt_ask(RTLD_DEFAULT);
	for (char *path = strtok_r(paths, ":", &rest); path && !ompt_tool;
		path = strtok_r(NULL, ":", &rest)) {
		void *object = dlopen(path, RTLD_LAZY);
		ompt_tool = object ? ompt_ask(object) : NULL;
	}
	free(paths);
	return ompt_tool ? ompt_tool->initialize(lookup, 0, &ompt_tool->data) : 0;
}

static inline int ompt_start(void)
{
	return ompt_start_with(ompt_look_up);
}

/* Call the callback of an event, if it is set, with the arguments of a function type. */
#define OMPT_TELL(event, types, ...)                 \
	do {                                         \
		union {                              \
			ompt_function set;           \
			void(*callback) types;       \
		} tell_ = {ompt_callbacks[event]};   \
		if (tell_.set)                       \
			tell_.callback(__VA_ARGS__); \
	} while (0)

static inline void ompt_parallel_begin(union ompt_data *task, union ompt_data *parallel,
	unsigned int n, int flags, const void *place)
{
	OMPT_TELL(OMPT_PARALLEL_BEGIN,
		(union ompt_data *, const void *, union ompt_data *, unsigned int, int,
			const void *),
		task, NULL, parallel, n, flags, place);
}

static inline void ompt_parallel_end(
	union ompt_data *task, union ompt_data *parallel, int flags, const void *place)
{
	OMPT_TELL(OMPT_PARALLEL_END, (union ompt_data *, union ompt_data *, int, const void *),
		parallel, task, flags, place);
}

static inline void ompt_implicit_task(int endpoint, union ompt_data *parallel,
	union ompt_data *task, unsigned int n, unsigned int index, int flags)
{
	OMPT_TELL(OMPT_IMPLICIT_TASK,
		(int, union ompt_data *, union ompt_data *, unsigned int, unsigned int, int),
		endpoint, parallel, task, n, index, flags);
}

static inline void ompt_work(int type, int endpoint, union ompt_data *task, const void *place)
{
	OMPT_TELL(OMPT_WORK,
		(int, int, union ompt_data *, union ompt_data *, uint64_t, const void *), type,
		endpoint, NULL, task, 1, place);
}

static inline void ompt_masked(int endpoint, union ompt_data *task, const void *place)
{
	OMPT_TELL(OMPT_MASKED, (int, union ompt_data *, union ompt_data *, const void *), endpoint,
		NULL, task, place);
}

static inline void ompt_wait(enum ompt_event event, int kind, int endpoint, union ompt_data *task)
{
	OMPT_TELL(event, (int, int, union ompt_data *, union ompt_data *, const void *), kind,
		endpoint, NULL, task, NULL);
}

/* ---- teams ---- */

/* A thread's part of a parallel region. */
struct ompt_part {
	struct ompt_team *team;
	union ompt_data task;
	unsigned int index;
};

struct ompt_team {
	union ompt_data parallel;
	pthread_barrier_t barrier;
	unsigned int n;
	void (*body)(struct ompt_part *part);
};

static inline void ompt_barrier(struct ompt_part *part, int kind)
{
	ompt_wait(OMPT_SYNC_REGION, kind, OMPT_BEGIN, &part->task);
	pthread_barrier_wait(&part->team->barrier);
	ompt_wait(OMPT_SYNC_REGION, kind, OMPT_END, &part->task);
}

static inline void *ompt_run_part(void *argument)
{
	struct ompt_part *part = argument;
	struct ompt_team *team = part->team;
	ompt_implicit_task(
		OMPT_BEGIN, &team->parallel, &part->task, team->n, part->index, OMPT_IMPLICIT);
	team->body(part);
	ompt_barrier(part, 2);
	/* At this time LLVM's runtime has moved the task's data, and has released that of the
	 * region. */
	union ompt_data moved = part->task;
	ompt_implicit_task(OMPT_END, NULL, &moved, 0, part->index, OMPT_IMPLICIT);
	return NULL;
}

/* Run a parallel region: body on the calling thread and n - 1 others. task is that of the
 * caller. */
static inline void ompt_parallel(union ompt_data *task, struct ompt_team *team, const void *place)
{
	pthread_t threads[16];
	struct ompt_part parts[16];
	union ompt_data early = {0};
	CHECK(team->n > 0 && team->n <= 16);
	/* The tool's data at the begin has another address than where the threads find it. */
	ompt_parallel_begin(task, &early, team->n, 0, place);
	team->parallel = early;
	CHECK(!pthread_barrier_init(&team->barrier, NULL, team->n));
	for (unsigned int i = 0; i < team->n; i++) {
		parts[i] = (struct ompt_part){.team = team, .index = i};
		CHECK(i == 0 || !pthread_create(&threads[i], NULL, ompt_run_part, &parts[i]));
	}
	ompt_run_part(&parts[0]);
	for (unsigned int i = 1; i < team->n; i++)
		CHECK(!pthread_join(threads[i], NULL));
	CHECK(!pthread_barrier_destroy(&team->barrier));
	ompt_parallel_end(task, &team->parallel, 0, place);
}

#endif
