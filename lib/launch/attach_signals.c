/* SPDX-License-Identifier: MIT */
/*
 * This file finds the signals whose handlers may be running when a marker runs. A marker in a
 * handler must not start a thread, because the handler may have interrupted malloc(3)
 * (regionstat.h). A marker only knows which signals its thread blocks. In a handler, the thread
 * blocks the handler's signal. But some threads block signals always, or all the time except in a
 * system call such as ppoll(2).
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/now.h"
#include "launch/attach.h"
#include "plan/host.h"

/* At most MOST_THREADS threads are looked at. Each of them is looked at again up to N_LOOKS times,
 * after pauses of PAUSE_NS. */
#define MOST_THREADS 64
#define N_LOOKS 5
#define PAUSE_NS 1000000L
/* The most looks after the first, if a thread seems to block signals, was never seen waiting, and
 * has run at fewer than N_LOOKS of them. Without a context switch, the kernel updates CPU time only
 * at its ticks, every 1 to 10 ms. */
#define MOST_LOOKS 60
/* A thread that runs for more than 1/BUSY_PART of the time is busy. */
#define BUSY_PART 8
/* Signals 32 and 33. libc uses them to cancel threads, and to set the ids of all threads. libc's
 * handlers run no marker, except when they cancel a thread asynchronously. Such a thread is not in
 * malloc(3). */
#define LIBC_SIGNALS (UINT64_C(3) << 31)

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441 /* the same number on all processors */
#endif

/* The results of several looks at a thread. */
struct seen {
	pid_t tid; /* 0: not seen yet */
	bool waits; /* it was in a system call, with its own signal mask */
	bool waits_otherwise; /* it was in a system call that replaces the mask */
	/* signals that it blocked at every look at which it waited with its own mask */
	uint64_t blocked;
	/* signals that it did not block at a look at which it ran or waited for a CPU */
	uint64_t lacked;
	uint64_t first_ns, cpu_ns; /* its CPU time at the first look and at the latest one */
	uint64_t begin_ns, now_ns; /* times of these two looks */
	uint32_t n_ran; /* looks at which its CPU time had grown since the look before */
};

/* What /proc/PID/status says about a thread. */
struct status {
	char state;
	uint64_t blocked, caught; /* sets of signals; bit n - 1 is signal n */
};

/* Read the file only once, so that all fields are from one reading. A line can be longer than the
 * buffer, because a thread can be in many groups. */
static struct status read_status(pid_t tid)
{
	struct status status = {0};
	char path[40], line[128];
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "State: %c", &status.state);
		sscanf(line, "SigBlk: %" SCNx64, &status.blocked);
		sscanf(line, "SigCgt: %" SCNx64, &status.caught);
	}
	if (file)
		fclose(file);
	return status;
}

static uint64_t read_cpu_ns(pid_t tid)
{
	char text[64];
	rs_host_read(text, sizeof(text), "/proc/%d/schedstat", (int)tid);
	return strtoull(text, NULL, 10);
}

enum activity { RUNS, WAITS, WAITS_OTHERWISE };

/* Return what a thread does. A thread that is stopped or waits for a CPU counts as one that runs,
 * because it can be in a handler. */
static enum activity find_activity(pid_t tid, char state)
{
	static const struct {
		long number;
		/* index of the argument that is the mask; if it is not NULL, the call replaces the
		 * mask */
		unsigned mask;
	} calls[] = {{SYS_ppoll, 3}, {SYS_pselect6, 5}, {SYS_epoll_pwait, 4}, {SYS_epoll_pwait2, 4},
		{SYS_rt_sigsuspend, 0}};
	long number;
	unsigned long arguments[6];
	char text[256];
	if (state != 'S' && state != 'D')
		return RUNS;
	int error = rs_host_read(text, sizeof(text), "/proc/%d/syscall", (int)tid);
	if (error == ENOENT || error == EACCES)
		return WAITS; /* the kernel does not say in which call */
	if (sscanf(text, "%ld %lx %lx %lx %lx %lx %lx", &number, &arguments[0], &arguments[1],
		    &arguments[2], &arguments[3], &arguments[4], &arguments[5]) != 7)
		return RUNS;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].number == number && arguments[calls[i].mask] != 0)
			return WAITS_OTHERWISE;
	return WAITS;
}

static void look_at(pid_t tid, struct seen *seen)
{
	bool is_first = seen->tid != tid;
	if (is_first)
		*seen = (struct seen){.tid = tid, .blocked = UINT64_MAX};
	const struct status status = read_status(tid);
	if (status.state == 'Z' || status.state == 'X') { /* it has ended and runs no handler */
		seen->blocked = 0;
		return;
	}
	enum activity activity = find_activity(tid, status.state);
	uint64_t mask = status.blocked, cpu_ns = read_cpu_ns(tid);
	seen->now_ns = (uint64_t)rs_now_ns(CLOCK_MONOTONIC);
	if (is_first) {
		seen->begin_ns = seen->now_ns;
		seen->first_ns = cpu_ns;
	} else {
		/* a CPU time of 0 is unknown */
		seen->n_ran += cpu_ns != seen->cpu_ns || cpu_ns == 0;
	}
	seen->cpu_ns = cpu_ns;
	seen->waits |= activity == WAITS;
	seen->waits_otherwise |= activity == WAITS_OTHERWISE;
	if (activity == WAITS)
		seen->blocked &= mask;
	else if (activity == RUNS)
		seen->lacked |= ~mask;
}

/* Return the signals that a thread seems to block always, or always outside of system calls that
 * replace its mask. If a thread has such calls and is not busy, it was just leaving one when it ran
 * with another mask. So its mask while it ran does not count. */
static uint64_t find_blocked(const struct seen *seen)
{
	bool is_busy = seen->cpu_ns - seen->first_ns > (seen->now_ns - seen->begin_ns) / BUSY_PART;
	return seen->blocked & (seen->waits_otherwise && !is_busy ? UINT64_MAX : ~seen->lacked);
}

/* A thread can lose its CPU or stop in a handler. Return true if the looks have seen the thread not
 * only in one such handler. */
static bool is_sure(const struct seen *seen)
{
	return seen->waits || seen->waits_otherwise || seen->n_ran >= N_LOOKS;
}

/* Return the element of a thread. The first n elements are known to belong to other threads. Move
 * this thread's element to index n. */
static struct seen *find(struct seen seen[MOST_THREADS], int n, pid_t tid)
{
	int i = n;
	while (i < MOST_THREADS - 1 && seen[i].tid != tid)
		i++;
	const struct seen found = seen[i];
	seen[i] = seen[n];
	seen[n] = found;
	return &seen[n];
}

/* Look once at each of the first threads of a process. Return how many threads these are. */
static int look(pid_t pid, uint64_t signals, struct seen seen[MOST_THREADS])
{
	char path[32];
	int n = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);
	const struct dirent *entry;
	while (tasks && n < MOST_THREADS && (entry = readdir(tasks))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (tid <= 0)
			continue;
		struct seen *own = find(seen, n++, tid);
		if (own->tid != tid || own->blocked & signals)
			look_at(tid, own);
	}
	if (tasks)
		closedir(tasks);
	return n;
}

/* Return true if another look can change what is known. */
static bool must_look(const struct seen *seen, int n, uint64_t signals, int n_looks)
{
	bool any = false;
	for (int i = 0; i < n; i++) {
		bool is_unsure = find_blocked(&seen[i]) & signals && !is_sure(&seen[i]);
		any |= n_looks <= N_LOOKS ? (seen[i].blocked & signals) != 0 : is_unsure;
	}
	return any && n_looks <= MOST_LOOKS;
}

uint64_t rs_attach_find_signals(pid_t pid, struct regionstat_request_1_ *request)
{
	const size_t most = sizeof(request->threads_) / sizeof(request->threads_[0]);
	struct seen seen[MOST_THREADS] = {{0}};
	uint64_t always = 0;
	size_t n_listed = 0;
	request->signals_ = read_status(pid).caught & ~LIBC_SIGNALS;
	int n = request->signals_ ? look(pid, request->signals_, seen) : 0;
	for (int n_looks = 1; must_look(seen, n, request->signals_, n_looks); n_looks++) {
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
		n = look(pid, request->signals_, seen);
	}
	for (int i = 0; i < n; i++) {
		uint64_t its = is_sure(&seen[i]) ? find_blocked(&seen[i]) & request->signals_ : 0;
		if (its && n_listed < most)
			request->threads_[n_listed++] = rs_attach_own_id(seen[i].tid);
		always |= its;
	}
	return request->signals_ & ~always;
}
