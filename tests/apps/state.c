/* SPDX-License-Identifier: MIT */
/*
 * state STATUS|SIGNAL: prints all that a program can see of how it was started, uses markers, and
 * prints the same again. It exits with this status, or is ended by this signal if the argument
 * begins with "-".
 *
 * A line is WHEN KEY VALUE, with WHEN being "first" or "marked". Each descriptor and each variable
 * has a line. Pids always differ, so only their relations are printed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <regionstat.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *when;

static void tell(const char *key, long value)
{
	printf("%s %s %ld\n", when, key, value);
}

static void tell_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	while (directory && (entry = readdir(directory))) {
		char path[64], target[4096];
		int fd = atoi(entry->d_name);
		if (entry->d_name[0] == '.' || fd == dirfd(directory))
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		ssize_t length = readlink(path, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		printf("%s fd %d %s flags %d %#x offset %ld\n", when, fd, target,
			fcntl(fd, F_GETFD), (unsigned)fcntl(fd, F_GETFL),
			(long)lseek(fd, 0, SEEK_CUR));
	}
	if (directory)
		closedir(directory);
}

static void tell_environment(void)
{
	for (char **variable = environ; variable && *variable; variable++)
		printf("%s env %s\n", when, *variable);
	printf("%s locale %s\n", when, setlocale(LC_ALL, NULL));
	char directory[4096];
	printf("%s cwd %s\n", when, getcwd(directory, sizeof(directory)) ? directory : "?");
	mode_t mask = umask(0);
	umask(mask);
	tell("umask", mask);
}

static void tell_signals(void)
{
	sigset_t blocked, pending;
	stack_t stack;
	sigemptyset(&pending);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	sigpending(&pending);
	for (int number = 1; number <= SIGRTMAX; number++) {
		struct sigaction action;
		if (sigaction(number, NULL, &action) != 0)
			continue;
		const char *kind = action.sa_handler == SIG_DFL	  ? "default"
				   : action.sa_handler == SIG_IGN ? "ignored"
								  : "handled";
		printf("%s signal %d %s flags %#x blocked %d pending %d\n", when, number, kind,
			(unsigned)action.sa_flags, sigismember(&blocked, number),
			sigismember(&pending, number));
	}
	tell("altstack", sigaltstack(NULL, &stack) == 0 ? stack.ss_flags : -1);
	for (unsigned timer = ITIMER_REAL; timer <= ITIMER_PROF; timer++) {
		struct itimerval left;
		getitimer(timer, &left);
		tell("itimer", left.it_value.tv_sec != 0 || left.it_value.tv_usec != 0);
	}
}

static void tell_limits(void)
{
	for (unsigned resource = 0; resource < RLIMIT_NLIMITS; resource++) {
		struct rlimit limit = {0, 0};
		getrlimit(resource, &limit);
		printf("%s limit %u %ld %ld\n", when, resource, (long)limit.rlim_cur,
			(long)limit.rlim_max);
	}
	tell("nice", getpriority(PRIO_PROCESS, 0));
	tell("scheduler", sched_getscheduler(0));
	cpu_set_t cpus;
	tell("cpus", sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : -1);
}

static void tell_arithmetic(void)
{
	tell("rounding", fegetround());
	tell("exceptions", fetestexcept(FE_ALL_EXCEPT));
	tell("trapped", fegetexcept());
#ifdef __x86_64__
	unsigned short control;
	__asm__ volatile("fnstcw %0" : "=m"(control));
	tell("x87", control);
	tell("mxcsr", (long)__builtin_ia32_stmxcsr());
#endif
}

static void tell_process(void)
{
	tell("own_group", getpgrp() == getpid());
	tell("own_session", getsid(0) == getpid());
	tell("group_is_session", getpgrp() == getsid(0));
	int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	tell("terminal", terminal >= 0);
	if (terminal >= 0) {
		tell("in_foreground", tcgetpgrp(terminal) == getpgrp());
		close(terminal);
	}
	printf("%s ids %d %d %d %d %d groups\n", when, getuid(), geteuid(), getgid(), getegid(),
		getgroups(0, NULL));
	tell("dumpable", prctl(PR_GET_DUMPABLE));
	tell("no_new_privs", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	tell("securebits", prctl(PR_GET_SECUREBITS));
	tell("timer_slack", prctl(PR_GET_TIMERSLACK));
	int value = 0;
	prctl(PR_GET_PDEATHSIG, &value);
	tell("death_signal", value);
	prctl(PR_GET_CHILD_SUBREAPER, &value);
	tell("subreaper", value);
	tell("personality", personality(0xffffffff));
	tell("children", waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? 0 : 1);
}

/* Print lines of /proc/self/status that no system call returns. */
static void tell_status(void)
{
	static const char *const wanted[] = {"Name:", "Cap", "Seccomp:", "Threads:", "VmLck:",
		"CoreDumping:", "Cpus_allowed_list:", "Mems_allowed_list:", "Groups:"};
	char line[4096];
	FILE *file = fopen("/proc/self/status", "re");
	while (file && fgets(line, sizeof(line), file))
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (strncmp(line, wanted[i], strlen(wanted[i])) == 0)
				printf("%s %s", when, line);
	if (file)
		fclose(file);
}

static void tell_all(const char *moment)
{
	int error = errno;
	when = moment;
	tell("errno", error);
	tell_arithmetic(); /* first, because printing may use floating-point arithmetic */
	tell_descriptors();
	tell_environment();
	tell_signals();
	tell_limits();
	tell_process();
	tell_status();
	fflush(stdout);
}

static void mark(void)
{
	for (int i = 0; i < 100; i++) {
		REGIONSTAT_SCOPE("outer");
		REGIONSTAT_BEGIN("inner");
		REGIONSTAT_END("inner");
	}
}

int main(int argc, char **argv)
{
	int number = argc > 1 ? atoi(argv[1]) : 0;
	setlocale(LC_ALL, "");
	fesetround(FE_UPWARD);
	errno = 0;
	tell_all("first");
	feclearexcept(FE_ALL_EXCEPT);
	errno = EILSEQ;
	mark();
	tell_all("marked");
	if (number < 0)
		raise(-number);
	return number;
}
