/* SPDX-License-Identifier: MIT */
/*
 * The markers of sites: the path of BEGIN, END and NEXT (path.h), compiled for each way to the
 * calling thread, number of events and clock; the same where some regions are left out; and which
 * of them a program takes.
 */
#include "runtime/adapt/adapt.h"
#include "runtime/mark/call.h"
#include "runtime/mark/path.h"
#include "runtime/mark/work.h"

struct rs_thread rs_unseen = {.busy = UINTPTR_MAX};
__attribute__((used)) __thread struct rs_thread *rs_self = &rs_unseen;
#ifdef RS_TLS_PLACE
intptr_t rs_self_distance;
#endif

/* ---- the markers of sites ---- */

/* Neither inlined nor cloned. */
#ifdef __clang__
#define RS_ONE_BODY __attribute__((noinline))
#else
#define RS_ONE_BODY __attribute__((noipa))
#endif

/* For a way to the calling thread, a number of events and groups, and a clock: constants, so that
 * what follows from them is straight, or the thread's own. Those with a stack frame are for adapters. */
#define SITE_MARKERS(name, self, n_events, n_groups, samples, clock)                             \
	static RS_ONE_BODY regionstat_ticket_ begin_##name##_at(                                 \
		struct regionstat_site_ *site, uintptr_t stack)                                  \
	{                                                                                        \
		struct rs_thread *thread = self;                                                 \
		return begin(thread, site, stack, n_events, n_groups, samples, clock);           \
	}                                                                                        \
	static regionstat_ticket_ begin_##name(struct regionstat_site_ *site)                    \
	{                                                                                        \
		return begin_##name##_at(site, RS_STACK);                                        \
	}                                                                                        \
	static RS_ONE_BODY void end_##name##_at(regionstat_ticket_ ticket, uintptr_t stack)      \
	{                                                                                        \
		struct rs_thread *thread = self;                                                 \
		end_ticket(thread, ticket, stack, n_events, n_groups, samples, clock);           \
	}                                                                                        \
	static void end_##name(regionstat_ticket_ ticket)                                        \
	{                                                                                        \
		end_##name##_at(ticket, RS_STACK);                                               \
	}                                                                                        \
	static RS_ONE_BODY void end_site_##name##_at(                                            \
		struct regionstat_site_ *site, uintptr_t stack)                                  \
	{                                                                                        \
		struct rs_thread *thread = self;                                                 \
		end_site(thread, site, stack, n_events, n_groups, samples, clock);               \
	}                                                                                        \
	static void end_site_##name(struct regionstat_site_ *site)                               \
	{                                                                                        \
		end_site_##name##_at(site, RS_STACK);                                            \
	}                                                                                        \
	static RS_ONE_BODY bool try_next_##name(                                                 \
		struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack) \
	{                                                                                        \
		struct rs_thread *thread = self;                                                 \
		return next(thread, ended, begun, stack, n_events, n_groups, samples, clock);    \
	}                                                                                        \
	static void next_##name##_at(                                                            \
		struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack) \
	{                                                                                        \
		if (!(samples)) {                                                                \
			try_next_##name(ended, begun, stack);                                    \
		} else if (!try_next_##name(ended, begun, stack)) {                              \
			end_site_##name##_at(ended, stack);                                      \
			begin_##name##_at(begun, stack);                                         \
		}                                                                                \
	}                                                                                        \
	static void next_##name(struct regionstat_site_ *ended, struct regionstat_site_ *begun)  \
	{                                                                                        \
		next_##name##_at(ended, begun, RS_STACK);                                        \
	}

SITE_MARKERS(time, rs_self_near(), 0, 0, false, RS_CLOCK_COUNTER)
SITE_MARKERS(one, rs_self_near(), 1, 1, false, RS_CLOCK_COUNTER)
SITE_MARKERS(two, rs_self_near(), 2, 1, false, RS_CLOCK_COUNTER)
SITE_MARKERS(three, rs_self_near(), 3, 1, false, RS_CLOCK_COUNTER)
SITE_MARKERS(four, rs_self_near(), 4, 1, false, RS_CLOCK_COUNTER)
SITE_MARKERS(any, rs_self, thread->n_events, thread->n_groups, false, thread->clock)
SITE_MARKERS(sampled_time, rs_self_near(), 0, 0, true, RS_CLOCK_COUNTER)
SITE_MARKERS(sampled_one, rs_self_near(), 1, 1, true, RS_CLOCK_COUNTER)
SITE_MARKERS(sampled_two, rs_self_near(), 2, 1, true, RS_CLOCK_COUNTER)
SITE_MARKERS(sampled_three, rs_self_near(), 3, 1, true, RS_CLOCK_COUNTER)
SITE_MARKERS(sampled_four, rs_self_near(), 4, 1, true, RS_CLOCK_COUNTER)
SITE_MARKERS(sampled_any, rs_self, thread->n_events, thread->n_groups, true, thread->clock)

/* ---- the same where some regions are left out ---- */

/* Whoever knows by its site that it is of such a region goes home at once: before the thread is
 * looked at, which may be none of ours. A NEXT that leaves one of the two out is the other's
 * marker. */
#define ONLY_MARKERS(name)                                                                     \
	static regionstat_ticket_ begin_##name##_only(struct regionstat_site_ *site)           \
	{                                                                                      \
		return rs_site_is_left_out(site) ? 0 : begin_##name##_at(site, RS_STACK);      \
	}                                                                                      \
	static regionstat_ticket_ begin_##name##_only_at(                                      \
		struct regionstat_site_ *site, uintptr_t stack)                                \
	{                                                                                      \
		return rs_site_is_left_out(site) ? 0 : begin_##name##_at(site, stack);         \
	}                                                                                      \
	static void end_site_##name##_only_at(struct regionstat_site_ *site, uintptr_t stack)  \
	{                                                                                      \
		if (!rs_site_is_left_out(site))                                                \
			end_site_##name##_at(site, stack);                                     \
	}                                                                                      \
	static void end_site_##name##_only(struct regionstat_site_ *site)                      \
	{                                                                                      \
		if (!rs_site_is_left_out(site))                                                \
			end_site_##name##_at(site, RS_STACK);                                  \
	}                                                                                      \
	static void next_##name##_only(                                                        \
		struct regionstat_site_ *ended, struct regionstat_site_ *begun)                \
	{                                                                                      \
		bool begins = !rs_site_is_left_out(begun), ends = !rs_site_is_left_out(ended); \
		if (begins && ends)                                                            \
			next_##name##_at(ended, begun, RS_STACK);                              \
		else if (ends)                                                                 \
			end_site_##name##_at(ended, RS_STACK);                                 \
		else if (begins)                                                               \
			begin_##name##_at(begun, RS_STACK);                                    \
	}

ONLY_MARKERS(time)
ONLY_MARKERS(one)
ONLY_MARKERS(two)
ONLY_MARKERS(three)
ONLY_MARKERS(four)
ONLY_MARKERS(any)
ONLY_MARKERS(sampled_time)
ONLY_MARKERS(sampled_one)
ONLY_MARKERS(sampled_two)
ONLY_MARKERS(sampled_three)
ONLY_MARKERS(sampled_four)
ONLY_MARKERS(sampled_any)

/* ---- tables ---- */

static void work_site(
	struct regionstat_site_ *site, unsigned long long bytes, unsigned long long flops)
{
	rs_work_site(site, bytes, flops);
}

static void work_name(const char *name, unsigned long long bytes, unsigned long long flops)
{
	rs_work_name(name, bytes, flops);
}

#define MARKERS(name, variant)                                                                    \
	{                                                                                         \
		{                                                                                 \
			.abi_ = REGIONSTAT_ABI,                                                   \
			.bytes_ = sizeof(struct rs_adapter_table),                                \
			.begin_ = begin_##variant,                                                \
			.end_ = end_##name,                                                       \
			.next_ = next_##variant,                                                  \
			.end_site_ = end_site_##variant,                                          \
			.start_ = rs_start_##name,                                                \
			.stop_ = rs_stop_##name,                                                  \
			.begin_name_ = rs_begin_name,                                             \
			.end_name_ = rs_end_name,                                                 \
			.next_name_ = rs_next_name,                                               \
			.start_name_ = rs_start_name,                                             \
			.pause_ = rs_pause,                                                       \
			.resume_ = rs_resume,                                                     \
			.work_ = work_site,                                                       \
			.work_name_ = work_name,                                                  \
		},                                                                                \
			.note = rs_adapter_note, .read = rs_adapter_read,                         \
			.locate = rs_adapter_locate, .name_thread = rs_adapter_name_thread,       \
			.begin_at = begin_##variant##_at, .end_site_at = end_site_##variant##_at, \
			.locate_at = rs_adapter_locate_at, .choose = rs_adapter_choose,           \
			.object = rs_object_now,                                                  \
	}
/* All regions' markers, and those where some are left out. */
#define BOTH(name)                                              \
	{                                                       \
		MARKERS(name, name), MARKERS(name, name##_only) \
	}

static const struct rs_adapter_table any[2][2] = {BOTH(any), BOTH(sampled_any)};

const struct rs_adapter_table *rs_markers_any(const struct rs_runtime *runtime)
{
	return any[runtime->samples];
}

void rs_markers_choose(struct rs_runtime *runtime)
{
	/* by whether calls are sampled, the number of events, and whether regions are left out */
	static const struct rs_adapter_table fixed[2][5][2] = {
		{BOTH(time), BOTH(one), BOTH(two), BOTH(three), BOTH(four)},
		{BOTH(sampled_time), BOTH(sampled_one), BOTH(sampled_two), BOTH(sampled_three),
			BOTH(sampled_four)}};
	uint32_t n_events = runtime->shape.n_events;
	bool is_one_group = runtime->shape.n_groups == 1 && rs_group_may_be_mapped(runtime, 0);
	const struct rs_adapter_table *chosen = rs_markers_any(runtime);
	if (rs_self_find_near() && runtime->clock == RS_CLOCK_COUNTER && n_events <= 4 &&
		(!n_events || is_one_group))
		chosen = fixed[runtime->samples][n_events];
	chosen += runtime->n_only > 0;
	runtime->table = &chosen->markers;
}
