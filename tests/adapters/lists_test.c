/* SPDX-License-Identifier: MIT */
/*
 * Tests of lists that only grow. The keys are numbers, so the test knows all items and how many
 * there are. Several threads ask for the same keys, each in another order.
 */
#include <criterion/criterion.h>

#include <pthread.h>

#include "adapters/lists.h"

#define N_THREADS 8u
#define N_KEYS 2000u
#define N_LISTS 16u

const enum rs_adapter rs_adapter_self = RS_ADAPTER_LIKWID;

struct thing {
	struct rs_listed listed;
	size_t key;
};

static struct rs_list lists[N_LISTS];
static _Atomic size_t n_made, n_new;
static struct rs_listed *seen[N_THREADS][N_KEYS];
static pthread_barrier_t together;

static bool is_thing(const struct rs_listed *one, const void *key)
{
	return ((const struct thing *)(const void *)one)->key == *(const size_t *)key;
}

static struct rs_listed *make_thing(const void *key)
{
	static struct thing things[N_THREADS * N_KEYS];
	struct thing *thing = &things[n_made++];
	thing->key = *(const size_t *)key;
	return &thing->listed;
}

static struct rs_listed *make_nothing(const void *key)
{
	(void)key;
	return NULL;
}

static struct rs_listed *get(size_t key)
{
	bool is_new;
	struct rs_listed *found = rs_list_get(
		&lists[key % N_LISTS], is_thing, make_thing, &key, &is_new);
	n_new += is_new;
	return found;
}

static struct rs_listed *find(size_t key)
{
	return rs_list_find(&lists[key % N_LISTS], is_thing, &key);
}

Test(lists, of_nothing)
{
	size_t key = 3;
	static struct rs_list empty;
	bool is_new = true;
	cr_assert_null(rs_list_find(&empty, is_thing, &key));
	cr_assert_null(rs_list_get(&empty, is_thing, make_nothing, &key, &is_new));
	cr_assert(!is_new);
	cr_assert_null(atomic_load(&empty.first));
}

Test(lists, keep_what_is_in_them)
{
	struct rs_listed *first = get(1), *second = get(1 + N_LISTS);
	cr_assert(first && second && first != second);
	cr_assert_eq(get(1), first);
	cr_assert_eq(find(1 + N_LISTS), second);
	cr_assert_null(find(1 + 2 * N_LISTS));
	cr_assert_null(find(2));
	cr_assert_eq(n_made, 2);
	cr_assert_eq(n_new, 2);
	size_t key = 1;
	/* an existing item needs no memory */
	cr_assert_eq(rs_list_get(&lists[1], is_thing, make_nothing, &key, NULL), first);
}

static void *ask(void *argument)
{
	size_t thread = (size_t)argument;
	pthread_barrier_wait(&together);
	for (size_t i = 0; i < N_KEYS; i++) {
		/* odd threads begin at the other end; the multiplier and the number of keys have no
		 * common divisor */
		size_t at = thread % 2 ? N_KEYS - 1 - i : i;
		size_t key = at * (thread / 2 * 2 + 7) % N_KEYS;
		seen[thread][key] = get(key);
	}
	return NULL;
}

Test(lists, have_one_thing_a_key_for_all_threads)
{
	pthread_t threads[N_THREADS];
	pthread_barrier_init(&together, NULL, N_THREADS);
	for (size_t i = 0; i < N_THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, ask, (void *)i), 0);
	for (size_t i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(n_new, N_KEYS);
	cr_assert_geq(n_made, N_KEYS);
	size_t n = 0;
	for (size_t i = 0; i < N_LISTS; i++)
		for (struct rs_listed *one = atomic_load(&lists[i].first); one; one = one->next)
			n++;
	cr_assert_eq(n, N_KEYS);
	for (size_t key = 0; key < N_KEYS; key++) {
		struct rs_listed *found = find(key);
		cr_assert(found);
		for (size_t i = 0; i < N_THREADS; i++)
			cr_assert(!seen[i][key] || seen[i][key] == found);
	}
}
