/* SPDX-License-Identifier: MIT */
/*
 * This file finds the functions of XRay's runtime in the program's symbol table.
 */
#include "adapters/xray_runtime.h"

#include <errno.h>

#include "adapters/program_symbols.h"

#define SECTION "xray_instr_map"

enum rs_xray_found rs_xray_runtime_find(struct rs_xray_runtime *runtime)
{
	void (**trampolines)(void) = runtime->trampolines;
	const struct rs_symbol_wanted wanted[] = {
		{"__xray_set_handler", &runtime->set_handler, STT_FUNC},
		{"__xray_remove_handler", &runtime->remove_handler, STT_FUNC},
		{"__xray_patch", &runtime->patch, STT_FUNC},
		{"__xray_patch_function", &runtime->patch_function, STT_FUNC},
		{"__xray_function_address", &runtime->function_address, STT_FUNC},
		{"__xray_max_function_id", &runtime->max_function_id, STT_FUNC},
		{"__xray_FunctionEntry", &trampolines[RS_XRAY_ENTRY], STT_FUNC},
		{"__xray_FunctionExit", &trampolines[RS_XRAY_EXIT], STT_FUNC},
		{"__xray_FunctionTailExit", &trampolines[RS_XRAY_TAIL], STT_FUNC},
		{"__xray_ArgLoggerEntry", &trampolines[RS_XRAY_ENTRY_WITH_ARGUMENTS], STT_FUNC},
		/* __xray::XRayPatchedFunction, the handler that the trampolines call */
		{"_ZN6__xray19XRayPatchedFunctionE", &runtime->handler, STT_OBJECT}};
	struct rs_program program;
	int saved = errno;
	enum rs_xray_found found = RS_XRAY_NONE;
	*runtime = (struct rs_xray_runtime){0};
	if (rs_program_open(&program) && rs_program_has_section(&program, SECTION)) {
		if (rs_program_is_loaded(&program))
			rs_program_find_symbols(
				&program, wanted, sizeof(wanted) / sizeof(wanted[0]));
		bool is_whole = runtime->set_handler && runtime->remove_handler && runtime->patch &&
				runtime->patch_function && runtime->function_address &&
				runtime->max_function_id && trampolines[RS_XRAY_ENTRY] &&
				trampolines[RS_XRAY_EXIT] && trampolines[RS_XRAY_TAIL];
		found = is_whole ? RS_XRAY_FOUND : RS_XRAY_UNKNOWN;
	}
	rs_program_close(&program);
	errno = saved;
	return found;
}
