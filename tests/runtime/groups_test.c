/*
 * Several groups of events on a thread, that are read in different ways: pages are filled in as the
 * kernel would, and what calls say of each group is compared with that.
 */
#include "fixture.h"
#include "runtime/runtime.h"

#include <linux/perf_event.h>

static struct fixture fixture;

/* Two groups, one in user space and off the PMU, one by read(): a call that NEXT begins goes by the
 * times of its own group's page. */
Test(groups, next_with_a_group_by_read)
{
	fixture_make(&fixture, 2);
	struct rs_segment_event *events =
		(void *)((char *)fixture.segment.header + RS_EVENTS_OFFSET);
	((struct perf_event_attr *)(void *)events[0].attr)->type = PERF_TYPE_HARDWARE;
	events[1].group = 1;
	fixture.segment.header->n_groups = fixture.n_groups = 2;
	regionstat_table_ = regionstat_attach(REGIONSTAT_ABI);
	cr_assert_not_null(regionstat_table_);
	REGIONSTAT_BEGIN("first");
	REGIONSTAT_END("first");
	struct rs_thread *thread = rs_self;
	struct perf_event_mmap_page *page = rs_sys_mmap(
		NULL, RS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_not_null(page);
	cr_assert_eq(thread->groups[1].mode, RS_GROUP_READ);
	*page = (struct perf_event_mmap_page){.cap_user_rdpmc = 1,
		.pmc_width = 48,
		.lock = 2,
		.time_enabled = 5000000,
		.time_running = 2000000};
	thread->pages[0] = page;
	thread->groups[0].mode = RS_GROUP_USER;
	thread->groups[0].pinned = false;
	rs_counters_list(thread);
	REGIONSTAT_BEGIN("before");
	REGIONSTAT_NEXT("before", "after");
	page->time_enabled += 3000;
	page->lock += 2;
	REGIONSTAT_END("after");
	fixture_collect(&fixture);
	const struct rs_group_sums *group = &fixture_cell(&fixture, "after", 0)->groups[0];
	cr_expect_eq(group->counted, 0);
	cr_expect_eq(group->enabled_ns, 3000, "%lu", group->enabled_ns);
	cr_expect_eq(group->running_ns, 0, "%lu", group->running_ns);
	cr_expect_eq(fixture_cell(&fixture, "after", 0)->groups[1].counted, 1);
}
