/* SPDX-License-Identifier: MIT */
/* Tests of a process's identity: several copies of the runtime in one process, and other processes
 * that look the same to the kernel. */
#include "fixture.h"
#include "runtime/thread/thread.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct fixture fixture;

/* A copy of the runtime in a plugin joins the copy that the program was linked with. */
Test(identity, two_copies_share_one_state)
{
	fixture_start(&fixture, 0);
	void *handle = dlopen(RUNTIME_PATH, RTLD_NOW | RTLD_LOCAL);
	cr_assert_not_null(handle, "%s", dlerror());
	const struct regionstat_table_29_ *(*join)(unsigned int, const char *);
	*(void **)&join = dlsym(handle, "regionstat_join");
	cr_assert_not_null(join);
	const struct regionstat_table_29_ *table = join(REGIONSTAT_ABI, NULL);
	cr_assert_eq(table, regionstat_table_());
	REGIONSTAT_BEGIN("shared");
	table->end_name_("shared");
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "shared"), 1);
	cr_assert_eq(fixture.collection.n_processes, 1);
}

/* A process in another namespace, or one that cannot read /proc, may look like this process. The
 * runtime takes its entry neither for this process's nor for that of an earlier image of this
 * process. */
static void check_that_a_stranger_stays(bool without_proc, uint64_t other_image)
{
	struct rs_identity identity;
	fixture_make(&fixture, 0);
	rs_process_identify(&identity);
	cr_assert_neq(identity.image, 0);
	const struct rs_process stranger = {.state = RS_PROCESS_ALIVE,
		.pid = identity.pid,
		.has_lock = !without_proc,
		.pid_namespace = without_proc ? 0 : identity.pid_namespace + 1,
		.image = identity.image ^ other_image,
		.id = 4711};
	cr_assert_eq(pwrite(fixture.segment.fd, &stranger, sizeof(stranger), RS_PROCESSES_OFFSET),
		sizeof(stranger));
	fixture.segment.header->n_processes = 1;
	fixture_attach(&fixture);
	fixture_call("own", 1);
	struct rs_process entries[2];
	cr_assert_eq(pread(fixture.segment.fd, entries, sizeof(entries), RS_PROCESSES_OFFSET),
		sizeof(entries));
	cr_assert_eq(entries[0].state, RS_PROCESS_ALIVE);
	cr_assert_eq(entries[0].id, 4711);
	cr_assert_eq(entries[1].state, RS_PROCESS_ALIVE);
	cr_assert_eq(entries[1].pid, identity.pid);
	cr_assert_neq(entries[1].id, 0);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_accumulator(&fixture, "own", 0)->process, 1);
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

/* Unknown values must be 0, and not what a failed system call or an old stack frame left. */
static __attribute__((noinline)) void dirty_stack(void)
{
	char stack[32768];
	memset(stack, 0xa5, sizeof(stack));
	__asm__ volatile("" : : "r"(stack) : "memory");
}

static void enter_without_proc(const char *root)
{
	/* A user without root's rights may have them in a user namespace. */
	if (chroot(root) && (unshare(CLONE_NEWUSER) || chroot(root)))
		_exit(77);
	if (prctl(PR_SET_NAME, "nobody"))
		_exit(1);
	dirty_stack();
	regionstat_table_1_ = regionstat_join(REGIONSTAT_ABI, NULL);
	fixture_call("own", 1);
	_exit(regionstat_table_1_ ? 0 : 2);
}

Test(identity, entry_without_proc_holds_what_is_known_and_no_more)
{
	char root[] = "/tmp/regionstat-test-XXXXXX";
	struct rs_process entry;
	int status;
	fixture_make(&fixture, 0);
	cr_assert_not_null(mkdtemp(root));
	pid_t pid = fork();
	if (!pid)
		enter_without_proc(root);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	rmdir(root);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		cr_skip_test("neither root nor allowed a user namespace: /proc stays in sight");
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child ended with %#x", status);
	cr_assert_eq(pread(fixture.segment.fd, &entry, sizeof(entry), RS_PROCESSES_OFFSET),
		sizeof(entry));
	struct rs_process known = {.state = RS_PROCESS_ALIVE,
		.pid = (uint32_t)pid,
		.image = entry.image,
		.name = "nobody",
		.inside_ticks = entry.inside_ticks,
		.setup_ns = entry.setup_ns,
		.id = entry.id};
	cr_assert_neq(entry.image, 0);
	cr_assert_neq(entry.id, 0);
	cr_assert_arr_eq((char *)&entry, (char *)&known, sizeof(entry));
}

/* A child of a process that has ended may get its parent's entry. The parent's handles then name no
 * call of the child, and the parent's calibration is valid in the child. */
Test(identity, a_child_with_its_parents_entry_is_not_its_parent)
{
	fixture_start(&fixture, 0);
	struct regionstat_call handle = regionstat_start("handed on");
	cr_assert_neq(handle.word_[0], 0);
	struct rs_process *entries = mmap(NULL, RS_EXTENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		fixture.segment.fd, (off_t)RS_PROCESSES_OFFSET);
	cr_assert_neq(entries, MAP_FAILED);
	pid_t pid = fork();
	if (!pid) {
		/* The launcher's sweep leaves the entry in this state. */
		atomic_store(&entries[0].state, RS_PROCESS_FREE);
		atomic_store(&fixture.segment.header->n_swept, 1);
		fixture_call("own", 1);
		regionstat_stop(handle);
		_exit(0);
	}
	fixture_wait(pid);
	cr_assert_eq(entries[0].pid, (uint32_t)pid);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "own"), 1);
	cr_assert_eq(fixture_calls(&fixture, "handed on"), 0);
	cr_assert_eq(fixture_diag(&fixture, "handed on", RS_ACCUMULATOR_DIAG_UNMATCHED), 0);
	regionstat_stop(handle);
}

/* Replaces the parent's calibration, which may be less than a tick of a coarse clock. */
#define KNOWN_TICKS 12345

static void mark_in_parent_and_child(void)
{
	fixture_start(&fixture, 0);
	fixture_call("both", 1);
	const uint64_t known = KNOWN_TICKS;
	off_t place = (off_t)(RS_PROCESSES_OFFSET + offsetof(struct rs_process, inside_ticks));
	cr_assert_eq(pwrite(fixture.segment.fd, &known, sizeof(known), place), sizeof(known));
	pid_t pid = fork();
	if (!pid) {
		fixture_call("both", 1);
		_exit(0);
	}
	fixture_wait(pid);
	fixture_collect(&fixture);
	cr_assert_eq(fixture.collection.n_processes, 2);
}

Test(identity, a_child_has_its_parents_calibration)
{
	mark_in_parent_and_child();
	const struct rs_run_process *process = fixture.collection.processes;
	cr_assert_eq(process[0].inside_ns, KNOWN_TICKS);
	cr_assert_eq(process[1].inside_ns, KNOWN_TICKS);
}

Test(identity, a_child_draws_a_name_of_its_own)
{
	mark_in_parent_and_child();
	struct rs_process entries[2];
	cr_assert_eq(pread(fixture.segment.fd, entries, sizeof(entries), RS_PROCESSES_OFFSET),
		sizeof(entries));
	cr_assert_neq(entries[0].id, 0);
	cr_assert_neq(entries[1].id, 0);
	cr_assert_neq(entries[0].id, entries[1].id);
}
