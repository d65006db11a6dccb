/* SPDX-License-Identifier: MIT */
/*
 * Documents in YAML, strictly: what people write into files of settings and of metrics, and no
 * more. One document, UTF-8, of maps, sequences and scalars; a key is a scalar and stands once in
 * its map; anchors, aliases and tags are refused. Time and memory are bounded by the limits below,
 * whatever the file is. Each node has its position, so that messages can name its line and column:
 * "FILE:LINE:COLUMN: what is wrong", both from 1, columns in characters. Syntax: YAML 1.1 as
 * libyaml parses it (https://yaml.org/spec/1.1/).
 *
 * Any thread, each on its own document.
 */
#ifndef RS_CONFIG_YAML_H
#define RS_CONFIG_YAML_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define RS_YAML_MAX_BYTES (1u << 20) /* of a file */
#define RS_YAML_MAX_NODES 8192u
#define RS_YAML_MAX_DEPTH 32u /* maps and sequences in one another */

enum rs_yaml_kind {
	RS_YAML_SCALAR,
	RS_YAML_SEQUENCE,
	RS_YAML_MAP,
};

/* A place in the file, from 1. */
struct rs_yaml_place {
	unsigned line;
	unsigned column;
};

struct rs_yaml_node {
	enum rs_yaml_kind kind;
	bool is_quoted; /* a scalar in quotes, or a block of lines: a text, whatever it looks like */
	struct rs_yaml_place place;
	char *text; /* of a scalar: UTF-8 without NUL, maybe ""; else NULL */
	char *key; /* in a map: what the node is the value of; else NULL */
	struct rs_yaml_place key_place;
	struct rs_yaml_node *first; /* the members of a sequence or map, in their order */
	struct rs_yaml_node *next; /* the next member of the same one */
	size_t n; /* members */
};

struct rs_yaml {
	char *name; /* what messages call the file; fit to show */
	struct rs_yaml_node *root; /* NULL: the document is empty */
	struct rs_yaml_node *nodes; /* all of them */
	size_t n_nodes;
};

/*
 * Read a document. path: a file, of any kind that can be read; fd: open for reading, not closed;
 * text[bytes]: the document itself; name: what messages call it. All borrowed.
 * yaml: filled on success; release with rs_yaml_finish(). False, with err filled: it cannot be read,
 * is no such document, or is beyond a limit.
 */
bool rs_yaml_load_file(struct rs_yaml *yaml, const char *path, struct rs_err *err);
bool rs_yaml_load_fd(struct rs_yaml *yaml, int fd, const char *name, struct rs_err *err);
bool rs_yaml_load_text(
	struct rs_yaml *yaml, const char *name, const char *text, size_t bytes, struct rs_err *err);

/* Release what it owns. yaml: filled, zeroed, or NULL. */
void rs_yaml_finish(struct rs_yaml *yaml);

/* Set err to "NAME:LINE:COLUMN: " and the message. Returns false always. A caller may add a line "try: ...". */
bool rs_yaml_refuse(const struct rs_yaml *yaml, const struct rs_yaml_place *place,
	struct rs_err *err, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The name of a node in messages: "'key'", or "it" where it has no key. Cut where it is long. */
struct rs_yaml_title {
	char text[168];
};
struct rs_yaml_title rs_yaml_title(const struct rs_yaml_node *node);

/* The value of a key; NULL: map is NULL, is no map, or has no such key. */
const struct rs_yaml_node *rs_yaml_find(const struct rs_yaml_node *map, const char *key);

/* False, with err filled, where a node is of another kind. */
bool rs_yaml_check_map(
	const struct rs_yaml *yaml, const struct rs_yaml_node *node, struct rs_err *err);
bool rs_yaml_check_sequence(
	const struct rs_yaml *yaml, const struct rs_yaml_node *node, struct rs_err *err);

/* False, with err filled, where a map has a key that is none of known[n_known]: the nearest are
 * suggested. */
bool rs_yaml_check_keys(const struct rs_yaml *yaml, const struct rs_yaml_node *map,
	const char *const *known, size_t n_known, struct rs_err *err);

/* The same of one key, which is unknown for sure. */
bool rs_yaml_refuse_key(const struct rs_yaml *yaml, const struct rs_yaml_node *node,
	const char *const *known, size_t n_known, struct rs_err *err);

/*
 * A scalar's value. text: as it is written, what looks like a number too; owned by the document; empty
 * only in quotes. bool: true or false, not in quotes.
 * False, with err filled: it is no scalar, is empty, or is none of these.
 */
bool rs_yaml_get_text(const struct rs_yaml *yaml, const struct rs_yaml_node *node,
	const char **text, struct rs_err *err);
bool rs_yaml_get_bool(const struct rs_yaml *yaml, const struct rs_yaml_node *node, bool *value,
	struct rs_err *err);

#endif
