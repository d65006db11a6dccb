/* SPDX-License-Identifier: MIT */
/*
 * A program for tests of the launcher. Each word of its command line is an action, done in order.
 * It uses the segment only as lib/segment/layout.h describes, as a program with another runtime
 * would.
 *
 *   touch=N        touch N fresh pages, each one page fault
 *   threads=NxM    N threads, one after another, touch M pages each
 *   forks=NxM      N children, one after another, touch M pages each
 *   pause, resume  by the protocol of struct rs_segment_header; wait for the answer
 *   die-paused     a child takes a process entry, pauses and is killed; wait for the pause's end
 *   scribble       write 0xff over the header
 *   exit=N
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "segment/layout.h"

#define ANSWER_TIMEOUT_S 60

static struct rs_segment_header *header;
static struct rs_process *self;
static int segment_fd;

static void fail(const char *what)
{
	perror(what);
	exit(99);
}

static uint64_t own_pid_namespace(void)
{
	struct stat status;
	if (stat("/proc/self/ns/pid", &status) != 0)
		fail("/proc/self/ns/pid");
	return status.st_ino;
}

static void attach(void)
{
	const char *text = getenv(RS_SEGMENT_ENV);
	unsigned abi = 0, pid = 0;
	int fd = -1;
	uint64_t nonce = 0;
	if (header)
		return;
	if (!text || sscanf(text, "%u:%d:%u:%" SCNx64, &abi, &fd, &pid, &nonce) != 4)
		fail(RS_SEGMENT_ENV);
	header = mmap(NULL, RS_EXTENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (header == MAP_FAILED || header->magic != RS_SEGMENT_MAGIC || header->nonce != nonce ||
		header->launcher_pid != pid || header->abi != abi || abi != RS_SEGMENT_ABI)
		fail("segment");
	struct rs_process *processes = mmap(NULL, RS_EXTENT_BYTES, PROT_READ | PROT_WRITE,
		MAP_SHARED, fd, (off_t)RS_PROCESSES_OFFSET);
	if (processes == MAP_FAILED)
		fail("processes");
	self = processes;
	segment_fd = fd;
}

/* Lock the entry as the runtime does. */
static void lock_entry(uint32_t index)
{
	char path[32];
	struct flock lock = {.l_type = F_RDLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(RS_PROCESSES_OFFSET + index * sizeof(*self)),
		.l_len = 1};
	snprintf(path, sizeof(path), "/proc/self/fd/%d", segment_fd);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fcntl(fd, F_OFD_SETLK, &lock) != 0)
		fail("lock");
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || madvise(page, 4096, MADV_DONTFORK) != 0)
		fail("mapping with the lock");
	close(fd);
	self->has_lock = 1;
}

static void enter_process(void)
{
	attach();
	uint32_t index = atomic_fetch_add(&header->n_processes, 1);
	self += index;
	self->state = RS_PROCESS_CLAIMED;
	self->pid = (uint32_t)getpid();
	lock_entry(index);
	self->pid_namespace = own_pid_namespace();
	self->state = RS_PROCESS_ALIVE;
}

static void ring_and_wait(void)
{
	uint32_t request = atomic_fetch_add(&header->request, 1) + 1;
	syscall(SYS_futex, &header->request, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	uint32_t answer;
	while ((int32_t)((answer = header->acknowledged) - request) < 0) {
		struct timespec timeout = {.tv_sec = ANSWER_TIMEOUT_S};
		if (syscall(SYS_futex, &header->acknowledged, FUTEX_WAIT, answer, &timeout, NULL,
			    0) < 0 &&
			header->acknowledged == answer && errno == ETIMEDOUT)
			fail("no answer");
	}
}

static void act_pause(void)
{
	if (!self)
		enter_process();
	atomic_fetch_add(&self->pause_depth, 1);
	uint64_t control = header->control;
	while (!atomic_compare_exchange_weak(
		&header->control, &control, (control | RS_CONTROL_PAUSED) + RS_CONTROL_GENERATION))
		;
	ring_and_wait();
	if (!(header->control & RS_CONTROL_PAUSED))
		fail("paused, and running");
}

static void act_resume(void)
{
	if (!self)
		enter_process();
	if (self->pause_depth > 0)
		atomic_fetch_sub(&self->pause_depth, 1);
	ring_and_wait();
}

static void act_die_paused(void)
{
	attach();
	pid_t child = fork();
	if (child == 0) {
		act_pause();
		kill(getpid(), SIGKILL);
	}
	waitpid(child, NULL, 0);
	while (header->control & RS_CONTROL_PAUSED)
		usleep(1000);
}

static void *touch(void *pages)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), n = (size_t)pages;
	if (n == 0)
		return NULL;
	char *memory = mmap(
		NULL, n * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		fail("mmap");
	madvise(memory, n * page_bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i++)
		((volatile char *)memory)[i * page_bytes] = 1;
	munmap(memory, n * page_bytes);
	return NULL;
}

static void act_threads(size_t n, size_t pages)
{
	for (size_t i = 0; i < n; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, touch, (void *)pages) != 0)
			fail("pthread_create");
		pthread_join(thread, NULL);
	}
}

static void act_forks(size_t n, size_t pages)
{
	for (size_t i = 0; i < n; i++) {
		pid_t child = fork();
		if (child == 0) {
			touch((void *)pages);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static void act(const char *word)
{
	char name[32] = "";
	size_t n = 0, m = 0;
	sscanf(word, "%31[a-z-]=%zux%zu", name, &n, &m);
	if (strcmp(name, "touch") == 0)
		touch((void *)n);
	else if (strcmp(name, "threads") == 0)
		act_threads(n, m);
	else if (strcmp(name, "forks") == 0)
		act_forks(n, m);
	else if (strcmp(name, "pause") == 0)
		act_pause();
	else if (strcmp(name, "resume") == 0)
		act_resume();
	else if (strcmp(name, "die-paused") == 0)
		act_die_paused();
	else if (strcmp(name, "scribble") == 0)
		attach(), memset((void *)header, 0xff, RS_EXTENT_BYTES);
	else if (strcmp(name, "exit") == 0)
		exit((int)n);
	else
		fail(word);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		act(argv[i]);
	return 0;
}
