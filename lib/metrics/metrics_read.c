/* SPDX-License-Identifier: MIT */
/*
 * This file reads the metrics of a YAML document into rules. Errors are reported with file, line
 * and column.
 */
#include "metrics/metrics.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* The keys that a file sets for all its metrics. */
struct reader {
	struct rs_metrics *metrics;
	const struct rs_yaml_node *cpus; /* NULL if not set */
	const char *source;
	struct rs_err *err;
};

/* Get a text of one line with fewer than `bytes` bytes. If node is NULL, do not change *text. */
static bool get_line(const struct reader *reader, const struct rs_yaml_node *node, size_t bytes,
	const char **text)
{
	if (!node)
		return true;
	if (!rs_yaml_get_text(node, text, reader->err))
		return false;
	if (!**text)
		return rs_yaml_refuse(
			&node->place, reader->err, "%s is empty", rs_yaml_title(node).text);
	if (strlen(*text) >= bytes)
		return rs_yaml_refuse(&node->place, reader->err, "%s has more than %zu bytes",
			rs_yaml_title(node).text, bytes - 1);
	if (!rs_text_is_plain(*text))
		return rs_yaml_refuse(&node->place, reader->err, "%s is not one line of plain text",
			rs_yaml_title(node).text);
	return true;
}

static bool check_name(
	const struct reader *reader, const struct rs_yaml_node *node, const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_.+-/", *c)) {
			rs_yaml_refuse(&node->place, reader->err,
				"the name '%s' contains a character other than letters, digits and "
				"_.+-/",
				name);
			return rs_err_add_line(
				reader->err, "try: the key label, for the name in reports");
		}
	return true;
}

/* Get one glob of CPU names, or a list of them. */
static bool get_cpus(
	const struct reader *reader, struct rs_metric_rule *rule, const struct rs_yaml_node *node)
{
	if (!node)
		return true;
	const struct rs_yaml_node *first = node->kind == RS_YAML_SCALAR ? node : node->first;
	if (node->kind == RS_YAML_MAP)
		return rs_yaml_check_sequence(node, reader->err);
	for (const struct rs_yaml_node *at = first; at; at = at == node ? NULL : at->next) {
		if (rule->n_cpus == RS_METRIC_MAX_CPUS)
			return rs_yaml_refuse(
				&at->place, reader->err, "more than %u CPUs", RS_METRIC_MAX_CPUS);
		if (!get_line(reader, at, RS_METRIC_NAME_BYTES, &rule->cpus[rule->n_cpus]))
			return false;
		rule->n_cpus++;
	}
	return rule->n_cpus > 0 || rs_yaml_refuse(&node->place, reader->err, "'cpus' is empty");
}

/* Get a map from short names to events, or a list of events. */
static bool get_events(const struct reader *reader, struct rs_metric_rule *rule,
	const struct rs_yaml_node *node, const char **aliases)
{
	if (!node)
		return true;
	if (node->kind == RS_YAML_SCALAR)
		return rs_yaml_check_map(node, reader->err);
	for (const struct rs_yaml_node *at = node->first; at; at = at->next) {
		if (rule->n_events == RS_METRIC_MAX_EVENTS)
			return rs_yaml_refuse(&at->place, reader->err, "more than %u events",
				RS_METRIC_MAX_EVENTS);
		aliases[rule->n_events] = at->key;
		if (!get_line(reader, at, RS_METRIC_TEXT_BYTES, &rule->events[rule->n_events]))
			return false;
		rule->n_events++;
	}
	return true;
}

/* Report an error in a formula. If the formula is not quoted, add its column to the node's
 * column. */
static bool refuse_rule(const struct reader *reader, const struct rs_yaml_node *map,
	const struct rs_metric_fault *fault)
{
	const struct rs_yaml_node *node = rs_yaml_find(map, fault->key);
	struct rs_yaml_place place = node ? node->place : map->place;
	struct rs_err why = *reader->err;
	if (fault->column > 0 && node && !node->is_quoted)
		place.column += fault->column - 1;
	if (fault->column > 0)
		rs_yaml_refuse(&place, reader->err, "'%s', character %u: %s", fault->key,
			fault->column, why.text);
	else
		rs_yaml_refuse(&place, reader->err, "'%s': %s", fault->key, why.text);
	return false;
}

/* Check that no other metric of the file has the same name. Metrics that name CPUs may share a
 * name. */
static bool check_twice(const struct reader *reader, const struct rs_metric_rule *rule,
	const struct rs_yaml_node *node, size_t first)
{
	for (size_t i = first; i < reader->metrics->n; i++) {
		const struct rs_metric_rule *other = reader->metrics->rules[i];
		if (strcasecmp(other->name, rule->name) == 0 && other->n_cpus + rule->n_cpus == 0)
			return rs_yaml_refuse(&node->place, reader->err,
				"the metric '%s' is already defined at %s", rule->name,
				other->place);
	}
	return true;
}

static bool get_texts(
	const struct reader *reader, struct rs_metric_rule *rule, const struct rs_yaml_node *map)
{
	const struct {
		const char *key;
		size_t bytes;
		const char **text;
	} texts[] = {
		{"name", RS_METRIC_NAME_BYTES, &rule->name},
		{"label", RS_METRIC_NAME_BYTES, &rule->label},
		{"unit", RS_METRIC_NAME_BYTES, &rule->unit},
		{"meaning", RS_METRIC_TEXT_BYTES, &rule->meaning},
		{"worry", RS_METRIC_TEXT_BYTES, &rule->worry},
		{"source", RS_METRIC_TEXT_BYTES, &rule->source},
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!get_line(
			    reader, rs_yaml_find(map, texts[i].key), texts[i].bytes, texts[i].text))
			return false;
	const struct rs_yaml_node *formula = rs_yaml_find(map, "formula");
	if (!rule->name || !formula)
		return rs_yaml_refuse(&map->place, reader->err, "a metric without '%s'",
			rule->name ? "formula" : "name");
	if (!rs_yaml_get_text(formula, &rule->text, reader->err))
		return false;
	rule->label = rule->label ? rule->label : rule->name;
	return check_name(reader, rs_yaml_find(map, "name"), rule->name);
}

/* Fill a rule from a node. The metrics of this file begin at index `first`. */
static bool read_rule(const struct reader *reader, struct rs_metric_rule *rule,
	const struct rs_yaml_node *map, size_t first)
{
	static const char *const keys[] = {
		"name", "label", "formula", "unit", "events", "meaning", "worry", "source", "cpus"};
	const char *aliases[RS_METRIC_MAX_EVENTS] = {NULL};
	const struct rs_yaml_node *cpus = rs_yaml_find(map, "cpus");
	struct rs_metric_fault fault;
	rule->unit = "ratio";
	rule->source = reader->source;
	if (!rs_yaml_check_map(map, reader->err) ||
		!rs_yaml_check_keys(map, keys, sizeof(keys) / sizeof(keys[0]), reader->err) ||
		!get_texts(reader, rule, map) ||
		!get_cpus(reader, rule, cpus ? cpus : reader->cpus) ||
		!get_events(reader, rule, rs_yaml_find(map, "events"), aliases) ||
		!check_twice(reader, rule, rs_yaml_find(map, "name"), first))
		return false;
	if (!rs_metric_settle(rule, aliases, &fault, reader->err))
		return refuse_rule(reader, map, &fault);
	rule->place = rs_arena_format(
		&reader->metrics->arena, "%s:%u", map->place.file, map->place.line);
	return rule->place || rs_err_set(reader->err, "cannot read metrics: out of memory");
}

static bool add_rule(const struct reader *reader, const struct rs_yaml_node *map, size_t first)
{
	struct rs_metrics *metrics = reader->metrics;
	if (metrics->n == RS_METRICS_MAX)
		return rs_yaml_refuse(
			&map->place, reader->err, "more than %u metrics", RS_METRICS_MAX);
	struct rs_metric_rule *rule = rs_arena_array(&metrics->arena, 1, sizeof(*rule));
	struct rs_metric_rule **rules = rs_arena_room(
		&metrics->arena, metrics->rules, metrics->n, sizeof(*rules));
	if (!rule || !rules)
		return rs_err_set(reader->err, "cannot read metrics: out of memory");
	if (!read_rule(reader, rule, map, first))
		return false;
	metrics->rules = rules;
	rules[metrics->n++] = rule;
	return true;
}

bool rs_metrics_read(struct rs_metrics *metrics, const struct rs_yaml *yaml, struct rs_err *err)
{
	static const char *const keys[] = {"cpus", "source", "metrics"};
	const struct rs_yaml_node *root = yaml->root;
	struct reader reader = {metrics, rs_yaml_find(root, "cpus"), NULL, err};
	size_t first = metrics->n;
	if (!root)
		return true;
	if (!rs_yaml_check_map(root, err) ||
		!rs_yaml_check_keys(root, keys, sizeof(keys) / sizeof(keys[0]), err) ||
		!get_line(&reader, rs_yaml_find(root, "source"), RS_METRIC_TEXT_BYTES,
			&reader.source))
		return false;
	const struct rs_yaml_node *list = rs_yaml_find(root, "metrics");
	if (!list)
		return rs_yaml_refuse(&root->place, err, "there is no 'metrics'");
	if (!rs_yaml_check_sequence(list, err))
		return false;
	for (const struct rs_yaml_node *map = list->first; map; map = map->next)
		if (!add_rule(&reader, map, first))
			return false;
	return true;
}
