/* SPDX-License-Identifier: MIT */
/*
 * closed PLUGIN: load a plugin with the runtime linked in, mark in it on three threads, and close it.
 * Then threads sleep, which the kernel tells by what the runtime left it; one forks; and they end. All
 * that twice: prints nothing, and exits 0 if all of it lives.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_CALLS 100
#define N_THREADS 2

static void (*mark)(unsigned long n);
static pthread_barrier_t barrier;

static void require(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "closed: %s\n", what);
	exit(1);
}

static void sleep_often(void)
{
	const struct timespec time = {0, 20000};
	for (int i = 0; i < 50; i++)
		nanosleep(&time, NULL);
}

static void *live(void *data)
{
	mark(N_CALLS);
	pthread_barrier_wait(&barrier);
	/* meanwhile it is closed */
	pthread_barrier_wait(&barrier);
	sleep_often();
	return data;
}

static void use(const char *path)
{
	pthread_t threads[N_THREADS];
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	require(plugin != NULL, "cannot load the plugin");
	*(void **)&mark = dlsym(plugin, "closed_call");
	require(mark != NULL, "the plugin lacks its function");
	for (int i = 0; i < N_THREADS; i++)
		require(pthread_create(&threads[i], NULL, live, NULL) == 0, "pthread_create");
	mark(N_CALLS);
	pthread_barrier_wait(&barrier);
	require(dlclose(plugin) == 0, "cannot close the plugin");
	pthread_barrier_wait(&barrier);
	sleep_often();
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	pid_t pid = fork();
	int status = 0;
	require(pid >= 0, "cannot fork");
	if (pid == 0) {
		sleep_often();
		_exit(0);
	}
	require(waitpid(pid, &status, 0) == pid && status == 0, "the child did not live");
}

int main(int argc, char **argv)
{
	require(argc == 2, "usage: closed PLUGIN");
	require(pthread_barrier_init(&barrier, NULL, N_THREADS + 1) == 0, "pthread_barrier_init");
	use(argv[1]);
	use(argv[1]);
	return 0;
}
