# SPDX-License-Identifier: MIT
"""Make C tables and the JSON schema of a run's document from document.list, which explains the
syntax. schema.json has the parts of the schema that are not in the list.

usage: document.py LIST SCHEMA C_OUTPUT SCHEMA_OUTPUT
"""

import json
import sys

UNSIGNED = {"$ref": "#/$defs/unsigned"}
BYTES = {"$ref": "#/$defs/bytes"}
# the schema of a value, for each kind of struct rs_json_member that needs nothing else
SIMPLE = {"BOOL": {"type": "boolean"}, "SIGNED": {"type": "integer"}, "UNSIGNED": UNSIGNED,
          "COUNT": UNSIGNED, "INDEX": UNSIGNED, "AFTER": UNSIGNED, "REAL": {"type": ["number", "null"]},
          "CHARS": BYTES, "TEXT": BYTES, "NAME": BYTES}


def read(path):
    """Return {name: (struct, rows)} of the list. struct is None for words. Rows end in their
    description or ""."""
    blocks = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields, _, description = line.rstrip("\n").partition(" # ")
            fields = fields.split()
            if not fields or fields[0].startswith("#"):
                continue
            if fields[0] in ("table", "words"):
                rows = []
                blocks[fields[1]] = fields[2] if fields[0] == "table" else None, rows
            else:
                rows.append((*fields, description))
    return blocks


# ---- C ----

def c_member(struct, key, kind, member, *more):
    fields = {"kind": f"RS_JSON_{kind}"}
    if key != "-":
        fields.update(key=f'"{key}"', key_bytes=len(key))
    if kind == "OBJECT":
        fields.update(of=f"&{member}")
    else:
        fields.update(offset=f"offsetof(struct {struct}, {member})",
                      bytes=f"sizeof(((struct {struct} *)0)->{member})")
    if kind == "LIST":
        table, length, most, _ = more
        fields.update(of=f"&{table}", n_offset=f"offsetof(struct {struct}, {length})", most=most)
    elif len(more) > 1:
        fields.update(words=more[0], n_words=f"sizeof({more[0]}) / sizeof({more[0]}[0])")
    return "{" + ", ".join(f".{name} = {value}" for name, value in fields.items()) + "},"


def c_block(name, struct, rows):
    scope = "" if name.startswith("rs_document_") else "static "
    if not struct:
        lines = [f'[{index}] = "{word}",' for word, index, _ in rows]
        return [f"{scope}const char *const {name}[] = {{", *lines, "};"]
    lines = [c_member(struct, *row) for row in rows]
    # a report finds the member of a count by the count's index
    checks = [f'_Static_assert({row[2].split("[")[1][:-1]} == {i}, "in the order of INDEX");'
              for i, row in enumerate(rows) if row[1] == "COUNT"]
    return [f"static const struct rs_json_member {name}_members[] = {{", *lines, "};", *checks,
            f"{scope}const struct rs_json_table {name} = "
            f"{{{name}_members, {len(rows)}, sizeof(struct {struct})}};"]


# ---- the schema ----

def value_schema(blocks, kind, member, *more):
    """Return the schema of a member. more: its table, length and limit, or the name of its words."""
    if kind == "OBJECT":
        return table_schema(blocks, member)
    if kind == "LIST":
        table, _, limit = more
        items = {"type": "array", "items": table_schema(blocks, table)}
        return {**items, "maxItems": 1} if limit == "1" else items
    words = [row[0] for row in blocks[more[0]][1]] if more else []
    if kind == "FLAGS":
        return {"type": "array", "items": {"enum": words}}
    return {"enum": words} if words else SIMPLE[kind]


def described(schema, description):
    return {**schema, "description": description} if description else schema


def table_schema(blocks, name):
    rows = blocks[name][1]
    if rows[0][0] != "-":
        schema = {"type": "object", "properties": {
            key: described(value_schema(blocks, *fields), text) for key, *fields, text in rows}}
        required = [row[0] for row in rows if row[1] == "NAME"]
        return {**schema, "required": required} if required else schema
    if len(rows) > 1:
        return {"type": "array", "items": UNSIGNED, "minItems": len(rows), "maxItems": len(rows)}
    schema = value_schema(blocks, *rows[0][1:-1])
    return {"anyOf": [schema, {"type": "null"}]} if rows[0][1] == "INDEX" else schema


def whole_schema(blocks, schema):
    """Return schema with the keys of the list after "schema", which is the second one."""
    own = list(schema["properties"].items())
    made = {}
    for name in ("rs_document_facts", "rs_document_measured"):
        made.update(table_schema(blocks, name)["properties"])
    made["results"] = {"type": "array", "items": table_schema(blocks, "rs_document_result")}
    made["series"] = table_schema(blocks, "rs_document_series")
    for key, value in own[2:]:
        made.setdefault(key, {}).update(value)
    return {**schema, "properties": {**dict(own[:2]), **made}}


def main():
    list_path, schema_path, c_output, schema_output = sys.argv[1:]
    blocks = read(list_path)
    with open(c_output, "w", encoding="utf-8") as file:
        print('/* Made by document.py. */\n#include "record/document.h"', file=file)
        for name, (struct, rows) in blocks.items():
            print("\n".join(c_block(name, struct, rows)), file=file)
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    with open(schema_output, "w", encoding="utf-8") as file:
        json.dump(whole_schema(blocks, schema), file, indent=1, ensure_ascii=False)
        file.write("\n")


main()
