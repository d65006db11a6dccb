/* SPDX-License-Identifier: MIT */
/* Tests of shortening C++ function names as c++filt prints them, and names that only look like
 * these. */
#include <criterion/criterion.h>

#include <stdint.h>
#include <string.h>

#include "base/template_name.h"
#include "base/width.h"

#include "../stats/random.h"

#define DOTS "\xe2\x80\xa6"

static void expect(const char *name, size_t columns, const char *expected)
{
	char out[1024];
	bool is = rs_template_name(out, sizeof(out), name, columns, true);
	cr_expect_eq(is, expected != NULL, "%s in %zu: %s", name, columns, out);
	if (is)
		cr_expect_str_eq(out, expected, "%s in %zu: %s", name, columns, out);
}

Test(template_name, deepest_first)
{
	static const char name[] = "std::map<int, std::vector<a::pair<int, long> > >::find(int)";
	expect(name, 58, "std::map<int, std::vector<a::pair<" DOTS "> > >::find(int)");
	expect(name, 51, "std::map<int, std::vector<a::pair<" DOTS "> > >::find(int)");
	expect(name, 50, "std::map<int, std::vector<" DOTS "> >::find(int)");
	expect(name, 30, "std::map<" DOTS ">::find(int)");
	expect(name, 22, "std::map<" DOTS ">::find(int)");
	expect(name, 21, "std::map<" DOTS ">::find(" DOTS ")");
	expect(name, 20, "std::map<" DOTS ">::find(" DOTS ")");
	expect(name, 19, DOTS "map<" DOTS ">::find(" DOTS ")");
	expect(name, 15, DOTS "find(" DOTS ")");
}

Test(template_name, then_parameters_and_the_beginning)
{
	static const char name[] =
		"a::(anonymous namespace)::set::insert(a::key const&, long) const";
	expect(name, 40, "a::(anonymous namespace)::set::insert(" DOTS ")");
	expect(name, 39, DOTS "(anonymous namespace)::set::insert(" DOTS ")");
	expect(name, 37, DOTS "set::insert(" DOTS ")");
	expect(name, 14, DOTS "insert(" DOTS ")");
	expect(name, 10, DOTS "insert(" DOTS ")");
	expect(name, 9, NULL);
	expect("bool a::f<int, long>(int)~01234567", 17, "bool a::f<" DOTS ">(" DOTS ")");
	expect("bool a::f<int, long>(int)~01234567", 10, DOTS "f<" DOTS ">(" DOTS ")");
	expect("a::set::size() const", 18, "a::set::size()");
	expect("a::b::operator()(int) &", 20, "a::b::operator()(" DOTS ")");
	expect("a::b::operator<(int)", 18, "a::b::operator<(" DOTS ")");
	expect("main::{lambda(int)#1}::operator()(int) const", 37,
		"main::{lambda(int)#1}::operator()(" DOTS ")");
}

Test(template_name, all_of_one_depth)
{
	expect("a<int>::b<long, c<x>>(d<int>*)", 30, "a<int>::b<long, c<" DOTS ">>(d<int>*)");
	expect("a<int>::b<long, c<x>>(d<int>*)", 29, "a<" DOTS ">::b<" DOTS ">(d<" DOTS ">*)");
}

Test(template_name, without_utf8)
{
	char out[64];
	cr_expect(rs_template_name(out, sizeof(out), "vector<unsigned long>::size", 20, false));
	cr_expect_str_eq(out, "vector<..>::size");
}

/* Operators, conversions, lambdas, comparisons and pointers to functions, as c++filt prints
 * them. */
Test(template_name, operators_are_no_arguments)
{
	expect("bool a::operator< <int, long>(int)", 30, "bool a::operator< <" DOTS ">(int)");
	expect("std::ostream& operator<< <char>(int)", 35,
		"std::ostream& operator<< <" DOTS ">(int)");
	expect("a::operator<(std::vector<int> const&)", 36,
		"a::operator<(std::vector<" DOTS "> const&)");
	expect("a::operator-><long>() const", 26, "a::operator-><" DOTS ">() const");
	expect("a::operator()<long>(int)", 23, "a::operator()<" DOTS ">(int)");
	expect("std::vector<int>::operator<=>(int)", 32, "std::vector<" DOTS ">::operator<=>(int)");
	expect("f<((1)>(2)), (a)8>(int)", 20, "f<" DOTS ">(int)");
	expect("f<int (*)(g<long>), decltype (a->b)>()", 35,
		"f<int (*)(g<" DOTS ">), decltype (a->b)>()");
	expect("f<int (*)(g<long>), decltype (a->b)>()", 20, "f<" DOTS ">()");
	expect("my_operator<int, long>()", 20, "my_operator<" DOTS ">()");
	expect("f<>(g<a_long_argument>)", 20, "f<>(g<" DOTS ">)");
}

Test(template_name, names_that_only_look_so)
{
	static const char *const names[] = {"filter(x, y) of the second image", "load (from disk)",
		"parallel f(int, long) (a.c:12)", "phase <initial conditions>",
		"a < b and c > d together", "from here -> to there, at last",
		"open<never closed by anything", "closed) before it<is>",
		"f<std::vector<std::allocator~01234567", "<main> of a program<",
		"(((((<<<<<)))))>>>>>"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect(names[i], 12, NULL);
}

/* For any text, the result fits into its columns and its buffer. */
Test(template_name, any_text)
{
	static const char *const parts[] = {"<", ">", "(", ")", "a", "operator", "-", " ", ",",
		"x<", "\xe4\xb8\xad", "=", "::", "<<", "f<int>", "o"};
	uint64_t random = 7;
	size_t n_short = 0;
	for (int round = 0; round < 100000; round++) {
		char name[512] = "", out[2 * sizeof(name) + 8];
		random = random_next(&random);
		size_t n = (size_t)(random >> 32) % 50, columns = 4 + (size_t)(random >> 20) % 40;
		for (size_t i = 0; i < n; i++) {
			random = random_next(&random);
			strcat(name, parts[(random >> 33) % (sizeof(parts) / sizeof(parts[0]))]);
		}
		if (!rs_template_name(out, 2 * strlen(name) + 8, name, columns, round % 2))
			continue;
		cr_assert_leq(rs_width_of(out), columns, "%s", name);
		cr_assert_lt(strlen(out), 2 * strlen(name) + 8, "%s", name);
		n_short++;
	}
	cr_expect_gt(n_short, 0);
	char deep[400] = "";
	for (int i = 0; i < 60; i++)
		strcat(deep, "a<");
	for (int i = 0; i < 60; i++)
		strcat(deep, ">");
	expect(deep, 9, "a<a<" DOTS ">>");
}
