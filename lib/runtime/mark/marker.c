/*
 * The markers: what the table holds that the program's markers call. For the usual numbers of
 * events they are compiled apart, so that the plain path (marker.h) is straight.
 *
 * A marker that has to start over is called again by a cold function, with a tail call in both
 * directions: nothing has to be kept across a call, so the plain path saves no registers, and the
 * marker's stack address and caller stay what they were. Where compilers make no tail calls, they
 * are kept in the thread.
 */
#include "runtime/mark/marker.h"

struct rs_thread rs_unseen = {.busy = UINTPTR_MAX};
__attribute__((used)) __thread struct rs_thread *rs_self = &rs_unseen;
#ifdef RS_TLS_PLACE
intptr_t rs_self_distance;
#endif

/* Where a marker was called: the caller's own stack, so inlined here. */
#define STACK ((uintptr_t)__builtin_dwarf_cfa())
#define CALLER RS_RETURN_ADDRESS

#if defined(__OPTIMIZE__) && !defined(RS_HAS_SANITIZER) && !defined(RS_NO_TAIL_CALLS)
#define HAS_TAIL_CALLS true
#else
#define HAS_TAIL_CALLS false
#endif

/* What a BEGIN is called with. */
RS_INLINE struct rs_begin begin_here(const struct rs_thread *thread, uint64_t mark,
	const struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller)
{
	bool again = !HAS_TAIL_CALLS && thread->again_stack;
	return (struct rs_begin){.region = rs_marked_region(thread, mark),
		.site = site,
		.stack = again ? thread->again_stack : stack,
		.caller = again ? thread->again_caller : caller};
}

/* Remember where a marker was called, before it is called again, and perhaps again within that. */
static void keep_place(struct rs_thread *thread, uintptr_t stack, uintptr_t caller)
{
	if (!HAS_TAIL_CALLS && !thread->again_stack) {
		thread->again_stack = stack;
		thread->again_caller = caller;
	}
}

static void forget_place(struct rs_thread *thread)
{
	if (!HAS_TAIL_CALLS)
		thread->again_stack = 0;
}

/* ---- starting over ---- */

static void begin_again(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller)
{
	keep_place(thread, stack, caller);
	thread->runtime->table->begin(site);
	forget_place(thread);
}

static void next_again(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack, uintptr_t caller)
{
	keep_place(thread, stack, caller);
	thread->runtime->table->next(ended, begun);
	forget_place(thread);
}

/* A thread that cannot mark at once. */
static RS_COLD void begin_admitted(struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller)
{
	if (rs_thread_admit(stack))
		begin_again(rs_self, site, stack, caller);
}

static RS_COLD void end_admitted(struct regionstat_site_ *site, uintptr_t stack)
{
	if (rs_thread_admit(stack))
		rs_self->runtime->table->end(site);
}

static RS_COLD void next_admitted(struct regionstat_site_ *ended, struct regionstat_site_ *begun,
	uintptr_t stack, uintptr_t caller)
{
	if (rs_thread_admit(stack))
		next_again(rs_self, ended, begun, stack, caller);
}

/* First marker of a site. An END's region is still open and must not pay for it; a BEGIN with no
 * call around it has nobody to pay. */
static RS_COLD void resolve(
	struct rs_thread *thread, struct regionstat_site_ *site, enum rs_slow_kind kind)
{
	bool is_charged = kind != RS_SLOW_RESOLVE_BEGIN || thread->top != thread->first;
	if (is_charged)
		rs_slow_begin(thread);
	uint32_t index = rs_region_index(thread->runtime, site->name);
	__atomic_store_n(&site->region, rs_region_mark(index), __ATOMIC_RELAXED);
	if (is_charged)
		rs_slow_end(thread, kind);
	rs_leave(thread);
}

static RS_COLD void begin_resolved(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller)
{
	resolve(thread, site, RS_SLOW_RESOLVE_BEGIN);
	begin_again(thread, site, stack, caller);
}

static RS_COLD void end_resolved(struct rs_thread *thread, struct regionstat_site_ *site)
{
	resolve(thread, site, RS_SLOW_RESOLVE_END);
	thread->runtime->table->end(site);
}

static RS_COLD void next_resolved(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack, uintptr_t caller)
{
	if (!rs_site_mark(ended))
		resolve(thread, ended, RS_SLOW_RESOLVE_ENDED);
	else
		resolve(thread, begun, RS_SLOW_RESOLVE_BEGUN);
	next_again(thread, ended, begun, stack, caller);
}

/* A marker with another outcome than done. */
static __attribute__((noinline)) void begin_otherwise(struct rs_thread *thread,
	struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller, enum rs_outcome outcome)
{
	struct rs_begin begin = begin_here(thread, rs_site_mark(site), site, stack, caller);
	if (rs_begin_otherwise(thread, begin, outcome))
		begin_again(thread, site, stack, caller);
}

/* The topmost call, whose snapshot is there: that does not start over, so the plain path need not
 * keep the site. */
static __attribute__((noinline)) void end_other(struct rs_thread *thread)
{
	struct rs_frame *frame = rs_frame_above(thread, thread->top, -1);
	rs_end_otherwise(thread, rs_frame_region(frame), RS_OUTCOME_OTHER);
}

static __attribute__((noinline)) void end_otherwise(
	struct rs_thread *thread, struct regionstat_site_ *site, enum rs_outcome outcome)
{
	struct rs_thread_region *region = rs_marked_region(thread, rs_site_mark(site));
	if (rs_end_otherwise(thread, region, outcome))
		thread->runtime->table->end(site);
}

static RS_COLD void next_otherwise(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack, uintptr_t caller, enum rs_outcome outcome)
{
	struct rs_thread_region *region = rs_marked_region(thread, rs_site_mark(ended));
	struct rs_begin begin = begin_here(thread, rs_site_mark(begun), begun, stack, caller);
	if (rs_next_otherwise(thread, region, begin, outcome))
		next_again(thread, ended, begun, stack, caller);
}

/* ---- the markers of sites ---- */

#define APART static __attribute__((noinline))

/* For a way to the calling thread, a number of events and groups, and a clock: constants, so that
 * what follows from them is straight, or the thread's own. finish: a function apart where an END
 * may have less to do, which is not to save registers for it then. */
#define SITE_MARKERS(name, self, n_events, n_groups, samples, clock, finish)                    \
	static void begin_##name(struct regionstat_site_ *site)                                 \
	{                                                                                       \
		uintptr_t stack = STACK;                                                        \
		__asm__("" : "+r"(stack)); /* worked out once */                                \
		struct rs_thread *thread = rs_enter(self, stack);                               \
		if (RS_UNLIKELY(!thread)) {                                                     \
			begin_admitted(site, stack, CALLER);                                    \
			return;                                                                 \
		}                                                                               \
		uint64_t mark = rs_site_mark(site);                                             \
		if (RS_UNLIKELY(!mark)) {                                                       \
			begin_resolved(thread, site, stack, CALLER);                            \
			return;                                                                 \
		}                                                                               \
		enum rs_outcome outcome = rs_begin_region(thread,                               \
			begin_here(thread, mark, site, stack, CALLER), n_events, n_groups,      \
			samples, clock);                                                        \
		if (RS_UNLIKELY(outcome))                                                       \
			begin_otherwise(thread, site, stack, CALLER, outcome);                  \
	}                                                                                       \
	finish void finish_##name(struct rs_thread *thread, struct regionstat_site_ *site,      \
		struct rs_thread_region *region)                                                \
	{                                                                                       \
		enum rs_outcome outcome = rs_end_region(                                        \
			thread, region, n_events, n_groups, samples, clock);                    \
		if (RS_UNLIKELY(outcome == RS_OUTCOME_OTHER))                                   \
			end_other(thread);                                                      \
		else if (RS_UNLIKELY(outcome))                                                  \
			end_otherwise(thread, site, outcome);                                   \
	}                                                                                       \
	static void end_##name(struct regionstat_site_ *site)                                   \
	{                                                                                       \
		struct rs_thread *thread = rs_enter(self, STACK);                               \
		if (RS_UNLIKELY(!thread)) {                                                     \
			end_admitted(site, STACK);                                              \
			return;                                                                 \
		}                                                                               \
		uint64_t mark = rs_site_mark(site);                                             \
		if (RS_UNLIKELY(!mark)) {                                                       \
			end_resolved(thread, site);                                             \
			return;                                                                 \
		}                                                                               \
		struct rs_thread_region *region = rs_marked_region(thread, mark);               \
		if (!samples || !rs_skip_end(thread, region, n_events, n_groups))               \
			finish_##name(thread, site, region);                                    \
	}                                                                                       \
	static void next_##name(struct regionstat_site_ *ended, struct regionstat_site_ *begun) \
	{                                                                                       \
		struct rs_thread *thread = rs_enter(self, STACK);                               \
		if (RS_UNLIKELY(!thread)) {                                                     \
			next_admitted(ended, begun, STACK, CALLER);                             \
			return;                                                                 \
		}                                                                               \
		uint64_t old = rs_site_mark(ended), new = rs_site_mark(begun);                  \
		if (RS_UNLIKELY(!old) || RS_UNLIKELY(!new)) {                                   \
			next_resolved(thread, ended, begun, STACK, CALLER);                     \
			return;                                                                 \
		}                                                                               \
		struct rs_thread_region *region = rs_marked_region(thread, old);                \
		/* a call that was left out has no use for a snapshot: just a BEGIN, then */    \
		if (samples && rs_skip_end(thread, region, n_events, n_groups)) {               \
			begin_again(thread, begun, STACK, CALLER);                              \
			return;                                                                 \
		}                                                                               \
		enum rs_outcome outcome = rs_next_region(thread, region,                        \
			begin_here(thread, new, begun, STACK, CALLER), n_events, n_groups,      \
			samples, clock);                                                        \
		if (RS_UNLIKELY(outcome))                                                       \
			next_otherwise(thread, ended, begun, STACK, CALLER, outcome);           \
	}

SITE_MARKERS(time, rs_self_near(), 0, 0, false, RS_CLOCK_COUNTER, RS_INLINE)
SITE_MARKERS(two, rs_self_near(), 2, 1, false, RS_CLOCK_COUNTER, RS_INLINE)
SITE_MARKERS(three, rs_self_near(), 3, 1, false, RS_CLOCK_COUNTER, RS_INLINE)
SITE_MARKERS(four, rs_self_near(), 4, 1, false, RS_CLOCK_COUNTER, RS_INLINE)
SITE_MARKERS(any, rs_self, thread->n_events, thread->n_groups, false, thread->clock, RS_INLINE)
SITE_MARKERS(sampled_time, rs_self_near(), 0, 0, true, RS_CLOCK_COUNTER, APART)
SITE_MARKERS(sampled_two, rs_self_near(), 2, 1, true, RS_CLOCK_COUNTER, APART)
SITE_MARKERS(sampled_four, rs_self_near(), 4, 1, true, RS_CLOCK_COUNTER, APART)
SITE_MARKERS(sampled_any, rs_self, thread->n_events, thread->n_groups, true, thread->clock, APART)

/* ---- the markers of names ---- */

static struct rs_thread *enter_name(uintptr_t stack)
{
	struct rs_thread *thread;
	while (!(thread = rs_enter(rs_self, stack)))
		if (!rs_thread_admit(stack))
			return NULL;
	return thread;
}

/* The region of a name made at run time. At first sight no region is to pay for the look-up. */
static struct rs_thread_region *named_region(struct rs_thread *thread, const char *name)
{
	uint32_t index;
	if (RS_UNLIKELY(!rs_region_find(thread->runtime, name, &index))) {
		rs_slow_begin(thread);
		index = rs_region_index(thread->runtime, name);
		rs_slow_end(thread, RS_SLOW_RESOLVE_BEGIN);
	}
	return &thread->regions[index];
}

static void begin_name(const char *name)
{
	struct rs_thread *thread = enter_name(STACK);
	if (RS_UNLIKELY(!thread))
		return;
	rs_begin_whole(thread, (struct rs_begin){named_region(thread, name), NULL, STACK, CALLER});
}

/* Looking up a name takes as long as the name is: not inside the region, unless sampling has to
 * know first whether this END is measured. */
static void end_name(const char *name)
{
	struct rs_thread *thread = enter_name(STACK);
	if (RS_UNLIKELY(!thread))
		return;
	bool samples = thread->runtime->samples;
	if (!samples)
		rs_take_end(thread);
	rs_end_whole(thread, named_region(thread, name), !samples);
	rs_leave(thread);
}

static void next_name(const char *ended, const char *begun)
{
	struct rs_thread *thread = enter_name(STACK);
	if (RS_UNLIKELY(!thread))
		return;
	struct rs_thread_region *region = named_region(thread, ended);
	struct rs_begin begin = {named_region(thread, begun), NULL, STACK, CALLER};
	bool samples = thread->runtime->samples; /* only then has every frame a weight */
	for (;;) {
		enum rs_outcome outcome = rs_next_region(thread, region, begin, thread->n_events,
			thread->n_groups, samples, thread->clock);
		if (outcome == RS_OUTCOME_DONE ||
			!rs_next_otherwise(thread, region, begin, outcome))
			return;
		thread->busy = begin.stack;
	}
}

/* ---- tables ---- */

#define TABLE(name)                                                                     \
	{                                                                               \
		.abi = REGIONSTAT_ABI, .bytes = sizeof(struct regionstat_table_),       \
		.begin = begin_##name, .end = end_##name, .next = next_##name,          \
		.begin_name = begin_name, .end_name = end_name, .next_name = next_name, \
		.pause = rs_pause, .resume = rs_resume,                                 \
	}

const struct regionstat_table_ *rs_markers(const struct rs_runtime *runtime)
{
	static const struct regionstat_table_ time = TABLE(time), two = TABLE(two),
					      three = TABLE(three), four = TABLE(four),
					      any = TABLE(any), sampled_time = TABLE(sampled_time),
					      sampled_two = TABLE(sampled_two),
					      sampled_four = TABLE(sampled_four),
					      sampled_any = TABLE(sampled_any);
	/* by whether calls are sampled, and the number of events */
	static const struct regionstat_table_ *const tables[2][5] = {
		{&time, &any, &two, &three, &four},
		{&sampled_time, &sampled_any, &sampled_two, &sampled_any, &sampled_four}};
	uint32_t n_events = runtime->shape.n_events;
	bool is_one_group = runtime->shape.n_groups == 1 && rs_counters_may_be_mapped(runtime, 0);
	if (!rs_self_find_near() || runtime->clock != RS_CLOCK_COUNTER ||
		(n_events && !is_one_group) || n_events > 4)
		return runtime->samples ? &sampled_any : &any;
	return tables[runtime->samples][n_events];
}
