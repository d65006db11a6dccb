/* SPDX-License-Identifier: MIT */
/*
 * This file implements the stacks of open calls. Each thread finds its stack by a thread-local
 * pointer. When a thread ends, its stack is kept for the next new thread. A signal handler may push
 * and pop at any point, if it ends what it began.
 */
#include "adapters/stacks.h"

#include <pthread.h>

#define FIRST_ENTRIES 60u
#define MAX_ENTRIES (FIRST_ENTRIES << 11) /* deeper calls are not tracked */

struct entry {
	uint64_t key;
	const struct regionstat_site_ *site;
	regionstat_ticket_ ticket;
	uint32_t level; /* number of open calls of the same key below it */
};

/* The memory of a stack. A full block is replaced by one that is twice as large. */
struct block {
	uint32_t capacity;
	struct entry entries[];
};

struct stack {
	struct block *volatile block;
	volatile uint32_t n;
	uint32_t n_beyond; /* calls that found no free entry and have not ended */
	struct stack *next; /* the next stack in the list of unused stacks */
};

static __thread struct stack *self;
static _Atomic(struct stack *) waiting;
static pthread_key_t end_key;
static _Atomic int key_state; /* 0: no key; 1: a thread is creating it; 2: it exists */

static void put_back(struct stack *stack)
{
	stack->n = 0;
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

/* Create the key whose destructor returns a thread's stack. If another thread is creating it, this
 * thread never returns its stack. */
static void make_key(void)
{
	int expected = 0;
	if (atomic_compare_exchange_strong(&key_state, &expected, 1) &&
		!pthread_key_create(&end_key, end_thread))
		atomic_store(&key_state, 2);
}

/* Take an unused stack, or return NULL. The whole list is taken and the others are put back, so
 * that no two threads get the same stack. */
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

static struct block *new_block(uint32_t capacity)
{
	struct block *block = rs_adapter_allocate(sizeof(*block) + capacity * sizeof(struct entry));
	if (block)
		block->capacity = capacity;
	return block;
}

__attribute__((noinline)) static struct stack *find_stack(void)
{
	struct stack *stack = take();
	if (!stack) {
		struct block *block = new_block(FIRST_ENTRIES);
		stack = block ? rs_adapter_allocate(sizeof(*stack)) : NULL;
		if (!stack)
			return NULL;
		stack->block = block;
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

/* Make space for another entry. Return false if the limit is reached or memory runs out. */
__attribute__((noinline)) static bool grow(struct stack *stack)
{
	struct block *old = stack->block;
	struct block *block = old->capacity < MAX_ENTRIES ? new_block(2 * old->capacity) : NULL;
	if (!block)
		return false;
	memcpy(block->entries, old->entries, stack->n * sizeof(struct entry));
	/* the old block is not freed, because a marker that a signal handler interrupted may be
	 * reading it */
	stack->block = block;
	return true;
}

/* Return the innermost open call of this key, or NULL. If site is not NULL, the region must match
 * too. */
static struct entry *find_innermost(
	struct stack *stack, uint64_t key, const struct regionstat_site_ *site)
{
	struct entry *first = stack->block->entries, *entry = first + stack->n;
	while (entry > first)
		if ((--entry)->key == key && (!site || entry->site == site))
			return entry;
	return NULL;
}

/* Begin a call and store its ticket. Use the index, because a signal handler may have replaced the
 * block. */
static void begin(const struct regionstat_table_29_ *table, struct stack *stack, uint32_t at,
	struct regionstat_site_ *site)
{
	regionstat_ticket_ ticket = table->begin_(site);
	stack->block->entries[at].ticket = ticket;
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
	const struct entry *outer = has_level ? find_innermost(stack, key, NULL) : NULL;
	uint32_t level = outer ? outer->level + 1 : 0;
	if (stack->n_beyond || (at == stack->block->capacity && !grow(stack))) {
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
		return (int)(level + stack->n_beyond++);
	}
	stack->block->entries[at] = (struct entry){key, site, 0, level};
	atomic_signal_fence(memory_order_release); /* a signal handler sees the whole entry */
	stack->n = at + 1;
	begin(table, stack, at, site);
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
	struct entry *entry = stack ? find_innermost(stack, key, site) : NULL;
	if (stack && stack->n_beyond)
		return (int)((entry ? entry->level + 1 : 0) + --stack->n_beyond);
	if (!table || !entry)
		return -1;
	int level = (int)entry->level;
	uint32_t at = (uint32_t)(entry - stack->block->entries);
	if (entry->ticket) /* 0: sampling skipped this call, or the region is not measured */
		table->end_(entry->ticket);
	entry = stack->block->entries + at; /* a signal handler may have replaced the block */
	uint32_t n_after = stack->n - at - 1;
	if (n_after)
		memmove(entry, entry + 1, n_after * sizeof(*entry));
	/* entries are moved before a signal handler can overwrite the last one */
	atomic_signal_fence(memory_order_release);
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
	struct entry *entry = stack && table ? find_innermost(stack, key, NULL) : NULL;
	if (!entry) {
		rs_stack_push(key, site);
		return;
	}
	uint32_t at = (uint32_t)(entry - stack->block->entries);
	regionstat_ticket_ ended = entry->ticket;
	entry->ticket = 0;
	entry->site = site;
	if (ended)
		table->end_(ended);
	begin(table, stack, at, site);
}
