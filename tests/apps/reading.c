/* SPDX-License-Identifier: MIT */
/*
 * A program that reads what its regions have measured. At its end it prints two lines for each
 * region and value: one for the process, and one for the main thread. Handlers of a timer read at
 * any moment, also within markers: the calls that they see are those that have ended, or the one
 * that is ending.
 *
 * usage: reading [open EVENTS [REPORT]]
 */
#include <sys/mman.h>

#include "check.h"
#include "regionstat.h"

static volatile unsigned long n_ended;
static volatile sig_atomic_t n_handled, n_wrong;
static double latest_total;

static void work(int n)
{
	for (volatile int i = 0; i < n; i++) {
	}
}

/* Touch a new page: a page fault that every call counts. */
static void fault(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*(volatile char *)page = 1;
	munmap(page, 4096);
}

static int fib(int n)
{
	REGIONSTAT_SCOPE("fib");
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void handle(int number)
{
	struct regionstat_values values;
	(void)number;
	unsigned long before = n_ended;
	n_handled++;
	if (REGIONSTAT_READ("handled", REGIONSTAT_TIME, REGIONSTAT_THREAD, &values) ==
		REGIONSTAT_ABSENT)
		return;
	/* The length of a tick becomes more exact, so a time may become a little less. */
	n_wrong += values.calls_ - before > 1 || values.total_ < latest_total * 0.9999;
	latest_total = values.total_;
	REGIONSTAT_SCOPE("handler");
}

static void read_in_handlers(void)
{
	interrupt_every_us(200, handle, 0);
	for (int i = 0; i < 200000 || (n_handled < 100 && i < 20000000); i++) {
		REGIONSTAT_BEGIN("handled");
		/* Much longer than the overhead that is subtracted, so that no call makes the total
		 * less. */
		work(100 + (i & 31));
		REGIONSTAT_END("handled");
		n_ended++;
	}
	interrupt_no_more();
}

static void *run(void *argument)
{
	int n = *(int *)argument;
	for (int i = 0; i < 500; i++) {
		REGIONSTAT_SCOPE("outer");
		for (int k = 0; k < 3; k++) {
			REGIONSTAT_SCOPE("inner");
			work(200);
			if (i % 10 == 0)
				fault();
		}
		work(400 * n);
		fault();
		fault();
		if (i % 100 == 0)
			usleep(100);
	}
	fib(8);
	return NULL;
}

static void print(const char *name, const char *whose, unsigned int what)
{
	const char *event;
	struct regionstat_values v;
	for (int i = 0; (event = regionstat_event_name(i)); i++) {
		int validity = regionstat_read(
			name, i, what | REGIONSTAT_SELF | REGIONSTAT_QUANTILES, &v);
		printf("%s,%s,%s,%d,%llu,%.17g,%.17g,%d,%.17g,%.17g,%.17g\n", whose, name, event,
			validity, v.calls_, v.total_, v.self_, v.quantiles_validity_, v.p50_,
			v.p90_, v.p99_);
	}
}

/* Return true if an open call has used what its time says, and not less than before. */
static int peek(void)
{
	struct regionstat_values first = {0}, second = {0}, ended;
	int done = REGIONSTAT_READ("request", REGIONSTAT_TIME, REGIONSTAT_PROCESS, &ended) ==
		   REGIONSTAT_ABSENT;
	struct regionstat_call call = REGIONSTAT_START("request");
	done &= REGIONSTAT_READ("request", REGIONSTAT_TIME, REGIONSTAT_PROCESS, &ended) ==
			REGIONSTAT_VALID &&
		ended.calls_ == 0;
	work(1000);
	done &= regionstat_peek(call, REGIONSTAT_TIME, &first) == REGIONSTAT_VALID;
	work(1000);
	done &= regionstat_peek(call, REGIONSTAT_TIME, &second) == REGIONSTAT_VALID;
	done &= first.total_ > 0 && second.total_ > first.total_;
	regionstat_stop(call);
	done &= regionstat_peek(call, REGIONSTAT_TIME, &ended) == REGIONSTAT_ABSENT;
	REGIONSTAT_SCOPE("open");
	{
		REGIONSTAT_SCOPE("nested");
		work(1000);
	}
	done &= REGIONSTAT_READ("open", REGIONSTAT_TIME, REGIONSTAT_OPEN_CALL, &first) ==
		REGIONSTAT_VALID;
	REGIONSTAT_READ("open", REGIONSTAT_EVENTS, REGIONSTAT_THREAD, &ended);
	done &= ended.calls_ == 0 && ended.total_ == 0 && first.self_ < first.total_ &&
		regionstat_read("request", 0, REGIONSTAT_OPEN_CALL, &ended) == REGIONSTAT_ABSENT;
	return done;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"outer", "inner", "fib", "handled", "request"};
	static int numbers[] = {
		1, 2, 3, 4}; /* An outer call uses clearly more than its inner ones. */
	const char *why = argc > 2 ? regionstat_open(argv[2]) : NULL;
	if (why)
		return fprintf(stderr, "open: %s\n", why), 1;
	on_threads(4, run, numbers, sizeof(numbers[0]));
	run(numbers);
	read_in_handlers();
	int peeked = peek();
	fflush(stdout);
	if (argc > 2 && fork() == 0) {
		struct regionstat_values values;
		fib(3);
		_exit(regionstat_read("fib", 0, REGIONSTAT_PROCESS, &values));
	}
	int status = 0;
	if (argc > 2)
		wait(&status);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		print(names[i], "process", REGIONSTAT_PROCESS);
		print(names[i], "thread", REGIONSTAT_THREAD);
	}
	printf("facts,%d,%d,%d,%d\n", (int)n_handled, (int)n_wrong, peeked, status);
	if (argc > 3 && (why = regionstat_report(argv[3])))
		return fprintf(stderr, "report: %s\n", why), 1;
	return 0;
}
