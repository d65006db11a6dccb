/* SPDX-License-Identifier: MIT */
/*
 * state: prints all that a program can see of how it was started, uses markers, and prints the same
 * again.
 *
 * A line is WHEN KEY VALUE, with WHEN being "first" or "marked". Each descriptor and each variable
 * has a line. Pids always differ, so only their relations are printed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <regionstat.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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
}

static void tell_timers(void)
{
	stack_t stack;
	tell("altstack", sigaltstack(NULL, &stack) == 0 ? stack.ss_flags : -1);
	for (unsigned timer = ITIMER_REAL; timer <= ITIMER_PROF; timer++) {
		struct itimerval left;
		getitimer(timer, &left);
		tell("itimer", left.it_value.tv_sec != 0 || left.it_value.tv_usec != 0);
	}
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
	tell("nice", getpriority(PRIO_PROCESS, 0));
	tell("scheduler", sched_getscheduler(0));
	tell("own_group", getpgrp() == getpid());
	tell("own_session", getsid(0) == getpid());
	tell("group_is_session", getpgrp() == getsid(0));
	int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	tell("terminal", terminal >= 0);
	if (terminal >= 0) {
		tell("in_foreground", tcgetpgrp(terminal) == getpgrp());
		close(terminal);
	}
	tell("dumpable", prctl(PR_GET_DUMPABLE));
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

/* Print the lines of a file of /proc/self that contain one of these words. */
static void tell_lines(const char *path, const char *const *words, size_t n_words)
{
	char line[4096];
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		for (size_t i = 0; i < n_words; i++)
			if (strstr(line, words[i]))
				printf("%s %s", when, line);
	if (file)
		fclose(file);
}

static void tell_files(void)
{
	static const char *const status[] = {"Name:", "Umask:", "Uid:", "Gid:", "Groups:", "VmLck:",
		"CoreDumping:", "Threads:", "Pnd:", "SigBlk:", "SigIgn:", "SigCgt:", "Cap",
		"NoNewPrivs:", "Seccomp:", "Cpus_allowed_list:", "Mems_allowed_list:"};
	static const char *const limits[] = {"Max "};
	tell_lines("/proc/self/status", status, sizeof(status) / sizeof(status[0]));
	tell_lines("/proc/self/limits", limits, 1);
}

static void tell_all(const char *moment)
{
	int error = errno;
	when = moment;
	tell("errno", error);
	tell_arithmetic(); /* first, because printing may use floating-point arithmetic */
	tell_descriptors();
	tell_environment();
	tell_timers();
	tell_process();
	tell_files();
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

int main(void)
{
	setlocale(LC_ALL, "");
	fesetround(FE_UPWARD);
	errno = 0;
	tell_all("first");
	feclearexcept(FE_ALL_EXCEPT);
	errno = EILSEQ;
	mark();
	tell_all("marked");
	return 0;
}
