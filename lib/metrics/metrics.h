/* SPDX-License-Identifier: MIT */
/*
 * Metrics from files: those that are installed, the user's own, and those that the command line names.
 *
 *   cpus: [GenuineIntel-*]        all of the file: on these CPUs alone (optional)
 *   source: where they are from   all of the file (optional)
 *   metrics:
 *     - name: IPC                 as -M takes it
 *       label: IPC                as reports show it (the name)
 *       formula: instructions / cycles
 *       unit: ratio               ("ratio")
 *       events: {x: cpu/slots/}   short names of events, in the order of their group (optional), or a
 *                                 list of events
 *       meaning: ...              one line each (optional)
 *       worry: ...
 *       source: ...
 *       cpus: [...]
 */
#ifndef RS_METRICS_METRICS_H
#define RS_METRICS_METRICS_H

#include "config/yaml.h"
#include "metrics/metric.h"

#define RS_METRICS_MAX 1024u
#define RS_METRICS_MAX_FILES 256u

/* Zeroed: none. */
struct rs_metrics {
	struct rs_metric_rule **rules; /* in the order in which they were read */
	size_t n;
	struct rs_yaml *files; /* own the texts of rules but for what the latter own themselves */
	size_t n_files;
};

/* Who says that a directory's files may be believed. */
enum rs_metrics_trust {
	RS_METRICS_INSTALLED, /* they belong to the command */
	RS_METRICS_FOUND, /* nobody: each is looked at (rs_owner_find_doubt()) */
};

/*
 * Add the metrics of a file, of a text, or of all files *.yaml of a directory, ascending by name; a
 * directory that is not there has none. metrics: zeroed before the first; release with
 * rs_metrics_finish(), after a failure too.
 * False, with err filled: FILE:LINE:COLUMN and what is wrong there, or what cannot be read.
 */
bool rs_metrics_add_file(struct rs_metrics *metrics, const char *path, struct rs_err *err);
bool rs_metrics_add_text(
	struct rs_metrics *metrics, const char *name, const char *text, struct rs_err *err);
bool rs_metrics_add_directory(struct rs_metrics *metrics, const char *path,
	enum rs_metrics_trust trust, struct rs_err *err);

/* Add those that are shown beside their events, whether they were asked for or not. */
bool rs_metrics_add_usual(struct rs_metrics *metrics, struct rs_err *err);

/* Release what metrics own. metrics: filled, zeroed, or NULL. */
void rs_metrics_finish(struct rs_metrics *metrics);

/*
 * The metric of that name or label, in any case, for machines with these words. The last one added
 * counts, so that a user's metric replaces an installed one. NULL: there is none; *elsewhere is
 * then one of that name for other machines, or NULL.
 */
const struct rs_metric_rule *rs_metrics_find(const struct rs_metrics *metrics, const char *name,
	const char *const *words, size_t n_words, const struct rs_metric_rule **elsewhere);

#endif
