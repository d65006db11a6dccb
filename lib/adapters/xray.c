/* SPDX-License-Identifier: MIT */
/*
 * This file measures functions of programs that are compiled with -fxray-instrument (clang;
 * llvm.org/docs/XRay.html). Each function has sleds, instructions without effect, at its entry and
 * exits. XRay's runtime, which is linked into the program, replaces sleds by calls of its
 * trampolines. The trampolines call one handler, with the id of the function. At the start of the
 * program, this file sets this handler and patches the sleds of the selected functions.
 *
 * The trampoline's frame is between the function's frame and the handler's, and its size differs
 * between entry and exit. A test call of each trampoline measures the distance, so that the markers
 * at entry and exit use the function's own frame.
 */
#include "adapters/functions.h"
#include "adapters/xray_runtime.h"
#include "adapters/xray_vectors.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)

#define BLOCK 256u

struct frame {
	uintptr_t seen; /* frame of the handler in the test call of the trampoline */
	uintptr_t distance; /* distance from the handler's frame to the function's */
};

/* Written while the program starts, before n_functions. */
static struct rs_xray_vectors vectors;
static struct frame frames[RS_XRAY_TYPE_N];
/* indexed by function id; NULL: not known yet */
static _Atomic(struct regionstat_site_ *) *sites;
static _Atomic uint32_t n_functions; /* 1 + the highest function id; 0: not ready */
static struct rs_xray_runtime runtime;

static __attribute__((noinline, cold)) struct regionstat_site_ *learn(
	uint32_t function, uintptr_t stack)
{
	const void *address = (const void *)runtime.function_address((int32_t)function);
	struct regionstat_site_ *site = address ? rs_function_learn(address, stack) : NULL;
	if (site)
		/* release: pairs with the acquire in mark(); the site is complete before it is
		 * visible */
		atomic_store_explicit(&sites[function], site, memory_order_release);
	return site;
}

static inline void mark(uint32_t function, uint32_t type, uintptr_t own)
{
	const struct regionstat_table_29_ *plain = regionstat_table_();
	const struct rs_adapter_table *table = (const void *)plain;
	if (!table)
		return;
	const uintptr_t stack = own + frames[type].distance;
	/* acquire: pairs with the release in learn() */
	struct regionstat_site_ *site = atomic_load_explicit(
		&sites[function], memory_order_acquire);
	if (__builtin_expect(!site, 0))
		site = learn(function, stack);
	if (!site || site == &rs_function_filtered)
		return;
	if (type == RS_XRAY_ENTRY || type == RS_XRAY_ENTRY_WITH_ARGUMENTS)
		table->begin_at(site, stack);
	else
		table->end_site_at(site, stack);
}

static __attribute__((noinline)) void mark_with_vectors(
	uint32_t function, uint32_t type, uintptr_t own, uint32_t used)
{
	struct rs_xray_registers registers;
	rs_xray_vectors_save(&registers, used);
	mark(function, type, own);
	rs_xray_vectors_load(&registers, vectors, used);
}

static void handle(int32_t function, int32_t type)
{
	const uintptr_t own = (uintptr_t)__builtin_dwarf_cfa();
	const uint32_t number = (uint32_t)function, kind = (uint32_t)type;
	/* acquire: pairs with the release in start() */
	uint32_t n = atomic_load_explicit(&n_functions, memory_order_acquire);
	if (kind >= RS_XRAY_TYPE_N)
		return;
	if (number == 0) /* measure() called the trampoline */
		frames[kind].seen = own;
	/* skip calls before this file is ready, and functions of other objects */
	if (number == 0 || number >= n)
		return;
	uint32_t used = rs_xray_vectors_used(vectors);
	if (__builtin_expect(used != 0, 0))
		mark_with_vectors(number, kind, own, used);
	else
		mark(number, kind, own);
}

/*
 * Call a trampoline as function 0, with the stack aligned as in a sled. A sled jumps to the exit
 * trampoline, so the top of the stack is the function's return address. A sled calls the other
 * trampolines, so one more word is on the stack. Measure the distance from the handler's frame to
 * the function's, which begins above its return address.
 */
static bool measure(enum rs_xray_type type)
{
	uintptr_t frame;
	const uintptr_t words = type == RS_XRAY_EXIT ? 0 : 8;
	frames[type].seen = 0;
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "subq $256, %%rsp\n\t" /* keep the red zone below the stack pointer */
			 "andq $-64, %%rsp\n\t"
			 "movq %%rsp, %[frame]\n\t"
			 "subq %[words], %%rsp\n\t"
			 "xorl %%r10d, %%r10d\n\t"
			 "callq *%[trampoline]\n\t"
			 "movq %%rbx, %%rsp"
			 : [frame] "=&r"(frame)
			 : [words] "r"(words), [trampoline] "r"(runtime.trampolines[type])
			 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
			 "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			 "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc",
			 "memory");
	frames[type].distance = frame - frames[type].seen;
	return frames[type].seen != 0 && frames[type].distance < 4096;
}

/* Patch all functions, or those that --functions selects. Return false if the code cannot be
 * written. */
static bool patch(const struct rs_adapter_table *table, uint32_t n)
{
	const void *functions[BLOCK];
	int32_t numbers[BLOCK];
	bool is_wanted[BLOCK];
	for (uint32_t next = 1; next <= n;) {
		size_t count = 0;
		for (; next <= n && count < BLOCK; next++) {
			functions[count] = (const void *)runtime.function_address((int32_t)next);
			numbers[count] = (int32_t)next;
			count += functions[count] != NULL;
		}
		if (!table->choose(functions, is_wanted, count))
			return runtime.patch() == RS_XRAY_PATCHED;
		for (size_t i = 0; i < count; i++)
			if (is_wanted[i] && runtime.patch_function(numbers[i]) != RS_XRAY_PATCHED)
				return false;
	}
	return true;
}

/* Return true if XRAY_OPTIONS selects a mode of XRay itself, which sets its own handler. */
static bool has_own_mode(void)
{
	const char *options = getenv("XRAY_OPTIONS"), *at = NULL;
	if (options)
		at = strstr(options, "xray_mode=");
	return at && !strchr(" :,\t\n'\"", at[strlen("xray_mode=")]);
}

static bool start(const struct rs_adapter_table *table)
{
	size_t n = runtime.max_function_id();
	if (has_own_mode() || n == 0 || n > INT32_MAX - 1)
		return n == 0;
	vectors = rs_xray_vectors_find();
	sites = rs_adapter_allocate((n + 1) * sizeof(*sites));
	if (!sites || !runtime.set_handler(handle))
		return false;
	bool done = true;
	for (enum rs_xray_type type = 0; done && type < RS_XRAY_TYPE_N; type++)
		done = !runtime.trampolines[type] || measure(type);
	/* release: pairs with the acquire in handle() */
	atomic_store_explicit(&n_functions, done ? (uint32_t)n + 1 : 0, memory_order_release);
	if (done && patch(table, (uint32_t)n))
		return true;
	atomic_store_explicit(&n_functions, 0, memory_order_relaxed);
	runtime.remove_handler();
	return false;
}

/* Start XRay if the program was launched by regionstat. Constructors run in order: the marker
 * header's is first, and the program's own come later. */
static __attribute__((constructor)) void start_if_launched(void)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	enum rs_xray_found found = table ? rs_xray_runtime_find(&runtime) : RS_XRAY_NONE;
	if (found == RS_XRAY_UNKNOWN || (found == RS_XRAY_FOUND && !start(table)))
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
}

/* If the program has set another handler, count this process, so that the report says that calls
 * are missing. */
static __attribute__((destructor)) void tell_if_replaced(void)
{
	if (atomic_load_explicit(&n_functions, memory_order_relaxed) && runtime.handler &&
		*runtime.handler != handle)
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
}

#endif
