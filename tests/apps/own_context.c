/* SPDX-License-Identifier: MIT */
/*
 * A program that publishes an OpenTelemetry context itself. It defines the variable of a thread's
 * context, or, if MAPPING is defined, it has the mapping of the process's context. It prints "kept"
 * unless the variable loses its value in a region.
 */
#include <regionstat.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef MAPPING
static void publish(void)
{
	int fd = memfd_create("OTEL_CTX", 0);
	if (ftruncate(fd, 4096) == 0)
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
}
/* This runs before all constructors. */
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = publish;
#else
static int own;
extern __thread void *otel_thread_ctx_v1;
__thread void *otel_thread_ctx_v1 = &own;
#endif

int main(void)
{
	for (int i = 0; i < 10; i++) {
		REGIONSTAT_SCOPE("work");
#ifndef MAPPING
		if (otel_thread_ctx_v1 != &own)
			return 1;
#endif
	}
	puts("kept");
}
