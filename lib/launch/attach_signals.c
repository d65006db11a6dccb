/* SPDX-License-Identifier: MIT */
/*
 * Finding the signals whose handlers may be running where a marker runs. Such a marker must not
 * start a thread, because the handler may have interrupted malloc(3) (regionstat.h). A marker only
 * knows which signals its thread blocks. A handler blocks its own signal, but some threads block
 * signals always, or all the time except in a system call such as ppoll(2).
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "launch/attach.h"

/* How many threads are looked at, how often again if they block signals, and how soon again. */
#define MOST_THREADS 64
#define N_LOOKS 5
#define PAUSE_NS 1000000L

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441 /* on all processors */
#endif

static uint64_t read_signals(pid_t tid, const char *name)
{
	char text[32] = "";
	rs_attach_status(tid, name, text, sizeof(text));
	return strtoull(text, NULL, 16);
}

/* Return true if the thread is in a system call that replaces its signal mask. */
static bool is_mask_replaced(pid_t tid)
{
	static const struct {
		long number;
		unsigned mask; /* which argument is the mask, from 0; not NULL if it is replaced */
	} calls[] = {{SYS_ppoll, 3}, {SYS_pselect6, 5}, {SYS_epoll_pwait, 4}, {SYS_epoll_pwait2, 4},
		{SYS_rt_sigsuspend, 0}};
	char path[32];
	long number = -1;
	unsigned long arguments[6] = {0};
	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)tid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	int n = fscanf(file, "%ld %lx %lx %lx %lx %lx %lx", &number, &arguments[0], &arguments[1],
		&arguments[2], &arguments[3], &arguments[4], &arguments[5]);
	fclose(file);
	for (size_t i = 0; n == 7 && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].number == number)
			return arguments[calls[i].mask] != 0;
	return false;
}

/* Return the id of a thread in its own pid namespace. */
static uint32_t own_tid(pid_t tid)
{
	char text[64] = "";
	rs_attach_status(tid, "NSpid", text, sizeof(text));
	const char *last = strrchr(text, '\t');
	return (uint32_t)strtoul(last ? last : text, NULL, 10);
}

/* Look at the first threads of a process once. blocked[n] has the signals that thread n blocked
 * each time before; update it. Fill the request's threads with those that block any of its signals each
 * time. Return these signals. */
static uint64_t look(
	pid_t pid, struct regionstat_request_1_ *request, uint64_t blocked[MOST_THREADS])
{
	size_t most = sizeof(request->threads_) / sizeof(request->threads_[0]), n_listed = 0;
	char path[32];
	uint64_t any = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);
	const struct dirent *entry;
	for (int n = 0; tasks && n < MOST_THREADS && (entry = readdir(tasks));) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (tid <= 0)
			continue;
		if (!is_mask_replaced(tid))
			blocked[n] &= read_signals(tid, "SigBlk");
		uint64_t its = blocked[n++] & request->signals_;
		if (its && n_listed < most)
			request->threads_[n_listed++] = own_tid(tid);
		any |= its;
	}
	if (tasks)
		closedir(tasks);
	while (n_listed < most)
		request->threads_[n_listed++] = 0;
	return any;
}

uint64_t rs_attach_find_signals(pid_t pid, struct regionstat_request_1_ *request)
{
	uint64_t blocked[MOST_THREADS];
	request->signals_ = read_signals(pid, "SigCgt");
	memset(blocked, 0xff, sizeof(blocked));
	uint64_t always = request->signals_ ? look(pid, request, blocked) : 0;
	for (int i = 0; always && i < N_LOOKS; i++) {
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
		always = look(pid, request, blocked);
	}
	return request->signals_ & ~always;
}
