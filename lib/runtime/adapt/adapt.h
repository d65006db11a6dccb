/* SPDX-License-Identifier: MIT */
/* The runtime's part for adapters of other marker APIs, off every marker's path. The contracts are
 * in runtime/adapter_table.h. */
#ifndef RS_RUNTIME_ADAPT_H
#define RS_RUNTIME_ADAPT_H

#define REGIONSTAT_RUNTIME_ONLY_ /* the runtime is no program that marks: the types alone */
#include "runtime/adapter_table.h"
#include "runtime/state.h"

/* ---- note.c ---- */

void rs_adapter_note(uint32_t adapter, uint32_t count, uint64_t n);

/* ---- read.c ---- */

bool rs_adapter_read(struct regionstat_site_ *site, struct rs_adapter_values *values);

/* ---- locate.c ---- */

enum rs_located rs_adapter_locate(const char *kind, const void *address, char *name);
enum rs_located rs_adapter_locate_at(
	const char *kind, const void *address, uintptr_t stack, char *name);
bool rs_adapter_choose(const void *const *functions, bool *is_wanted, size_t n);

/* ---- name.c ---- */

bool rs_adapter_name_thread(uint32_t tid, const char *name, size_t bytes);

/* ---- object.c ---- */

/* An object that the process has loaded. */
struct rs_loaded {
	uint64_t bias; /* what its addresses are higher than linked */
	uint64_t key; /* as of struct rs_code_object */
	uint64_t file_bytes;
	uint64_t modified_ns;
	const uint8_t *build_id; /* in the object itself; NULL: it has none */
	uint32_t build_id_bytes;
	char path[RS_OBJECT_PATH_BYTES];
};

/*
 * The object that holds an address; false: none does. loaded: filled; of use as long as the object
 * stays. Any thread, also in signal handlers, as far as libc allows: _dl_find_object() takes no
 * lock (glibc 2.35). Before that dl_iterate_phdr() takes a lock that the same thread may hold. A
 * handler that interrupts dlopen() then sees the list before it or after it. A child that was
 * forked while another thread was in dlopen() must not call this; it must not throw exceptions
 * either.
 */
bool rs_object_find(const void *address, struct rs_loaded *loaded);

/*
 * Identify the object that holds an address now; 0: none holds it. The number stays the same while
 * the object stays in its place. Anything else that is loaded there later has another number. An
 * object that may be unloaded is identified by its build-id and place, without a lock. One without
 * a build-id is identified by how many objects the dynamic linker has removed so far.
 * dl_iterate_phdr() takes its lock for that, and the number also changes when anything else is
 * unloaded. address: of code that is not unloaded meanwhile. Any thread, as rs_object_find().
 * Source: dl_iterate_phdr(3), dlpi_adds and dlpi_subs.
 */
uint64_t rs_object_now(const void *address);

/* ---- mapping.c ---- */

/* Whether the file that is mapped at an address was removed, or another one has its name by now.
 * Where that is unknown it was not. Any thread, also in signal handlers. */
bool rs_object_is_deleted(const void *address);

#endif
