/* SPDX-License-Identifier: MIT */
/*
 * This file parses YAML files into trees of nodes, from the events of libyaml's parser. Aliases are
 * errors, because they can make a small file expand to a huge tree. Tags are errors, because they
 * can change the meaning of a value. Each limit is checked before a value is stored. libyaml checks
 * the encoding.
 */
#include "config/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

#include "base/text.h"
#include "base/write.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

struct reader {
	struct rs_yaml *yaml;
	const char *text;
	size_t bytes;
	yaml_parser_t parser;
	yaml_event_t event; /* the latest event of the parser */
	bool is_read; /* the tree is complete; false: err is set, unless memory ran out */
	struct rs_err *err;
};

/* Return the place where the latest event begins. */
static struct rs_yaml_place place_of(const struct reader *reader)
{
	const yaml_mark_t *mark = &reader->event.start_mark;
	return (struct rs_yaml_place){
		reader->yaml->name, (unsigned)mark->line + 1, (unsigned)mark->column + 1};
}

static bool refuse(struct reader *reader, const char *what, const char *remedy)
{
	const struct rs_yaml_place place = place_of(reader);
	rs_yaml_refuse(&place, reader->err, "%s", what);
	return rs_err_add_line(reader->err, "try: %s", remedy);
}

static bool no_memory(const struct reader *reader)
{
	return rs_err_set(reader->err, "%s: there is no memory to read it", reader->yaml->name);
}

/* ---- syntax errors ---- */

static bool begins_character(char byte)
{
	return (byte & 0xc0) != 0x80;
}

/* Return the offset of a character of the text in bytes, or the length of the text. */
static size_t find_offset(const struct reader *reader, size_t character)
{
	size_t offset = 0;
	for (; offset < reader->bytes; offset++)
		if (begins_character(reader->text[offset]) && character-- == 0)
			break;
	return offset;
}

static struct rs_yaml_place find_place(const struct reader *reader, size_t offset)
{
	struct rs_yaml_place place = {reader->yaml->name, 1, 1};
	for (size_t i = 0; i < offset; i++) {
		place.column += begins_character(reader->text[i]);
		if (reader->text[i] != '\n')
			continue;
		place.line++;
		place.column = 1;
	}
	return place;
}

/* Report a syntax error. Common errors have their own messages; for others use libyaml's
 * message. */
static bool refuse_syntax(struct reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;
	struct rs_err *err = reader->err;
	bool is_encoding = parser->error == YAML_READER_ERROR;
	size_t offset = is_encoding ? parser->problem_offset
				    : find_offset(reader, parser->problem_mark.index);
	const struct rs_yaml_place place = find_place(reader, offset);
	char at = offset < reader->bytes ? reader->text[offset] : '\0';
	if (parser->error == YAML_MEMORY_ERROR)
		return no_memory(reader);
	if (!is_encoding && at == '\t') {
		rs_yaml_refuse(&place, err, "a tab cannot indent");
		return rs_err_add_line(err, "try: spaces");
	}
	if (at == '@' || at == '`' || at == '%') {
		rs_yaml_refuse(&place, err, "a value cannot begin with '%c'", at);
		return rs_err_add_line(err, "try: quotes around it");
	}
	rs_yaml_refuse(&place, err, "this is no YAML: %s%s%s",
		parser->context ? parser->context : "", parser->context ? ", " : "",
		parser->problem ? parser->problem : "it cannot be parsed");
	if (is_encoding)
		return rs_err_add_line(err, "try: UTF-8 without control characters");
	if (parser->context && parser->context_mark.line != parser->problem_mark.line)
		rs_err_add_line(err, "it began in line %zu", parser->context_mark.line + 1);
	return rs_err_add_line(err,
		"try: equal indentation for all keys of a map, a space after each ':' and '-', and "
		"quotes around values that contain these characters");
}

/* ---- the tree ---- */

static bool next(struct reader *reader)
{
	yaml_event_delete(&reader->event);
	return yaml_parser_parse(&reader->parser, &reader->event) || refuse_syntax(reader);
}

/* Check the latest event, which begins a key or a value. */
static bool check_event(struct reader *reader)
{
	const yaml_event_t *event = &reader->event;
	const yaml_char_t *anchor = NULL, *tag = NULL;
	if (event->type == YAML_ALIAS_EVENT)
		return refuse(reader, "aliases (*NAME) are not supported",
			"repeat the value, or put quotes around a literal '*'");
	if (event->type == YAML_SCALAR_EVENT)
		anchor = event->data.scalar.anchor, tag = event->data.scalar.tag;
	else if (event->type == YAML_SEQUENCE_START_EVENT)
		anchor = event->data.sequence_start.anchor, tag = event->data.sequence_start.tag;
	else if (event->type == YAML_MAPPING_START_EVENT)
		anchor = event->data.mapping_start.anchor, tag = event->data.mapping_start.tag;
	if (anchor)
		return refuse(reader, "anchors (&NAME) are not supported",
			"repeat the value, or put quotes around a literal '&'");
	if (tag)
		return refuse(reader, "tags (!NAME) are not supported",
			"the value without a tag, or quotes around a literal '!'");
	return true;
}

/* Return a copy of a scalar's text. Return NULL and set err if it contains NUL. */
static const char *take_text(struct reader *reader)
{
	const char *value = (const char *)reader->event.data.scalar.value;
	if (strlen(value) == reader->event.data.scalar.length)
		return rs_arena_format(reader->yaml->arena, "%s", value);
	refuse(reader, "a text contains the character NUL", "leave \\0 out");
	return NULL;
}

/* Read a key of a map. Return false and set err if it is invalid or the map has it already. */
static bool read_key(struct reader *reader, const struct rs_yaml_node *map, const char **key)
{
	if (!check_event(reader))
		return false;
	if (reader->event.type != YAML_SCALAR_EVENT)
		return refuse(
			reader, "a key must be a single word, not a map or a list", "KEY: VALUE");
	*key = take_text(reader);
	if (!*key)
		return false;
	if (!**key)
		return refuse(reader, "a key is empty", "KEY: VALUE");
	const struct rs_yaml_node *same = rs_yaml_find(map, *key);
	if (!same)
		return true;
	const struct rs_yaml_place place = place_of(reader);
	rs_yaml_refuse(&place, reader->err, "duplicate key %s: the map contains it in line %u",
		rs_yaml_title(same).text, same->key_place.line);
	return rs_err_add_line(reader->err, "try: one of them");
}

static bool read_members(struct reader *reader, struct rs_yaml_node *node, unsigned depth);

/* Read the value that begins with the latest event. depth: number of maps and lists around it. */
static bool read_value(struct reader *reader, struct rs_yaml_node **value, unsigned depth)
{
	struct rs_yaml *yaml = reader->yaml;
	const yaml_event_t *event = &reader->event;
	const struct rs_yaml_place place = place_of(reader);
	bool is_scalar = event->type == YAML_SCALAR_EVENT;
	if (!check_event(reader))
		return false;
	if (!is_scalar && depth == RS_YAML_MAX_DEPTH) {
		rs_yaml_refuse(&place, reader->err, "maps and lists are nested more than %u deep",
			RS_YAML_MAX_DEPTH);
		return rs_err_add_line(reader->err, "try: fewer");
	}
	if (yaml->n_nodes == RS_YAML_MAX_NODES) {
		rs_yaml_refuse(
			&place, reader->err, "there are more than %u values", RS_YAML_MAX_NODES);
		return rs_err_add_line(reader->err, "try: fewer, in several files");
	}
	struct rs_yaml_node *node = *value = rs_arena_array(yaml->arena, 1, sizeof(*node));
	yaml->n_nodes++;
	node->place = place;
	if (is_scalar) {
		node->is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
		node->text = take_text(reader);
		return node->text != NULL;
	}
	node->kind = event->type == YAML_MAPPING_START_EVENT ? RS_YAML_MAP : RS_YAML_SEQUENCE;
	return read_members(reader, node, depth + 1);
}

static bool read_members(struct reader *reader, struct rs_yaml_node *node, unsigned depth)
{
	struct rs_yaml_node **member = &node->first;
	for (; next(reader); member = &(*member)->next) {
		const struct rs_yaml_place place = place_of(reader);
		const char *key = NULL;
		if (reader->event.type == YAML_MAPPING_END_EVENT ||
			reader->event.type == YAML_SEQUENCE_END_EVENT)
			return true;
		if (node->kind == RS_YAML_MAP && (!read_key(reader, node, &key) || !next(reader)))
			return false;
		if (!read_value(reader, member, depth))
			return false;
		(*member)->key = key;
		(*member)->key_place = place;
		node->n++;
	}
	return false;
}

static bool read_document(struct reader *reader)
{
	struct rs_yaml *yaml = reader->yaml;
	const yaml_event_t *event = &reader->event;
	if (!next(reader) || !next(reader)) /* the begins of the stream and of the document */
		return false;
	if (event->type == YAML_STREAM_END_EVENT)
		return true;
	if (event->data.document_start.tag_directives.start !=
		event->data.document_start.tag_directives.end)
		return refuse(reader, "%TAG is not supported", "remove it");
	if (!next(reader) || !read_value(reader, &yaml->root, 0) || !next(reader) || !next(reader))
		return false;
	/* libyaml represents an empty document by one empty scalar */
	const struct rs_yaml_node *root = yaml->root;
	if (root->kind == RS_YAML_SCALAR && !root->is_quoted && !root->text[0])
		yaml->root = NULL;
	return event->type == YAML_STREAM_END_EVENT ||
	       refuse(reader, "a second document begins",
		       "one document per file, without a line ---");
}

static void read_text(void *context)
{
	struct reader *reader = context;
	yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
		&reader->parser, (const unsigned char *)reader->text, reader->bytes);
	reader->is_read = read_document(reader);
}

/* Three characters end a line for libyaml, but for no editor. The text after them in a comment
 * would be a setting. Return false and set err if the text contains one. */
static bool check_lines(const struct reader *reader)
{
	static const struct {
		const char *name, *bytes;
	} ends[] = {{"U+0085", "\xc2\x85"}, {"U+2028", "\xe2\x80\xa8"}, {"U+2029", "\xe2\x80\xa9"}};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const char *at = memmem(
			reader->text, reader->bytes, ends[i].bytes, strlen(ends[i].bytes));
		if (!at)
			continue;
		const struct rs_yaml_place place = find_place(reader, (size_t)(at - reader->text));
		rs_yaml_refuse(
			&place, reader->err, "character %s is not allowed here", ends[i].name);
		return rs_err_add_line(reader->err, "try: leave it out");
	}
	return true;
}

static bool load(struct reader *reader)
{
	const struct rs_yaml *yaml = reader->yaml;
	if (reader->bytes > RS_YAML_MAX_BYTES) {
		rs_err_set(
			reader->err, "%s: is longer than %u bytes", yaml->name, RS_YAML_MAX_BYTES);
		return rs_err_add_line(reader->err, "try: a shorter file, in YAML");
	}
	if (reader->bytes >= 3 && memcmp(reader->text, BYTE_ORDER_MARK, 3) == 0) {
		reader->text += 3;
		reader->bytes -= 3;
	}
	if (!check_lines(reader))
		return false;
	bool has_memory = yaml_parser_initialize(&reader->parser) &&
			  rs_arena_guard(read_text, reader);
	yaml_event_delete(&reader->event);
	yaml_parser_delete(&reader->parser);
	return has_memory ? reader->is_read : no_memory(reader);
}

bool rs_yaml_load_text(
	struct rs_yaml *yaml, const char *name, const char *text, size_t bytes, struct rs_err *err)
{
	struct reader reader = {.yaml = yaml, .text = text, .bytes = bytes, .err = err};
	*yaml = (struct rs_yaml){.arena = yaml->arena};
	yaml->name = rs_arena_shown(yaml->arena, name);
	bool done = yaml->name ? load(&reader)
			       : rs_err_set(err, "there is no memory to read a file");
	if (!done)
		yaml->root = NULL;
	return done;
}

static bool refuse_file(const char *name, struct rs_err *err)
{
	bool is_wrong_path = errno == ENOENT || errno == ENOTDIR || errno == EISDIR;
	rs_err_set_errno(err, errno, "cannot read '%s'", rs_text_shown(name).text);
	return is_wrong_path && rs_err_add_line(err, "try: the path of a YAML file");
}

bool rs_yaml_load_fd(struct rs_yaml *yaml, int fd, const char *name, struct rs_err *err)
{
	/* Read up to one byte more than the limit, to detect longer files. */
	const size_t room = RS_YAML_MAX_BYTES + 1;
	char *text = malloc(room);
	ssize_t got = text ? rs_read_all(fd, text, room) : -1;
	bool done = got < 0 ? refuse_file(name, err)
			    : rs_yaml_load_text(yaml, name, text, (size_t)got, err);
	free(text);
	return done;
}

bool rs_yaml_load_file(struct rs_yaml *yaml, const char *path, struct rs_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return refuse_file(path, err);
	bool done = rs_yaml_load_fd(yaml, fd, path, err);
	close(fd);
	return done;
}
