/* SPDX-License-Identifier: MIT */
/*
 * soak FILE SEED FEATURES STEPS: do at random what programs do, and use markers meanwhile. All
 * processes map FILE and store the truth there: for each region the calls that were about to end,
 * and the calls that had ended. So the number of finished calls is known wherever a process is
 * killed, except for the calls that were just ending. FEATURES are letters of the table in soak.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <regionstat.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define N_REGIONS 8u
#define MOST_DEPTH 6u
#define MOST_LIVES 60u /* Processes and threads that may exist at once, in all. */
#define STACK_BYTES (64u << 10)
#define NOBODY 65534u

enum { ASYNC = N_REGIONS, HANDLER, FIBER, N_TRUTHS };

struct truth {
	_Atomic uint64_t ending[N_TRUTHS]; /* Counted before the END. */
	_Atomic uint64_t ended[N_TRUTHS]; /* Counted after the END. */
	/* bytes_ending and bytes_ended are the work of such calls. */
	_Atomic uint64_t bytes_ending[N_TRUTHS];
	_Atomic uint64_t bytes_ended[N_TRUTHS];
	_Atomic uint64_t lives;
};

static struct truth *truth;
static char **arguments;
static const char *features;
static __thread uint64_t state;
static volatile pid_t own_pid;
/* This thread waits for another one, which a forked child does not have. */
static __thread volatile int is_waiting;

/* The process that has a call open. A child that was forked inside the call has it open too, but it
 * is not the child's. A handler may fork between the two members; then the truth is unknown. */
struct owner {
	pid_t before; /* Stored before the BEGIN. */
	pid_t after;
	uint64_t bytes; /* Work of the call so far. */
};

static uint64_t dice(uint64_t sides)
{
	uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) % sides;
}

static int has(char feature)
{
	return strchr(features, feature) != NULL;
}

/* Return true if one more process or thread may be started. */
static int may_live(void)
{
	return atomic_fetch_add(&truth->lives, 1) < MOST_LIVES;
}

static void end_is_near(unsigned region, const struct owner *owner)
{
	if (owner->after != own_pid)
		return;
	atomic_fetch_add(&truth->ending[region], 1);
	atomic_fetch_add(&truth->bytes_ending[region], owner->bytes);
}

static void has_ended(unsigned region, const struct owner *owner)
{
	if (owner->before != own_pid)
		return;
	atomic_fetch_add(&truth->ended[region], 1);
	atomic_fetch_add(&truth->bytes_ended[region], owner->bytes);
}

/* Report work of the region's innermost call, for some of the calls, in a few sizes. */
static void tell_work(const char *name, struct owner *owner)
{
	if (!has('w') || dice(3) == 0)
		return;
	owner->bytes = UINT64_C(8) << dice(4);
	regionstat_work(name, owner->bytes, owner->bytes / 4);
}

static void step(unsigned depth);

/* Make one call of a region with nested calls, with any kind of marker. */
static void call(unsigned depth)
{
	char name[8];
	unsigned region = (unsigned)dice(N_REGIONS);
	struct owner owner = {.before = own_pid};
	snprintf(name, sizeof(name), "r%u", region);
	if (region == 0) {
		{
			REGIONSTAT_SCOPE("r0");
			owner.after = own_pid;
			step(depth + 1);
			tell_work(name, &owner);
			end_is_near(region, &owner);
		}
		has_ended(region, &owner);
		return;
	}
	if (region == 1)
		REGIONSTAT_BEGIN("r1");
	else
		regionstat_begin(name);
	owner.after = own_pid;
	step(depth + 1);
	tell_work(name, &owner);
	end_is_near(region, &owner);
	if (region == 1)
		REGIONSTAT_END("r1");
	else
		regionstat_end(name);
	has_ended(region, &owner);
}

static void request(unsigned depth)
{
	struct owner owner = {.before = own_pid};
	struct regionstat_call started = REGIONSTAT_START("async");
	owner.after = own_pid;
	step(depth + 1);
	end_is_near(ASYNC, &owner);
	regionstat_stop(started);
	has_ended(ASYNC, &owner);
}

static void live(uint64_t n_steps)
{
	for (uint64_t i = 0; i < n_steps; i++)
		step(0);
}

static void *thread_main(void *seed)
{
	pid_t process = own_pid;
	state = (uint64_t)(uintptr_t)seed;
	live(20 + dice(200));
	if (own_pid != process) /* The handler has forked; see there. */
		_exit(0);
	return NULL;
}

static void start_thread(void)
{
	pthread_t thread;
	void *seed = (void *)(uintptr_t)dice(UINT64_MAX);
	if (!may_live())
		return;
	is_waiting = 1;
	if (pthread_create(&thread, NULL, thread_main, seed) != 0)
		;
	else if (dice(2))
		pthread_detach(thread);
	else
		pthread_join(thread, NULL);
	is_waiting = 0;
}

/* The main function of a forked child; it never returns. */
__attribute__((noreturn)) static void child_main(void)
{
	char seed[24];
	own_pid = getpid();
	is_waiting = 0;
	if (has('u') && dice(3) == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
		_exit(3);
	if (has('x') && dice(3) == 0) {
		snprintf(seed, sizeof(seed), "%llu", (unsigned long long)dice(UINT64_MAX));
		execl("/proc/self/exe", arguments[0], arguments[1], seed, features, "50", NULL);
		_exit(4);
	}
	live(20 + dice(200));
	_exit(0); /* exit() would wait for a thread that the child does not have. */
}

/* Start a child and wait for it, or kill it first. Some children are left as orphans. */
static void start_child(void)
{
	if (!may_live())
		return;
	is_waiting = 1;
	pid_t pid = fork();
	if (pid == 0)
		child_main();
	if (pid > 0 && has('k') && dice(2)) {
		usleep((useconds_t)dice(3000));
		kill(pid, SIGKILL);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	is_waiting = 0;
}

static void mark_in_handler(void)
{
	struct owner owner = {own_pid, own_pid};
	{
		REGIONSTAT_SCOPE("handler");
		end_is_near(HANDLER, &owner);
	}
	has_ended(HANDLER, &owner);
}

static void handler(int number)
{
	int error = errno;
	(void)number;
	mark_in_handler();
	/* fork() would wait for locks that the interrupted code holds, so call _Fork(). */
	if ((has('F') || has('R')) && may_live() && _Fork() == 0) {
		own_pid = getpid();
		mark_in_handler();
		if (!has('R') || is_waiting)
			_exit(0);
		/* The child continues the interrupted code, which may be a marker. Without features
		 * it takes no lock that a thread may hold which the child does not have. */
		features = "";
	}
	errno = error;
}

static __thread ucontext_t contexts[3];
static __thread unsigned current;

static void fiber_main(void)
{
	for (int i = 0; i < 5; i++) {
		struct owner owner = {.before = own_pid};
		{
			REGIONSTAT_SCOPE("fiber");
			unsigned from = current;
			owner.after = own_pid;
			current = 1 + current % 2;
			swapcontext(&contexts[from], &contexts[current]);
			end_is_near(FIBER, &owner);
		}
		has_ended(FIBER, &owner);
	}
}

/* Run two fibers that switch to each other inside their regions. The second one ends first. */
static void fibers(void)
{
	char *stacks = mmap(
		NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stacks == MAP_FAILED)
		return;
	for (unsigned i = 1; i <= 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks + (i - 1) * STACK_BYTES;
		contexts[i].uc_stack.ss_size = STACK_BYTES;
		contexts[i].uc_link = i == 1 ? &contexts[2] : &contexts[0];
		makecontext(&contexts[i], fiber_main, 0);
	}
	current = 1;
	swapcontext(&contexts[0], &contexts[1]);
	munmap(stacks, 2 * STACK_BYTES);
}

static void lower_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 32) {
		limit.rlim_cur = 32;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void pause_counting(void)
{
	REGIONSTAT_PAUSE();
	for (volatile uint64_t i = dice(1000); i > 0; i--)
		;
	REGIONSTAT_RESUME();
}

static void step(unsigned depth)
{
	uint64_t kind = dice(200);
	for (volatile uint64_t i = dice(100); i > 0; i--)
		;
	if (kind < 120 && depth < MOST_DEPTH)
		call(depth);
	else if (kind < 150 && depth < MOST_DEPTH)
		request(depth);
	else if (kind < 153 && has('t'))
		start_thread();
	else if (kind < 155 && has('f'))
		start_child();
	else if (kind < 157 && has('p'))
		pause_counting();
	else if (kind < 160 && has('s') && depth == 0)
		fibers();
	else if (kind == 160 && has('l'))
		lower_limit();
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	int fd = open(argv[1], O_RDWR | O_CLOEXEC);
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || truth == MAP_FAILED)
		return 2;
	own_pid = getpid();
	arguments = argv;
	state = strtoull(argv[2], NULL, 10);
	features = argv[3];
	if (has('h')) {
		struct itimerval period = {{0, 700}, {0, 700}};
		struct sigaction action;
		memset(&action, 0, sizeof(action));
		action.sa_handler = handler;
		action.sa_flags = SA_RESTART;
		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &period, NULL);
	}
	pid_t process = own_pid;
	live(strtoull(argv[4], NULL, 10));
	if (own_pid != process) /* The handler has forked; see there. */
		_exit(0);
	return 0;
}
