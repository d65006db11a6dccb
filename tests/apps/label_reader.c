/* SPDX-License-Identifier: MIT */
/*
 * A profiler that reads labels with ptrace(2). It relies only on what OTEP 4719 and OTEP 4947 of
 * OpenTelemetry publish, and knows nothing of regionstat. It stops labelled.c at random times and
 * single-steps it from there, and compares each label with what the program says.
 * Usage: label_reader STOPS COMMAND [ARG...]. It prints what it saw and fails if a label is wrong.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "labelled.h"

#define MOST_TASKS 256
#define STEPS 50 /* after each random stop */
#define OPTIONS (PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

#ifdef __x86_64__
#define TLSDESC 36 /* R_X86_64_TLSDESC */
#else
#define TLSDESC R_AARCH64_TLSDESC
#endif

struct task {
	pid_t tid; /* 0: free */
	bool is_known; /* message and descriptor are valid */
	bool has_context; /* this process's context was checked */
	bool runs;
	int steps;
	struct label_message message;
	uint64_t descriptor[2]; /* the TLS descriptor of otel_thread_ctx_v1 */
};
static struct task tasks[MOST_TASKS];
static int program_fd;
static unsigned long n_stops, n_unknown, n_inside, n_none, n_wrong, n_execs, n_contexts;
static unsigned long n_by_region[64];

static void fail(const char *what)
{
	fprintf(stderr, "label_reader: %s: %s\n", what, strerror(errno));
	exit(2);
}

static bool read_memory(pid_t pid, uint64_t address, void *to, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)address, bytes};
	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

/* ---- OTEP 4947: find the variable ---- */

/* Find the descriptor in one ELF file, whose first byte is mapped at base. */
static bool find_in(const char *path, uint64_t base, uint64_t *address)
{
	int fd = open(path, O_RDONLY);
	struct stat status;
	if (fd < 0 || fstat(fd, &status) || status.st_size < (off_t)sizeof(ElfW(Ehdr)))
		return false;
	const char *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	const ElfW(Ehdr) *header = (const void *)file;
	bool is_found = false;
	if (file == MAP_FAILED || memcmp(file, ELFMAG, SELFMAG))
		return false;
	const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
	for (int i = 0; i < header->e_shnum && !is_found; i++) {
		if (sections[i].sh_type != SHT_RELA ||
			sections[sections[i].sh_link].sh_type != SHT_DYNSYM)
			continue;
		const ElfW(Shdr) *symbols = &sections[sections[i].sh_link];
		const ElfW(Sym) *symbol = (const void *)(file + symbols->sh_offset);
		const char *text = file + sections[symbols->sh_link].sh_offset;
		const ElfW(Rela) *rela = (const void *)(file + sections[i].sh_offset);
		for (size_t n = sections[i].sh_size / sizeof(*rela); n-- && !is_found; rela++) {
			const ElfW(Sym) *of = &symbol[ELF64_R_SYM(rela->r_info)];
			is_found = ELF64_R_TYPE(rela->r_info) == TLSDESC &&
				   ELF64_ST_TYPE(of->st_info) == STT_TLS &&
				   !strcmp(text + of->st_name, "otel_thread_ctx_v1");
			*address = base + rela->r_offset;
		}
	}
	munmap((void *)(uintptr_t)file, (size_t)status.st_size);
	return is_found;
}

/* Walk over the process's mappings: find the variable, and the process context. */
static void find_mappings(pid_t pid, uint64_t *descriptor, uint64_t *context)
{
	char path[64], line[4096], name[4096];
	uint64_t begin, offset;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	FILE *maps = fopen(path, "r");
	*descriptor = *context = 0;
	while (maps && fgets(line, sizeof(line), maps)) {
		name[0] = '\0';
		sscanf(line, "%lx-%*x %*s %lx %*s %*s %4095[^\n]", &begin, &offset, name);
		if (!strncmp(name, "[anon_shmem:OTEL_CTX]", 21) ||
			!strncmp(name, "[anon:OTEL_CTX]", 15) ||
			!strncmp(name, "/memfd:OTEL_CTX", 15))
			*context = begin;
		else if (name[0] == '/' && !offset && !*descriptor &&
			 !find_in(name, begin, descriptor))
			*descriptor = 0;
	}
	if (maps)
		fclose(maps);
}

static uint64_t thread_pointer(pid_t tid)
{
#ifdef __x86_64__
	struct user_regs_struct registers;
	struct iovec area = {&registers, sizeof(registers)};
	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &area))
		fail("PTRACE_GETREGSET");
	return registers.fs_base;
#else
	uint64_t pointer;
	struct iovec area = {&pointer, sizeof(pointer)};
	if (ptrace(PTRACE_GETREGSET, tid, NT_ARM_TLS, &area))
		fail("PTRACE_GETREGSET");
	return pointer;
#endif
}

/* The argument of a descriptor is the distance from the thread pointer. In dynamic TLS it is the
 * address of {module, offset}, and the thread's vector of modules leads to the variable (glibc: 16
 * bytes a module). */
static uint64_t find_variable(const struct task *task)
{
	uint64_t pointer = thread_pointer(task->tid), index[2], vector, block;
	int64_t distance = (int64_t)task->descriptor[1];
	if (distance > -(INT64_C(1) << 32) && distance < INT64_C(1) << 32)
		return pointer + (uint64_t)distance;
	if (!read_memory(task->tid, task->descriptor[1], index, sizeof(index)) ||
		!read_memory(task->tid, pointer + 8 * (TLSDESC == 36), &vector, 8) ||
		!read_memory(task->tid, vector + 16 * index[0], &block, 8))
		return 0;
	return block == UINT64_MAX ? 0 : block + index[1];
}

/* ---- OTEP 4719: the process context ---- */

/* Return the contents of a protobuf message's nth field of that number, of wire type 2. Lengths are
 * below 128 here. */
static const uint8_t *field(const uint8_t *message, size_t bytes, int number, int n, size_t *length)
{
	for (size_t i = 0; i + 2 <= bytes && message[i + 1] < 128; i += 2 + message[i + 1]) {
		*length = message[i + 1];
		if (i + 2 + *length > bytes)
			break;
		if (message[i] == (number << 3 | 2) && n-- == 0)
			return message + i + 2;
	}
	return NULL;
}

static bool has_text(const uint8_t *message, size_t bytes, int number, const char *text)
{
	size_t length = 0;
	const uint8_t *found = field(message, bytes, number, 0, &length);
	return found && length == strlen(text) && !memcmp(found, text, length);
}

/* Return the value of an attribute of the context, or NULL. */
static const uint8_t *attribute(
	const uint8_t *message, size_t bytes, const char *key, size_t *length)
{
	size_t pair_bytes;
	const uint8_t *pair;
	for (int n = 0; (pair = field(message, bytes, 2, n, &pair_bytes)); n++)
		if (has_text(pair, pair_bytes, 1, key))
			return field(pair, pair_bytes, 2, 0, length);
	return NULL;
}

static bool check_context(pid_t pid, uint64_t address)
{
	struct {
		char signature[8];
		uint32_t version, bytes;
		uint64_t published_ns, payload;
	} header;
	uint8_t payload[4096];
	size_t n;
	if (!address || !read_memory(pid, address, &header, sizeof(header)) ||
		memcmp(header.signature, "OTEL_CTX", 8) || header.version != 2 ||
		!header.published_ns || header.published_ns > clock_ns(CLOCK_BOOTTIME) ||
		header.bytes > sizeof(payload) ||
		!read_memory(pid, header.payload, payload, header.bytes))
		return false;
	const uint8_t *value = attribute(payload, header.bytes, "threadlocal.schema_version", &n);
	if (!value || !has_text(value, n, 1, "tlsdesc_v1_dev"))
		return false;
	value = attribute(payload, header.bytes, "threadlocal.attribute_key_map", &n);
	if (!value || !(value = field(value, n, 5, 0, &n)) || !(value = field(value, n, 1, 0, &n)))
		return false;
	if (!has_text(value, n, 1, "regionstat.region"))
		return false;
	const uint8_t *resource = field(payload, header.bytes, 1, 0, &n);
	n_contexts++;
	return resource && memmem(resource, n, "service.name", 12) &&
	       memmem(resource, n, "labelled", 8);
}

/* ---- one stop ---- */

/* Read the label of a stopped thread to name. "" means none. Return false if it is invalid. */
static bool read_label(const struct task *task, char *name)
{
	struct __attribute__((packed)) {
		uint8_t trace_id[16], span_id[8], valid, flags;
		uint16_t bytes;
	} record;
	uint8_t attributes[640];
	uint64_t variable = find_variable(task), pointer = 0;
	name[0] = '\0';
	if (!variable) /* This thread has no block of the module yet. */
		return true;
	if (!read_memory(task->tid, variable, &pointer, 8))
		return false;
	if (!pointer)
		return true;
	if (pointer % 2 || !read_memory(task->tid, pointer, &record, sizeof(record)) ||
		record.valid != 1 || record.bytes > sizeof(attributes) - sizeof(record) ||
		!read_memory(task->tid, pointer + sizeof(record), attributes, record.bytes))
		return false;
	for (size_t i = 0; i < 24; i++)
		if (((const uint8_t *)&record)[i])
			return false;
	if (record.bytes < 2 || attributes[0] != 0 || attributes[1] != record.bytes - 2)
		return false;
	memcpy(name, attributes + 2, attributes[1]);
	name[attributes[1]] = '\0';
	return true;
}

static void check_process(struct task *task)
{
	uint64_t descriptor, context;
	find_mappings(task->tid, &descriptor, &context);
	task->has_context = true;
	if (!descriptor ||
		!read_memory(task->tid, descriptor, task->descriptor, sizeof(task->descriptor)) ||
		!check_context(task->tid, context)) {
		printf("no context: descriptor %lx, context %lx\n", descriptor, context);
		n_wrong++;
	}
}

static void check(struct task *task)
{
	struct label_truth truths[LABEL_THREADS];
	char name[300], names[3][LABEL_NAME_BYTES] = {"?", "?", "?"};
	int i = 0;
	n_stops++;
	if (!task->is_known ||
		!read_memory(task->tid, (uintptr_t)task->message.truths, truths, sizeof(truths))) {
		n_unknown++;
		return;
	}
	while (i < LABEL_THREADS && truths[i].tid != task->tid)
		i++;
	if (i == LABEL_THREADS) {
		n_unknown++;
		return;
	}
	if (!task->has_context)
		check_process(task);
	const unsigned regions[] = {truths[i].from, truths[i].to, truths[i].between};
	bool is_read = read_label(task, name), is_right = false;
	for (int n = 0; n < 3; n++)
		is_right |= read_memory(task->tid,
				    (uintptr_t)task->message.names + regions[n] * LABEL_NAME_BYTES,
				    names[n], LABEL_NAME_BYTES) &&
			    !strcmp(name, names[n]);
	n_inside += truths[i].from != truths[i].to;
	n_none += !name[0];
	n_by_region[truths[i].to]++;
	if (is_read && is_right)
		return;
	if (n_wrong++ < 20)
		printf("wrong: '%s' (read: %d) instead of '%s', '%s' or '%s'\n", name, is_read,
			names[0], names[1], names[2]);
}

/* ---- tasks ---- */

static struct task *task_of(pid_t tid)
{
	struct task *free_task = NULL;
	for (int i = 0; i < MOST_TASKS; i++) {
		if (tasks[i].tid == tid)
			return &tasks[i];
		/* The child of a FORK event may have ended before that event. */
		if (tasks[i].tid && !tasks[i].runs && kill(tasks[i].tid, 0))
			tasks[i].tid = 0;
		if (!tasks[i].tid && !free_task)
			free_task = &tasks[i];
	}
	if (!free_task)
		fail("too many tasks");
	memset(free_task, 0, sizeof(*free_task));
	free_task->tid = tid;
	return free_task;
}

static void on_event(struct task *task, int event)
{
	unsigned long other = 0;
	ptrace(PTRACE_GETEVENTMSG, task->tid, NULL, &other);
	if (event == PTRACE_EVENT_EXEC) {
		task->is_known = false;
		n_execs++;
	} else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_CLONE) {
		struct task *child = task_of((pid_t)other);
		bool runs = child->runs;
		*child = *task;
		child->tid = (pid_t)other;
		child->runs = runs;
		child->steps = 0;
		child->has_context &= event == PTRACE_EVENT_CLONE;
	}
}

static void on_stop(struct task *task, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;
	if (event)
		on_event(task, event);
	check(task);
	/* A single step that enters a handler ends in it. */
	bool is_trap = event || signal == SIGTRAP;
	bool is_step = task->is_known && task->steps > 0;
	task->steps -= is_step;
	task->runs = true;
	ptrace(is_step ? PTRACE_SINGLESTEP : PTRACE_CONT, task->tid, NULL, is_trap ? 0 : signal);
}

/* Meet a program that has started or executed itself again. Return false if there is none. */
static bool meet_program(void)
{
	struct label_message message;
	if (recv(program_fd, &message, sizeof(message), MSG_DONTWAIT) != sizeof(message))
		return false;
	struct task *task = task_of(message.pid);
	if (!task->runs && ptrace(PTRACE_SEIZE, message.pid, NULL, OPTIONS))
		fail("PTRACE_SEIZE");
	task->runs = true;
	task->is_known = true;
	task->has_context = false;
	task->message = message;
	if (send(program_fd, "", 1, 0) != 1)
		fail("send");
	return true;
}

/* Return true if a task will stop by itself: it was interrupted, or is single-stepped. */
static bool any_stops(void)
{
	bool any = false;
	for (int i = 0; i < MOST_TASKS; i++)
		any |= tasks[i].runs && tasks[i].is_known && tasks[i].steps > 0;
	return any;
}

/* Return how many markers the running programs have done, modulo 2^32. */
static unsigned count_markers(void)
{
	struct label_truth truths[LABEL_THREADS];
	unsigned n = 0;
	for (int i = 0; i < MOST_TASKS; i++)
		if (tasks[i].tid && tasks[i].is_known &&
			read_memory(tasks[i].tid, (uintptr_t)tasks[i].message.truths, truths,
				sizeof(truths)))
			for (int t = 0; t < LABEL_THREADS; t++)
				n += truths[t].n;
	return n;
}

static void interrupt_all(void)
{
	for (int i = 0; i < MOST_TASKS; i++)
		if (tasks[i].runs && tasks[i].is_known) {
			ptrace(PTRACE_INTERRUPT, tasks[i].tid, NULL, NULL);
			tasks[i].steps = STEPS;
		}
}

/* Wait for a stop. If no task will stop by itself, let the program run for some markers and
 * interrupt it: a busy machine may let it wait for a CPU meanwhile. Return 0 if it is to be tried
 * again. */
static pid_t wait_for_stop(int *status, unsigned *random)
{
	if (any_stops())
		return waitpid(-1, status, __WALL);
	*random = *random * 1103515245 + 12345;
	unsigned most = count_markers() + 1 + (*random >> 16) % 16;
	for (int i = 0; i < 1000 && (int)(count_markers() - most) < 0; i++) {
		pid_t tid = waitpid(-1, status, __WALL | WNOHANG);
		if (tid > 0)
			return tid;
		if (meet_program())
			return 0;
		sleep_ns(10000);
	}
	interrupt_all();
	return 0;
}

int main(int argc, char **argv)
{
	int sockets[2], status;
	unsigned random = 1, n_regions = 0;
	char text[16];
	if (argc < 3 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets))
		fail("usage: label_reader STOPS COMMAND");
	program_fd = sockets[0];
	unsigned long most = strtoul(argv[1], NULL, 10);
	pid_t command = fork();
	if (!command) {
		close(sockets[0]);
		snprintf(text, sizeof(text), "%d", sockets[1]);
		setenv("LABEL_READER", text, 1);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	while (n_stops < most) {
		pid_t tid = wait_for_stop(&status, &random);
		if (tid == command)
			break;
		if (tid <= 0)
			continue;
		struct task *task = task_of(tid);
		if (WIFSTOPPED(status))
			on_stop(task, status);
		else
			memset(task, 0, sizeof(*task));
	}
	for (int i = 0; i < MOST_TASKS; i++)
		if (tasks[i].tid)
			kill(tasks[i].tid, SIGKILL);
	/* The launcher learns of the program's end only after its tracer. */
	for (pid_t tid = 0; tid >= 0 && tid != command;) {
		tid = waitpid(-1, &status, __WALL);
		if (tid > 0 && WIFSTOPPED(status))
			kill(tid, SIGKILL);
	}
	for (size_t i = 1; i < sizeof(n_by_region) / sizeof(n_by_region[0]); i++)
		n_regions += n_by_region[i] > 0;
	printf("stops %lu unknown %lu inside %lu none %lu regions %u contexts %lu execs %lu wrong "
	       "%lu\n",
		n_stops, n_unknown, n_inside, n_none, n_regions, n_contexts, n_execs, n_wrong);
	return n_wrong || n_stops < most;
}
