/* SPDX-License-Identifier: MIT */
/*
 * The functions of LLVM's XRay runtime that a program has linked in (xray/xray_interface.h of
 * compiler-rt). Programs do not export them, so they are found by the program's own symbol table.
 */
#ifndef RS_ADAPTERS_XRAY_RUNTIME_H
#define RS_ADAPTERS_XRAY_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* The events of a handler: enum XRayEntryType. The others are of events that a program makes. */
enum rs_xray_type {
	RS_XRAY_ENTRY,
	RS_XRAY_EXIT,
	RS_XRAY_TAIL, /* the exit of a function that calls another last, by a jump */
	RS_XRAY_ENTRY_WITH_ARGUMENTS,
	RS_XRAY_TYPE_N
};

/* Of enum XRayPatchingStatus. */
#define RS_XRAY_PATCHED 1

struct rs_xray_runtime {
	int (*set_handler)(void (*handler)(int32_t function, int32_t type));
	int (*remove_handler)(void);
	int (*patch)(void);
	int (*patch_function)(int32_t function);
	uintptr_t (*function_address)(int32_t function);
	size_t (*max_function_id)(void); /* they count from 1 */
	/* to which patched code goes, and which call the handler; NULL: there is none */
	void (*trampolines[RS_XRAY_TYPE_N])(void);
	/* where it keeps the handler; NULL: it cannot be found out whether another one is set */
	void (*volatile *handler)(int32_t function, int32_t type);
};

enum rs_xray_found {
	RS_XRAY_FOUND,
	RS_XRAY_NONE, /* the program was not compiled with it */
	RS_XRAY_UNKNOWN, /* it was, and its runtime cannot be found */
};

/*
 * Find XRay's runtime in the program's own file. An address is believed only where memory holds
 * what the file has for it. runtime: filled where it is found. While the program starts; keeps
 * errno.
 */
enum rs_xray_found rs_xray_runtime_find(struct rs_xray_runtime *runtime);

#endif
