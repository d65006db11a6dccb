/* SPDX-License-Identifier: MIT */
/*
 * This file writes the regions of a summary in the .cali format of Caliper, for cali-query, Hatchet
 * and Thicket. In this format, nodes describe attributes and the tree of regions. The file has one
 * record for each region. It holds the region's calls, and the self and inclusive values of time
 * and events.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"

/* Ids of nodes that every reader of .cali files knows: types, and the attributes that describe
 * attributes (caliper/common/CaliperMetadataAccessInterface: the bootstrap nodes of
 * MetadataTree). */
enum { TYPE_UINT = 2, TYPE_STRING = 3, ATTR_NAME = 8, ATTR_PROP = 10, FIRST_NODE = 12 };

/* Properties of attributes (caliper/common/cali_types.h). */
enum {
	PROP_AS_VALUE = 1,
	PROP_SCOPE_PROCESS = 12,
	PROP_SCOPE_THREAD = 20,
	PROP_SKIP_EVENTS = 64,
	PROP_NESTED = 256,
	PROP_GLOBAL = 512,
	PROP_AGGREGATABLE = 2048,
};

#define NAME_BYTES 1024u
#define NO_NODE 0u /* 0 means no node; it is the id of the type usr, to which no node refers */

struct cali {
	FILE *stream;
	const struct rs_summary *summary;
	unsigned next_node;
	unsigned unit; /* node of the attribute "attribute.unit" */
	unsigned region; /* node of the attribute "region" */
	unsigned calls;
	unsigned *self, *inclusive; /* attributes of each column; NO_NODE: not written */
	unsigned *nodes; /* node of each region; NO_NODE: not written yet */
};

/* Write text. Escape control characters as all reports do, and write a backslash before each
 * character that separates fields. */
static void write_text(FILE *stream, const char *text)
{
	char shown[NAME_BYTES];
	rs_text_name(shown, sizeof(shown), text);
	for (const char *c = shown; *c; c++) {
		if (strchr("\\,=", *c))
			putc('\\', stream);
		putc(*c, stream);
	}
}

/* Write a node and return its id. parent: id of its parent, or NO_NODE. */
static unsigned add_node(struct cali *cali, unsigned attribute, const char *data, unsigned parent)
{
	fprintf(cali->stream, "__rec=node,id=%u,attr=%u,data=", cali->next_node, attribute);
	write_text(cali->stream, data);
	if (parent != NO_NODE)
		fprintf(cali->stream, ",parent=%u", parent);
	putc('\n', cali->stream);
	return cali->next_node++;
}

/* Write the node of an attribute and return its id. The function puts prefix before the name. unit:
 * NULL for none. */
static unsigned add_attribute(struct cali *cali, const char *prefix, const char *name,
	const char *unit, unsigned type, unsigned properties)
{
	char digits[16], whole[NAME_BYTES];
	snprintf(digits, sizeof(digits), "%u", properties);
	unsigned node = unit ? add_node(cali, cali->unit, unit, type) : type;
	node = add_node(cali, ATTR_PROP, digits, node);
	snprintf(whole, sizeof(whole), "%s%s", prefix, name);
	return add_node(cali, ATTR_NAME, whole, node);
}

static void add_attributes(struct cali *cali)
{
	const struct rs_summary *summary = cali->summary;
	const unsigned value = PROP_AS_VALUE | PROP_SCOPE_THREAD | PROP_AGGREGATABLE;
	cali->unit = add_attribute(cali, "", "attribute.unit", NULL, TYPE_STRING, PROP_SKIP_EVENTS);
	cali->region = add_attribute(
		cali, "", "region", NULL, TYPE_STRING, PROP_NESTED | PROP_SCOPE_THREAD);
	cali->calls = add_attribute(cali, "", "count", "count", TYPE_UINT, value);
	for (size_t i = 0; i < summary->n_columns; i++) {
		const struct rs_summary_column *column = &summary->columns[i];
		const char *name = i == RS_EVENT_TIME ? "time.duration.ns" : column->name;
		if (column->is_part || (i > 0 && !column->in_regions))
			continue;
		cali->self[i] = add_attribute(cali, "sum#", name, column->unit, TYPE_UINT, value);
		cali->inclusive[i] = add_attribute(
			cali, "inclusive#sum#", name, column->unit, TYPE_UINT, value);
	}
}

/* Write the node of a region and return its id. The parent of this node is the node of the region
 * around it. */
static unsigned region_node(struct cali *cali, size_t index)
{
	const struct rs_summary_region *region = &cali->summary->merged[index];
	unsigned parent = NO_NODE;
	if (cali->nodes[index] != NO_NODE)
		return cali->nodes[index];
	if (region->parent_row != RS_NO_ROW)
		parent = region_node(cali, region->parent_row);
	cali->nodes[index] = add_node(cali, cali->region, region->name, parent);
	return cali->nodes[index];
}

/* Write "=NUMBER" for each value of a region. The number is the id of the value's attribute, or the
 * value itself if is_data. A record has both lists, in the same order. */
static void write_values(
	const struct cali *cali, const struct rs_summary_region *region, bool is_data)
{
	fprintf(cali->stream, "=%" PRIu64, is_data ? region->calls : cali->calls);
	for (size_t i = 0; i < cali->summary->n_columns; i++) {
		const struct rs_value *value = &region->values[i];
		if (cali->self[i] == NO_NODE || !rs_value_has_total(value))
			continue;
		fprintf(cali->stream, "=%" PRIu64, is_data ? value->total : cali->inclusive[i]);
		if (!value->lacks_self)
			fprintf(cali->stream, "=%" PRIu64,
				is_data ? rs_value_self(value) : cali->self[i]);
	}
}

static void write_region(struct cali *cali, size_t index)
{
	const struct rs_summary_region *region = &cali->summary->merged[index];
	unsigned node = region_node(cali, index);
	fprintf(cali->stream, "__rec=ctx,ref=%u,attr", node);
	write_values(cali, region, false);
	fputs(",data", cali->stream);
	write_values(cali, region, true);
	putc('\n', cali->stream);
}

static void write_globals(struct cali *cali)
{
	const unsigned properties = PROP_AS_VALUE | PROP_SCOPE_PROCESS | PROP_GLOBAL;
	const struct rs_summary *summary = cali->summary;
	char elapsed[RS_TEXT_INTEGER_BYTES];
	snprintf(elapsed, sizeof(elapsed), "%" PRIu64, summary->elapsed_ns);
	const char *const facts[][2] = {{"regionstat.version", REGIONSTAT_VERSION},
		{"regionstat.run", summary->label}, {"regionstat.host", summary->run->machine.host},
		{"regionstat.elapsed_ns", elapsed}};
	const size_t n = sizeof(facts) / sizeof(facts[0]);
	unsigned attributes[sizeof(facts) / sizeof(facts[0])];
	for (size_t i = 0; i < n; i++)
		attributes[i] = add_attribute(cali, "", facts[i][0], NULL, TYPE_STRING, properties);
	fputs("__rec=globals,attr", cali->stream);
	for (size_t i = 0; i < n; i++)
		fprintf(cali->stream, "=%u", attributes[i]);
	fputs(",data", cali->stream);
	for (size_t i = 0; i < n; i++) {
		putc('=', cali->stream);
		write_text(cali->stream, facts[i][1]);
	}
	putc('\n', cali->stream);
}

void rs_report_cali(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct cali cali = {
		.stream = stream,
		.summary = summary,
		.next_node = FIRST_NODE,
		.self = rs_arena_array(arena, summary->n_columns, sizeof(*cali.self)),
		.inclusive = rs_arena_array(arena, summary->n_columns, sizeof(*cali.inclusive)),
		.nodes = rs_arena_array(arena, summary->n_merged, sizeof(*cali.nodes)),
	};
	(void)options;
	add_attributes(&cali);
	for (size_t i = 0; i < summary->n_merged; i++)
		write_region(&cali, i);
	write_globals(&cali);
}
