/* SPDX-License-Identifier: MIT */
/*
 * This file copies the counts of adapters from the segment into the run. Adapters without any count
 * are skipped. The report only prints the counts, so any value is accepted.
 */
#include <stdio.h>
#include <string.h>

#include "stats/collector.h"

/* Read the counts of one adapter. Return false if it has none or they are damaged. */
static bool read_adapter(
	struct rs_collector *collector, uint32_t index, struct rs_run_adapter *copy)
{
	struct rs_segment_adapter adapter;
	uint64_t any = 0;
	uint64_t offset = RS_ADAPTERS_OFFSET + index * sizeof(adapter);
	const char *word = rs_adapter_word(index);
	if (!rs_segment_reader_read(&collector->reader, offset, &adapter, sizeof(adapter)))
		return rs_run_damage(
			collector->out, "the counts of adapter %u cannot be read", index);
	for (size_t i = 0; i < RS_ADAPTER_COUNT_N; i++) {
		copy->counts[i] = atomic_load_explicit(&adapter.counts[i], memory_order_relaxed);
		any |= copy->counts[i];
	}
	if (any == 0)
		return false;
	if (!word)
		return rs_run_damage(
			collector->out, "there are counts of adapter %u, which is none", index);
	snprintf(copy->word, sizeof(copy->word), "%s", word);
	return true;
}

void rs_collector_read_adapters(struct rs_collector *collector)
{
	struct rs_run *out = collector->out;
	out->adapters = rs_arena_array(collector->arena, RS_MAX_ADAPTERS, sizeof(*out->adapters));
	for (uint32_t i = 0; i < RS_MAX_ADAPTERS; i++)
		if (read_adapter(collector, i, &out->adapters[out->n_adapters]))
			out->n_adapters++;
}
