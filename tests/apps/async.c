/* SPDX-License-Identifier: MIT */
/*
 * async HOW N: calls by START and STOP. Any number of them are open at once, and they end in any
 * order on any thread. It prints its own values of them. HOW:
 *
 *   fifo, lifo, shuffled  N calls open at once on one thread, ended in this order
 *   named                 as shuffled, with a name made at run time
 *   workers               the main thread starts calls, N open at once; 8 workers stop them, except
 *                         for each tenth, which is never stopped
 *   each                  the main thread starts calls; each of 8 threads in turn stops one
 *   both                  8 threads start N calls each, with FAULTS page faults within; they stop
 *                         every second call themselves, and the next thread stops the others
 *   nested                each call begins and ends within one call of "outer"
 *   crossing              each call begins within a call of "outer" and ends in the next one
 *   handed                a thread starts one call, then N others, and at last stops the first one;
 *                         meanwhile other threads stop the N calls, in batches of 1,000 and each
 *                         call twice
 *   paused                N times a call that begins during a pause, one that begins outside of it,
 *                         and one that a pause cuts
 *   garbage               N calls; during each, STOP gets values that START never returned
 */
#include <stdatomic.h>

#include <regionstat.h>

#include "../stats/random.h"
#include "check.h"
#include "touch.h"
#include "truth.h"

#define N_WORKERS 8
#define FAULTS 3
#define BETWEEN_ROUNDS 20000 /* rounds of work, long compared with the markers of all open calls */
#define PAGE_BYTES 4096u

/* A call and the times of its markers, read around and within them. */
struct request {
	struct regionstat_call call;
	uint64_t around_ns, within_ns;
	uint64_t within_took_ns, around_took_ns;
	int is_stopped;
};

static struct request *requests;
static unsigned long *order;
static unsigned long n_requests;
static volatile char *pages;

static void start(struct request *request)
{
	request->around_ns = truth_now_ns();
	request->call = REGIONSTAT_START("request");
	request->within_ns = truth_now_ns();
}

static void start_named(struct request *request)
{
	char name[] = "request";
	request->around_ns = truth_now_ns();
	request->call = regionstat_start(name);
	request->within_ns = truth_now_ns();
	memset(name, 0, sizeof(name));
}

static void stop(struct request *request)
{
	request->within_took_ns = truth_now_ns() - request->within_ns;
	regionstat_stop(request->call);
	request->around_took_ns = truth_now_ns() - request->around_ns;
	request->is_stopped = 1;
}

/* Shuffle the calls in the same way in every run. */
static void shuffle(void)
{
	uint64_t state = 0;
	for (unsigned long i = n_requests; i-- > 1;) {
		unsigned long other = random_next(&state) % (i + 1), kept = order[i];
		order[i] = order[other];
		order[other] = kept;
	}
}

/* Return memory whose pages exist already. */
static void *present(size_t bytes)
{
	void *memory = malloc(bytes);
	CHECK(memory != NULL);
	memset(memory, 1, bytes);
	/* prevents the compiler from making it one calloc() */
	__asm__ volatile("" : : "r"(memory) : "memory");
	memset(memory, 0, bytes);
	return memory;
}

static void stop_all(void)
{
	for (unsigned long i = 0; i < n_requests; i++) {
		truth_work(BETWEEN_ROUNDS);
		stop(&requests[order[i]]);
	}
}

static void fifo(void)
{
	for (unsigned long i = 0; i < n_requests; i++)
		start(&requests[i]);
	stop_all();
}

static void lifo(void)
{
	for (unsigned long i = 0; i < n_requests; i++)
		order[i] = n_requests - 1 - i;
	fifo();
}

static void shuffled(void)
{
	shuffle();
	fifo();
}

static void named(void)
{
	shuffle();
	for (unsigned long i = 0; i < n_requests; i++)
		start_named(&requests[i]);
	stop_all();
}

static _Atomic unsigned long n_taken;

static void *stop_some(void *unused)
{
	unsigned long i;
	while ((i = n_taken++) < n_requests) {
		REGIONSTAT_SCOPE("worker");
		truth_work(BETWEEN_ROUNDS);
		if (order[i] % 10 != 0)
			stop(&requests[order[i]]);
	}
	return unused;
}

static void run_threads(void *(*run)(void *))
{
	unsigned long numbers[N_WORKERS];
	for (unsigned long i = 0; i < N_WORKERS; i++)
		numbers[i] = i;
	on_threads(N_WORKERS, run, numbers, sizeof(numbers[0]));
}

static void workers(void)
{
	shuffle();
	for (unsigned long i = 0; i < n_requests; i++)
		start(&requests[i]);
	run_threads(stop_some);
}

static void *stop_one(void *argument)
{
	truth_work(BETWEEN_ROUNDS);
	stop(&requests[*(unsigned long *)argument]);
	return NULL;
}

static void each(void)
{
	CHECK(n_requests == N_WORKERS);
	for (unsigned long i = 0; i < n_requests; i++)
		start(&requests[i]);
	run_threads(stop_one);
}

static pthread_barrier_t barrier;

/* Use every kind of marker once on this thread, because first markers take longer. */
static void warm_up(void)
{
	for (int i = 0; i < 4; i++) {
		struct regionstat_call call = REGIONSTAT_START("warm-up");
		regionstat_stop(call);
	}
}

static void *start_and_stop(void *argument)
{
	unsigned long share = n_requests / N_WORKERS, self = *(unsigned long *)argument;
	unsigned long next = (self + 1) % N_WORKERS;
	struct request *own = requests + self * share, *others = requests + next * share;
	volatile char *page = pages + self * share * FAULTS * PAGE_BYTES;
	warm_up();
	for (unsigned long i = 0; i < share; i++) {
		start(&own[i]);
		page = touch(page, FAULTS, PAGE_BYTES);
		if (i % 2 == 0)
			stop(&own[i]);
	}
	pthread_barrier_wait(&barrier);
	for (unsigned long i = 1; i < share; i += 2)
		stop(&others[i]);
	return NULL;
}

static void both(void)
{
	pages = fresh_pages(n_requests * FAULTS * PAGE_BYTES);
	pthread_barrier_init(&barrier, NULL, N_WORKERS);
	run_threads(start_and_stop);
}

static void nested(void)
{
	for (unsigned long i = 0; i < n_requests; i++) {
		REGIONSTAT_SCOPE("outer");
		truth_work(10000);
		start(&requests[i]);
		truth_work(30000);
		stop(&requests[i]);
	}
}

static void crossing(void)
{
	for (unsigned long i = 0; i < n_requests; i++) {
		REGIONSTAT_BEGIN("outer");
		if (i > 0)
			stop(&requests[i - 1]);
		truth_work(10000);
		start(&requests[i]);
		truth_work(10000);
		REGIONSTAT_END("outer");
	}
	stop(&requests[n_requests - 1]);
}

#define BATCH 1000

static void *stop_batch(void *first)
{
	struct request *request = first;
	for (int i = 0; i < BATCH; i++) {
		stop(&request[i]);
		regionstat_stop(request[i].call);
	}
	return NULL;
}

static void handed(void)
{
	struct regionstat_call kept = REGIONSTAT_START("kept");
	for (unsigned long i = 0; i + BATCH <= n_requests; i += BATCH) {
		for (unsigned long k = i; k < i + BATCH; k++)
			start(&requests[k]);
		on_thread(stop_batch, &requests[i]);
	}
	regionstat_stop(kept);
}

static void paused(void)
{
	for (unsigned long i = 0; i < n_requests; i++) {
		struct regionstat_call cut = REGIONSTAT_START("cut");
		REGIONSTAT_PAUSE();
		struct regionstat_call ignored = REGIONSTAT_START("ignored");
		REGIONSTAT_RESUME();
		start(&requests[i]);
		truth_work(1000);
		regionstat_stop(ignored);
		regionstat_stop(cut);
		stop(&requests[i]);
	}
}

/* Within each request, stop values that START never returned: its value with each bit changed in
 * turn, a random value, and zeros. */
static void garbage(void)
{
	uint64_t noise = 1;
	for (unsigned long i = 0; i < n_requests; i++) {
		struct regionstat_call call;
		start(&requests[i]);
		for (unsigned bit = 0; bit < 8 * sizeof(call); bit++) {
			call = requests[i].call;
			((unsigned char *)&call)[bit / 8] ^= (unsigned char)(1u << bit % 8);
			regionstat_stop(call);
		}
		for (unsigned byte = 0; byte < sizeof(call); byte++) {
			noise = noise * UINT64_C(6364136223846793005) + 1;
			((unsigned char *)&call)[byte] = (unsigned char)(noise >> 56);
		}
		regionstat_stop(call);
		memset(&call, 0, sizeof(call));
		regionstat_stop(call);
		stop(&requests[i]);
	}
}

static const struct how hows[] = {{"fifo", fifo}, {"lifo", lifo}, {"shuffled", shuffled},
	{"named", named}, {"workers", workers}, {"each", each}, {"both", both}, {"nested", nested},
	{"crossing", crossing}, {"handed", handed}, {"paused", paused}, {"garbage", garbage}};

static void print_truth(void)
{
	struct truth truth = {0};
	for (unsigned long i = 0; i < n_requests; i++) {
		const struct request *request = &requests[i];
		struct truth_side *sides[] = {&truth.within, &truth.around};
		uint64_t took_ns[] = {request->within_took_ns, request->around_took_ns};
		if (!request->is_stopped)
			continue;
		for (int s = 0; s < 2; s++) {
			sides[s]->once_ns = sides[s]->sum_ns += took_ns[s];
			if (truth.calls == 0 || took_ns[s] < sides[s]->min_ns)
				sides[s]->min_ns = took_ns[s];
			if (took_ns[s] > sides[s]->max_ns)
				sides[s]->max_ns = took_ns[s];
		}
		truth.calls++;
	}
	truth_print("request", &truth);
}

int main(int argc, char **argv)
{
	CHECK(argc == 3);
	n_requests = strtoul(argv[2], NULL, 10);
	CHECK(n_requests > 0 && n_requests % N_WORKERS == 0);
	requests = present(n_requests * sizeof(*requests));
	order = present(n_requests * sizeof(*order));
	for (unsigned long i = 0; i < n_requests; i++)
		order[i] = i;
	FIND_HOW(hows, argv[1])->run();
	print_truth();
	return 0;
}
