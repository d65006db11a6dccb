/* SPDX-License-Identifier: MIT */
/*
 * This file reads a saved run from its text. If the text is not a saved run, the message says why.
 *
 * Most of the text consists of results, which refer to other members. If those members precede the
 * results, as in files that regionstat wrote, the results are read when they are found. Otherwise
 * all members are read after the whole text has been searched, so their order does not matter.
 */
#include "record/record.h"

#include <string.h>

#include "base/text.h"
#include "record/document.h"

#define MOST_MEMBERS 16u /* limit of the members of a table */

enum table { ORIGIN, FACTS, MEASURED, N_TABLES };

static const struct rs_json_table *const tables[N_TABLES] = {
	&rs_document_origin, &rs_document_facts, &rs_document_measured};

struct loader {
	bool done; /* false: the run was not read, and err says why, unless memory ran out */
	struct rs_json_load load;
	struct rs_json_reader reader;
	/* the document, which lives in the arena because the run points into it */
	struct rs_document *document;
	struct rs_run run;
	/* where the value of each member of the tables begins; NULL: not found yet */
	const char *values[N_TABLES][MOST_MEMBERS];
	const char *results; /* where the results begin; NULL: not found yet */
	bool are_results_read;
};

/* ---- why a text is no run ---- */

/* Return true if a text begins with the header of CSV, with any separator. */
static bool is_csv(const char *text, size_t bytes)
{
	const char *end = memchr(text, '\n', bytes);
	size_t n = end ? (size_t)(end - text) : bytes;
	return n > 3 && memcmp(text, "run", 3) == 0 && memmem(text, n, "kind", 4) &&
	       memmem(text, n, "self_total", strlen("self_total"));
}

/* Return true if a saved run was cut off: the text begins like a saved run, but the end is
 * missing. */
static bool is_cut(const struct rs_json_reader *reader, size_t bytes)
{
	static const char start[] = "{\n\"regionstat\":";
	size_t n = bytes < strlen(start) ? bytes : strlen(start);
	char last = reader->end[-1];
	return memcmp(reader->text, start, n) == 0 &&
	       (reader->at == reader->end || (last != '}' && last != '\n'));
}

/* Set err to say why a text is not JSON. Always return false. */
static bool refuse_text(const struct rs_json_reader *reader, struct rs_err *err)
{
	size_t bytes = (size_t)(reader->end - reader->text), line = 1, column = 1;
	for (const char *at = reader->text; at < reader->at; at++) {
		column = *at == '\n' ? 1 : column + 1;
		line += *at == '\n';
	}
	if (bytes == 0) {
		rs_err_set(err, "it is empty: no run was saved in it");
	} else if (is_csv(reader->text, bytes)) {
		rs_err_set(err, "it is CSV, which does not contain everything that was measured");
		return rs_err_add_line(
			err, "try: -o FILE.json in addition to -o FILE.csv in the next run");
	} else if (is_cut(reader, bytes)) {
		rs_err_set(err, "it is a truncated saved run: it ends in line %zu", line);
		return rs_err_add_line(
			err, "try: a complete copy of the file, or run the program again");
	} else {
		rs_err_set(err, "it is no JSON: line %zu, column %zu: %s", line, column,
			reader->error);
	}
	return rs_err_add_line(err, "try: a file that -o FILE.json wrote");
}

/* Check that the document is a saved run in a version that can be read. */
static bool check_origin(const struct rs_json_load *load, const struct rs_document *document)
{
	if (!document->version) {
		rs_err_set(load->err, "it is JSON, but no run of regionstat");
		return rs_err_add_line(load->err, "try: a file that -o FILE.json wrote");
	}
	if (document->schema == RS_RECORD_SCHEMA)
		return true;
	rs_err_set(load->err,
		"regionstat %s wrote it, in version %lld of the format; regionstat %s reads "
		"version %d",
		rs_text_shown(document->version).text, (long long)document->schema,
		REGIONSTAT_VERSION, RS_RECORD_SCHEMA);
	return rs_err_add_line(load->err, "try: report of regionstat %s, or of a later one",
		rs_text_shown(document->version).text);
}

/* ---- members of the document ---- */

static bool read_table(struct loader *loader, enum table table)
{
	const char *const *values = loader->values[table];
	for (size_t i = 0; i < tables[table]->n; i++) {
		const struct rs_json_member *member = &tables[table]->members[i];
		const struct rs_json_place place = {.key = member->key};
		if (!values[i] ||
			(table == ORIGIN && member->kind == RS_JSON_TEXT && *values[i] != '"'))
			continue;
		loader->reader.at = values[i];
		if (!rs_json_get_member(&loader->load, &place, member, loader->document))
			return false;
	}
	return true;
}

static bool has_all(const struct loader *loader, enum table table)
{
	for (size_t i = 0; i < tables[table]->n; i++)
		if (!loader->values[table][i])
			return false;
	return true;
}

/* Return where the value of a member begins, or NULL if it was not found. */
static const char *value_of(const struct loader *loader, enum table table, const char *key)
{
	const struct rs_json_string string = {.text = key, .bytes = strlen(key)};
	return loader->values[table][rs_json_find_member(tables[table], &string)];
}

static bool is_measured(const struct loader *loader)
{
	const char *value = value_of(loader, MEASURED, "collection");
	return value && *value != 'n'; /* the value is not null */
}

/* Return true if everything that results refer to was found. */
static bool can_read_results(const struct loader *loader)
{
	return value_of(loader, ORIGIN, "regionstat") && value_of(loader, ORIGIN, "schema") &&
	       has_all(loader, FACTS) && has_all(loader, MEASURED) && is_measured(loader);
}

/* Set err to say that a text contains the sums of several runs, but not the runs. Always return
 * false. */
static bool refuse_summary(struct rs_err *err)
{
	rs_err_set(err, "it contains the sums of several runs, but not the runs");
	return rs_err_add_line(
		err, "try: -o FILE.jsonl for several runs, or -o FILE.json alone for one run");
}

/* Read the members that were found. results: where the results begin; NULL: there are none. */
static bool read_members(struct loader *loader, const char *results)
{
	const struct rs_json_load *load = &loader->load;
	struct rs_document *document = loader->document;
	const char *series = value_of(loader, ORIGIN, "series");
	if (series && *series == '[' && value_of(loader, ORIGIN, "regionstat"))
		return refuse_summary(load->err);
	if (!read_table(loader, ORIGIN) || !check_origin(load, document) ||
		!read_table(loader, FACTS) || !rs_load_facts(load, document))
		return false;
	if (!is_measured(loader)) {
		document->run.n_processes = 0;
		loader->run = document->run;
		return true;
	}
	if (!read_table(loader, MEASURED) || !rs_load_measured(load, &loader->run, document))
		return false;
	loader->reader.at = results;
	return !results || rs_load_results(load, &loader->run, document);
}

/* Return true if only the reports follow the results, and the text ends as regionstat writes it.
 * Reports are not read. Newlines occur only between values, so the first newline before a '}' ends
 * the document. */
static bool is_end(const struct rs_json_reader *reader)
{
	static const char rows[] = ",\n\"rows\":[", end[] = "\n}\n";
	const char *at = reader->at, *last = reader->end - strlen(end);
	if (last - at < (ptrdiff_t)strlen(rows) || memcmp(at, rows, strlen(rows)) != 0)
		return false;
	/* The reports before `end` are half of a document, and memchr() skips them faster than
	 * memmem(). */
	while (at <= last && (at = memchr(at, '\n', (size_t)(last - at) + 1)) && at[1] != '}')
		at++;
	return at == last && memcmp(at, end, strlen(end)) == 0;
}

/* Read the member with this key, or record where its value begins. */
static bool find_member(struct loader *loader, const struct rs_json_string *key)
{
	struct rs_json_reader *reader = &loader->reader;
	const char **value = NULL;
	(void)rs_json_peek(reader);
	if (key->bytes == strlen("results") && memcmp(key->text, "results", key->bytes) == 0)
		value = &loader->results;
	for (enum table table = 0; table < N_TABLES && !value; table++) {
		size_t i = rs_json_find_member(tables[table], key);
		if (i < tables[table]->n)
			value = &loader->values[table][i];
	}
	if (value && *value)
		return rs_json_wrong(reader, "a key appears twice");
	if (value)
		*value = reader->at;
	if (value != &loader->results || !can_read_results(loader))
		return rs_json_skip(reader);
	loader->are_results_read = true;
	return read_members(loader, loader->results);
}

static bool read_document(struct loader *loader)
{
	struct rs_json_reader *reader = &loader->reader;
	struct rs_json_string key;
	bool is_first = true;
	loader->document = rs_arena_array(loader->load.arena, 1, sizeof(*loader->document));
	if (rs_json_peek(reader) != '{')
		return rs_json_skip(reader) && check_origin(&loader->load, loader->document);
	reader->at++;
	while (rs_json_more(reader, '}', &is_first)) {
		if (!rs_json_read_key(reader, &key) || !find_member(loader, &key))
			return false;
		if (loader->are_results_read && is_end(reader))
			return true;
	}
	if (reader->error)
		return false;
	if (rs_json_peek(reader) != '\0' || reader->at < reader->end)
		return rs_json_wrong(reader, "it continues after its end");
	return loader->are_results_read ? read_table(loader, ORIGIN)
					: read_members(loader, loader->results);
}

static void load(void *context)
{
	struct loader *loader = context;
	loader->done = read_document(loader);
}

bool rs_run_load(struct rs_run *run, struct rs_run_origin *origin, const char *text, size_t bytes,
	struct rs_err *err)
{
	struct rs_arena arena = {0};
	struct loader loader = {
		.reader = {.text = text, .at = text, .end = text + bytes},
		.load = {.reader = &loader.reader, .arena = &arena, .err = err},
	};
	bool has_memory = rs_arena_guard(load, &loader), done = has_memory && loader.done;
	if (!has_memory) {
		rs_err_set(err, "there is no memory for it");
		rs_err_add_line(err, "try: with more memory, or a higher ulimit -v");
	} else if (loader.reader.error) {
		done = refuse_text(&loader.reader, err);
	}
	*run = done ? loader.run : (struct rs_run){0};
	run->arena = arena;
	if (done && origin)
		*origin = (struct rs_run_origin){loader.document->version, loader.document->series};
	if (done)
		return true;
	if (!strstr(err->text, "\n  try: "))
		rs_err_add_line(err, "try: the file as -o FILE.json wrote it, whole and unchanged");
	rs_run_finish(run);
	return false;
}
