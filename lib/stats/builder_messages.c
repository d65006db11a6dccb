/* SPDX-License-Identifier: MIT */
/*
 * What a summary has to say in words. In come its numbers and the record that they are of; out go
 * warnings, notes and details, in the order in which readers see them.
 */
#include "stats/builder.h"
#include "stats/own_cost.h"
#include "stats/ranks.h"
#include "stats/running.h"
#include "stats/warnings.h"

bool rs_builder_make_messages(struct builder *builder, const struct rs_record *record)
{
	struct rs_summary *summary = builder->summary;
	struct rs_messages warnings = {.arena = builder->arena};
	struct rs_messages notes = {.arena = builder->arena};
	struct rs_messages details = {.arena = builder->arena};
	struct rs_warnings_source source = {.how = &record->how,
		.plan = builder->plan,
		.collection = builder->collection,
		.outcome = builder->outcome,
		.summary = summary};
	rs_warnings_of_run(&warnings, &notes, &source);
	rs_running_tell(&warnings, &notes, &source);
	rs_warnings_of_regions(&warnings, &notes, &source);
	rs_warnings_of_only(&warnings, &source);
	rs_warnings_of_slow(&warnings, &notes, &source);
	rs_warnings_of_markers(&warnings, &details, &source);
	rs_warnings_of_work(&warnings, &source);
	rs_warnings_of_names(&warnings, &details, &source);
	rs_warnings_of_off_cpu(&details, &source);
	rs_warnings_of_metrics(&notes, &source);
	rs_warnings_of_tails(&notes, &source);
	rs_warnings_of_sampled(&notes, &source);
	rs_warnings_of_cpu(&notes, &source);
	rs_warnings_of_usage(&notes, &source);
	rs_warnings_of_steal(&notes, &details, &source);
	rs_warnings_of_threads(&notes, &source);
	rs_warnings_details(&details, &source);
	rs_ranks_tell(&details, summary);
	rs_warnings_of_few(&details, &source);
	rs_own_cost_tell(
		&warnings, &notes, &details, builder->collection, &summary->run, record->how.raw);
	summary->warnings = warnings.items;
	summary->n_warnings = warnings.n;
	summary->notes = notes.items;
	summary->n_notes = notes.n;
	summary->details = details.items;
	summary->n_details = details.n;
	return !warnings.failed && !notes.failed && !details.failed;
}
