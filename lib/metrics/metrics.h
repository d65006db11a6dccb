/* SPDX-License-Identifier: MIT */
/*
 * Files of metrics: installed files, the user's files, and files that the command line names. The
 * format is YAML (defaults in parentheses):
 *
 *   cpus: [GenuineIntel-*]        globs of CPU names for all metrics of the file (any CPU)
 *   source: where they are from   for all metrics of the file (none)
 *   metrics:
 *     - name: IPC                 the name for -M
 *       label: IPC                the name in reports (the name)
 *       formula: instructions / cycles
 *       unit: ratio               ("ratio")
 *       events: {x: cpu/slots/}   short names of events, in the order of their group (none);
 *                                 or a list of events
 *       meaning: ...              one line each (none)
 *       worry: ...
 *       source: ...
 *       cpus: [...]
 */
#ifndef RS_METRICS_METRICS_H
#define RS_METRICS_METRICS_H

#include "config/yaml.h"
#include "metrics/metric.h"

#define RS_METRICS_MAX 1024u

/* A set of metrics. A zeroed struct is empty. */
struct rs_metrics {
	struct rs_metric_rule **rules; /* in the order of the files */
	size_t n;
	struct rs_arena arena; /* owns the rules and the documents with their texts */
};

/* Reasons to trust the files of a directory. */
enum rs_metrics_trust {
	RS_METRICS_INSTALLED, /* they were installed with the command */
	RS_METRICS_FOUND, /* no reason: check each file (rs_owner_find_doubt()) */
};

/*
 * Add the metrics of a file, of a text, or of all files *.yaml in a directory in ascending order of
 * their names. A missing directory adds nothing.
 *
 * The caller zeroes metrics before the first call, and releases them with rs_metrics_finish(), even
 * after a failure. Return false and set err if a file cannot be read or is invalid; the message has
 * FILE:LINE:COLUMN.
 */
bool rs_metrics_add_file(struct rs_metrics *metrics, const char *path, struct rs_err *err);
bool rs_metrics_add_text(
	struct rs_metrics *metrics, const char *name, const char *text, struct rs_err *err);
bool rs_metrics_add_directory(struct rs_metrics *metrics, const char *path,
	enum rs_metrics_trust trust, struct rs_err *err);

/* Add the metrics that reports show beside their events even without -M. */
bool rs_metrics_add_usual(struct rs_metrics *metrics, struct rs_err *err);

/* Release the contents of metrics, which may be zeroed or NULL. */
void rs_metrics_finish(struct rs_metrics *metrics);

/*
 * Find a metric by its name or label, ignoring case, for a machine with these CPU names. The metric
 * that was added last wins, so that a user's metric replaces an installed one.
 *
 * Return NULL if there is none. Then set elsewhere to a metric of this name for other machines, or
 * to NULL.
 */
const struct rs_metric_rule *rs_metrics_find(const struct rs_metrics *metrics, const char *name,
	const char *const *words, size_t n_words, const struct rs_metric_rule **elsewhere);

/* ---- for metrics.c only ---- */

/* The text of files/usual.yaml. It is compiled into the command, so that the metrics that reports
 * show even without -M do not depend on installed files. */
extern const char rs_metrics_usual_text[];

/* Add the metrics of a document in the arena of metrics. Return false and set err if it is
 * invalid. */
bool rs_metrics_read(struct rs_metrics *metrics, const struct rs_yaml *yaml, struct rs_err *err);

#endif
