/* SPDX-License-Identifier: MIT */
/*
 * Programs that test trust in users and their files:
 *
 *   trust mark N             N calls of "marked"
 *   trust wrap PROGRAM...    becomes root permanently, as far as possible, and executes PROGRAM
 *   trust drop N             N calls of "marked" before and after it becomes nobody
 *   trust terminal           exits 3 if it has a controlling terminal
 *   trust attacked ROUNDS    uses markers as root, while a child that became nobody overwrites the
 *                            segment with values that lead to "secret"; exits 4 if a marker wrote
 *                            there
 */
#include <regionstat.h>

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "../stats/random.h"
#include "check.h"

#define NOBODY 65534
#define SEGMENT_BYTES ((size_t)64 << 20) /* the part of the segment that the test uses */
#define WORDS 4096

/* Memory that a marker must never write, with a margin around it. */
static uint64_t secret[WORDS];

static void mark(long n)
{
	for (long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("marked");
		REGIONSTAT_END("marked");
	}
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		setresuid(NOBODY, NOBODY, NOBODY))
		_exit(99);
}

/* Find where offset 0 of the segment is mapped: the least address that the mappings imply. */
static uint64_t find_base(void)
{
	char line[512];
	uint64_t base = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long address, offset;
		if (strstr(line, "memfd:regionstat") && !base &&
			sscanf(line, "%lx-%*x %*s %lx", &address, &offset) == 2)
			base = address - offset;
	}
	if (maps)
		fclose(maps);
	return base;
}

/* Return a value that leads to the secret, as an offset in bytes or in units of histograms, or
 * another value. */
static uint64_t value(uint64_t *state, uint64_t to_secret)
{
	uint64_t unit = to_secret / 64 & UINT32_MAX;
	switch (random_next(state) % 6) {
	case 0:
		return to_secret;
	case 1:
		return unit | unit << 32;
	case 2:
		return UINT64_MAX;
	case 3:
		return random_next(state) % 64;
	case 4:
		return random_next(state) % SEGMENT_BYTES;
	default:
		return random_next(state);
	}
}

/* Overwrite everything except the magic and the launcher's identity, again and again until
 * killed. */
static void attack(uint64_t base)
{
	const char *address = getenv("REGIONSTAT_SEGMENT");
	uint64_t to_secret = (uint64_t)(uintptr_t)&secret[WORDS / 2] - base, state = 1;
	int fd = -1;
	if (!address || sscanf(address, "%*u:%d", &fd) != 1)
		_exit(98);
	become_nobody();
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* do not outlive the attacked process */
	char *segment = mmap(NULL, SEGMENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (segment == MAP_FAILED)
		_exit(97);
	static const struct {
		size_t first, bytes;
	} parts[] = {{64, 768}, {0x1000, 0x2000}, {0x10000, 0x10000}, {0x20000, 0x8000},
		{0x200000, 0x1000}, {0x800000, 0x1000}, {0x2000000, 0x80000}};
	for (;;) {
		size_t part = random_next(&state) % (sizeof(parts) / sizeof(parts[0]));
		size_t place = random_next(&state) % (parts[part].bytes / 8) * 8;
		*(volatile uint64_t *)(void *)(segment + parts[part].first + place) = value(
			&state, to_secret);
	}
}

static void *mark_in_thread(void *name)
{
	for (volatile int i = 0; i < 50; i++) {
		REGIONSTAT_SCOPE("thread");
		regionstat_begin(name);
		for (volatile int work = 0; work < 1 << i % 14; work++)
			;
		regionstat_end(name);
	}
	return NULL;
}

/* Use markers that follow offsets: known and new regions, new octaves, threads, children, and
 * asynchronous calls. */
static void mark_all(long round)
{
	char name[32];
	snprintf(name, sizeof(name), "region %ld", round % 200);
	for (volatile int i = 0; i < 14; i++) {
		REGIONSTAT_BEGIN("outer");
		REGIONSTAT_SCOPE("inner");
		struct regionstat_call call = REGIONSTAT_START("asynchronous");
		for (volatile int work = 0; work < 1 << i; work++)
			;
		regionstat_stop(call);
		REGIONSTAT_END("outer");
	}
	on_thread(mark_in_thread, name);
	if (round % 4)
		return;
	if (fork_and_wait()) {
		mark_in_thread(name);
		_exit(0);
	}
}

static int attacked(long rounds)
{
	mark(1);
	uint64_t base = find_base();
	if (!base)
		return 96;
	pid_t attacker = fork();
	if (!attacker)
		attack(base);
	for (long round = 0; round < rounds; round++)
		mark_all(round);
	if (waitpid(attacker, NULL, WNOHANG) != 0)
		return 95; /* the attack was not possible */
	kill(attacker, SIGKILL);
	waitpid(attacker, NULL, 0);
	for (size_t i = 0; i < WORDS; i++)
		if (secret[i])
			return 4;
	return 0;
}

static int drop(long n)
{
	mark(n);
	become_nobody();
	mark(n);
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;
	const char *how = argc > 1 ? argv[1] : "";
	if (!strcmp(how, "wrap") && argc > 2)
		return setresuid(0, 0, 0) || execv(argv[2], argv + 2);
	if (!strcmp(how, "mark"))
		mark(n);
	else if (!strcmp(how, "drop"))
		return drop(n);
	else if (!strcmp(how, "terminal"))
		return open("/dev/tty", O_RDONLY) >= 0 ? 3 : 0;
	else if (!strcmp(how, "attacked"))
		return attacked(n);
	else
		return 2;
	return 0;
}
