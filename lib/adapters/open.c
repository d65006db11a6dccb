/* SPDX-License-Identifier: MIT */
/*
 * What threads have open: a stack each, of tickets under keys. It is found by one thread-local
 * pointer, lives outside of the program's heap, and goes to another thread when its own has ended.
 * A forked child goes on with its copy, of which the runtime ignores the ENDs.
 */
#include "adapters/open.h"

#include <pthread.h>
#include <string.h>

#define FIRST_ENTRIES 80u /* 2 KiB with what is around them */

struct entry {
	uint64_t key; /* 0: it is being opened, or was closed */
	const struct regionstat_site_ *site;
	regionstat_ticket_ ticket;
};

struct stack {
	struct stack *next; /* of those that belong to no thread */
	struct entry *entries;
	uint32_t n, n_most;
	uint32_t n_beyond; /* opened where there was no room, and not closed yet */
	struct entry first[FIRST_ENTRIES];
};

static __thread struct stack *own;
static _Atomic(struct stack *) unowned;
static pthread_key_t key_of_end;
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Put stacks, linked from first to last, to those without a thread. */
static void put(struct stack *first, struct stack *last)
{
	struct stack *head = atomic_load_explicit(&unowned, memory_order_relaxed);
	do
		last->next = head;
	while (!atomic_compare_exchange_weak_explicit(
		/* release: pairs with the exchange in take(), which reads the links */
		&unowned, &head, first, memory_order_release, memory_order_relaxed));
}

/* All are taken at once, and the rest put back: so that none can come back in between. */
static struct stack *take(void)
{
	struct stack *first = atomic_exchange_explicit(&unowned, NULL, memory_order_acquire);
	if (!first || !first->next)
		return first;
	struct stack *last = first->next;
	while (last->next)
		last = last->next;
	put(first->next, last);
	return first;
}

static void end_of_thread(void *ended)
{
	struct stack *stack = ended;
	own = NULL;
	stack->n = stack->n_beyond = 0;
	put(stack, stack);
}

static void make_key(void)
{
	has_key = !pthread_key_create(&key_of_end, end_of_thread);
}

/* The calling thread's first. NULL: no memory. */
static struct stack *make(void)
{
	pthread_once(&once, make_key);
	struct stack *stack = take();
	if (!stack) {
		stack = rs_adapter_allocate(sizeof(*stack));
		if (!stack)
			return NULL;
		stack->entries = stack->first;
		stack->n_most = FIRST_ENTRIES;
	}
	/* without that it goes to no other thread; which costs memory alone */
	if (has_key)
		pthread_setspecific(key_of_end, stack);
	own = stack;
	return stack;
}

static bool grow(struct stack *stack)
{
	uint32_t n_most = 2 * stack->n_most;
	struct entry *entries = n_most <= RS_ADAPTER_MAX_OPEN
					? rs_adapter_allocate(n_most * sizeof(*entries))
					: NULL;
	if (!entries)
		return false;
	memcpy(entries, stack->entries, stack->n * sizeof(*entries));
	stack->entries = entries;
	stack->n_most = n_most;
	return true;
}

void rs_adapter_open(uint64_t key, struct regionstat_site_ *site)
{
	const struct regionstat_table_14_ *table = regionstat_table_();
	if (!table)
		return;
	struct stack *stack = own ? own : make();
	if (!stack || (stack->n == stack->n_most && !grow(stack))) {
		if (stack)
			stack->n_beyond++;
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
		return;
	}
	/* a signal's handler that opens and closes does so above this entry */
	struct entry *entry = &stack->entries[stack->n];
	entry->key = 0;
	atomic_signal_fence(memory_order_seq_cst);
	stack->n++;
	atomic_signal_fence(memory_order_seq_cst);
	entry->site = site;
	entry->key = key;
	entry->ticket = table->begin(site);
}

/* NULL: nothing is open that fits. */
static struct entry *find(uint64_t key, const struct regionstat_site_ *site)
{
	struct stack *stack = own;
	for (uint32_t i = stack ? stack->n : 0; i-- > 0;) {
		struct entry *entry = &stack->entries[i];
		if (entry->key == key && (!site || entry->site == site))
			return entry;
	}
	return NULL;
}

bool rs_adapter_close(uint64_t key, const struct regionstat_site_ *site)
{
	struct stack *stack = own;
	if (!stack)
		return false;
	if (stack->n_beyond) {
		stack->n_beyond--;
		return true;
	}
	struct entry *entry = find(key, site);
	if (!entry)
		return false;
	regionstat_scope_end_(&entry->ticket);
	size_t n_above = (size_t)(stack->entries + stack->n - (entry + 1));
	memmove(entry, entry + 1, n_above * sizeof(*entry));
	stack->n--;
	return true;
}

void rs_adapter_replace(uint64_t key, struct regionstat_site_ *site)
{
	struct entry *entry = find(key, NULL);
	if (!entry) {
		rs_adapter_open(key, site);
		return;
	}
	regionstat_scope_end_(&entry->ticket);
	entry->site = site;
	entry->ticket = regionstat_scope_begin_(site);
}
