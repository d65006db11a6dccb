/* SPDX-License-Identifier: MIT */
/*
 * only N: regions whose names begin with "want", and others that begin with "skip". They nest, end
 * each other and follow each other in all ways. This happens N times in the first thread, then in
 * later threads, in children, and again after exec. Without --only, every END has its BEGIN, except
 * those of "skip never".
 */

#include <regionstat.h>

#include "check.h"

#define N_THREADS 3
#define DEPTH 4 /* depth of recursion */

static unsigned long n;

/* Make 1 call each of "want outer" and "want leaf". */
static void nest(void)
{
	REGIONSTAT_BEGIN("skip around");
	REGIONSTAT_BEGIN("want outer");
	REGIONSTAT_BEGIN("skip inner");
	REGIONSTAT_BEGIN("want leaf");
	REGIONSTAT_END("want leaf");
	REGIONSTAT_END("skip inner");
	REGIONSTAT_END("want outer");
	REGIONSTAT_END("skip around");
	REGIONSTAT_END("skip never");
}

/* Make 1 call each of "want link 1", 4 and 5, by NEXT between measured and filtered regions. */
static void chain(void)
{
	REGIONSTAT_BEGIN("skip link 0");
	REGIONSTAT_NEXT("skip link 0", "want link 1");
	REGIONSTAT_NEXT("want link 1", "skip link 2");
	REGIONSTAT_NEXT("skip link 2", "skip link 3");
	REGIONSTAT_NEXT("skip link 3", "want link 4");
	REGIONSTAT_NEXT("want link 4", "want link 5");
	REGIONSTAT_END("want link 5");
}

/* Make 1 call each of "want left" and "want right". */
static void overlap(void)
{
	REGIONSTAT_BEGIN("want left");
	REGIONSTAT_BEGIN("skip right");
	REGIONSTAT_END("want left");
	REGIONSTAT_BEGIN("want right");
	REGIONSTAT_END("skip right");
	REGIONSTAT_END("want right");
}

/* Make DEPTH calls of "want recursive", and DEPTH calls of "want leaf" within "skip recursive". */
static __attribute__((noinline)) void recurse_wanted(int depth)
{
	REGIONSTAT_SCOPE("want recursive");
	if (depth > 1)
		recurse_wanted(depth - 1);
	__asm__ volatile("");
}

static __attribute__((noinline)) void recurse_skipped(int depth)
{
	REGIONSTAT_SCOPE("skip recursive");
	REGIONSTAT_BEGIN("want leaf");
	REGIONSTAT_END("want leaf");
	if (depth > 1)
		recurse_skipped(depth - 1);
	__asm__ volatile("");
}

/* Make 1 call of "want name" and 2 of "want named link". */
static void names(void)
{
	char wanted[32], skipped[32];
	strcpy(wanted, "want named link");
	strcpy(skipped, "skip named link");
	regionstat_begin("skip name");
	regionstat_begin("want name");
	regionstat_begin(skipped);
	regionstat_next(skipped, wanted);
	regionstat_next(wanted, skipped);
	regionstat_next(skipped, "skip other link");
	regionstat_next("skip other link", wanted);
	regionstat_end(wanted);
	regionstat_end("want name");
	regionstat_end("skip name");
}

/* Make 1 call each of "want call" and "want named call". */
static void calls(void)
{
	struct regionstat_call wanted = REGIONSTAT_START("want call");
	struct regionstat_call skipped = REGIONSTAT_START("skip call");
	struct regionstat_call named = regionstat_start("want named call");
	struct regionstat_call other = regionstat_start("skip named call");
	regionstat_stop(wanted);
	regionstat_stop(skipped);
	regionstat_stop(other);
	regionstat_stop(named);
}

static void all_ways(void)
{
	for (unsigned long i = 0; i < n; i++) {
		nest();
		chain();
		overlap();
		recurse_wanted(DEPTH);
		recurse_skipped(DEPTH);
		names();
		calls();
	}
}

/* A thread with filtered regions only, at sites of its own. */
static void *skip_alone(void *unused)
{
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("skip alone");
		REGIONSTAT_NEXT("skip alone", "skip next");
		REGIONSTAT_END("skip next");
		REGIONSTAT_SCOPE("skip scope");
		regionstat_begin("skip name");
		regionstat_end("skip name");
		regionstat_stop(REGIONSTAT_START("skip call"));
	}
	return unused;
}

static void *run_thread(void *unused)
{
	all_ways();
	return unused;
}

/* A child that is forked within both kinds of regions. Its first ENDs belong to its parent's calls,
 * and its later calls are its own. */
static void run_child(void)
{
	REGIONSTAT_BEGIN("skip fork");
	REGIONSTAT_BEGIN("want fork");
	if (fork_and_wait()) {
		REGIONSTAT_END("want fork");
		REGIONSTAT_END("skip fork");
		all_ways();
		_exit(0);
	}
	REGIONSTAT_END("want fork");
	REGIONSTAT_END("skip fork");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	n = strtoul(argv[1], NULL, 10);
	if (argc == 3) { /* this is the program after exec */
		all_ways();
		return 0;
	}
	on_threads(N_THREADS, skip_alone, NULL, 0);
	all_ways();
	on_threads(N_THREADS, run_thread, NULL, 0);
	run_child();
	execl("/proc/self/exe", argv[0], argv[1], "again", (char *)NULL);
	return 1;
}
