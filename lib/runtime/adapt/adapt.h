/* SPDX-License-Identifier: MIT */
/* What the runtime does for adapters of other marker APIs, off every marker's path. The contracts
 * are in runtime/adapter_table.h. */
#ifndef RS_RUNTIME_ADAPT_H
#define RS_RUNTIME_ADAPT_H

#define REGIONSTAT_RUNTIME_ONLY_ /* the runtime has no markers of its own */
#include "runtime/adapter_table.h"
#include "runtime/state.h"

/* ---- note.c ---- */

void rs_adapter_note(uint32_t adapter, uint32_t count, uint64_t n);

#endif
