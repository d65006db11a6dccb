/* SPDX-License-Identifier: MIT */
/* Tests of processes: forks inside and outside of regions, versions that do not match, and
 * descriptors that the program closes. */
#include "fixture.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fixture fixture;

static void *call_both(void *unused)
{
	fixture_call("both", 3);
	return unused;
}

/* Another thread of the child marks first. The thread that forked still has the parent's state. */
Test(processes, another_thread_of_the_child_marks_first)
{
	fixture_start(&fixture, 2);
	fixture_call("both", 10);
	REGIONSTAT_BEGIN("around");
	pid_t pid = fork();
	if (!pid) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, call_both, NULL) || pthread_join(thread, NULL))
			_exit(1);
		fixture_call("both", 5);
		REGIONSTAT_END("around");
		_exit(0);
	}
	fixture_wait(pid);
	fixture_call("both", 1);
	REGIONSTAT_END("around");
	fixture_collect(&fixture);
	cr_assert_eq(fixture_accumulator(&fixture, "both", 0)->measured, 11);
	cr_assert_eq(fixture_calls(&fixture, "both"), 19);
	cr_assert_eq(fixture_calls(&fixture, "around"), 1);
	cr_assert_eq(fixture_diag(&fixture, "around", RS_ACCUMULATOR_DIAG_UNMATCHED), 0);
	cr_assert_eq(fixture.collection.n_processes, 2);
}

/* The forked thread pauses before it marks. */
Test(processes, child_pauses_first)
{
	fixture_start(&fixture, 2);
	fixture_call("both", 10);
	pid_t pid = fork();
	if (!pid) {
		REGIONSTAT_RESUME();
		fixture_call("both", 5);
		_exit(0);
	}
	fixture_wait(pid);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_accumulator(&fixture, "both", 0)->measured, 10);
	cr_assert_eq(fixture_calls(&fixture, "both"), 15);
}

/* The child does not have memory mapped that the parent maps after the fork. */
Test(processes, parent_takes_memory_before_the_child_marks)
{
	int marked[2];
	fixture_start(&fixture, 1);
	fixture_call("both", 10);
	cr_assert_eq(pipe(marked), 0);
	pid_t pid = fork();
	if (!pid) {
		char byte;
		close(marked[1]);
		if (read(marked[0], &byte, 1) != 0)
			_exit(1);
		fixture_call("both", 5);
		_exit(0);
	}
	fixture_call_each("region", 200); /* So many that new extents are needed. */
	close(marked[1]);
	fixture_wait(pid);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "both"), 15);
	cr_assert_eq(fixture_calls(&fixture, "region 199"), 1);
}

static __attribute__((noinline)) void begin_deeper(void)
{
	REGIONSTAT_BEGIN("around");
}

/* A fork during a skipped call: its END in the child belongs to the parent's call. */
Test(processes, forked_inside_a_skipped_call)
{
	fixture_start_hardware(&fixture, 1, 1000);
	CALL_ONCE("first");
	/* Whatever the first random number, at least one of two calls is skipped. */
	rs_self->random = 999;
	REGIONSTAT_BEGIN("around");
	begin_deeper(); /* Recursive calls: the inner ENDs belong to the parent's calls as well. */
	pid_t pid = fork();
	if (!pid) {
		REGIONSTAT_END("around");
		fixture_call("around", 2);
		REGIONSTAT_END("around");
		_exit(0);
	}
	fixture_wait(pid);
	REGIONSTAT_END("around");
	REGIONSTAT_END("around");
	fixture_collect(&fixture);
	cr_assert_eq(fixture_diag(&fixture, "around", RS_ACCUMULATOR_DIAG_UNMATCHED), 0);
	cr_assert_eq(fixture_diag(&fixture, "around", RS_ACCUMULATOR_DIAG_RECURSIVE), 1);
	const struct rs_result *parents = fixture_accumulator(&fixture, "around", 0);
	const struct rs_result *childs = fixture_accumulator(&fixture, "around", 1);
	cr_assert_eq(parents->calls, 2);
	cr_assert_not_null(childs);
	cr_assert_eq(childs->calls, 2);
}

/* A child without a process entry is not measured. Its memory still contains the parent's state, to
 * which it must write nothing. */
Test(processes, child_without_an_entry_is_not_measured)
{
	fixture_start(&fixture, 1);
	fixture_call("both", 10);
	REGIONSTAT_BEGIN("around");
	atomic_store(&fixture.segment.header->n_processes, RS_MAX_PROCESSES);
	pid_t pid = fork();
	if (!pid) {
		fixture_call("both", 5);
		REGIONSTAT_END("around");
		REGIONSTAT_PAUSE();
		REGIONSTAT_RESUME();
		_exit(0);
	}
	fixture_wait(pid);
	atomic_store(&fixture.segment.header->n_processes, 1);
	REGIONSTAT_END("around");
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "both"), 10);
	cr_assert_eq(fixture_calls(&fixture, "around"), 1);
	cr_assert_eq(fixture_diag(&fixture, "around", RS_ACCUMULATOR_DIAG_UNMATCHED), 0);
	cr_assert_eq(fixture.collection.diag[RS_SEGMENT_DIAG_PROCESSES], 1);
}

Test(processes, header_of_another_abi_is_refused)
{
	fixture_make(&fixture, 0);
	cr_assert_null(regionstat_join(REGIONSTAT_ABI + 1, NULL));
	const char *reason = fixture.segment.header->load_error;
	cr_assert_not_null(strstr(reason, "marker header is of ABI 2"), "%s", reason);
	cr_assert_not_null(strstr(reason, "runtime of ABI 1"), "%s", reason);
}

Test(processes, launcher_of_another_abi_is_refused)
{
	fixture_make(&fixture, 0);
	char text[96], other[128];
	rs_segment_env(&fixture.segment, text);
	snprintf(other, sizeof(other), "1234%s", strchr(text, ':'));
	setenv(RS_SEGMENT_ENV, other, 1);
	cr_assert_null(regionstat_join(REGIONSTAT_ABI, NULL));
	const char *reason = fixture.segment.header->load_error;
	cr_assert_not_null(strstr(reason, "command is of ABI 1234"), "%s", reason);
}

/* Markers stay off if the descriptor is another file by now, or the nonce is that of another
 * run. */
Test(processes, stale_addresses_are_refused)
{
	fixture_make(&fixture, 0);
	char text[96];
	rs_segment_env(&fixture.segment, text);
	const char *stale[] = {"", ":", "1", "1:0:1:0", "1:100:1:zz", "nonsense",
		"1:99999999999999999999:1:0", "1:-1:1:0000000000000000", "1:3:0:00000000000000000"};
	for (size_t i = 0; i < sizeof(stale) / sizeof(stale[0]); i++) {
		setenv(RS_SEGMENT_ENV, stale[i], 1);
		cr_assert_null(regionstat_join(REGIONSTAT_ABI, NULL), "%s", stale[i]);
	}
	char *nonce = strrchr(text, ':') + 1;
	*nonce = *nonce == '0' ? '1' : '0';
	setenv(RS_SEGMENT_ENV, text, 1);
	cr_assert_null(regionstat_join(REGIONSTAT_ABI, NULL));
	unsetenv(RS_SEGMENT_ENV);
	cr_assert_null(regionstat_join(REGIONSTAT_ABI, NULL));
}

/* A child without memory for its process entry takes none. */
Test(processes, without_memory_for_an_entry)
{
	enum { N_PER_EXTENT = RS_EXTENT_BYTES / sizeof(struct rs_process) };
	fixture_start(&fixture, 0);
	fixture_call("parent", 3);
	fixture.segment.header->n_processes = N_PER_EXTENT;
	for (int i = 0; i < 4; i++) {
		pid_t pid = fork();
		if (!pid) {
			if (i < 3)
				rs_state->window_bytes = RS_PROCESSES_OFFSET + RS_EXTENT_BYTES;
			fixture_call("child", 3);
			_exit(0);
		}
		fixture_wait(pid);
		cr_assert_eq(fixture.segment.header->n_processes, N_PER_EXTENT + (i == 3));
	}
	fixture_collect(&fixture);
	cr_assert_eq(fixture.collection.diag[RS_SEGMENT_DIAG_PROCESSES], 3);
	cr_assert_eq(fixture_calls(&fixture, "child"), 3);
}

/* The program closes all descriptors, also the runtime's, and opens files that get the same
 * numbers. The runtime finds the segment again, and does not touch the files. */
Test(processes, descriptors_closed_and_reused)
{
	fixture_start(&fixture, 2);
	fixture_call("before", 3);
	/* The launcher keeps the segment open, so a forked child is the program here. */
	pid_t pid = fork();
	if (!pid) {
		char path[] = "/tmp/regionstat-test-XXXXXX";
		char content[4096];
		bool taken[4096] = {false};
		fixture_call("child", 3);
		int file = mkstemp(path);
		unlink(path);
		if (write(file, "content", 7) != 7)
			_exit(1);
		for (int fd = 3; fd < 4096; fd++)
			if (fd != file && fcntl(fd, F_GETFD) >= 0)
				taken[fd] = dup2(file, fd) == fd;
		fixture_call("child", 3);
		fixture_call_each("region", 200); /* So many that new extents are needed. */
		lseek(file, 0, SEEK_SET);
		if (read(file, content, sizeof(content)) != 7 || memcmp(content, "content", 7))
			_exit(2);
		for (int fd = 3; fd < 4096; fd++)
			if (taken[fd] && fcntl(fd, F_GETFD) < 0)
				_exit(3);
		_exit(0);
	}
	fixture_wait(pid);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "child"), 6);
	cr_assert_eq(fixture_calls(&fixture, "region 199"), 1);
	cr_assert_geq(fixture_process_diag(&fixture, RS_PROCESS_DIAG_READ), 1);
}

/* A pinned group that lost its counter returns end of file. So does an empty file of the program
 * that has the number of the group's descriptor. The runtime must not close that file. */
Test(processes, file_with_the_number_of_a_pinned_group)
{
	fixture_make(&fixture, 1);
	struct rs_segment_event *event =
		(void *)((char *)fixture.segment.header + RS_EVENTS_OFFSET);
	((struct perf_event_attr *)(void *)event->attr)->pinned = 1;
	regionstat_table_1_ = regionstat_join(REGIONSTAT_ABI, NULL);
	cr_assert_not_null(regionstat_table_());
	pid_t pid = fork();
	if (!pid) {
		bool taken[4096] = {false};
		fixture_call("child", 3);
		int file = open("/dev/null", O_RDONLY);
		for (int fd = 3; fd < 4096; fd++)
			if (fd != file && fcntl(fd, F_GETFD) >= 0)
				taken[fd] = dup2(file, fd) == fd;
		fixture_call("child", 3);
		for (int fd = 3; fd < 4096; fd++)
			if (taken[fd] && fcntl(fd, F_GETFD) < 0)
				_exit(1);
		_exit(0);
	}
	fixture_wait(pid);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "child"), 6);
	cr_assert_eq(fixture_process_diag(&fixture, RS_PROCESS_DIAG_REOPENED), 0);
	cr_assert_eq(fixture_process_diag(&fixture, RS_PROCESS_DIAG_READ), 1);
}
