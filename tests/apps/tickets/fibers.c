/* SPDX-License-Identifier: MIT */
/*
 * fibers HOW N: two fibers by swapcontext(3), with N requests each. A request switches to the other
 * fiber in its middle, so that calls of one name are open on both stacks at once. HOW is scope,
 * pair, last (a pair whose END is the last statement) or name. The program prints its own values of
 * the calls.
 */
#include <ucontext.h>

#include <regionstat.h>

#include "../check.h"
#include "../truth.h"

#define STACK_BYTES (256 * 1024)

static ucontext_t main_context, contexts[2];
static unsigned long n_requests;
static struct truth truth;
static void (*request)(int self);

/* Requests of fiber 1 take three times as long as those of fiber 0. */
static void work_hand_over_and_work(int self)
{
	uint64_t rounds = self ? 60000 : 20000;
	truth_work(rounds);
	swapcontext(&contexts[self], &contexts[!self]);
	truth_work(rounds);
}

static void by_scope(int self)
{
	TRUTH_CALL(&truth, REGIONSTAT_SCOPE("request"), , work_hand_over_and_work(self));
}

static void by_pair(int self)
{
	TRUTH_CALL(&truth, REGIONSTAT_BEGIN("request"), REGIONSTAT_END("request"),
		work_hand_over_and_work(self));
}

/* END is the last statement of the function, so the compiler may make it a tail call. */
static __attribute__((noinline)) void end_last(int self)
{
	REGIONSTAT_BEGIN("request");
	uint64_t within_ns = truth_enter(&truth.within);
	work_hand_over_and_work(self);
	truth_leave(&truth.within, within_ns);
	REGIONSTAT_END("request");
}

static void by_last(int self)
{
	uint64_t around_ns = truth_enter(&truth.around);
	truth.calls++;
	truth.inner += truth.around.n_open > 1;
	end_last(self);
	truth_leave(&truth.around, around_ns);
}

static void by_name(int self)
{
	TRUTH_CALL(&truth, regionstat_begin("request"), regionstat_end("request"),
		work_hand_over_and_work(self));
}

static void run_fiber(int self)
{
	for (unsigned long i = 0; i < n_requests; i++)
		request(self);
	/* The first fiber to end lets the other one finish. */
	swapcontext(&contexts[self], &main_context);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*request)(int self);
	} kinds[] = {{"scope", by_scope}, {"pair", by_pair}, {"last", by_last}, {"name", by_name}};
	CHECK(argc == 3);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, argv[1]) == 0)
			request = kinds[i].request;
	CHECK(request);
	n_requests = strtoul(argv[2], NULL, 10);
	for (int i = 0; i < 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = malloc(STACK_BYTES);
		contexts[i].uc_stack.ss_size = STACK_BYTES;
		contexts[i].uc_link = &main_context;
		CHECK(contexts[i].uc_stack.ss_sp);
		makecontext(&contexts[i], (void (*)(void))(void *)run_fiber, 1, i);
	}
	swapcontext(&main_context, &contexts[0]);
	swapcontext(&main_context, &contexts[1]);
	truth_print("request", &truth);
	return 0;
}
