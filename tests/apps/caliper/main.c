/* SPDX-License-Identifier: MIT */
/*
 * A program that uses Caliper's C interface as its macros do. The first argument selects the calls.
 * It prints how often the library was called, and the times of some regions.
 */
#include "caliper.h"

#include <errno.h>

#include "../check.h"
#include "../truth.h"

static struct truth inner_truth, loop_truth;

static void inner(void)
{
	TRUTH_CALL(&inner_truth, cali_begin_region("inner"), cali_end_region("inner"),
		truth_work(2000));
}

static void iterate(uint64_t iteration)
{
	for (int i = 0; i < 5; i++) {
		cali_begin_int(iteration, i);
		inner();
		cali_end(iteration);
	}
}

/* Make the calls of CALI_MARK_FUNCTION_BEGIN, CALI_MARK_LOOP_BEGIN and similar macros. */
static void calls(void)
{
	for (int i = 0; i < 20; i++) {
		cali_begin_region("calls");
		TRUTH_CALL(&loop_truth, cali_begin_string(cali_loop_attr_id, "loop"),
			cali_end(cali_loop_attr_id),
			iterate(cali_make_loop_iteration_attribute("loop")));
		cali_begin_phase("phase");
		cali_begin_comm_region("exchange");
		cali_end_comm_region("exchange");
		cali_end_phase("phase");
		cali_end_region("calls");
	}
	truth_print("inner", &inner_truth);
	truth_print("loop", &loop_truth);
}

/* Use attributes that are regions, and others that are not. */
static void attributes(void)
{
	uint64_t nested = cali_create_attribute("mine", CALI_TYPE_STRING, CALI_ATTR_NESTED);
	uint64_t number = cali_create_attribute("number", CALI_TYPE_INT, CALI_ATTR_NESTED);
	uint64_t plain = cali_create_attribute("plain", CALI_TYPE_INT, CALI_ATTR_DEFAULT);
	uint64_t iteration = cali_make_loop_iteration_attribute("set");
	for (int i = 0; i < 10; i++) {
		cali_begin_string(nested, "value");
		cali_begin_string_byname("function", "function");
		cali_begin_string_byname("annotation", "annotation");
		cali_end_byname("annotation");
		cali_end(cali_find_attribute("function"));
		cali_set_string(nested, "another");
		cali_set(nested, "the third and more", 9);
		cali_end_byname("mine");
		cali_begin_int(number, i);
		cali_begin(number);
		cali_end(number);
		cali_end(number);
		cali_set_int(iteration, i);
	}
	cali_end(iteration);
	for (int i = 0; i < 3; i++) { /* 12 ignored calls and 6 ends */
		cali_begin_int(plain, i);
		cali_set_int(plain, i);
		cali_end(plain);
		cali_begin_int_byname("also plain", i);
		cali_end_byname("also plain");
		cali_set_string_byname("also plain", "text");
	}
}

static void overlap(void)
{
	for (int i = 0; i < 10; i++) {
		cali_begin_region("a");
		cali_begin_phase("b");
		cali_begin_region("c");
		cali_end_region("a");
		cali_end_phase("b");
		cali_end_region("c");
	}
}

static void wrong(void)
{
	cali_end_region("never"); /* 1 */
	cali_begin_region("a");
	cali_end_region("b"); /* 2 */
	cali_end_phase("a"); /* 3 */
	cali_end_region("a");
	cali_end_region("a"); /* 4 */
	cali_end(cali_loop_attr_id); /* 5 */
	cali_begin_string(CALI_INV_ID, "nothing");
	cali_begin_string(7, "nothing");
	cali_end(CALI_INV_ID);
	cali_end_byname("nothing");
	cali_begin_string(cali_loop_attr_id, NULL);
	cali_end(cali_loop_attr_id);
}

int main(int argc, char **argv)
{
	static const struct how hows[] = {{"calls", calls}, {"attributes", attributes},
		{"overlap", overlap}, {"wrong", wrong}};
	const struct how *how = FIND_HOW(hows, argc > 1 ? argv[1] : "calls");
	cali_init();
	errno = 4242;
	how->run();
	if (errno != 4242 && (how->run == attributes || how->run == wrong))
		printf("errno is %d\n", errno);
	unsigned long begun, set, ended;
	caliper_seen(&begun, &set, &ended);
	printf("seen %lu %lu %lu\n", begun, set, ended);
	return 0;
}
