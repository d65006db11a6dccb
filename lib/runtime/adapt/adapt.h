/* SPDX-License-Identifier: MIT */
/* The runtime's functions for adapters of other marker APIs. No marker's fast path calls them.
 * runtime/adapter_table.h documents those that adapters call. */
#ifndef RS_RUNTIME_ADAPT_H
#define RS_RUNTIME_ADAPT_H

/* Include the types only: the runtime has no markers of its own. */
#define REGIONSTAT_RUNTIME_ONLY_
#include "runtime/adapter_table.h"
#include "runtime/state.h"

/* ---- note.c ---- */

void rs_adapter_note(uint32_t adapter, uint32_t count, uint64_t n);

/* ---- locate.c ---- */

enum rs_located rs_adapter_locate(const char *kind, const void *address, char *name);
enum rs_located rs_adapter_locate_at(
	const char *kind, const void *address, uintptr_t stack, char *name);
bool rs_adapter_choose(const void *const *functions, bool *is_wanted, size_t n);

/* ---- name.c ---- */

bool rs_adapter_name_thread(uint32_t tid, const char *name, size_t bytes);

/* ---- object.c ---- */

/* A program or library that the process has loaded. */
struct rs_loaded {
	uint64_t bias; /* The address in memory minus the address in the ELF file. */
	uint64_t key; /* The object's key, as in struct rs_code_object. */
	uint64_t file_bytes;
	uint64_t modified_ns;
	const uint8_t *build_id; /* In the object's own memory; NULL if the object has none. */
	uint32_t build_id_bytes;
	char path[RS_OBJECT_PATH_BYTES];
};

/*
 * Find the object that contains an address, and fill *loaded, which stays valid while the object
 * stays loaded. Return false if no object contains the address.
 *
 * Any thread may call this. In a signal handler the effect depends on libc. _dl_find_object()
 * (glibc 2.35) takes no lock. Older libcs use dl_iterate_phdr() with a lock, which the interrupted
 * thread may hold; a handler that interrupts dlopen() then sees the list before or after the
 * change. A child that was forked while another thread was in dlopen() must not call this.
 */
bool rs_object_find(const void *address, struct rs_loaded *loaded);

/*
 * Return a number that identifies the object at an address, or 0 if no object is there. The number
 * stays the same while the object stays loaded, and differs for an object that is loaded there
 * later. The code at address must not be unloaded during the call. Any thread may call this, with
 * the limits of rs_object_find().
 *
 * The number comes from the build-id and the load address; this takes no lock. If the object has no
 * build-id, the number comes from how many objects the dynamic linker has removed. So it also
 * changes when another object is unloaded. In this case dl_iterate_phdr(3) takes the dynamic
 * linker's lock. With older libcs, this count and this lock are used for every object; added
 * objects change the number as well.
 */
uint64_t rs_object_now(const void *address);

#endif
