/* SPDX-License-Identifier: MIT */
/* This file reads files and directories of metrics in their order, and finds metrics by name. */
#include "metrics/metrics.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/owner.h"
#include "base/text.h"
#include "config/find.h"

bool rs_metrics_add_file(struct rs_metrics *metrics, const char *path, struct rs_err *err)
{
	struct rs_yaml yaml = {.arena = &metrics->arena};
	return rs_yaml_load_file(&yaml, path, err) && rs_metrics_read(metrics, &yaml, err);
}

/* Add a file that the user did not name. It must be trusted. */
static bool add_found(struct rs_metrics *metrics, const char *path, struct rs_err *err)
{
	const struct rs_text_shown shown = rs_text_shown(path);
	struct rs_yaml yaml = {.arena = &metrics->arena};
	/* O_NONBLOCK: opening a named pipe must not wait. The kind of file is checked
	 * afterwards. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool done = false;
	if (fd < 0)
		return rs_err_set_errno(err, errno, "cannot read metrics in '%s'", shown.text);
	struct stat status;
	const char *doubt = fstat(fd, &status) == 0 ? rs_owner_find_doubt(&status, 0)
						    : strerror(errno);
	if (doubt) {
		rs_err_set(err, "regionstat refuses the metrics in '%s': %s", shown.text, doubt);
		rs_err_add_line(err, "try: let only yourself write to it (chown, chmod), or move "
				     "it elsewhere and name it with "
				     "--metrics-file");
	} else {
		done = rs_yaml_load_fd(&yaml, fd, path, err) &&
		       rs_metrics_read(metrics, &yaml, err);
	}
	close(fd);
	return done;
}

bool rs_metrics_add_text(
	struct rs_metrics *metrics, const char *name, const char *text, struct rs_err *err)
{
	struct rs_yaml yaml = {.arena = &metrics->arena};
	return rs_yaml_load_text(&yaml, name, text, strlen(text), err) &&
	       rs_metrics_read(metrics, &yaml, err);
}

static int is_yaml(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && rs_glob_matches("*.yaml", entry->d_name);
}

/* Compare names byte by byte, in any locale. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

bool rs_metrics_add_directory(struct rs_metrics *metrics, const char *path,
	enum rs_metrics_trust trust, struct rs_err *err)
{
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, is_yaml, compare_names);
	bool done = n >= 0 || errno == ENOENT || errno == ENOTDIR;
	if (!done)
		rs_err_set_errno(
			err, errno, "cannot read metrics in '%s'", rs_text_shown(path).text);
	for (int i = 0; i < n; i++) {
		char *file = NULL;
		if (done && asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0) {
			file = NULL;
			done = rs_err_set(err, "cannot read metrics: out of memory");
		}
		if (done && trust == RS_METRICS_FOUND)
			done = add_found(metrics, file, err);
		else if (done)
			done = rs_metrics_add_file(metrics, file, err);
		free(file);
		free(entries[i]);
	}
	free(entries);
	return done;
}

bool rs_metrics_add_usual(struct rs_metrics *metrics, struct rs_err *err)
{
	return rs_metrics_add_text(metrics, "usual.yaml", rs_metrics_usual_text, err);
}

void rs_metrics_finish(struct rs_metrics *metrics)
{
	if (!metrics)
		return;
	rs_arena_finish(&metrics->arena);
	*metrics = (struct rs_metrics){0};
}

const struct rs_metric_rule *rs_metrics_find(const struct rs_metrics *metrics, const char *name,
	const char *const *words, size_t n_words, const struct rs_metric_rule **elsewhere)
{
	*elsewhere = NULL;
	for (size_t i = metrics->n; i-- > 0;) {
		const struct rs_metric_rule *rule = metrics->rules[i];
		if (strcasecmp(rule->name, name) != 0 && strcasecmp(rule->label, name) != 0)
			continue;
		if (rs_metric_is_for(rule, words, n_words))
			return rule;
		*elsewhere = rule;
	}
	return NULL;
}
