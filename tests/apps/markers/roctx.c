/* SPDX-License-Identifier: MIT */
/*
 * roctx N: a program with ROCTx markers, each kind N times. It prints the functions' results.
 */
#include "roctx.h"

#include "../check.h"

static roctx_range_id_t handed;

static void *stop_it(void *unused)
{
	roctxRangeStop(handed);
	return unused;
}

static void ranges(void)
{
	printf("push %d\n", roctxRangePush("outer"));
	printf("push %d\n", roctxRangePush("inner"));
	roctxMark("mark");
	printf("pop %d\n", roctxRangePop());
	roctx_range_id_t id = roctxRangeStart("range");
	handed = roctxRangeStart("handed");
	printf("id %llu\n", (unsigned long long)id);
	on_thread(stop_it, NULL);
	printf("pop %d\n", roctxRangePop());
	roctxRangeStop(id);
	printf("pop %d\n", roctxRangePop()); /* one too many */
}

static void pauses(void)
{
	roctx_thread_id_t self;
	CHECK(!roctxGetThreadId(&self) && self);
	roctxRangePush("counted");
	roctxRangePop();
	CHECK(!roctxProfilerPause(self)); /* pause one thread only */
	roctxRangePush("counted");
	roctxRangePop();
	CHECK(!roctxProfilerResume(self));
	CHECK(!roctxProfilerPause(0) && !roctxProfilerPause(0));
	roctxRangePush("paused");
	roctxRangePop();
	CHECK(!roctxProfilerResume(0)); /* pauses do not nest */
	roctxRangePush("counted");
	roctxRangePop();
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	roctxNameOsThread("of ROCTx");
	for (int i = 0; i < atoi(argv[1]); i++) {
		ranges();
		pauses();
	}
	roctxRangePush("");
	roctxRangePop();
	return 0;
}
