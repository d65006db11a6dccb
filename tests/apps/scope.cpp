/* SPDX-License-Identifier: MIT */
/*
 * scope N: REGIONSTAT_SCOPE in C++. Scopes are left by the end of a block, by return and by an
 * exception. They also stand in templates, lambdas, constructors and destructors. Each kind is
 * called N times.
 */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include <regionstat.h>

namespace
{

void leave_by_exception(unsigned long i)
{
	REGIONSTAT_SCOPE("thrown");
	if (i % 2 == 0)
		throw std::runtime_error("even");
}

void rethrow(unsigned long i)
{
	REGIONSTAT_SCOPE("rethrown");
	try {
		leave_by_exception(i);
	} catch (const std::runtime_error &) {
		REGIONSTAT_SCOPE("caught");
		throw;
	}
}

unsigned long leave_by_return(unsigned long i)
{
	REGIONSTAT_SCOPE("returned");
	if (i % 3 == 0)
		return 0;
	REGIONSTAT_SCOPE("rest");
	return i;
}

/* All instances of a template are one region, because they have the same name. */
template <typename Number> Number add(Number a, Number b)
{
	REGIONSTAT_SCOPE("template");
	return a + b;
}

inline void in_inline_function()
{
	REGIONSTAT_SCOPE("inline");
}

struct Marked {
	Marked()
	{
		REGIONSTAT_BEGIN("object");
	}
	~Marked()
	{
		REGIONSTAT_END("object");
	}
	Marked(const Marked &) = delete;
	Marked &operator=(const Marked &) = delete;
};

} // namespace

int main(int argc, char **argv)
{
	if (argc != 2) {
		std::fputs("usage: scope N\n", stderr);
		return 2;
	}
	unsigned long n = std::strtoul(argv[1], nullptr, 10);
	unsigned long caught = 0, sum = 0;
	auto in_lambda = [] { REGIONSTAT_SCOPE("lambda"); };
	for (unsigned long i = 0; i < n; i++) {
		try {
			rethrow(i);
		} catch (const std::runtime_error &) {
			caught++;
		}
		sum += leave_by_return(i);
		sum += add(1ul, 2ul);
		sum += static_cast<unsigned long>(add(1.0, 2.0));
		in_inline_function();
		in_lambda();
		Marked object;
	}
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([n, &in_lambda] {
			for (unsigned long j = 0; j < n; j++)
				in_lambda();
		});
	for (std::thread &thread : threads)
		thread.join();
	std::printf("caught %lu sum %lu\n", caught, sum);
	return 0;
}
