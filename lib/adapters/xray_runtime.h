/* SPDX-License-Identifier: MIT */
/*
 * This header declares the functions of LLVM's XRay runtime (xray/xray_interface.h of compiler-rt),
 * which is linked into the program. Programs do not export these functions, so the adapter finds
 * them in the program's symbol table.
 */
#ifndef RS_ADAPTERS_XRAY_RUNTIME_H
#define RS_ADAPTERS_XRAY_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* The kinds of events of a handler, as in enum XRayEntryType. The kinds after these are for events
 * that a program creates. */
enum rs_xray_type {
	RS_XRAY_ENTRY,
	RS_XRAY_EXIT,
	RS_XRAY_TAIL, /* the exit of a function whose last call is a jump to another function */
	RS_XRAY_ENTRY_WITH_ARGUMENTS,
	RS_XRAY_TYPE_N
};

/* SUCCESS of enum XRayPatchingStatus. */
#define RS_XRAY_PATCHED 1

struct rs_xray_runtime {
	int (*set_handler)(void (*handler)(int32_t function, int32_t type));
	int (*remove_handler)(void);
	int (*patch)(void);
	int (*patch_function)(int32_t function);
	uintptr_t (*function_address)(int32_t function);
	size_t (*max_function_id)(void); /* function ids begin at 1 */
	/* Patched code calls a trampoline, which calls the handler. NULL: the runtime has no
	 * trampoline for this kind of event. */
	void (*trampolines[RS_XRAY_TYPE_N])(void);
	/* The runtime's pointer to the handler. NULL: its address is not known, so the adapter does
	 * not notice if the program sets another handler. */
	void (*volatile *handler)(int32_t function, int32_t type);
};

enum rs_xray_found {
	RS_XRAY_FOUND,
	RS_XRAY_NONE, /* the program was not compiled with XRay */
	RS_XRAY_UNKNOWN, /* the program uses XRay, but its runtime cannot be found */
};

/*
 * Find XRay's runtime in the program's file. An address is used only if memory contains the same
 * bytes as the file. Fill runtime if it is found. Call this only while the program starts. errno is
 * preserved.
 */
enum rs_xray_found rs_xray_runtime_find(struct rs_xray_runtime *runtime);

#endif
