/* SPDX-License-Identifier: MIT */
/*
 * A program with its own memcpy(), memcmp(), memset(), strlen(), strcmp(), strchr(), malloc(),
 * clock_gettime() and pthread_setspecific(). Each of them marks a region, or the compiler
 * instruments it (with -DINSTRUMENTED -finstrument-functions). The main thread and two others call
 * each function CALLS times. Each thread counts calls only during that time, because other calls
 * come from the C library.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef INSTRUMENTED
#define MARK(name)
#else
#include <regionstat.h>
#define MARK(name) REGIONSTAT_SCOPE(name)
#endif

#ifndef __clang__ /* pthread_setspecific()'s value is never read */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define CALLS 100
#define NOINLINE __attribute__((noinline))
/* This keeps the compiler from replacing a loop by a call of the function itself. */
#define NO_IDIOM __asm__ volatile("")

static __thread int counts;

#define COUNTED(type, name, parameters, arguments)       \
	NOINLINE static type name##_counted parameters;  \
	type name parameters;                            \
	type name parameters                             \
	{                                                \
		if (counts)                              \
			return name##_counted arguments; \
		return name##_plain arguments;           \
	}                                                \
	NOINLINE static type name##_counted parameters   \
	{                                                \
		MARK(#name "_counted");                  \
		return name##_plain arguments;           \
	}

static void *memcpy_plain(void *to, const void *from, size_t bytes)
{
	char *d = to;
	const char *s = from;
	for (size_t i = 0; i < bytes; i++) {
		d[i] = s[i];
		NO_IDIOM;
	}
	return to;
}
COUNTED(void *, memcpy, (void *to, const void *from, size_t bytes), (to, from, bytes))

static void *memset_plain(void *to, int value, size_t bytes)
{
	char *d = to;
	for (size_t i = 0; i < bytes; i++) {
		d[i] = (char)value;
		NO_IDIOM;
	}
	return to;
}
COUNTED(void *, memset, (void *to, int value, size_t bytes), (to, value, bytes))

static int memcmp_plain(const void *one, const void *other, size_t bytes)
{
	const unsigned char *a = one, *b = other;
	for (size_t i = 0; i < bytes; i++) {
		NO_IDIOM;
		if (a[i] != b[i])
			return a[i] - b[i];
	}
	return 0;
}
COUNTED(int, memcmp, (const void *one, const void *other, size_t bytes), (one, other, bytes))

static size_t strlen_plain(const char *text)
{
	size_t n = 0;
	while (text[n]) {
		n++;
		NO_IDIOM;
	}
	return n;
}
COUNTED(size_t, strlen, (const char *text), (text))

static int strcmp_plain(const char *one, const char *other)
{
	while (*one && *one == *other) {
		one++;
		other++;
		NO_IDIOM;
	}
	return (unsigned char)*one - (unsigned char)*other;
}
COUNTED(int, strcmp, (const char *one, const char *other), (one, other))

static char *strchr_plain(const char *text, int wanted)
{
	for (; *text != (char)wanted; text++) {
		NO_IDIOM;
		if (!*text)
			return NULL;
	}
	return (char *)(uintptr_t)text;
}
COUNTED(char *, strchr, (const char *text, int wanted), (text, wanted))

static int clock_gettime_plain(clockid_t clock, struct timespec *now)
{
	return (int)syscall(SYS_clock_gettime, clock, now);
}
COUNTED(int, clock_gettime, (clockid_t clock, struct timespec *now), (clock, now))

static int pthread_setspecific_plain(pthread_key_t key, const void *value)
{
	static int (*libc)(pthread_key_t, const void *);
	if (!libc)
		*(void **)(void *)&libc = dlsym(RTLD_NEXT, "pthread_setspecific");
	return libc(key, value);
}
COUNTED(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value))

/* Memory of this malloc() is never freed. The size stands before the memory. */
static char heap[64 << 20] __attribute__((aligned(16)));
static size_t heap_used;

static void *malloc_plain(size_t bytes)
{
	size_t all = 16 + ((bytes + 15) & ~(size_t)15);
	size_t at = __atomic_fetch_add(&heap_used, all, __ATOMIC_RELAXED);
	if (at + all > sizeof(heap))
		return NULL;
	*(size_t *)(void *)(heap + at) = bytes;
	return heap + at + 16;
}
COUNTED(void *, malloc, (size_t bytes), (bytes))

void *calloc(size_t n, size_t bytes);
void *realloc(void *memory, size_t bytes);
void free(void *memory);

void *calloc(size_t n, size_t bytes)
{
	return malloc(n * bytes);
}

void *realloc(void *memory, size_t bytes)
{
	void *made = malloc(bytes);
	size_t before = memory ? *(size_t *)(void *)((char *)memory - 16) : 0;
	if (made)
		memcpy_plain(made, memory, before < bytes ? before : bytes);
	return made;
}

void free(void *memory)
{
	(void)memory;
}

NOINLINE static void work(void)
{
	MARK("work");
	NO_IDIOM;
}

static volatile uintptr_t sink;

static void *run(void *key)
{
	char text[64] = "text", copy[64] = "";
	struct timespec now;
	counts = 1;
	for (int i = 0; i < CALLS; i++) {
		work();
		sink += (uintptr_t)memcpy(copy, text, sizeof(copy));
		sink += (uintptr_t)memcmp(copy, text, sizeof(copy));
		sink += (uintptr_t)memset(copy, i, sizeof(copy));
		sink += strlen_plain(text) == 4 ? (uintptr_t)strlen(text) : 0;
		sink += (uintptr_t)strcmp(text, "other");
		sink += (uintptr_t)strchr(text, 'x');
		sink += (uintptr_t)malloc(16);
		sink += (uintptr_t)clock_gettime(CLOCK_MONOTONIC, &now);
		sink += (uintptr_t)pthread_setspecific(*(pthread_key_t *)key, text);
	}
	counts = 0;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	pthread_key_t key;
	if (pthread_key_create(&key, NULL))
		return 1;
	run(&key);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, run, &key))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
