/* SPDX-License-Identifier: MIT */
/*
 * This header declares the functions that Kokkos looks up by name in a tool. It also gives access
 * to the chained tool: the tool that the user chose. The facts come from Kokkos' public interface,
 * versions 20150628 to 20240906: core/src/impl/Kokkos_Profiling_C_Interface.h, and the names that
 * core/src/impl/Kokkos_Profiling.cpp looks up in a tool, of github.com/kokkos/kokkos.
 */
#ifndef RS_ADAPTERS_KOKKOS_INTERFACE_H
#define RS_ADAPTERS_KOKKOS_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first version that Kokkos passes, and the newest version whose callbacks are known. */
#define RS_KOKKOS_VERSION_FIRST UINT64_C(20150628)
#define RS_KOKKOS_VERSION_NEWEST UINT64_C(20240906)

struct rs_kokkos_space { /* Kokkos passes this by value */
	char name[64];
};

struct rs_kokkos_settings {
	bool requires_global_fencing;
	bool padding[255];
};

struct rs_kokkos_actions { /* Kokkos passes this by value */
	void (*fence)(uint32_t device);
	void (*padding[31])(void);
};

/* All callbacks: X(name, parameters). Callbacks for autotuning are missing on purpose. If a tool
 * has them, Kokkos tunes (have_tuning_tool()), which would change the program. */
#define RS_KOKKOS_CALLBACKS(X)                                                                    \
	X(init_library, (int sequence, uint64_t version, uint32_t n_devices, void *devices))      \
	X(finalize_library, (void))                                                               \
	X(parse_args, (int n_words, char **words))                                                \
	X(print_help, (char *program))                                                            \
	X(request_tool_settings, (uint32_t n_settings, struct rs_kokkos_settings * settings))     \
	X(provide_tool_programming_interface,                                                     \
		(uint32_t n_actions, struct rs_kokkos_actions actions))                           \
	X(begin_parallel_for, (const char *name, uint32_t device, uint64_t *id))                  \
	X(end_parallel_for, (uint64_t id))                                                        \
	X(begin_parallel_reduce, (const char *name, uint32_t device, uint64_t *id))               \
	X(end_parallel_reduce, (uint64_t id))                                                     \
	X(begin_parallel_scan, (const char *name, uint32_t device, uint64_t *id))                 \
	X(end_parallel_scan, (uint64_t id))                                                       \
	X(begin_fence, (const char *name, uint32_t device, uint64_t *id))                         \
	X(end_fence, (uint64_t id))                                                               \
	X(push_profile_region, (const char *name))                                                \
	X(pop_profile_region, (void))                                                             \
	X(create_profile_section, (const char *name, uint32_t *id))                               \
	X(start_profile_section, (uint32_t id))                                                   \
	X(stop_profile_section, (uint32_t id))                                                    \
	X(destroy_profile_section, (uint32_t id))                                                 \
	X(profile_event, (const char *name))                                                      \
	X(begin_deep_copy, (struct rs_kokkos_space to, const char *to_label, const void *to_data, \
				   struct rs_kokkos_space from, const char *from_label,           \
				   const void *from_data, uint64_t bytes))                        \
	X(end_deep_copy, (void))                                                                  \
	X(allocate_data, (struct rs_kokkos_space space, const char *label, const void *data,      \
				 uint64_t bytes))                                                 \
	X(deallocate_data, (struct rs_kokkos_space space, const char *label, const void *data,    \
				   uint64_t bytes))                                               \
	X(dual_view_sync, (const char *label, const void *data, bool is_device))                  \
	X(dual_view_modify, (const char *label, const void *data, bool is_device))                \
	X(declare_metadata, (const char *name, const char *value))

#define RS_KOKKOS_MEMBER(name, parameters) void(*name) parameters;
#define RS_KOKKOS_DECLARE(name, parameters) \
	__attribute__((visibility("default"))) void kokkosp_##name parameters;

/* A tool. Callbacks that it does not have are NULL. */
struct rs_kokkos_tool {
	bool is_there;
	RS_KOKKOS_CALLBACKS(RS_KOKKOS_MEMBER)
};

/* Declare the callbacks of this tool. */
RS_KOKKOS_CALLBACKS(RS_KOKKOS_DECLARE)

/* Call the chained tool if it has this callback. */
#define RS_KOKKOS_PASS_ON(name, ...)                         \
	do {                                                 \
		if (rs_kokkos_chained.name)                  \
			rs_kokkos_chained.name(__VA_ARGS__); \
	} while (0)

/* ---- kokkos_chain.c ---- */

/* The chained tool. Only rs_kokkos_chain_load() writes it. */
extern struct rs_kokkos_tool rs_kokkos_chained;

/*
 * Load the chained tool. Its path is the first entry, up to a semicolon, of
 * REGIONSTAT_CHAIN_KOKKOS. If that variable is not set, the path is the entry after this adapter's
 * file in KOKKOS_TOOLS_LIBS or KOKKOS_PROFILE_LIBRARY. Call this once in a process, while Kokkos
 * calls no callback on another thread. Print a message on stderr if it cannot be loaded.
 */
void rs_kokkos_chain_load(void);

/*
 * Restore the original environment while the chained tool is loaded and initialized. Some tools
 * (kokkos-tools' sampler) find the tool after them in KOKKOS_TOOLS_LIBS. rs_kokkos_chain_leave()
 * sets regionstat's values again, for programs that this one starts. If there is no chained tool,
 * both functions do nothing.
 */
void rs_kokkos_chain_enter(void);
void rs_kokkos_chain_leave(void);

#endif
