/* SPDX-License-Identifier: MIT */
/*
 * This file maps names to sites by a hash table. It also allocates memory for adapters, and passes
 * counts and thread names from adapters to the runtime.
 */
#include "adapters/lists.h"

#include "runtime/arch/system.h"

#define N_LISTS 4096u /* how many lists the hash table has; a power of two */
#define UNNAMED "(unnamed)"
#define CHUNK_BYTES ((size_t)64 << 10)
/* Limit of the names in a process. A run can have far fewer regions. But --only may select names
 * that the program first uses late, so names need a higher limit. */
#define MOST_NAMES 65536u

struct named {
	struct rs_listed listed;
	struct regionstat_site_ site;
	size_t bytes;
	char name[];
};

struct chunk {
	/* count of allocated bytes; it may exceed the size, and never decreases */
	_Atomic size_t used;
	size_t bytes;
};

/* A name of two parts. */
struct parts {
	const char *first;
	size_t first_bytes; /* 0: the name consists of the second part only */
	const char *second;
	size_t second_bytes;
};

static struct rs_list lists[N_LISTS];
static _Atomic uint32_t n_names;
static _Atomic(struct chunk *) chunk;
static struct regionstat_site_ other = {RS_REGION_OTHER_NAME, 0, 0};

_Atomic uint32_t rs_adapter_noted;

void rs_adapter_note(enum rs_adapter_count count)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	if (table)
		table->note(rs_adapter_self, count, 1);
}

void rs_adapter_begin_beyond(_Atomic uint32_t *n_beyond)
{
	atomic_fetch_add_explicit(n_beyond, 1, memory_order_relaxed);
	rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
}

void rs_adapter_end_missing(_Atomic uint32_t *n_beyond, enum rs_adapter_count missing)
{
	uint32_t n = atomic_load_explicit(n_beyond, memory_order_relaxed);
	while (n > 0)
		if (atomic_compare_exchange_weak_explicit(
			    n_beyond, &n, n - 1, memory_order_relaxed, memory_order_relaxed))
			return;
	rs_adapter_note(missing);
}

void rs_adapter_name_thread(uint32_t tid, const char *name, size_t bytes)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	if (table && !table->name_thread(tid, name, bytes))
		rs_adapter_note(RS_ADAPTER_COUNT_IGNORED);
}

static struct chunk *map_chunk(size_t bytes)
{
	struct chunk *new = rs_sys_mmap(
		NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!new)
		return NULL;
	new->bytes = bytes;
	/* sizeof(*new) is 16, so the memory after these 64 bytes is aligned to 64 bytes */
	new->used = sizeof(*new) + 48;
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
		/* acquire: pairs with the exchange below; the size was written before that
		 * exchange */
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
			RS_SYS(munmap, new, CHUNK_BYTES);
	}
}

/* Hash a name, eight bytes at a time. rs_name_hash() takes 4 cycles for each byte, which is too
 * slow for the long names of C++ types. */
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

static inline bool is_name(const struct rs_listed *one, const void *key)
{
	const struct named *named = (const void *)one;
	const struct parts *parts = key;
	size_t between = parts->first_bytes ? 1 : 0;
	return named->bytes == parts->first_bytes + between + parts->second_bytes &&
	       !memcmp(named->name, parts->first, parts->first_bytes) &&
	       (!between || named->name[parts->first_bytes] == ':') &&
	       !memcmp(named->name + parts->first_bytes + between, parts->second,
		       parts->second_bytes);
}

/* Return RS_SITE_BY_API if the API says which BEGIN an END belongs to; otherwise return
 * RS_SITE_BY_NAME. */
static unsigned int ends_by(void)
{
	bool is_paired = rs_adapter_self == RS_ADAPTER_ITT || rs_adapter_self == RS_ADAPTER_NVTX ||
			 rs_adapter_self == RS_ADAPTER_KOKKOS ||
			 rs_adapter_self == RS_ADAPTER_CALIPER ||
			 rs_adapter_self == RS_ADAPTER_ROCTX;
	return is_paired ? RS_SITE_BY_API : RS_SITE_BY_NAME;
}

static struct rs_listed *make(const void *key)
{
	const struct parts *parts = key;
	size_t between = parts->first_bytes ? 1 : 0;
	size_t bytes = parts->first_bytes + between + parts->second_bytes;
	/* if several threads pass this check at the same time, each may exceed the limit by one
	 * name */
	if (atomic_load_explicit(&n_names, memory_order_relaxed) >= MOST_NAMES)
		return NULL;
	struct named *named = rs_adapter_allocate(sizeof(*named) + bytes + 1);
	if (!named)
		return NULL;
	atomic_fetch_add_explicit(&n_names, 1, memory_order_relaxed);
	memcpy(named->name, parts->first, parts->first_bytes);
	if (between)
		named->name[parts->first_bytes] = ':';
	memcpy(named->name + parts->first_bytes + between, parts->second, parts->second_bytes);
	named->bytes = bytes;
	named->site.name_ = named->name;
	named->site.is_paired_ = ends_by();
	return &named->listed;
}

struct regionstat_site_ *rs_adapter_site_of(
	const char *first, size_t first_bytes, const char *second, size_t second_bytes)
{
	if (second_bytes == 0) {
		second = UNNAMED;
		second_bytes = sizeof(UNNAMED) - 1;
	}
	uint64_t hash = hash_of(second, second_bytes) ^
			(first_bytes ? 31 * hash_of(first, first_bytes) : 0);
	const struct parts parts = {first, first_bytes, second, second_bytes};
	bool is_new;
	struct rs_listed *found = rs_list_get(
		&lists[(hash ^ hash >> 16) % N_LISTS], is_name, make, &parts, &is_new);
	if (!found || is_new)
		rs_adapter_note(found ? RS_ADAPTER_COUNT_REGIONS : RS_ADAPTER_COUNT_MEMORY);
	if (found)
		return &((struct named *)(void *)found)->site;
	__atomic_store_n(&other.is_paired_, ends_by(), __ATOMIC_RELAXED);
	return &other;
}

struct regionstat_site_ *rs_adapter_site(const char *name, size_t bytes)
{
	return rs_adapter_site_of("", 0, name, bytes);
}
