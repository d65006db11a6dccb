/* SPDX-License-Identifier: MIT */
/*
 * template N: N calls of a function template that instantiates itself 5 deep. These are five
 * functions, but one region. The program prints its own values of it.
 */
#include <cstdlib>

#include <regionstat.h>

#include "../truth.h"

namespace
{

struct truth known;

template <int Depth> struct descent {
	static void enter()
	{
		TRUTH_CALL(&known, REGIONSTAT_SCOPE("template"), , truth_work(20000);
			   descent<Depth - 1>::enter());
	}
};
template <> struct descent<0> {
	static void enter()
	{
	}
};

} // namespace

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
	for (unsigned long i = 0; i < n; i++)
		descent<5>::enter();
	truth_print("template", &known);
	return 0;
}
