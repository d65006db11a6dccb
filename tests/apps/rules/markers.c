/* SPDX-License-Identifier: MIT */
/*
 * The markers that a test writes, N times. Regions are "a" to "z". Sites are in tables, so that
 * markers are functions that the header's macros call. apps/everywhere.c uses the macros.
 *
 *   markers N SCRIPT           each marker has a site for its region
 *   markers N SCRIPT by-name   markers get the name at run time
 *   fibers N SCRIPT SCRIPT     two fibers by swapcontext(3); the first one begins
 *
 *   a A      BEGIN and END of a region
 *   A/b      NEXT from a to b
 *   [a ] _   begin a scope, end the scope that began last, and end the one that began first
 *   +a -A    START a call of a, and STOP it
 *   =a13:4   WORK of a: 13 bytes and 4 operations
 *   < >      PAUSE and RESUME
 *   (...)    these markers in a thread, which then ends
 *   {...}    these markers in a child, which then ends
 *   |        run the other fiber
 *   30       touch 30 fresh pages
 *   ~ ^      sleep for 1 ms, and use the CPU for 1 ms
 *   . !      print a line, and end by SIGKILL
 */
#include <ctype.h>
#include <signal.h>
#include <ucontext.h>

#include "../clock.h"
#include "pages.h"
#include "rules.h"

#define N_REGIONS 26
#define MAX_SCOPES 64
#define STACK_BYTES (256 * 1024)

/* The sites of each region's BEGIN, END and START or WORK. */
static char region_names[N_REGIONS][2];
static struct regionstat_site_ begins[N_REGIONS], ends[N_REGIONS], starts[N_REGIONS];

static int is_by_name;
static struct regionstat_call calls[N_REGIONS]; /* the latest call that each region started */
static regionstat_ticket_ scopes[MAX_SCOPES];
static size_t n_scopes;
static volatile unsigned char *pages; /* the next ones to touch */

static void make_sites(void)
{
	for (int i = 0; i < N_REGIONS; i++) {
		region_names[i][0] = (char)('a' + i);
		begins[i].name_ = ends[i].name_ = starts[i].name_ = region_names[i];
		starts[i].is_paired_ = 1;
	}
}

/* Return the number of the region that a letter names. */
static int region(char letter)
{
	CHECK(isalpha((unsigned char)letter));
	return tolower((unsigned char)letter) - 'a';
}

/* Return the number at a place, which then is its last digit. */
static size_t read_number(char **at)
{
	size_t n = 0;
	for (; isdigit((unsigned char)**at); (*at)++)
		n = 10 * n + (size_t)(**at - '0');
	(*at)--;
	return n;
}

/* These are part of their caller, whose stack frame is that of the calls. */
#define HERE static inline __attribute__((always_inline))

HERE void begin(int i)
{
	if (is_by_name)
		regionstat_begin(region_names[i]);
	else
		REGIONSTAT_CALL_(begin_(&begins[i]));
}

HERE void end(int i)
{
	if (is_by_name)
		regionstat_end(region_names[i]);
	else
		REGIONSTAT_CALL_(end_site_(&ends[i]));
}

HERE void next(int ended, int begun)
{
	if (is_by_name)
		regionstat_next(region_names[ended], region_names[begun]);
	else
		REGIONSTAT_CALL_(next_(&ends[ended], &begins[begun]));
}

HERE void start(int i)
{
	calls[i] = is_by_name ? regionstat_start(region_names[i])
			      : regionstat_start_site_(&starts[i]);
}

HERE void begin_scope(int i)
{
	CHECK(n_scopes < MAX_SCOPES);
	scopes[n_scopes++] = regionstat_scope_begin_(&starts[i]);
}

HERE void end_scope(void)
{
	CHECK(n_scopes > 0);
	regionstat_scope_end_(&scopes[--n_scopes]);
}

HERE void work(int i, unsigned long long bytes, unsigned long long flops)
{
	if (is_by_name)
		regionstat_work(region_names[i], bytes, flops);
	else
		regionstat_work_site_(&starts[i], bytes, flops);
}

/* Follow "=a13:4". Return its last character. */
HERE char *follow_work(char *at)
{
	int i = region(at[1]);
	at += 2;
	unsigned long long bytes = read_number(&at);
	CHECK(at[1] == ':');
	at += 2;
	work(i, bytes, read_number(&at));
	return at;
}

HERE void end_first_scope(void)
{
	CHECK(n_scopes > 0);
	regionstat_scope_end_(&scopes[0]);
	memmove(scopes, scopes + 1, --n_scopes * sizeof(scopes[0]));
}

/* Return the bracket that closes the one at the beginning of the text. */
static char *closing(char *text)
{
	for (int depth = 0;; text++) {
		CHECK(*text);
		if (strchr("({", *text))
			depth++;
		else if (strchr(")}", *text) && --depth == 0)
			return text;
	}
}

static ucontext_t fibers[2];
static int current; /* the fiber that runs */

static void switch_fiber(void)
{
	int self = current;
	current = !self;
	swapcontext(&fibers[self], &fibers[current]);
}

static void *run_in_thread(void *script);

/* Follow the sign at a place of the script. Return its last character, or NULL if the thread
 * ends. */
HERE char *follow(char *at)
{
	switch (*at) {
	case '[':
		begin_scope(region(*++at));
		return at;
	case ']':
		end_scope();
		return at;
	case '_':
		end_first_scope();
		return at;
	case '+':
		start(region(*++at));
		return at;
	case '-':
		regionstat_stop(calls[region(*++at)]);
		return at;
	case '=':
		return follow_work(at);
	case '<':
		REGIONSTAT_PAUSE();
		return at;
	case '>':
		REGIONSTAT_RESUME();
		return at;
	case '(':
		on_thread(run_in_thread, at + 1);
		return closing(at);
	case ')':
		return NULL;
	case '{':
		if (!fork_and_wait())
			return closing(at);
		if (pages)
			warm_up_faults();
		return at;
	case '!':
		raise(SIGKILL);
		return at;
	case '}':
		_exit(0);
	case '|':
		switch_fiber();
		return at;
	case '~':
		usleep(1000);
		return at;
	case '^':
		spin_ns(CLOCK_THREAD_CPUTIME_ID, 1000000);
		return at;
	case '.':
		puts("here");
		fflush(stdout);
		return at;
	default:
		if (isdigit((unsigned char)*at))
			pages = touch_pages(pages, read_number(&at));
		else if (islower((unsigned char)*at))
			begin(region(*at));
		else if (at[1] != '/')
			end(region(*at));
		else
			next(region(at[0]), region(at[2])), at += 2;
		return at;
	}
}

static __attribute__((noinline)) void run(char *script, unsigned long n)
{
	for (; n > 0; n--)
		for (char *at = script; *at; at++)
			if (!(at = follow(at)))
				return;
}

static void *run_in_thread(void *script)
{
	run(script, 1);
	return NULL;
}

/* Make what the scripts use, which are arguments from the second one on. */
static void prepare(int n_scripts)
{
	size_t n_pages = 0;
	for (int i = 1; i <= n_scripts; i++) {
		for (char *at = arguments[i]; *at; at++) {
			if (isdigit((unsigned char)*at)) {
				n_pages += read_number(&at);
			} else if (*at == '=') {
				at += strcspn(at, ":") + 1;
				read_number(&at);
			}
		}
	}
	make_sites();
	if (n_pages > 0) {
		pages = map_pages(number(0) * n_pages);
		warm_up_faults();
	}
}

static void markers(void)
{
	is_by_name = arguments[2] != NULL;
	prepare(1);
	run(arguments[1], number(0));
}

/* A fiber that ends lets the other one end, too. The end of that one is the end of both. */
static void run_fiber(void)
{
	run(arguments[1 + current], number(0));
	switch_fiber();
}

static void two_fibers(void)
{
	static ucontext_t caller;
	prepare(2);
	for (int i = 0; i < 2; i++) {
		CHECK(getcontext(&fibers[i]) == 0);
		fibers[i].uc_stack.ss_sp = malloc(STACK_BYTES);
		fibers[i].uc_stack.ss_size = STACK_BYTES;
		fibers[i].uc_link = &caller;
		CHECK(fibers[i].uc_stack.ss_sp != NULL);
		memset(fibers[i].uc_stack.ss_sp, 1,
			STACK_BYTES); /* so that no page of it faults later */
		makecontext(&fibers[i], run_fiber, 0);
	}
	CHECK(swapcontext(&caller, &fibers[0]) == 0);
}

const struct how marker_rules[] = {
	{"markers", markers},
	{"fibers", two_fibers},
	{0},
};
