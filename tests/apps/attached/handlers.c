/* SPDX-License-Identifier: MIT */
/*
 * A thread allocates memory all the time. With the first argument "handler" or "program", a signal
 * interrupts it about 5,000 times in a second, and the handler marks calls of "tick". With
 * "program" the thread marks calls of "loop" as well. With "blocked" there is no signal, and
 * another thread, which blocks all signals, marks calls of "loop". With "ppoll" the other thread
 * handles signals only while it waits. Another thread blocks all signals and marks nothing. With
 * "stopped" one signal interrupts the thread, and the handler stops the process before it marks
 * calls of "tick" for 100 ms or more. End when stdin ends.
 */
#include <poll.h>
#include <stdbool.h>
#include <time.h>

#include <regionstat.h>

#include "../check.h"

static void tick(int signal)
{
	(void)signal;
	REGIONSTAT_BEGIN("tick");
	REGIONSTAT_END("tick");
}

static void stop_and_tick(int signal)
{
	raise(SIGSTOP);
	for (int i = 0; i < 100; i++) {
		tick(signal);
		usleep(1000);
	}
}

static void loop(void)
{
	REGIONSTAT_BEGIN("loop");
	REGIONSTAT_END("loop");
}

static void *loop_apart(void *nothing)
{
	const struct timespec step = {.tv_nsec = 1000000};
	sigset_t all, none;
	sigfillset(&all);
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (;;) {
		loop();
		ppoll(NULL, 0, &step, nothing ? &none : NULL);
	}
	return NULL;
}

static void *wait_for_ever(void *nothing)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (;;)
		pause();
	return nothing;
}

int main(int argc, char **argv)
{
	const char *where = argc > 1 ? argv[1] : "";
	struct pollfd input = {.fd = 0, .events = POLLIN};
	void *memory[64] = {NULL};
	pthread_t thread;
	bool stops = !strcmp(where, "stopped");
	CHECK(!stops || signal(SIGALRM, stop_and_tick) != SIG_ERR);
	CHECK(!pthread_create(&thread, NULL, wait_for_ever, NULL));
	bool polls = !strcmp(where, "ppoll"), blocks = !strcmp(where, "blocked");
	if (polls || blocks)
		CHECK(!pthread_create(&thread, NULL, loop_apart, polls ? &thread : NULL));
	if (!polls && !blocks && !stops)
		interrupt_every_us(200, tick, SA_RESTART);
	puts("ready");
	fflush(stdout);
	if (stops)
		raise(SIGALRM);
	for (size_t i = 0; i % 100000 || poll(&input, 1, 0) <= 0; i++) {
		free(memory[i % 64]);
		memory[i % 64] = malloc(2000 + i * 7919 % 60000);
		if (i % 1000 == 0 && !strcmp(where, "program"))
			loop();
	}
	return 0;
}
