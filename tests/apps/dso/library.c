/* SPDX-License-Identifier: MIT */
/*
 * A library with markers. It is built with the name LIBRARY: twice as a linked library, once as a
 * plugin, and once with the runtime in it (../closed.c). Its constructor starts a thread with
 * markers and waits for it, while the loader holds its lock. So markers must never need that lock.
 */
#include <pthread.h>

#include <regionstat.h>

#include "library.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

void JOIN(LIBRARY, _call)(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN(TEXT(LIBRARY));
		REGIONSTAT_BEGIN("shared");
		REGIONSTAT_END("shared");
		REGIONSTAT_END(TEXT(LIBRARY));
	}
}

/* Begin "across" in one object; another one ends it. */
void JOIN(LIBRARY, _begin)(void)
{
	REGIONSTAT_BEGIN("across");
}

void JOIN(LIBRARY, _end)(void)
{
	REGIONSTAT_END("across");
}

static void *mark_in_thread(void *argument)
{
	REGIONSTAT_BEGIN(TEXT(LIBRARY) " constructor");
	REGIONSTAT_END(TEXT(LIBRARY) " constructor");
	return argument;
}

__attribute__((constructor)) static void construct(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, mark_in_thread, NULL) == 0)
		pthread_join(thread, NULL);
}

__attribute__((destructor)) static void destruct(void)
{
	REGIONSTAT_BEGIN(TEXT(LIBRARY) " destructor");
	REGIONSTAT_END(TEXT(LIBRARY) " destructor");
}
