/* SPDX-License-Identifier: MIT */
/*
 * This file implements the table of open calls. An array contains one record for each call. Free
 * records form a stack, so that the table uses only as many records as calls are open at once. A
 * hash table of tags leads to the records. A tag consists of a record's index and of how often the
 * record was used. If a thread reads a record and then exchanges its tag successfully, the record
 * belonged to the same call all the time.
 *
 * START first reserves a slot in the hash table, and then begins the call. Therefore the call does
 * not include page faults from the first use of a page, or from the copy of a page after a fork.
 * All slots of a bucket are in one page, so that END uses no other page.
 */
#include "adapters/open_calls.h"

#include "runtime/arch/arch.h"

/* With four slots for each call, it is unlikely that all slots of a key's bucket are used. */
#define N_TAGS 65536u
/* count of the slots in a bucket; the tag of a key may be in any of these slots */
#define N_PLACES 32u
#define RESERVED (UINT64_C(1) << 63) /* the tag of a slot that is reserved but has no record yet */

/* The bit fields of a tag, from the lowest bit: the record's index plus 1, bits of the hash, and
 * how often the record was used. */
#define TAG_RECORD_BITS 16
#define TAG_HASH_BITS 16

struct record {
	_Atomic uint64_t words[5]; /* the words and the thread of its key */
	struct regionstat_call call;
	uint32_t uses;
	_Atomic uint32_t next_free; /* index of the next free record plus 1; 0: none */
	uint64_t unused[2];
};
static_assert(sizeof(struct record) == 128, "two cache lines");
static_assert(RS_MAX_OPEN_CALLS < 1u << TAG_RECORD_BITS, "a record's number fits");

struct table {
	_Atomic uint64_t tags[N_TAGS];
	struct record records[RS_MAX_OPEN_CALLS];
	/* index of the first free record plus 1; the upper half counts changes, to prevent the ABA
	 * problem */
	_Atomic uint64_t free;
	_Atomic uint32_t n_used; /* count of records that were used at least once */
	_Atomic uint32_t n_beyond; /* count of calls that found no free record and have not ended */
};
#define BUCKET_BYTES (N_PLACES * sizeof(uint64_t))
#define PAGE_BYTES ((size_t)4096)
#define N_PREPARED 1024u /* rs_open_prepare() touches this many records: 128 KiB */
static_assert(PAGE_BYTES % BUCKET_BYTES == 0, "a bucket lies in one page");

static _Atomic(struct table *) shared;

uint64_t rs_open_thread(void)
{
	return (uint64_t)rs_thread_pointer();
}

static struct table *find_table(void)
{
	/* acquire: pairs with the exchange below */
	struct table *table = atomic_load_explicit(&shared, memory_order_acquire);
	if (table)
		return table;
	char *memory = rs_adapter_allocate(sizeof(*table) + BUCKET_BYTES);
	if (!memory)
		return NULL;
	struct table *made = (struct table *)(void *)(memory + -(uintptr_t)memory % BUCKET_BYTES);
	if (!atomic_compare_exchange_strong_explicit(
		    &shared, &table, made, memory_order_acq_rel, memory_order_acquire))
		return table;
	return made;
}

void rs_open_prepare(void)
{
	struct table *table = find_table();
	if (!table)
		return;
	for (size_t i = 0; i < N_TAGS; i += PAGE_BYTES / sizeof(table->tags[0]))
		atomic_fetch_or_explicit(&table->tags[i], 0, memory_order_relaxed);
	for (size_t i = 0; i < N_PREPARED; i += PAGE_BYTES / sizeof(table->records[0]))
		atomic_fetch_or_explicit(&table->records[i].words[0], 0, memory_order_relaxed);
	atomic_fetch_or_explicit(&table->n_used, 0, memory_order_relaxed);
}

/* Return a hash of the key without its thread, so that calls of other threads are found too. */
static uint64_t hash_of(const struct rs_open_key *key)
{
	uint64_t hash = 0;
	for (int i = 0; i < 4; i++) {
		hash = (hash ^ key->words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return hash;
}

static struct record *take_record(struct table *table)
{
	/* acquire: pairs with free_record() */
	uint64_t first = atomic_load_explicit(&table->free, memory_order_acquire);
	while ((uint32_t)first) {
		struct record *record = &table->records[(uint32_t)first - 1];
		uint64_t next = atomic_load_explicit(&record->next_free, memory_order_relaxed);
		uint64_t changed = ((first >> 32) + 1) << 32 | next;
		if (atomic_compare_exchange_weak_explicit(&table->free, &first, changed,
			    memory_order_acquire, memory_order_acquire))
			return record;
	}
	uint32_t n = atomic_load_explicit(&table->n_used, memory_order_relaxed);
	while (n < RS_MAX_OPEN_CALLS)
		if (atomic_compare_exchange_weak_explicit(
			    &table->n_used, &n, n + 1, memory_order_relaxed, memory_order_relaxed))
			return &table->records[n];
	return NULL;
}

static void free_record(struct table *table, struct record *record)
{
	uint32_t number = (uint32_t)(record - table->records) + 1;
	uint64_t first = atomic_load_explicit(&table->free, memory_order_relaxed), changed;
	do {
		atomic_store_explicit(&record->next_free, (uint32_t)first, memory_order_relaxed);
		changed = ((first >> 32) + 1) << 32 | number;
		/* release: the record was read before it becomes free */
	} while (!atomic_compare_exchange_weak_explicit(
		&table->free, &first, changed, memory_order_release, memory_order_relaxed));
}

/* Return slot i of the key's bucket, in an order that depends on the hash. */
static _Atomic uint64_t *place_of(struct table *table, uint64_t hash, uint32_t i)
{
	return &table->tags[hash % N_TAGS / N_PLACES * N_PLACES + (hash + i) % N_PLACES];
}

static uint64_t tag_of(const struct table *table, const struct record *record, uint64_t hash)
{
	return (uint64_t)record->uses << (TAG_RECORD_BITS + TAG_HASH_BITS) |
	       (hash >> (64 - TAG_HASH_BITS)) << TAG_RECORD_BITS |
	       ((uint64_t)(record - table->records) + 1);
}

static struct record *record_of(struct table *table, uint64_t tag)
{
	return &table->records[(tag & ((1u << TAG_RECORD_BITS) - 1)) - 1];
}

/* Return the slot of a call with this key, and set *tag. Prefer a call of the same thread. If
 * any_thread is true, also accept a call of another thread. Return NULL if there is none. */
static _Atomic uint64_t *find_place(struct table *table, const struct rs_open_key *key,
	uint64_t hash, bool any_thread, uint64_t *tag)
{
	_Atomic uint64_t *other = NULL;
	uint64_t hash_bits = hash >> (64 - TAG_HASH_BITS);
	for (uint32_t i = 0; i < N_PLACES; i++) {
		_Atomic uint64_t *place = place_of(table, hash, i);
		/* acquire: pairs with rs_open_start(), which fills the record before it stores the
		 * tag */
		uint64_t seen = atomic_load_explicit(place, memory_order_acquire);
		if (!seen || seen == RESERVED ||
			(seen >> TAG_RECORD_BITS & ((1u << TAG_HASH_BITS) - 1)) != hash_bits)
			continue;
		struct record *record = record_of(table, seen);
		bool is_same = true;
		for (int k = 0; k < 4; k++)
			is_same &= atomic_load_explicit(&record->words[k], memory_order_relaxed) ==
				   key->words[k];
		bool is_mine = atomic_load_explicit(&record->words[4], memory_order_relaxed) ==
			       key->thread;
		if (is_same && (is_mine || (any_thread && !other))) {
			*tag = seen;
			if (is_mine)
				return place;
			other = place;
		}
	}
	return other;
}

/* Remove the call with this key from the table and return its record, or NULL if there is none. */
static struct record *take_out(
	struct table *table, const struct rs_open_key *key, uint64_t hash, bool any_thread)
{
	uint64_t tag;
	_Atomic uint64_t *place;
	while ((place = find_place(table, key, hash, any_thread, &tag)))
		/* acquire: pairs with rs_open_start(); if another thread takes this call first,
		 * look again */
		if (atomic_compare_exchange_strong_explicit(
			    place, &tag, 0, memory_order_acquire, memory_order_relaxed))
			return record_of(table, tag);
	return NULL;
}

/* Reserve a slot in a key's bucket, so that no other key gets this slot. Return NULL if all slots
 * of the bucket are used. */
static _Atomic uint64_t *reserve(struct table *table, uint64_t hash)
{
	for (uint32_t i = 0; i < N_PLACES; i++) {
		_Atomic uint64_t *place = place_of(table, hash, i);
		uint64_t expected = 0;
		if (!atomic_load_explicit(place, memory_order_relaxed) &&
			atomic_compare_exchange_strong_explicit(place, &expected, RESERVED,
				memory_order_relaxed, memory_order_relaxed))
			return place;
	}
	return NULL;
}

static void start(const struct regionstat_table_29_ *markers, struct table *table,
	const struct rs_open_key *key, struct regionstat_site_ *site, enum rs_open_again again)
{
	uint64_t tag, hash = hash_of(key);
	struct record *record = NULL;
	if (again == RS_OPEN_KEEPS && find_place(table, key, hash, false, &tag))
		return;
	if (again == RS_OPEN_RESTARTS)
		record = take_out(table, key, hash, false);
	if (!record)
		record = take_record(table);
	_Atomic uint64_t *place = record ? reserve(table, hash) : NULL;
	if (!place) {
		if (record)
			free_record(table, record);
		rs_adapter_begin_beyond(&table->n_beyond);
		return;
	}
	for (int k = 0; k < 4; k++)
		atomic_store_explicit(&record->words[k], key->words[k], memory_order_relaxed);
	atomic_store_explicit(&record->words[4], key->thread, memory_order_relaxed);
	record->uses++;
	record->call = (struct regionstat_call){{0}};
	tag = tag_of(table, record, hash);
	markers->start_(&record->call, site);
	/* release: pairs with find_place() and take_out() */
	atomic_store_explicit(place, tag, memory_order_release);
}

void rs_open_start(
	const struct rs_open_key *key, struct regionstat_site_ *site, enum rs_open_again again)
{
	const struct regionstat_table_29_ *markers = regionstat_table_();
	struct table *table = markers ? find_table() : NULL;
	if (table)
		start(markers, table, key, site, again);
	else
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
}

void rs_open_stop(const struct rs_open_key *key, enum rs_adapter_count missing)
{
	const struct regionstat_table_29_ *markers = regionstat_table_();
	struct table *table = markers ? find_table() : NULL;
	if (!table)
		return;
	struct record *record = take_out(table, key, hash_of(key), key->thread != 0);
	if (record) {
		markers->stop_(&record->call);
		free_record(table, record);
	} else {
		rs_adapter_end_missing(&table->n_beyond, missing);
	}
}
