/* SPDX-License-Identifier: MIT */
/* A program that uses Caliper's C++ classes as its macros do, and prints how often the library was
 * called. */
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../truth.h"
#include "annotation.h"
#include "caliper.h"

static truth function_truth;

static void function()
{
	TRUTH_CALL(&function_truth, cali::Function mark("function"), , truth_work(2000));
}

static void leave_by_exception(int depth)
{
	cali::ScopeAnnotation mark("thrown");
	if (depth == 0)
		throw std::runtime_error("out");
	leave_by_exception(depth - 1);
}

static void loops()
{
	for (int n = 0; n < 10; n++) {
		cali::Loop loop("loop");
		cali::Loop copy(loop);
		for (int i = 0; i < 4; i++) {
			cali::Loop::Iteration mark(loop.iteration(i));
			function();
		}
		if (n % 2)
			loop.end();
	}
}

static void annotations()
{
	cali::Annotation phase("phase"), colour("colour"), mine("mine", CALI_ATTR_NESTED);
	for (int i = 0; i < 10; i++) {
		phase.begin(cali::Variant("first"));
		phase.begin(cali::Variant("second"));
		phase.end();
		phase.set("third");
		phase.end();
		colour.set("red");
		colour.begin(3);
		colour.end();
		mine.begin(i);
		mine.begin();
		mine.end();
		cali::Annotation::Guard guard(mine);
	}
	for (int i = 0; i < 5000; i++) { /* each object lies at the address of the previous one */
		cali::Annotation here(i % 2 ? "function" : "colour");
		cali::Annotation::Guard guard(here.begin(cali::Variant("placed")));
	}
}

/* Annotations with metadata, at addresses of earlier objects. */
static void annotations_with_metadata()
{
	const std::map<const char *, cali::Variant> metadata;
	for (int i = 0; i < 5000; i++) {
		const char *name = i % 2 ? "phase" : "colour";
		cali::Annotation here(name, metadata, CALI_ATTR_DEFAULT);
		cali::Annotation::Guard guard(here.begin(cali::Variant("described")));
	}
}

/* More copies than the adapter's limit of objects. Each copy stays valid after its original. */
static void annotations_copied()
{
	for (int i = 0; i < 10000; i++) {
		cali::Annotation phase("phase"), copy(phase), other("colour");
		other = phase;
		cali::Annotation::Guard guard(other.begin(cali::Variant("copied")));
		phase = cali::Annotation("colour");
		copy = other;
	}
}

int main()
{
	for (int i = 0; i < 20; i++) {
		cali::ScopeAnnotation mark("scope");
		function();
		try {
			leave_by_exception(4);
		} catch (const std::runtime_error &) {
		}
	}
	{ /* objects end in the order in which they began */
		cali::ScopeAnnotation *first = new cali::ScopeAnnotation("first begun");
		cali::ScopeAnnotation *second = new cali::ScopeAnnotation("second begun");
		delete first;
		delete second;
	}
	loops();
	annotations();
	annotations_with_metadata();
	annotations_copied();
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([] {
			for (int n = 0; n < 500; n++) {
				cali::Function mark("thread");
				cali::ScopeAnnotation part("part");
			}
		});
	for (std::thread &thread : threads)
		thread.join();
	truth_print("function", &function_truth);
	unsigned long begun, set, ended;
	caliper_seen(&begun, &set, &ended);
	std::printf("seen %lu %lu %lu\n", begun, set, ended);
}
