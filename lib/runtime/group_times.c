/*
 * How long a thread's groups were enabled and on the PMU during a call: what a call's counts have
 * to be scaled by, and whether the group counted all of it.
 *
 * By read() the kernel says. In user space it says so only where its page lets times be carried
 * forward to now (cap_user_time, perf_event_open(2)); where it does not, a call during which
 * the page's enabled less running did not change was counted, and lasted as long as the clock says.
 *
 * A pinned group of one type of core is off the PMU only while the thread is on another: it is not
 * wanted then, and its time enabled is that on the PMU. A page would not know it either.
 */
#include "runtime/runtime.h"

/* Nanoseconds from the page's last update to ticks; both from the same page contents. */
static uint64_t ns_since_update(
	const volatile struct perf_event_mmap_page *page, uint64_t time_offset, uint64_t ticks)
{
	uint64_t cycles = ticks;
	if (page->cap_user_time_short) {
		/* nearest to time_cycles: a BEGIN may lie before the update that its END finds */
		uint64_t mask = page->time_mask, apart = (cycles - page->time_cycles) & mask;
		cycles = page->time_cycles + apart - (apart > mask / 2 ? mask + 1 : 0);
	}
	unsigned __int128 product = (unsigned __int128)cycles * page->time_mult;
	return time_offset + (uint64_t)(product >> page->time_shift);
}

/* By read(). */
static bool read_times(const struct rs_group_time *begin, const struct rs_group_time *end,
	struct rs_group_sums *sums)
{
	sums->enabled_ns = end->enabled_ns - begin->enabled_ns;
	sums->running_ns = end->running_ns - begin->running_ns;
	return sums->enabled_ns == sums->running_ns;
}

/* In user space. Times of the clock are without bias, which does not matter here. */
static bool user_times(const struct rs_thread *thread, const struct rs_frame *frame,
	const struct rs_group_time *begin, const struct rs_user_event *leader,
	struct rs_group_sums *sums)
{
	const volatile struct perf_event_mmap_page *page = leader->page;
	uint32_t off = RS_GROUPS_OFF(leader->group);
	bool on_begin = !(frame->groups & off), on_end = !(thread->now_groups & off);
	uint64_t enabled = page->time_enabled, running = page->time_running;
	if (on_begin && on_end && enabled - running == begin->enabled_ns - begin->running_ns) {
		uint64_t ticks = thread->now[0] - frame->values[0];
		sums->stable_ticks = (int64_t)ticks < 0 ? 0 : ticks;
		return true;
	}
	uint64_t enabled_begin = begin->enabled_ns, running_begin = begin->running_ns;
	if (page->cap_user_time && thread->clock == RS_CLOCK_COUNTER) {
		uint64_t bias = thread->bias[0];
		uint64_t ns = ns_since_update(page, begin->offset_ns, frame->values[0] + bias);
		enabled_begin += ns;
		running_begin += on_begin ? ns : 0;
		ns = ns_since_update(page, page->time_offset, thread->now[0] + bias);
		enabled += ns;
		running += on_end ? ns : 0;
	}
	sums->enabled_ns = enabled > enabled_begin ? enabled - enabled_begin : 0;
	sums->running_ns = running > running_begin ? running - running_begin : 0;
	if (!thread->groups[leader->group].has_cpus && sums->running_ns > sums->enabled_ns)
		sums->running_ns = sums->enabled_ns;
	return false;
}

void rs_group_times(struct rs_thread *thread, struct rs_frame *frame, struct rs_group_sums *sums,
	uint32_t *counted)
{
	const struct rs_group_time *begin = rs_frame_times(thread, frame);
	uint32_t good = frame->groups & thread->now_groups;
	*counted = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		sums[g] = (struct rs_group_sums){0};
		if (thread->groups[g].mode != RS_GROUP_READ || !(good & RS_GROUPS_GOOD(g)))
			continue;
		bool all = read_times(&begin[g], &thread->now_times[g], &sums[g]);
		*counted |= (uint32_t)all << g;
	}
	for (uint32_t i = 0; i < thread->n_leaders; i++) {
		const struct rs_user_event *leader = &thread->leaders[i];
		uint32_t g = leader->group;
		if (!(good & RS_GROUPS_GOOD(g)))
			continue;
		bool all = user_times(thread, frame, &begin[g], leader, &sums[g]);
		*counted |= (uint32_t)all << g;
	}
	for (uint32_t g = 0; g < thread->n_groups; g++)
		if (thread->groups[g].has_cpus && thread->groups[g].pinned)
			sums[g].enabled_ns = sums[g].running_ns;
}
