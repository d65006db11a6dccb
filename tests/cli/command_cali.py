# SPDX-License-Identifier: MIT
"""The .cali format, read by the rules of Caliper's file format (its cali-reader library)."""

import json
import re

import harness

BOOTSTRAP = {1: (9, "int", None), 2: (9, "uint", None), 3: (9, "string", None),
             5: (9, "double", None), 7: (9, "type", None), 8: (8, "cali.attribute.name", 3),
             9: (8, "cali.attribute.type", 7), 10: (8, "cali.attribute.prop", 1)}
AS_VALUE, NESTED, GLOBAL, AGGREGATABLE = 1, 256, 512, 2048


def split(text, separator):
    """Split at separators that no backslash escapes."""
    return re.findall(r"(?:^|%s)((?:\\.|[^%s\\])*)" % (separator, separator), text)


class Cali:
    """The nodes, records and globals of a file."""

    def __init__(self, text):
        self.nodes = dict(BOOTSTRAP)
        self.records = []
        self.globals = None
        for line in text.splitlines():
            fields = {}
            for field in split(line, ","):
                key, *values = split(field, "=")
                fields[key] = [re.sub(r"\\(.)", r"\1", value) for value in values]
            kind, = fields["__rec"]
            getattr(self, "read_" + kind)(fields)

    def read_node(self, fields):
        parent = int(fields["parent"][0]) if "parent" in fields else None
        number, attribute = int(fields["id"][0]), int(fields["attr"][0])
        if number in self.nodes or attribute not in self.nodes:
            raise AssertionError("node %d" % number)
        if parent is not None and parent not in self.nodes:
            raise AssertionError("node %d is before its parent" % number)
        data, = fields["data"]
        self.nodes[number] = (attribute, data, parent)

    def up(self, number):
        """Return the nodes from one up to its root."""
        while number is not None:
            yield self.nodes[number]
            number = self.nodes[number][2]

    def attribute(self, number):
        """Return name, type, properties and unit of an attribute."""
        if self.nodes[number][0] != 8:
            raise AssertionError("node %d is no attribute" % number)
        unit = [data for attribute, data, _ in self.up(number)
                if self.nodes[attribute][1] == "attribute.unit"]
        above = {attribute: data for attribute, data, _ in self.up(number)}
        return self.nodes[number][1], above[9], int(above[10]), unit[0] if unit else None

    def values(self, fields):
        if len(fields["attr"]) != len(fields["data"]):
            raise AssertionError("%r" % fields)
        return {self.attribute(int(attribute))[0]: data
                for attribute, data in zip(fields["attr"], fields["data"])}

    def read_ctx(self, fields):
        number, = fields["ref"]
        path = tuple(data for _, data, _ in self.up(int(number)))[::-1]
        self.records.append((path, self.values(fields)))

    def read_globals(self, fields):
        self.globals = self.values(fields)


class TestCali(harness.TestCase):
    def read(self, *program, options=()):
        saved = self.path("run.json")
        path = self.path("run.cali")
        self.regionstat(*options, "-o", saved, "-o", path, "--", *program)
        cali = Cali(harness.read_text(path))
        return cali, harness.read_json(saved)

    def test_records(self):
        """Each region is under its parent, with the totals and self values of CSV. Attributes have
        their kind and unit."""
        cali, document = self.read(harness.app("nest"), "6", options=["-e", "page-faults"])
        rows = {(row["region"], row["event"]): row for row in document["rows"]
                if row["kind"] == "region"}
        self.assertEqual([path for path, _ in cali.records],
                         [("render",), ("render", "line"), ("render", "line", "pixel")])
        for path, values in cali.records:
            self.assertEqual(int(values["count"]), rows[path[-1], "time"]["calls"])
            for event, name in (("time", "time.duration.ns"), ("cpu-time", "cpu-time"),
                                ("page-faults", "page-faults")):
                row = rows[path[-1], event]
                if "total" not in row:
                    self.assertNotIn("sum#" + name, values)
                    continue
                self.assertEqual(int(values["inclusive#sum#" + name]), row["total"])
                self.assertEqual(int(values["sum#" + name]), row["self_total"])
        attributes = {}
        for number in cali.nodes:
            if cali.nodes[number][0] == 8 and number > 10:
                name, *rest = cali.attribute(number)
                attributes[name] = rest
        kind, properties, unit = attributes["sum#time.duration.ns"]
        self.assertEqual((kind, unit), ("uint", "ns"))
        self.assertTrue(properties & AS_VALUE and properties & AGGREGATABLE)
        self.assertEqual(attributes["sum#page-faults"][2], "count")
        kind, properties, unit = attributes["region"]
        self.assertEqual((kind, properties & (NESTED | AS_VALUE), unit), ("string", NESTED, None))
        self.assertTrue(attributes["regionstat.run"][1] & GLOBAL)
        self.assertEqual(cali.globals["regionstat.host"], document["machine"]["host"])
        self.assertEqual(int(cali.globals["regionstat.elapsed_ns"]),
                         document["run"]["elapsed_ns"])

    def test_caliper_reads_it(self):
        """By Caliper's own module for Python, caliper-reader, which Debian has no package of."""
        python = harness.need_module("caliperreader")
        _, document = self.read(harness.app("nest"), "6", options=["-e", "page-faults"])
        script = ("import caliperreader, json, sys\n"
                  "reader = caliperreader.CaliperReader()\n"
                  "reader.read(sys.argv[1])\n"
                  "unit = reader.attribute('sum#time.duration.ns').get('attribute.unit')\n"
                  "print(json.dumps([reader.records, reader.globals, unit]))\n")
        result = self.execute([python, "-c", script, self.path("run.cali")])
        records, facts, unit = json.loads(result.stdout)
        rows = {(row["region"], row["event"]): row for row in document["rows"]
                if row["kind"] == "region"}
        self.assertEqual([record["path"] for record in records],
                         [["render"], ["render", "line"], ["render", "line", "pixel"]])
        for record in records:
            row = rows[record["path"][-1], "time"]
            self.assertEqual([int(record[key]) for key in ("count", "sum#time.duration.ns",
                                                           "inclusive#sum#time.duration.ns")],
                             [row["calls"], row["self_total"], row["total"]])
        self.assertEqual((facts["regionstat.host"], unit), (document["machine"]["host"], "ns"))

    def test_cali_query_reads_it(self):
        query = harness.need_tool("cali-query")
        self.read(harness.app("nest"), "6")
        result = self.execute([query, "-q", "SELECT path,count FORMAT json", self.path("run.cali")])
        self.assertEqual([int(record["count"]) for record in json.loads(result.stdout)], [1, 6, 3840])

    def test_names_and_no_regions(self):
        for program, paths in (([harness.app("named"), "a,b=c\\d"], [("a,b=c\\d",)]), (["true"], [])):
            cali, _ = self.read(*program)
            self.assertEqual([path for path, _ in cali.records], paths)
            self.assertTrue(cali.globals)
