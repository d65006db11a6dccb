/* SPDX-License-Identifier: MIT */
/* A simulated PMU, see simulated_pmu.h. */
#include "simulated_pmu.h"

#include <string.h>
#include <sys/ucontext.h>
#include <ucontext.h>

struct simulated_pmu simulated_pmu;

static uint64_t mask(void)
{
	return simulated_pmu.width < 64 ? (UINT64_C(1) << simulated_pmu.width) - 1 : UINT64_MAX;
}

/* The kernel starts a counter at a negative number: set the highest bit. */
static uint64_t started(uint64_t counter)
{
	return (counter & mask()) | (mask() / 2 + 1);
}

static uint64_t sign_extended(uint64_t counter)
{
	uint32_t shift = 64 - simulated_pmu.width;
	return (uint64_t)((int64_t)(counter << shift) >> shift);
}

void simulated_pmu_count(uint64_t n)
{
	for (uint32_t i = 0; i < 2 * SIMULATED_MAX_EVENTS; i++)
		simulated_pmu.counters[i] = (simulated_pmu.counters[i] + n) & mask();
}

#if defined(__x86_64__)
/* Emulate rdpmc (0f 33): copy counter ECX to EDX:EAX. Any other fault is a bug of the test. */
static void on_fault(int number, siginfo_t *info, void *data)
{
	greg_t *registers = ((ucontext_t *)data)->uc_mcontext.gregs;
	const uint8_t *instruction = (const uint8_t *)registers[REG_RIP];
	struct simulated_pmu *pmu = &simulated_pmu;
	uint32_t index = (uint32_t)registers[REG_RCX];
	(void)info;
	if (instruction[0] != 0x0f || instruction[1] != 0x33 || index >= 2 * SIMULATED_MAX_EVENTS) {
		signal(number, SIG_DFL);
		return;
	}
	uint64_t value = pmu->counters[index];
	if (pmu->is_wide && value >> (pmu->width - 1))
		value |= ~mask(); /* When the counter wraps, these bits become 0, too. */
	registers[REG_RAX] = (greg_t)(uint32_t)value;
	registers[REG_RDX] = (greg_t)(value >> 32);
	registers[REG_RIP] += 2;
	pmu->n_reads++;
	simulated_pmu_count(SIMULATED_READ_COST);
	if (pmu->on_read)
		pmu->on_read(pmu);
}

static void trap_rdpmc(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	cr_assert_eq(sigaction(SIGSEGV, &action, NULL), 0);
}
#else
static void trap_rdpmc(void)
{
	cr_skip_test("only x86-64's rdpmc can be trapped and emulated");
}
#endif

/* Change a page as the kernel's perf_event_update_userpage() does: increase the lock before and
 * after the change. */
void simulated_pmu_move(uint32_t event, uint32_t index, uint64_t counter)
{
	struct perf_event_mmap_page *page = simulated_pmu.pages[event];
	uint64_t count = (uint64_t)page->offset;
	page->lock++;
	if (page->index)
		count += sign_extended(simulated_pmu.counters[page->index - 1]);
	if (index) {
		simulated_pmu.counters[index - 1] = started(counter);
		count -= sign_extended(started(counter));
	}
	page->index = index;
	page->offset = (int64_t)count;
	page->lock++;
}

void simulated_pmu_set_times(uint64_t enabled_ns, uint64_t running_ns)
{
	for (uint32_t e = 0; e < simulated_pmu.n_events; e++) {
		struct perf_event_mmap_page *page = simulated_pmu.pages[e];
		page->lock++;
		page->time_enabled = enabled_ns;
		page->time_running = running_ns;
		page->lock++;
	}
}

void simulated_pmu_touch(void)
{
	for (uint32_t e = 0; e < simulated_pmu.n_events; e++)
		simulated_pmu.pages[e]->lock += 2;
}

static bool rdpmc_is_allowed_to_all(void)
{
	char text[8];
	return rs_sys_read_file("/sys/bus/event_source/devices/cpu/rdpmc", text, sizeof(text)) &&
	       text[0] == '2';
}

/* Replace the pages that the thread has opened. The runtime unmaps these like its own. */
static void install_pages(struct rs_thread *thread)
{
	struct simulated_pmu *pmu = &simulated_pmu;
	rs_counters_close(thread);
	for (uint32_t e = 0; e < pmu->n_events; e++) {
		struct perf_event_mmap_page *page = rs_sys_mmap(NULL, RS_PAGE_BYTES,
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		cr_assert_not_null(page);
		page->cap_user_rdpmc = 1;
		page->pmc_width = (uint16_t)pmu->width;
		page->index = 1 + e;
		page->offset = 1000; /* A count from before. */
		pmu->pages[e] = page;
		thread->counters.pages[e] = page;
		atomic_fetch_add_explicit(&thread->runtime->live->n_pages, 1, memory_order_relaxed);
	}
	thread->counters.groups[0].mode = RS_GROUP_USER;
	thread->counters.groups[0].pinned = false;
	rs_counters_list(thread);
}

static void start(struct fixture *fixture, uint32_t n_events, uint32_t width, uint64_t counter,
	uint32_t sample_calls)
{
	struct simulated_pmu *pmu = &simulated_pmu;
	if (rdpmc_is_allowed_to_all())
		cr_skip_test("rdpmc does not fault here: the cpu's attribute rdpmc is 2");
	trap_rdpmc();
	*pmu = (struct simulated_pmu){.n_events = n_events, .width = width};
	for (uint32_t i = 0; i < 2 * SIMULATED_MAX_EVENTS; i++)
		pmu->counters[i] = started(counter);
	fixture_start_hardware(fixture, n_events, sample_calls);
	CALL_ONCE("first");
	struct rs_thread *thread = rs_self;
	cr_assert_not_null(thread);
	install_pages(thread);
	memset(thread->runtime->cost, 0, sizeof(thread->runtime->cost));
	rs_calibrate(thread);
}

void simulated_pmu_start(
	struct fixture *fixture, uint32_t n_events, uint32_t width, uint64_t counter)
{
	start(fixture, n_events, width, counter, 1);
}

void simulated_pmu_start_sampled(struct fixture *fixture, uint32_t n_events, uint32_t sample_calls)
{
	start(fixture, n_events, 48, 1, sample_calls);
}
