/* SPDX-License-Identifier: MIT */
/*
 * usage: shared_tls thread|process|vfork. clone(CLONE_VM) makes two tasks without thread-local
 * memory of their own. So the kernel has three tasks that share each thread-local variable. All of
 * them use markers at the same time, or one after the other with CLONE_VFORK. The program prints
 * how many calls each has made.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <regionstat.h>

#define N 200000
#define STACK_BYTES (1 << 20)

static volatile unsigned long n_marked[3];

static void mark(int task)
{
	for (int i = 0; i < N; i++) {
		REGIONSTAT_BEGIN("outer");
		REGIONSTAT_BEGIN("inner");
		REGIONSTAT_END("inner");
		REGIONSTAT_END("outer");
		n_marked[task]++;
	}
}

static int child(void *task)
{
	mark(*(int *)task);
	syscall(SYS_exit, 0);
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	int flags = strcmp(kind, "thread") == 0
			    ? CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD
		    : strcmp(kind, "vfork") == 0 ? CLONE_VM | CLONE_VFORK | SIGCHLD
						 : CLONE_VM | SIGCHLD;
	int tasks[2] = {1, 2};
	pid_t pids[2];
	REGIONSTAT_BEGIN("first");
	REGIONSTAT_END("first");
	for (int i = 0; i < 2; i++) {
		char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pids[i] = stack == MAP_FAILED ? -1
					      : clone(child, stack + STACK_BYTES, flags, &tasks[i]);
		if (pids[i] < 0)
			return 1;
	}
	mark(0);
	for (int i = 0; i < 2; i++) {
		if (flags & CLONE_THREAD)
			while (n_marked[tasks[i]] < N)
				sched_yield();
		else if (waitpid(pids[i], NULL, __WALL) != pids[i])
			return 2;
	}
	printf("%lu %lu %lu\n", n_marked[0], n_marked[1], n_marked[2]);
	return 0;
}
