/* SPDX-License-Identifier: MIT */
/*
 * Tests of sites by name, and of objects attached to names and addresses. Names are made from
 * numbers, so the test knows which are equal.
 */
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "adapters/names.h"

#define N_THREADS 8u
#define N_NAMES 2000u
#define MOST_NAMES 65536u /* the limit for a process, as in adapter.h */

const enum rs_adapter rs_adapter_self = RS_ADAPTER_NVTX;

static struct regionstat_site_ *of(const char *name)
{
	return rs_adapter_site(name, strlen(name));
}

static struct regionstat_site_ *of_two(const char *first, const char *second)
{
	return rs_adapter_site_of(first, strlen(first), second, strlen(second));
}

Test(sites, of_parts_are_those_of_the_whole)
{
	struct regionstat_site_ *whole = of("a:b");
	cr_assert_str_eq(whole->name_, "a:b");
	cr_assert_eq(of_two("", "a:b"), whole);
	cr_assert_str_eq(of_two("a", "b")->name_, "a:b");
	cr_assert_eq(of_two("a", "b"), of_two("a", "b"));
	cr_assert_neq(of_two("a", "c"), of_two("a", "b"));
	cr_assert_neq(of("a"), of("b"));
	cr_assert_str_eq(of("")->name_, "(unnamed)");
	cr_assert_str_eq(of_two("a", "")->name_, "a:(unnamed)");
	cr_assert_eq(rs_adapter_site_text(NULL), of(""));
}

Test(sites, need_no_nul)
{
	static const char text[] = "prefix and more";
	struct regionstat_site_ *prefix = rs_adapter_site(text, 6);
	cr_assert_str_eq(prefix->name_, "prefix");
	cr_assert_eq(of("prefix"), prefix);
	cr_assert_neq(of(text), prefix);
}

Test(sites, of_names_without_end_are_whole)
{
	static char name[100000];
	memset(name, 'x', sizeof(name) - 1);
	struct regionstat_site_ *site = of(name);
	cr_assert_str_eq(site->name_, name);
	name[sizeof(name) - 2] = 'y';
	cr_assert_neq(of(name), site);
}

static struct regionstat_site_ *seen[N_THREADS][N_NAMES];
static pthread_barrier_t together;

static void *ask(void *argument)
{
	size_t thread = (size_t)argument;
	char name[32];
	for (size_t i = 0; i < N_NAMES; i++) {
		/* All threads look for a name at once, half of them from the other end. */
		pthread_barrier_wait(&together);
		size_t at = thread % 2 ? N_NAMES - 1 - i : i;
		snprintf(name, sizeof(name), "name %zu", at);
		seen[thread][at] = of(name);
	}
	return NULL;
}

Test(sites, are_the_same_for_all_threads)
{
	pthread_t threads[N_THREADS];
	pthread_barrier_init(&together, NULL, N_THREADS);
	for (size_t i = 0; i < N_THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, ask, (void *)i), 0);
	for (size_t i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < N_NAMES; i++) {
		char name[32];
		snprintf(name, sizeof(name), "name %zu", i);
		cr_assert_str_eq(seen[0][i]->name_, name);
		for (size_t thread = 1; thread < N_THREADS; thread++)
			cr_assert_eq(seen[thread][i], seen[0][i]);
	}
}

Test(sites, beyond_what_a_process_has_are_one)
{
	char name[32];
	struct regionstat_site_ *first = of("number 0"), *last = NULL, *other = NULL;
	for (size_t i = 1; i < MOST_NAMES + 2; i++) {
		snprintf(name, sizeof(name), "number %zu", i);
		if (i == MOST_NAMES)
			last = of("number 65535");
		other = of(name);
	}
	cr_assert_str_eq(last->name_, "number 65535");
	cr_assert_str_eq(other->name_, "(other)");
	cr_assert_eq(of("one more"), other);
	cr_assert_eq(of("number 0"), first);
}

static bool is_it(const struct rs_listed *one, const void *key)
{
	return one == key;
}

static struct rs_listed *make_nothing(const void *key)
{
	(void)key;
	return NULL;
}

Test(lists, stay_as_they_are_without_memory)
{
	struct rs_listed there = {NULL}, absent = {NULL};
	struct rs_list list = {&there};
	bool is_new = true;
	cr_assert_eq(rs_list_get(&list, is_it, make_nothing, &there, NULL), &there);
	cr_assert_null(rs_list_get(&list, is_it, make_nothing, &absent, &is_new));
	cr_assert(!is_new);
	cr_assert_eq(atomic_load(&list.first), &there);
}

Test(names, are_one_struct_a_text)
{
	struct rs_name *name = rs_name_of("text", 4);
	cr_assert_str_eq(name->text, "text");
	cr_assert_eq(name->bytes, 4);
	cr_assert_eq(rs_name_of("text and more", 4), name);
	cr_assert_neq(rs_name_of("tex", 3), name);
	cr_assert_eq(rs_name_of("", 0), rs_name_of("else", 0));
}

Test(names, are_tied_to_addresses)
{
	int places[1000], things[1000];
	for (size_t i = 0; i < 1000; i++) {
		cr_assert_null(rs_address_get(&places[i]));
		cr_assert(rs_address_set(&places[i], &things[i]));
	}
	for (size_t i = 0; i < 1000; i++)
		cr_assert_eq(rs_address_get(&places[i]), &things[i]);
	cr_assert(rs_address_set(&places[7], &things[8]));
	cr_assert_eq(rs_address_get(&places[7]), &things[8]);
	cr_assert(rs_address_set(&places[7], NULL));
	cr_assert_null(rs_address_get(&places[7]));
}
