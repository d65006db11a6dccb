/* SPDX-License-Identifier: MIT */
/*
 * This file parses YAML files into trees of nodes, from the events of libyaml's parser. Aliases are
 * errors, because they can make a small file expand to a huge tree. Tags are errors, because they
 * can change the meaning of a value. Each limit is checked before a value is stored.
 */
#include "config/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

#include "base/text.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* The state of the parser: the tree so far, and its open maps and sequences. */
struct builder {
	struct rs_yaml *yaml;
	const char *text;
	size_t bytes;
	yaml_parser_t parser;
	/* open maps and sequences, the outermost first */
	struct rs_yaml_node *open[RS_YAML_MAX_DEPTH];
	struct rs_yaml_node *last[RS_YAML_MAX_DEPTH]; /* last member of each open node */
	size_t depth;
	const char *key; /* a key whose value comes next */
	struct rs_yaml_place key_place;
	bool is_done; /* a document has ended */
	bool is_read; /* the tree is complete; false: err is set, unless memory ran out */
	yaml_event_t event;
	struct rs_err *err;
};

static struct rs_yaml_place place_of(const struct builder *builder, const yaml_mark_t *mark)
{
	return (struct rs_yaml_place){
		builder->yaml->name, (unsigned)mark->line + 1, (unsigned)mark->column + 1};
}

static bool no_memory(const struct builder *builder)
{
	return rs_err_set(builder->err, "%s: there is no memory to read it", builder->yaml->name);
}

/* Report a syntax error. Common errors have their own messages; for others use libyaml's
 * message. */
static bool refuse_syntax(struct builder *builder)
{
	const yaml_parser_t *parser = &builder->parser;
	struct rs_yaml_place place = place_of(builder, &parser->problem_mark);
	if (parser->error == YAML_MEMORY_ERROR)
		return no_memory(builder);
	const char *at = rs_yaml_find_place(builder->text, builder->bytes, &place);
	if (at && *at == '\t') {
		rs_yaml_refuse(&place, builder->err, "a tab cannot indent");
		return rs_err_add_line(builder->err, "try: spaces");
	}
	if (at && (*at == '@' || *at == '`' || *at == '%')) {
		rs_yaml_refuse(&place, builder->err, "a value cannot begin with '%c'", *at);
		return rs_err_add_line(builder->err, "try: quotes around it");
	}
	rs_yaml_refuse(&place, builder->err, "this is no YAML: %s%s%s",
		parser->context ? parser->context : "", parser->context ? ", " : "",
		parser->problem ? parser->problem : "it cannot be parsed");
	if (parser->context && parser->context_mark.line != parser->problem_mark.line)
		rs_err_add_line(
			builder->err, "it began in line %zu", parser->context_mark.line + 1);
	return rs_err_add_line(builder->err,
		"try: equal indentation for all keys of a map, a space after each ':' and '-', and "
		"quotes around values that contain these characters");
}

static bool refuse(struct builder *builder, const struct rs_yaml_place *place, const char *what,
	const char *remedy)
{
	rs_yaml_refuse(place, builder->err, "%s", what);
	return rs_err_add_line(builder->err, "try: %s", remedy);
}

static bool check_event(struct builder *builder, const yaml_event_t *event)
{
	struct rs_yaml_place place = place_of(builder, &event->start_mark);
	const yaml_char_t *anchor = NULL, *tag = NULL;
	if (event->type == YAML_ALIAS_EVENT)
		return refuse(builder, &place, "aliases (*NAME) are not supported",
			"repeat the value, or put quotes around a literal '*'");
	if (event->type == YAML_SCALAR_EVENT)
		anchor = event->data.scalar.anchor, tag = event->data.scalar.tag;
	else if (event->type == YAML_SEQUENCE_START_EVENT)
		anchor = event->data.sequence_start.anchor, tag = event->data.sequence_start.tag;
	else if (event->type == YAML_MAPPING_START_EVENT)
		anchor = event->data.mapping_start.anchor, tag = event->data.mapping_start.tag;
	if (anchor)
		return refuse(builder, &place, "anchors (&NAME) are not supported",
			"repeat the value, or put quotes around a literal '&'");
	if (tag)
		return refuse(builder, &place, "tags (!NAME) are not supported",
			"the value without a tag, or quotes around a literal '!'");
	return true;
}

/* Return true if the next scalar is a key of the innermost map. */
static bool is_key_next(const struct builder *builder)
{
	return builder->depth > 0 && builder->open[builder->depth - 1]->kind == RS_YAML_MAP &&
	       !builder->key;
}

/* Return a copy of a scalar's text. Return NULL and set err if it contains NUL. */
static const char *take_text(struct builder *builder, const yaml_event_t *event)
{
	struct rs_yaml_place place = place_of(builder, &event->start_mark);
	const char *value = (const char *)event->data.scalar.value;
	if (strlen(value) == event->data.scalar.length)
		return rs_arena_format(&builder->yaml->arena, "%s", value);
	refuse(builder, &place, "a text contains the character NUL", "leave \\0 out");
	return NULL;
}

static bool take_key(struct builder *builder, const yaml_event_t *event)
{
	const struct rs_yaml_node *map = builder->open[builder->depth - 1];
	struct rs_yaml_place place = place_of(builder, &event->start_mark);
	if (event->type != YAML_SCALAR_EVENT)
		return refuse(builder, &place, "a key must be a single word, not a map or a list",
			"KEY: VALUE");
	if (event->data.scalar.length == 0)
		return refuse(builder, &place, "a key is empty", "KEY: VALUE");
	const struct rs_yaml_node *same = rs_yaml_find(map, (const char *)event->data.scalar.value);
	if (same) {
		rs_yaml_refuse(&place, builder->err,
			"duplicate key %s: the map contains it in line %u",
			rs_yaml_title(same).text, same->key_place.line);
		return rs_err_add_line(builder->err, "try: one of them");
	}
	builder->key = take_text(builder, event);
	builder->key_place = place;
	return builder->key != NULL;
}

/* Add a node to the tree: the root, or the next member of the innermost open node. Return NULL and
 * set err if a limit is reached. */
static struct rs_yaml_node *add_node(struct builder *builder, const yaml_event_t *event)
{
	struct rs_yaml *yaml = builder->yaml;
	struct rs_yaml_place place = place_of(builder, &event->start_mark);
	if (yaml->n_nodes == RS_YAML_MAX_NODES) {
		rs_yaml_refuse(
			&place, builder->err, "there are more than %u values", RS_YAML_MAX_NODES);
		rs_err_add_line(builder->err, "try: fewer, in several files");
		return NULL;
	}
	struct rs_yaml_node *node = rs_arena_array(&yaml->arena, 1, sizeof(*node));
	yaml->n_nodes++;
	*node = (struct rs_yaml_node){
		.place = place, .key = builder->key, .key_place = builder->key_place};
	builder->key = NULL;
	if (builder->depth == 0) {
		yaml->root = node;
		return node;
	}
	struct rs_yaml_node *above = builder->open[builder->depth - 1];
	struct rs_yaml_node **last = &builder->last[builder->depth - 1];
	if (*last)
		(*last)->next = node;
	else
		above->first = node;
	*last = node;
	above->n++;
	return node;
}

static bool open_node(struct builder *builder, const yaml_event_t *event, enum rs_yaml_kind kind)
{
	struct rs_yaml_place place = place_of(builder, &event->start_mark);
	if (builder->depth == RS_YAML_MAX_DEPTH) {
		rs_yaml_refuse(&place, builder->err, "maps and lists are nested more than %u deep",
			RS_YAML_MAX_DEPTH);
		return rs_err_add_line(builder->err, "try: fewer");
	}
	struct rs_yaml_node *node = add_node(builder, event);
	if (!node)
		return false;
	node->kind = kind;
	builder->open[builder->depth] = node;
	builder->last[builder->depth++] = NULL;
	return true;
}

static bool take_scalar(struct builder *builder, const yaml_event_t *event)
{
	struct rs_yaml_node *node = add_node(builder, event);
	if (!node)
		return false;
	node->kind = RS_YAML_SCALAR;
	node->is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	node->text = take_text(builder, event);
	return node->text != NULL;
}

static bool take_document(struct builder *builder, const yaml_event_t *event)
{
	struct rs_yaml_place place = place_of(builder, &event->start_mark);
	if (event->data.document_start.tag_directives.start !=
		event->data.document_start.tag_directives.end)
		return refuse(builder, &place, "%TAG is not supported", "remove it");
	if (builder->is_done)
		return refuse(builder, &place, "a second document begins",
			"one document per file, without a line ---");
	return true;
}

static bool take_event(struct builder *builder, const yaml_event_t *event)
{
	if (!check_event(builder, event))
		return false;
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		return take_document(builder, event);
	case YAML_DOCUMENT_END_EVENT:
		builder->is_done = true;
		return true;
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		builder->depth--;
		return true;
	case YAML_SCALAR_EVENT:
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		if (is_key_next(builder))
			return take_key(builder, event);
		return event->type == YAML_SCALAR_EVENT
			       ? take_scalar(builder, event)
			       : open_node(builder, event,
					 event->type == YAML_MAPPING_START_EVENT
						 ? RS_YAML_MAP
						 : RS_YAML_SEQUENCE);
	default:
		return true;
	}
}

/* libyaml represents an empty document by one empty scalar. Remove that. */
static void drop_empty_root(struct rs_yaml *yaml)
{
	const struct rs_yaml_node *root = yaml->root;
	if (root && root->kind == RS_YAML_SCALAR && !root->is_quoted && !root->text[0])
		yaml->root = NULL;
}

static bool parse(struct builder *builder)
{
	bool done = true, more = true;
	while (done && more) {
		if (!yaml_parser_parse(&builder->parser, &builder->event))
			return refuse_syntax(builder);
		done = take_event(builder, &builder->event);
		more = builder->event.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&builder->event);
	}
	if (done)
		drop_empty_root(builder->yaml);
	return done;
}

static void build(void *context)
{
	struct builder *builder = context;
	yaml_parser_set_encoding(&builder->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
		&builder->parser, (const unsigned char *)builder->text, builder->bytes);
	builder->is_read = parse(builder);
}

static bool load(struct builder *builder)
{
	const struct rs_yaml *yaml = builder->yaml;
	if (builder->bytes > RS_YAML_MAX_BYTES) {
		rs_err_set(
			builder->err, "%s: is longer than %u bytes", yaml->name, RS_YAML_MAX_BYTES);
		return rs_err_add_line(builder->err, "try: a shorter file, in YAML");
	}
	if (builder->bytes >= 3 && memcmp(builder->text, BYTE_ORDER_MARK, 3) == 0) {
		builder->text += 3;
		builder->bytes -= 3;
	}
	if (!rs_yaml_check_characters(yaml->name, builder->text, builder->bytes, builder->err))
		return false;
	bool has_memory = yaml_parser_initialize(&builder->parser) &&
			  rs_arena_guard(build, builder);
	yaml_event_delete(&builder->event);
	yaml_parser_delete(&builder->parser);
	return has_memory ? builder->is_read : no_memory(builder);
}

bool rs_yaml_load_text(
	struct rs_yaml *yaml, const char *name, const char *text, size_t bytes, struct rs_err *err)
{
	struct builder builder = {.yaml = yaml, .text = text, .bytes = bytes, .err = err};
	*yaml = (struct rs_yaml){0};
	yaml->name = rs_arena_shown(&yaml->arena, name);
	bool done = yaml->name ? load(&builder)
			       : rs_err_set(err, "there is no memory to read a file");
	if (!done)
		rs_yaml_finish(yaml);
	return done;
}

bool rs_yaml_load_fd(struct rs_yaml *yaml, int fd, const char *name, struct rs_err *err)
{
	/* Read up to one byte more than the limit, to detect longer files. */
	const size_t room = RS_YAML_MAX_BYTES + 1;
	char *text = malloc(room);
	size_t bytes = 0;
	ssize_t got = text ? 1 : -1;
	while (got > 0 && bytes < room) {
		do
			got = read(fd, text + bytes, room - bytes);
		while (got < 0 && errno == EINTR);
		bytes += got > 0 ? (size_t)got : 0;
	}
	bool done = got < 0 ? rs_err_set_errno(
				      err, errno, "cannot read '%s'", rs_text_shown(name).text)
			    : rs_yaml_load_text(yaml, name, text, bytes, err);
	free(text);
	return done;
}

bool rs_yaml_load_file(struct rs_yaml *yaml, const char *path, struct rs_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return rs_err_set_errno(err, errno, "cannot read '%s'", rs_text_shown(path).text);
	bool done = rs_yaml_load_fd(yaml, fd, path, err);
	close(fd);
	return done;
}

void rs_yaml_finish(struct rs_yaml *yaml)
{
	rs_arena_finish(&yaml->arena);
	*yaml = (struct rs_yaml){0};
}
