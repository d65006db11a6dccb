/* SPDX-License-Identifier: MIT */
/*
 * A strict reader of YAML, for configuration files and files of metrics. A file contains one
 * document in UTF-8, made of maps, sequences and scalars. Keys are scalars, unique in their map.
 * Anchors, aliases and tags are errors. The limits below bound time and memory for any input.
 *
 * Each node has its position, so that messages can start with "FILE:LINE:COLUMN: ". Lines and
 * columns count from 1, columns in characters. The syntax is YAML 1.1 as libyaml parses it
 * (https://yaml.org/spec/1.1/).
 *
 * Threads may use these functions at the same time, each on its own document.
 */
#ifndef RS_CONFIG_YAML_H
#define RS_CONFIG_YAML_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

#define RS_YAML_MAX_BYTES (1u << 20) /* longest file */
#define RS_YAML_MAX_NODES 8192u
#define RS_YAML_MAX_DEPTH 32u /* deepest nesting of maps and sequences */

enum rs_yaml_kind {
	RS_YAML_SCALAR,
	RS_YAML_SEQUENCE,
	RS_YAML_MAP,
};

/* A position in a file. Lines and columns count from 1. */
struct rs_yaml_place {
	const char *file; /* rs_yaml.name */
	unsigned line;
	unsigned column;
};

struct rs_yaml_node {
	enum rs_yaml_kind kind;
	/* a scalar in quotes, or a block scalar: always text, never a number or bool */
	bool is_quoted;
	struct rs_yaml_place place;
	/* the text of a scalar: UTF-8 without NUL, can be ""; NULL for other nodes */
	const char *text;
	const char *key; /* key of the node in its map; NULL if it is not in a map */
	struct rs_yaml_place key_place;
	/* first member of a sequence or map, in the order of the file */
	struct rs_yaml_node *first;
	struct rs_yaml_node *next; /* next member of the same sequence or map */
	size_t n; /* how many members the node has */
};

struct rs_yaml {
	const char *name; /* the file's name in messages; safe to show */
	struct rs_yaml_node *root; /* NULL if the document is empty */
	size_t n_nodes;
	struct rs_arena *arena; /* gets the nodes and the strings */
};

/*
 * Read a document from the file at path, from the open file fd (which stays open), or from text.
 * name is the file's name in messages.
 *
 * The caller has set yaml->arena. Fill the rest of yaml. Return false and set err if the file
 * cannot be read, is not such a document, or exceeds a limit.
 */
bool rs_yaml_load_file(struct rs_yaml *yaml, const char *path, struct rs_err *err);
bool rs_yaml_load_fd(struct rs_yaml *yaml, int fd, const char *name, struct rs_err *err);
bool rs_yaml_load_text(
	struct rs_yaml *yaml, const char *name, const char *text, size_t bytes, struct rs_err *err);

/* Set err to "FILE:LINE:COLUMN: " and the message. Always return false. The caller may add a line
 * "try: ...". */
bool rs_yaml_refuse(const struct rs_yaml_place *place, struct rs_err *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The name of a node in messages: "'key'", or "it" for a node without a key. Long keys are cut. */
struct rs_yaml_title {
	char text[168];
};
struct rs_yaml_title rs_yaml_title(const struct rs_yaml_node *node);

/* Return the value of a key. Return NULL if map is NULL, is not a map, or does not have the key. */
const struct rs_yaml_node *rs_yaml_find(const struct rs_yaml_node *map, const char *key);

/* Return true if a node is a map, or a sequence. Otherwise return false and set err. */
bool rs_yaml_check_map(const struct rs_yaml_node *node, struct rs_err *err);
bool rs_yaml_check_sequence(const struct rs_yaml_node *node, struct rs_err *err);

/* Return true if all keys of a map are among known[n_known]. Otherwise return false, and set err to
 * a message that suggests the nearest known keys. */
bool rs_yaml_check_keys(const struct rs_yaml_node *map, const char *const *known, size_t n_known,
	struct rs_err *err);

/* Set err to the message of rs_yaml_check_keys() for a key that is not known. Always return
 * false. */
bool rs_yaml_refuse_key(const struct rs_yaml_node *node, const char *const *known, size_t n_known,
	struct rs_err *err);

/*
 * Get the value of a scalar. rs_yaml_get_text() gets the value as written, even if it looks like a
 * number. The document owns the text. It is "" only if the file contains "" or ''.
 * rs_yaml_get_bool() gets true or false, written without quotes.
 *
 * Return false and set err if the node is not a scalar, is empty, or has no such value.
 */
bool rs_yaml_get_text(const struct rs_yaml_node *node, const char **text, struct rs_err *err);
bool rs_yaml_get_bool(const struct rs_yaml_node *node, bool *value, struct rs_err *err);

#endif
