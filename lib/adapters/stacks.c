/* SPDX-License-Identifier: MIT */
/*
 * This file implements the stacks of open calls. Each thread finds its stack by a thread-local
 * pointer. When a thread ends, its stack is kept for the next new thread. A signal handler may push
 * and pop at any point, if it ends what it began.
 */
#include "adapters/stacks.h"

#include <pthread.h>

#define FIRST_BITS 6
#define FIRST_ENTRIES (1u << FIRST_BITS) /* entries of block 0; each block is twice as large */
#define N_BLOCKS 11u /* enough for 131,008 open calls; further ones are not tracked */

struct entry {
	uint64_t key;
	const struct regionstat_site_ *site; /* NULL: no open call */
	regionstat_ticket_ ticket;
	uint32_t level; /* how many open calls of the same key are below it */
};

/* Entries never move when a stack grows, because a signal handler may make it grow while a marker
 * uses an entry. */
struct stack {
	struct entry *volatile blocks[N_BLOCKS]; /* NULL: the block has not been needed yet */
	volatile uint32_t n;
	uint32_t n_beyond; /* count of calls that found no free entry and have not ended */
	struct stack *next; /* the next stack in the list of unused stacks */
};

static __thread struct stack *self;
static _Atomic(struct stack *) waiting;
static pthread_key_t end_key;
static _Atomic int key_state; /* 0: no key; 1: a thread is creating it; 2: it exists */

/* Return the index of the block that contains entry i. */
static uint32_t block_of(uint32_t i)
{
	return 31u - FIRST_BITS - (uint32_t)__builtin_clz(i + FIRST_ENTRIES);
}

static struct entry *entry_at(const struct stack *stack, uint32_t i)
{
	uint32_t block = block_of(i);
	return &stack->blocks[block][i + FIRST_ENTRIES - (FIRST_ENTRIES << block)];
}

static void put_back(struct stack *stack)
{
	while (stack->n)
		entry_at(stack, --stack->n)->site = NULL;
	stack->n_beyond = 0;
	stack->next = atomic_load_explicit(&waiting, memory_order_relaxed);
	/* release: pairs with the exchange in take() */
	while (!atomic_compare_exchange_weak_explicit(
		&waiting, &stack->next, stack, memory_order_release, memory_order_relaxed))
		;
}

static void end_thread(void *stack)
{
	self = NULL;
	put_back(stack);
}

/* Create the key whose destructor returns a thread's stack. If another thread is creating it, the
 * stack of this thread is never reused. */
static void make_key(void)
{
	int expected = 0;
	if (atomic_compare_exchange_strong(&key_state, &expected, 1) &&
		!pthread_key_create(&end_key, end_thread))
		atomic_store(&key_state, 2);
}

/* Take an unused stack, or return NULL if there is none. To ensure that no two threads get the same
 * stack, take the whole list, and then put the other stacks back. */
static struct stack *take(void)
{
	/* acquire: pairs with put_back() */
	struct stack *first = atomic_exchange_explicit(&waiting, NULL, memory_order_acquire);
	for (struct stack *next, *other = first ? first->next : NULL; other; other = next) {
		next = other->next;
		put_back(other);
	}
	return first;
}

/* Allocate a block. Return false if memory runs out. If a signal handler allocates the block
 * meanwhile, one of the two blocks remains unused. */
__attribute__((noinline)) static bool add_block(struct stack *stack, uint32_t block)
{
	struct entry *entries = rs_adapter_allocate((FIRST_ENTRIES << block) * sizeof(*entries));
	if (entries && !stack->blocks[block])
		stack->blocks[block] = entries;
	return entries;
}

/* Make sure that entry i has memory. Return false if the limit is reached or memory runs out. */
static bool has_room(struct stack *stack, uint32_t i)
{
	uint32_t block = block_of(i);
	return block < N_BLOCKS && (stack->blocks[block] || add_block(stack, block));
}

__attribute__((noinline)) static struct stack *find_stack(void)
{
	struct stack *stack = take();
	if (!stack) {
		stack = rs_adapter_allocate(sizeof(*stack));
		if (!stack || !add_block(stack, 0))
			return NULL;
	}
	if (self) { /* a signal handler has meanwhile found a stack for this thread */
		put_back(stack);
		return self;
	}
	self = stack;
	make_key();
	if (atomic_load(&key_state) == 2)
		pthread_setspecific(end_key, stack);
	return stack;
}

/* Return the index of the entry of the innermost open call of this key, or -1. If site is not NULL,
 * the region must match too. */
static int64_t find_innermost(
	const struct stack *stack, uint64_t key, const struct regionstat_site_ *site)
{
	for (int64_t i = stack->n; i-- > 0;) {
		const struct entry *entry = entry_at(stack, (uint32_t)i);
		if (entry->key == key && entry->site && (!site || entry->site == site))
			return i;
	}
	return -1;
}

static int push(uint64_t key, struct regionstat_site_ *site, bool has_level)
{
	const struct regionstat_table_29_ *table = regionstat_table_();
	struct stack *stack = self || !table ? self : find_stack();
	if (!table || !stack) {
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
		return 0;
	}
	uint32_t at = stack->n;
	int64_t outer = has_level ? find_innermost(stack, key, NULL) : -1;
	uint32_t level = outer >= 0 ? entry_at(stack, (uint32_t)outer)->level + 1 : 0;
	if (stack->n_beyond || !has_room(stack, at)) {
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
		return (int)(level + stack->n_beyond++);
	}
	stack->n = at + 1;
	/* from here on a signal handler uses the entries above this one */
	atomic_signal_fence(memory_order_seq_cst);
	struct entry *entry = entry_at(stack, at);
	entry->key = key;
	entry->level = level;
	entry->ticket = 0;
	atomic_signal_fence(memory_order_release);
	entry->site = site;
	entry->ticket = table->begin_(site);
	return (int)level;
}

void rs_stack_push(uint64_t key, struct regionstat_site_ *site)
{
	push(key, site, false);
}

int rs_stack_push_level(uint64_t key, struct regionstat_site_ *site)
{
	return push(key, site, true);
}

/* End the innermost call and return its level, or -1 if there is none. */
static int pop(uint64_t key, const struct regionstat_site_ *site)
{
	const struct regionstat_table_29_ *table = regionstat_table_();
	struct stack *stack = self;
	int64_t found = stack ? find_innermost(stack, key, site) : -1;
	struct entry *entry = found >= 0 ? entry_at(stack, (uint32_t)found) : NULL;
	if (stack && stack->n_beyond)
		return (int)((entry ? entry->level + 1 : 0) + --stack->n_beyond);
	if (!table || !entry)
		return -1;
	int level = (int)entry->level;
	if (entry->ticket) /* 0: sampling skipped this call, or the region is not measured */
		table->end_(entry->ticket);
	for (uint32_t above = (uint32_t)found + 1; above < stack->n; above++) {
		struct entry *next = entry_at(stack, above);
		*entry = *next;
		entry = next;
	}
	entry->site = NULL;
	atomic_signal_fence(memory_order_release); /* a signal handler may use the entry again */
	stack->n--;
	return level;
}

int rs_stack_pop_site(uint64_t key, const struct regionstat_site_ *site)
{
	int level = pop(key, site);
	if (level < 0)
		rs_adapter_note(RS_ADAPTER_COUNT_UNMATCHED);
	return level;
}

int rs_stack_pop(uint64_t key)
{
	return rs_stack_pop_site(key, NULL);
}

void rs_stack_pop_if_open(uint64_t key)
{
	pop(key, NULL);
}

void rs_stack_replace(uint64_t key, struct regionstat_site_ *site)
{
	const struct regionstat_table_29_ *table = regionstat_table_();
	struct stack *stack = self;
	int64_t found = stack && table ? find_innermost(stack, key, NULL) : -1;
	if (found < 0) {
		rs_stack_push(key, site);
		return;
	}
	struct entry *entry = entry_at(stack, (uint32_t)found);
	regionstat_ticket_ ended = entry->ticket;
	entry->ticket = 0;
	entry->site = site;
	if (ended)
		table->end_(ended);
	entry->ticket = table->begin_(site);
}
