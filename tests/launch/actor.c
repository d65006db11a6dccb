/* SPDX-License-Identifier: MIT */
/*
 * A program for tests of the launcher. Each word of its command line is an action, done in order.
 * It includes no marker header, so that it has the same page faults with perf and with regionstat.
 *
 *   touch=N        touch N fresh pages, each one page fault
 *   threads=NxM    N threads, one after another, touch M pages each
 *   forks=NxM      N children, one after another, touch M pages each
 *   pause, resume  by the runtime, which is loaded for the first of them
 *   die-paused     a child pauses and is killed; wait for the pause's end
 *   scribble       write 0xff over the header of the segment
 *   exit=N
 */
#include <dlfcn.h>
#include <signal.h>

#include "../apps/check.h"
#include "../apps/touch.h"
#include "segment/layout.h"

static void call_runtime(const char *name)
{
	void (*function)(void);
	void *runtime = dlopen(getenv("REGIONSTAT_RUNTIME"), RTLD_NOW);
	CHECK(runtime);
	*(void **)&function = dlsym(runtime, name);
	CHECK(function);
	function();
}

static struct rs_segment_header *map_header(void)
{
	const char *text = getenv(RS_SEGMENT_ENV);
	int fd = -1;
	CHECK(text && sscanf(text, "%*u:%d", &fd) == 1);
	void *header = mmap(NULL, RS_EXTENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(header != MAP_FAILED);
	return header;
}

static void die_paused(void)
{
	struct rs_segment_header *header = map_header();
	pid_t child = fork_flushed();
	if (child == 0) {
		call_runtime("regionstat_pause");
		raise(SIGKILL);
	}
	CHECK(waitpid(child, NULL, 0) == child);
	while (header->control & RS_CONTROL_PAUSED)
		usleep(1000);
}

static void *touch_pages(void *n)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	touch(fresh_pages((size_t)n * page_bytes), (size_t)n, page_bytes);
	return NULL;
}

static void act(const char *word)
{
	char name[32] = "";
	size_t n = 0, m = 0;
	sscanf(word, "%31[a-z-]=%zux%zu", name, &n, &m);
	CHECK(word[strlen(name)] == '=' || word[strlen(name)] == '\0');
	for (size_t i = 0; !strcmp(name, "threads") && i < n; i++)
		on_thread(touch_pages, (void *)m);
	for (size_t i = 0; !strcmp(name, "forks") && i < n; i++)
		if (fork_and_wait()) {
			touch_pages((void *)m);
			_exit(0);
		}
	if (!strcmp(name, "touch"))
		touch_pages((void *)n);
	else if (!strcmp(name, "pause"))
		call_runtime("regionstat_pause");
	else if (!strcmp(name, "resume"))
		call_runtime("regionstat_resume");
	else if (!strcmp(name, "die-paused"))
		die_paused();
	else if (!strcmp(name, "scribble"))
		memset((void *)map_header(), 0xff, RS_EXTENT_BYTES);
	else if (!strcmp(name, "exit"))
		exit((int)n);
	else
		CHECK(!strcmp(name, "threads") || !strcmp(name, "forks"));
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		act(argv[i]);
	return 0;
}
