/* SPDX-License-Identifier: MIT */
/*
 * From names to sites, and the memory behind them. A hash table of lists that only grow at their
 * heads: who looks something up follows pointers that are never taken back, who adds swaps the head.
 * A forked child goes on with its copy.
 */
#include "adapters/adapter.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define N_LISTS 4096u /* a power of two */
#define CHUNK_BYTES ((size_t)64 << 10)
/* Of a process. A run tells far fewer regions apart; but of --only those may be left in that come last. */
#define MOST_NAMES 65536u

struct named {
	struct named *next;
	struct regionstat_site_ site;
	size_t bytes;
	char name[];
};

struct chunk {
	_Atomic size_t used; /* may run past the end, never back */
	size_t bytes;
};

static _Atomic(struct named *) lists[N_LISTS];
static _Atomic uint32_t n_names;
static _Atomic(struct chunk *) chunk;
static struct regionstat_site_ other = {RS_REGION_OTHER_NAME, 0, 0};

void rs_adapter_note(enum rs_adapter_count count)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	if (table)
		table->note(rs_adapter_self, count, 1);
}

void rs_adapter_name_thread(uint32_t tid, const char *name, size_t bytes)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	if (table && !table->name_thread(tid, name, bytes))
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
}

static struct chunk *map_chunk(size_t bytes)
{
	int saved = errno;
	void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
	if (place == MAP_FAILED)
		return NULL;
	struct chunk *new = place;
	new->bytes = bytes;
	new->used = sizeof(*new) + 48; /* what is given out is aligned to 64 bytes */
	return new;
}

void *rs_adapter_allocate(size_t bytes)
{
	bytes = (bytes + 63) & ~(size_t)63;
	if (bytes > CHUNK_BYTES / 4) {
		struct chunk *own = map_chunk(bytes + 64);
		return own ? (char *)own + 64 : NULL;
	}
	for (;;) {
		/* acquire: its size was there before it was shown */
		struct chunk *current = atomic_load_explicit(&chunk, memory_order_acquire);
		if (current) {
			size_t at = atomic_fetch_add_explicit(
				&current->used, bytes, memory_order_relaxed);
			if (at + bytes <= current->bytes)
				return (char *)current + at;
		}
		struct chunk *new = map_chunk(CHUNK_BYTES);
		if (!new)
			return NULL;
		if (!atomic_compare_exchange_strong_explicit(
			    &chunk, &current, new, memory_order_acq_rel, memory_order_acquire))
			munmap(new, CHUNK_BYTES);
	}
}

/* Eight bytes at a time, as names may be those of types: rs_name_hash() takes 4 cycles for each. */
static uint64_t hash_of(const char *name, size_t bytes)
{
	uint64_t word, hash = bytes;
	for (; bytes >= sizeof(word); name += sizeof(word), bytes -= sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	word = 0;
	for (size_t i = 0; i < bytes; i++)
		word = word << 8 | (unsigned char)name[i];
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static bool is_name(const struct named *named, const char *first, size_t first_bytes,
	const char *second, size_t second_bytes)
{
	size_t between = first_bytes ? 1 : 0;
	return named->bytes == first_bytes + between + second_bytes &&
	       !memcmp(named->name, first, first_bytes) &&
	       (!between || named->name[first_bytes] == ':') &&
	       !memcmp(named->name + first_bytes + between, second, second_bytes);
}

/* Whether the calls of this adapter's regions are ended by what they began with, never by name. */
static unsigned int ends_by_ticket(void)
{
	return rs_adapter_self == RS_ADAPTER_ITT || rs_adapter_self == RS_ADAPTER_NVTX ||
	       rs_adapter_self == RS_ADAPTER_KOKKOS || rs_adapter_self == RS_ADAPTER_CALIPER;
}

static struct named *make(
	const char *first, size_t first_bytes, const char *second, size_t second_bytes)
{
	size_t between = first_bytes ? 1 : 0, bytes = first_bytes + between + second_bytes;
	/* threads that meet may add one more each */
	if (atomic_load_explicit(&n_names, memory_order_relaxed) >= MOST_NAMES)
		return NULL;
	struct named *named = rs_adapter_allocate(sizeof(*named) + bytes + 1);
	if (!named)
		return NULL;
	atomic_fetch_add_explicit(&n_names, 1, memory_order_relaxed);
	memcpy(named->name, first, first_bytes);
	if (between)
		named->name[first_bytes] = ':';
	memcpy(named->name + first_bytes + between, second, second_bytes);
	named->bytes = bytes;
	named->site.name = named->name;
	named->site.is_paired = ends_by_ticket();
	return named;
}

struct regionstat_site_ *rs_adapter_site_of(
	const char *first, size_t first_bytes, const char *second, size_t second_bytes)
{
	uint64_t hash = hash_of(second, second_bytes) ^
			(first_bytes ? 31 * hash_of(first, first_bytes) : 0);
	_Atomic(struct named *) *list = &lists[(hash ^ hash >> 16) % N_LISTS];
	struct named *made = NULL;
	/* acquire: pairs with the exchange below, before which a name was written */
	struct named *head = atomic_load_explicit(list, memory_order_acquire);
	for (struct named *seen = NULL;;) {
		for (struct named *named = head; named != seen; named = named->next)
			if (is_name(named, first, first_bytes, second, second_bytes))
				return &named->site;
		if (!made)
			made = make(first, first_bytes, second, second_bytes);
		if (!made) {
			rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
			return &other;
		}
		made->next = seen = head;
		if (atomic_compare_exchange_strong_explicit(
			    list, &head, made, memory_order_acq_rel, memory_order_acquire))
			break;
	}
	rs_adapter_note(RS_ADAPTER_COUNT_REGIONS);
	return &made->site;
}

struct regionstat_site_ *rs_adapter_site(const char *name, size_t bytes)
{
	return rs_adapter_site_of("", 0, name, bytes);
}
