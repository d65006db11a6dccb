/* SPDX-License-Identifier: MIT */
/*
 * A program of AMD uProf's profile control, linked with what stands in for uProf's library. The first
 * argument says what it does.
 */
#include <AMDProfileController.h>
#include <pthread.h>
#include <regionstat.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth.h"

static int n_false;
static struct truth truth;

static void resume(void)
{
	n_false += !amdProfileResume(AMD_PROFILE_CPU);
}

static void pause_again(void)
{
	n_false += !amdProfilePause(AMD_PROFILE_CPU);
}

/* Where it is marked what is counted, and what is not if they are the switch. */
static void work(void)
{
	REGIONSTAT_SCOPE("inside");
	truth_work(2000);
}

static void rest(void)
{
	REGIONSTAT_SCOPE("outside");
	truth_work(100);
}

static void *pause_there(void *unused)
{
	pause_again();
	return unused;
}

static void calls(int n)
{
	for (int i = 0; i < n; i++)
		TRUTH_CALL(&truth, resume(), pause_again(), truth_work(2000));
}

static void strict(int n)
{
	for (int i = 0; i < n; i++)
		TRUTH_CALL(&truth, n_false += !amdProfileStrictResume(AMD_PROFILE_CPU),
			n_false += !amdProfileStrictPause(AMD_PROFILE_CPU), truth_work(2000));
}

static void marked(int n)
{
	for (int i = 0; i < n; i++) {
		rest();
		resume();
		work();
		pause_again();
	}
}

static void threads(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_t thread;
		resume();
		if (pthread_create(&thread, NULL, pause_there, NULL) || pthread_join(thread, NULL))
			exit(2);
	}
}

static void in_child(int n)
{
	rest();
	resume();
	work();
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		marked(n);
		_exit(n_false);
	}
	int status;
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		exit(2);
	pause_again();
}

/* Nobody has called before the fork. */
static void first_in_child(int n)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		marked(n);
		_exit(n_false);
	}
	int status;
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		exit(2);
}

static void wrong(void)
{
	pause_again(); /* not running */
	resume();
	resume(); /* running */
	pause_again();
	pause_again(); /* not running */
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "calls";
	if (!strcmp(what, "calls"))
		calls(40);
	else if (!strcmp(what, "strict"))
		strict(40);
	else if (!strcmp(what, "marked"))
		marked(40);
	else if (!strcmp(what, "threads"))
		threads(20);
	else if (!strcmp(what, "fork"))
		in_child(10);
	else if (!strcmp(what, "fork-first"))
		first_in_child(10);
	else
		wrong();
	if (truth.calls)
		truth_print("amdProfile", &truth);
	printf("false %d error %d\n", n_false, amdGetLastProfileError());
	return 0;
}
