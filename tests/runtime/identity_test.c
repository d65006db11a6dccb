/* SPDX-License-Identifier: MIT */
/* Which process is which: several copies of the runtime in one, and strangers that look the same. */
#include "fixture.h"
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static struct fixture fixture;

static void call(const char *name)
{
	regionstat_begin(name);
	regionstat_end(name);
}

/* A runtime that a plugin brings along joins the one that the program has linked in. */
Test(identity, two_copies_share_one_state)
{
	fixture_start(&fixture, 0);
	void *handle = dlopen(RUNTIME_PATH, RTLD_NOW | RTLD_LOCAL);
	cr_assert_not_null(handle, "%s", dlerror());
	const struct regionstat_table_12_ *(*join)(unsigned int, const char *);
	*(void **)&join = dlsym(handle, "regionstat_join");
	cr_assert_not_null(join);
	const struct regionstat_table_12_ *table = join(REGIONSTAT_ABI, NULL);
	cr_assert_eq(table, regionstat_table_());
	REGIONSTAT_BEGIN("shared");
	table->end_name("shared");
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "shared"), 1);
	cr_assert_eq(fixture.collection.n_processes, 1);
}

/* What a process of another namespace looks like, or one whose /proc cannot be read: the same in
 * all that the kernel says. It is neither taken for this one nor for what this one was. */
static void check_that_a_stranger_stays(bool without_proc, uint64_t other_image)
{
	struct rs_identity identity;
	fixture_make(&fixture, 0);
	rs_process_identify(&identity);
	cr_assert_neq(identity.image, 0);
	cr_assert_neq(identity.start_time, 0);
	const struct rs_process stranger = {.state = RS_PROCESS_ALIVE,
		.pid = identity.pid,
		.start_time = without_proc ? 0 : identity.start_time,
		.pid_namespace = without_proc ? 0 : identity.pid_namespace + 1,
		.image = identity.image ^ other_image,
		.id = 4711};
	cr_assert_eq(pwrite(fixture.segment.fd, &stranger, sizeof(stranger), RS_PROCESSES_OFFSET),
		sizeof(stranger));
	fixture.segment.header->n_processes = 1;
	fixture_attach(&fixture);
	call("own");
	struct rs_process entries[2];
	cr_assert_eq(pread(fixture.segment.fd, entries, sizeof(entries), RS_PROCESSES_OFFSET),
		sizeof(entries));
	cr_assert_eq(entries[0].state, RS_PROCESS_ALIVE);
	cr_assert_eq(entries[0].id, 4711);
	cr_assert_eq(entries[1].state, RS_PROCESS_ALIVE);
	cr_assert_eq(entries[1].pid, identity.pid);
	cr_assert_neq(entries[1].id, 0);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_cell(&fixture, "own", 0)->process, 1);
}

Test(identity, stranger_of_the_same_pid)
{
	check_that_a_stranger_stays(false, 1);
}

Test(identity, stranger_of_the_same_pid_that_was_forked)
{
	check_that_a_stranger_stays(false, 0);
}

Test(identity, stranger_without_proc)
{
	check_that_a_stranger_stays(true, 1);
}

Test(identity, a_child_draws_a_name_of_its_own)
{
	fixture_start(&fixture, 0);
	call("both");
	pid_t pid = fork();
	if (!pid) {
		call("both");
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	fixture_collect(&fixture);
	cr_assert_eq(fixture.collection.n_processes, 2);
	const struct rs_process_copy *parent = &fixture.collection.processes[0];
	cr_assert_neq(parent[0].id, 0);
	cr_assert_neq(parent[1].id, 0);
	cr_assert_neq(parent[0].id, parent[1].id);
}
