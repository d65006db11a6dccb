/* SPDX-License-Identifier: MIT */
/*
 * coroutines HOW ROUNDS: in each round 4 coroutines suspend 3 times inside a region "handle", after
 * a "step" each. The thread that resumes them also calls "beside", with 2 page faults each. HOW is
 * scope (all on one thread), moved (each "handle" begins on the main thread and ends on another) or
 * async (the same threads, but START and STOP). The program prints its own values of "handle".
 */
#include <coroutine>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

#include <regionstat.h>

#include "../touch.h"
#include "../truth.h"

namespace
{

constexpr int N_COROUTINES = 4, N_STEPS = 3, N_FAULTS = 2;
constexpr std::size_t PAGE_BYTES = 4096;

struct task {
	struct promise_type {
		task get_return_object()
		{
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend()
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			std::terminate();
		}
	};
	std::coroutine_handle<promise_type> handle;
};

struct truth known, others;
volatile char *pages;

void step(int k)
{
	TRUTH_CALL(&others, REGIONSTAT_SCOPE("step"), ,
		truth_work(20000u * static_cast<unsigned>(k + 1)));
}

/* Work between the resumptions, with known page faults. */
void beside()
{
	TRUTH_CALL(
		&others, REGIONSTAT_SCOPE("beside"), , pages = touch(pages, N_FAULTS, PAGE_BYTES));
}

task handle_scope(int k)
{
	TRUTH_CALL(
		&known, REGIONSTAT_SCOPE("handle"), , for (int i = 0; i < N_STEPS; i++) {
			step(k);
			co_await std::suspend_always{};
		});
}

task handle_async(int k)
{
	std::uint64_t around_ns = truth_enter(&known.around);
	struct regionstat_call call = REGIONSTAT_START("handle");
	std::uint64_t within_ns = truth_enter(&known.within);
	for (int i = 0; i < N_STEPS; i++) {
		step(k);
		co_await std::suspend_always{};
	}
	truth_leave(&known.within, within_ns);
	regionstat_stop(call);
	truth_leave(&known.around, around_ns);
	known.calls++;
}

/* Resume each coroutine once. Return true if one is not done yet. */
bool resume_all(const std::vector<task> &tasks)
{
	bool is_any_left = false;
	for (const task &one : tasks) {
		if (one.handle.done())
			continue;
		one.handle.resume();
		beside();
		is_any_left = true;
	}
	return is_any_left;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 3) {
		std::fputs("usage: coroutines scope|moved|async ROUNDS\n", stderr);
		return 2;
	}
	bool is_async = std::strcmp(argv[1], "async") == 0;
	bool is_moved = is_async || std::strcmp(argv[1], "moved") == 0;
	int rounds = std::atoi(argv[2]);
	std::size_t n_pages = static_cast<std::size_t>(rounds) * N_COROUTINES * (N_STEPS + 1) *
			      N_FAULTS;
	pages = fresh_pages(n_pages * PAGE_BYTES);
	std::vector<std::vector<task>> all(static_cast<std::size_t>(rounds));
	for (std::vector<task> &tasks : all) {
		for (int k = 0; k < N_COROUTINES; k++)
			tasks.push_back(is_async ? handle_async(k) : handle_scope(k));
	}
	/* moved: the first step of all is on this thread, and the others on another thread */
	for (std::vector<task> &tasks : all) {
		while (resume_all(tasks) && !is_moved)
			continue;
	}
	std::thread([&] {
		for (std::vector<task> &tasks : all) {
			while (is_moved && resume_all(tasks))
				continue;
		}
	}).join();
	for (std::vector<task> &tasks : all) {
		for (task &one : tasks)
			one.handle.destroy();
	}
	truth_print("handle", &known);
	return 0;
}
