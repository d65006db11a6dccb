/* SPDX-License-Identifier: MIT */
/*
 * A plugin of QEMU's user mode, which runs victim.c for step.c. QEMU calls it before each
 * instruction and at each store. If the program has stored to the segment, it waits for step before
 * the next instruction. It also waits before the instruction at which a signal is due, and after
 * each iteration.
 *
 * Debian has no header for plugins. These are the declarations of the interface's version 1.
 */
#include <dlfcn.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "segment/layout.h"
#include "steps.h"

#define EXPORTED __attribute__((visibility("default")))
#define CALLBACK_READS_NO_REGISTERS 0
#define AT_STORES 2

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info {
	const char *target_name; /* others follow */
};
extern EXPORTED int qemu_plugin_version;
int EXPORTED qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_tb_trans_cb(
	uint64_t id, void (*call)(uint64_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
	void (*call)(unsigned cpu, void *data), int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
	void (*call)(unsigned cpu, uint32_t info, uint64_t address, void *data), int flags,
	int when, void *data);
bool qemu_plugin_mem_is_store(uint32_t info);
void qemu_plugin_register_vcpu_syscall_cb(
	uint64_t id, void (*call)(uint64_t id, unsigned cpu, int64_t number, uint64_t, uint64_t,
			     uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));
void qemu_plugin_register_vcpu_syscall_ret_cb(
	uint64_t id, void (*call)(uint64_t id, unsigned cpu, int64_t number, int64_t result));

int qemu_plugin_version = 1;

/* Numbers of system calls of the program's architecture. arm64 has no fork. */
static const struct calls {
	const char *architecture;
	int64_t read, mmap, madvise, clone, fork, exit, exit_group;
} architectures[] = {
	{"x86_64", 0, 9, 28, 56, 57, 60, 231}, {"aarch64", 63, 222, 233, 220, -1, 93, 94}};

static const struct calls *calls;
static struct steps_truth *truth;
static int control;
static bool is_child; /* This is a child that a handler has forked. */
static bool has_stored;
static uint64_t since_armed; /* instructions of this iteration so far */
static uint64_t segment_begin = UINT64_MAX, segment_end; /* addresses of its mapped parts */
static __thread uint64_t mapped_bytes; /* of the mapping that is being made */
static __thread bool makes_thread;
static sem_t thread_ended;

/* Newer versions of QEMU refuse version 1, and have a function that older ones do not have. */
static void __attribute__((constructor)) choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_read_register"))
		qemu_plugin_version = 2;
}

static void wait_for_step(enum steps_event event, uint64_t place)
{
	char byte = (char)event;
	truth->place = place;
	if (write(control, &byte, 1) != 1 || read(control, &byte, 1) != 1)
		_exit(4);
}

/* Return true if no iteration has come to this place yet, and it is one that gets a signal. */
static bool is_new(uint64_t place)
{
	uint64_t *entry, i = place;
	while (*(entry = &truth->places[i++ % STEPS_MOST_PLACES]))
		if (*entry == place)
			return false;
	*entry = place;
	return truth->n_places++ % truth->signal_stride == 0;
}

static void before_instruction(unsigned cpu, void *data)
{
	uint64_t place = (uintptr_t)data;
	(void)cpu;
	if (!truth->is_ready || is_child)
		return;
	if (truth->n_steps++ == 0)
		wait_for_step(STEPS_EVENT_READY, place);
	if (has_stored && truth->is_watched)
		wait_for_step(STEPS_EVENT_STORED, place);
	has_stored = false;
	if (truth->is_armed == 1) {
		const uint64_t due = truth->signal_place, n = since_armed++;
		if (due == STEPS_NEW_PLACE ? !is_new(place) : n != due)
			return;
		/* The handler runs before the next instruction. */
		wait_for_step(STEPS_EVENT_SIGNAL, place);
		syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
	} else if (since_armed && !truth->is_armed) {
		since_armed = 0;
		wait_for_step(STEPS_EVENT_ITERATED, place);
	}
}

static void at_store(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
	(void)cpu;
	(void)data;
	has_stored |= address >= segment_begin && address < segment_end &&
		      qemu_plugin_mem_is_store(info);
}

/* QEMU translates a block of instructions: one instruction with the option -singlestep. */
static void translate(uint64_t id, struct qemu_plugin_tb *block)
{
	(void)id;
	for (size_t i = 0; !is_child && i < qemu_plugin_tb_n_insns(block); i++) {
		struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
		qemu_plugin_register_vcpu_insn_exec_cb(instruction, before_instruction,
			CALLBACK_READS_NO_REGISTERS,
			(void *)(uintptr_t)qemu_plugin_insn_vaddr(instruction)); /* NOLINT */
		qemu_plugin_register_vcpu_mem_cb(
			instruction, at_store, CALLBACK_READS_NO_REGISTERS, AT_STORES, NULL);
	}
}

/* Send what the kernel returns for a group: the number of events, times and counts
 * (perf_event_open(2), PERF_FORMAT_GROUP). If there are several groups, COUNTERS of them are on the
 * PMU at a time, for TURN readings of all of them. */
#define COUNTERS 4
#define TURN 7

static void send_counts(uint32_t g)
{
	struct steps_group *group = &truth->groups[g];
	uint32_t n_groups = truth->n_groups;
	uint64_t turn = group->n_readings++ / TURN, words[3 + STEPS_MOST_GROUPS];
	bool is_on = n_groups == 1 || (g + turn) % n_groups < COUNTERS;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	uint64_t elapsed_ns = group->read_ns ? now_ns - group->read_ns : 0;
	group->read_ns = now_ns;
	group->enabled_ns += elapsed_ns;
	group->running_ns += is_on ? elapsed_ns : 0;
	group->count += is_on ? 50 + elapsed_ns % 997 : 0;
	words[0] = group->n_events;
	words[1] = group->enabled_ns;
	words[2] = group->running_ns;
	for (uint32_t e = 0; e < group->n_events; e++)
		words[3 + e] = group->count * (1 + e);
	size_t bytes = (3 + group->n_events) * sizeof(*words);
	if (write(group->peer, words, bytes) != (ssize_t)bytes)
		_exit(6);
}

static void before_call(uint64_t id, unsigned cpu, int64_t number, uint64_t first, uint64_t second,
	uint64_t third, uint64_t fourth, uint64_t fifth, uint64_t sixth, uint64_t seventh,
	uint64_t eighth)
{
	(void)id, (void)cpu, (void)fifth, (void)sixth, (void)seventh, (void)eighth;
	mapped_bytes = number == calls->mmap && fourth & MAP_SHARED ? second : 0;
	makes_thread = number == calls->clone && first & CLONE_VM;
	for (uint32_t g = 0; number == calls->read && !is_child && g < truth->n_groups; g++)
		if (first == (uint64_t)truth->groups[g].fd)
			send_counts(g);
	/* QEMU would free each translated instruction. */
	if (number == calls->exit_group)
		_exit((int)first);
	if (number == calls->exit)
		sem_post(&thread_ended);
	/* QEMU ignores this advice. Addresses of the program are those of QEMU. */
	if (number == calls->madvise && third == MADV_WIPEONFORK &&
		madvise((void *)first, second, MADV_WIPEONFORK)) /* NOLINT */
		_exit(5);
}

static void after_call(uint64_t id, unsigned cpu, int64_t number, int64_t result)
{
	uint64_t begin = (uint64_t)result, end = begin + mapped_bytes;
	(void)id, (void)cpu;
	if (mapped_bytes >= RS_EXTENT_BYTES && result > 0) {
		segment_begin = begin < segment_begin ? begin : segment_begin;
		segment_end = end > segment_end ? end : segment_end;
	}
	is_child |= result == 0 && (number == calls->clone || number == calls->fork);
	/* As under ptrace in step.c, a thread runs alone until it ends. */
	while (makes_thread && result > 0 && sem_wait(&thread_ended))
		;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	const char *fd = getenv(STEPS_TRUTH_ENV), *control_fd = getenv(STEPS_CONTROL_ENV);
	(void)argc, (void)argv;
	for (size_t i = 0; i < sizeof(architectures) / sizeof(architectures[0]); i++)
		if (!strcmp(architectures[i].architecture, info->target_name))
			calls = &architectures[i];
	if (!calls || !fd || !control_fd || sem_init(&thread_ended, 0, 0))
		return 1;
	control = atoi(control_fd);
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_vcpu_syscall_cb(id, before_call);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, after_call);
	return truth == MAP_FAILED;
}
