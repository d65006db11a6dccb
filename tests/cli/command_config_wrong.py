# SPDX-License-Identifier: MIT
"""Wrong settings files: nothing runs, and the message has the file, line and column.

A mark in each file stands before its error. The test computes the expected line and column from the
mark."""

import os
import resource

import harness

MARK = "«"
MOST_BYTES = 1 << 30  # unbounded code takes hours, or all memory

# name: (the file with its mark, the text of the message after the position). Values that are wrong
# as those of an option have one case for each kind of place; cli/command_options.py has the others.
WRONG = {
    "unknown key": ("top: 3\n«evnts: cycles\n", "unknown key 'evnts'"),
    "unknown key in flow style": ("{top: 3, «quite: true}\n", "unknown key 'quite'"),
    "key of an option that is none": ("«help: true\n", "unknown key 'help'"),
    "key of another spelling": ("«per-thread: true\n", "unknown key 'per-thread'"),
    "flag called as the option": ("«no_totals: true\n", "unknown key 'no_totals'"),
    "key twice": ("top: 3\npin: true\n«top: 4\n", "duplicate key 'top'"),
    "key twice in quotes": ("top: 3\n«\"top\": 4\n", "duplicate key 'top'"),
    "flag that is no flag": ("pin: «yes\n", "'pin' must be true or false"),
    "flag in quotes": ("pin: «'true'\n", "'pin' must be true or false"),
    "flag that is a number": ("strict: «1\n", "'strict' must be true or false"),
    "flag that is a list": ("raw: «[true]\n", "'raw' must be true or false"),
    "flag without a value": ("raw:«\n", "'raw' must be true or false"),
    "number that is none": ("top: «five\n", "top: 'five' is not a number"),
    "one value that is a list": ("top: «[1, 2]\n", "'top' takes a single value"),
    "one value that is a map": ("label: «{a: b}\n", "'label' takes a single value"),
    "list that is a map": ("events: «{a: b}\n", "'events' takes a value or a list"),
    "list with a map in it": ("events:\n  - cycles\n  - «{a: b}\n", "'events' takes"),
    "list with an empty item": ("events:\n  - cycles\n  -«\n", "it must be a text"),
    "list with an empty word": ("events: [cycles, «'']\n", "the event is empty"),
    "value that is left out": ("label:«\n", "'label' must be a text"),
    "null": ("label: «~\n", "'label' must be a text"),
    "word that is none": ("sort: «maximum\n", "unknown key 'maximum'; keys: calls, "),
    "column that is none": ("columns: [avg, «most]\n", "unknown column 'most'; columns: "),
    "sample without a number": ("sample: [10, «'a:b']\n", "'b' is not a number of calls"),
    "budget and sample": ("sample: 3\nbudget: «1%\n", "'budget' and 'sample'"),
    "metric without a name": ("metrics: [GB/s, «'a,,b']\n", "the name of a metric is missing"),
    "slow without a limit": ("slow: ['a:time>1s', «'a:time>']\n", "does not end in a number"),
    "slow of no region": ("slow: «'time>1s'\n", "names no region before a colon"),
    "slow of a region": ("regions:\n  parse: {slow: [«time]}\n", "has no '>' after an event"),
    "slow of every call": ("regions: {a: {slow: «'time>=0s'}}\n", "matches every call"),
    "regions that are a list": ("regions: «[a]\n", "'regions' must be a map"),
    "region that is a word": ("regions:\n  parse: «10\n", "'parse' must be a map"),
    "key that is of no region": ("regions:\n  parse: {«top: 3}\n", "unknown key 'top'"),
    "value of a region": ("regions:\n  parse:\n    sample: «many\n", "'many' is not a number of calls"),
    "region without a name": ("regions: {«'': {sample: 1}}\n", "a key is empty"),
    "profiles that are a list": ("profiles: «[a]\n", "'profiles' must be a map"),
    "profile that is a word": ("profiles: {a: «b}\n", "'a' must be a map"),
    "unknown key in a profile": ("profiles:\n  a:\n    «tpo: 1\n", "unknown key 'tpo'"),
    "profiles in a profile": ("profiles: {a: {«profiles: {}}}\n", "unknown key 'profiles'"),
    "value in a profile": ("profiles: {a: {top: «x}}\n", "top: 'x' is not a number"),
    "profile that extends none": ("profiles: {a: {extends: «b}}\n", "there is no profile 'b'"),
    "profile that extends itself": ("profiles: {a: {extends: «a}}\n", "extends itself"),
    "profiles in a ring": ("profiles: {a: {extends: «b}, b: {extends: a}}\n", "extends itself"),
    "extends outside of a profile": ("«extends: a\n", "unknown key 'extends'"),
    "output without a file": ("outputs: [«{format: csv}]\n", "'file' is missing"),
    "output with another key": ("outputs: [{file: a, «form: csv}]\n", "unknown key 'form'"),
    "output of no format": ("outputs: [{file: a, format: «b}]\n", "unknown format 'b'; formats: "),
    "output twice": ("outputs: [a, «a]\n", "cannot hold two reports"),
    "list as the document": ("«- events\n", "it must be a map"),
    "word as the document": ("«events\n", "it must be a map"),
    "two documents": ("top: 3\n«---\ntop: 4\n", "a second document begins"),
    "alias": ("top: 3\nlabel: «*a\n", "aliases"),
    "anchor": ("label: «&a text\n", "anchors"),
    "anchor of a list": ("events: «&a [cycles]\n", "anchors"),
    "anchor of a map": ("events:\n  - «&a {b: 1}\n", "anchors"),
    "tag": ("label: «!!str 5\n", "tags"),
    "tag without a name": ("label: «! 5\n", "tags"),
    "directive": ("«%TAG ! tag:x,1:\n---\ntop: 3\n", "%TAG is not supported"),
    "map as a key": ("«{a: b}: c\n", "a key must be a single word"),
    "map as a key of a block": ("? «{a: b}\n: c\n", "a key must be a single word"),
    "list as a key": ("«[a, b]: c\n", "a key must be a single word"),
    "sign that YAML reserves": ("label: «@x\n", "a value cannot begin with '@'"),
    "tab that indents": ("events:\n«\t- cycles\n", "a tab cannot indent"),
    "map that is not closed": ("regions: {a: {sample: 3}\n«", "this is no YAML"),
    "quote that is not closed": ("label: \"text\n«", "this is no YAML"),
    "colon within a value": ("label: a«: b\n", "this is no YAML"),
    "wrong indentation": ("events:\n  - a\n «- b\n", "this is no YAML"),
    "control character": ("label: a«\x1b[31m\n", "control characters are not allowed"),
    "line separator": ("label: «\u2028\n", "character U+2028 is not allowed here"),
    "line separator in a comment": ("top: 3 # a«\u2029tpo: 4\n", "character U+2029 is not allowed here"),
    "zero in quotes": ("label: «\"x\\0y\"\n", "a text contains the character NUL"),
    "column in characters": ("label: {ä€😀: «*x}\n", "aliases"),
    "Windows line ends": ("top: 3\r\n«tpo: 4\r\n", "unknown key 'tpo'"),
    "byte order mark": ("\ufeff«tpo: 4\n", "unknown key 'tpo'"),
}


def place_of_mark(text):
    """Return the line and column of the mark, from 1, in characters."""
    before = text[:text.index(MARK)].replace("\r\n", "\n").lstrip("\ufeff")
    lines = before.split("\n")
    return len(lines), len(lines[-1]) + 1


class Wrong(harness.TestCase):

    def refuse(self, path, **options):
        """Check that a file is rejected. Return the message after the command's name."""
        result = self.regionstat("-c", path, "--", "touch", self.path("ran"), status=125,
                                 cwd=self.directory, **options)
        self.assertFalse(os.path.exists(self.path("ran")), result)
        self.assertTrue(result.stderr.startswith("regionstat: "), result)
        self.assertIn("try: ", result.stderr.replace("known are: ", "try: "), result)
        return result.stderr[len("regionstat: "):]

    def test_every_wrong_file_is_refused_where_it_is_wrong(self):
        for name, (text, message) in WRONG.items():
            with self.subTest(file=name):
                self.text_file("wrong.yaml", text.replace(MARK, ""))
                said = self.refuse("wrong.yaml").split("\n")[0]
                place, _, rest = said.partition(" ")
                self.assertEqual(place, "wrong.yaml:%d:%d:" % place_of_mark(text), said)
                self.assertIn(message, rest)

    def test_remedies_are_written_as_in_the_file(self):
        for text, remedy in (("top: x\n", "top: 10"), ("color: blue\n", "color: auto"),
                             ("evnts: cycles\n", "events"), ("pin: yes\n", "pin: true"),
                             ("label:\n", "label: 'TEXT'"), ("pin: 'true'\n", "pin: true"),
                             ("budget: 0\n", "budget: 0.5%"), ("markers: ''\n", "markers: auto"),
                             ("regions: {a: {slow: time}}\n", "slow: 'REGION:time>1ms', or ")):
            self.text_file("wrong.yaml", text)
            self.assertIn("\n  try: " + remedy, self.refuse("wrong.yaml"))

    def test_bytes_that_are_not_utf8(self):
        for data, place in ((b"label: \xe4\n", "1:8"), (b"a: 1\n\xff\xfe", "2:1"),
                            (b"label: a\0b", "1:9"), ("top: 3\n".encode("utf-16"), "1:1")):
            with self.subTest(data=data):
                harness.write_bytes(self.path("wrong.yaml"), data)
                self.assertTrue(self.refuse("wrong.yaml").startswith("wrong.yaml:%s: " % place))

    def refuse_bounded(self, path):
        """Check that a file which could take unlimited time is rejected within limits of time and
        memory. Return the message."""
        options = {}
        if harness.SANITIZE == "none":  # sanitizers reserve terabytes of addresses
            options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                               (MOST_BYTES, MOST_BYTES))
        return self.refuse(path, **options)

    def test_files_without_end(self):
        with open(self.path("large.yaml"), "wb") as file:
            file.truncate((1 << 20) + 1)
        self.assertIn("is longer than 1048576 bytes", self.refuse_bounded("large.yaml"))
        self.assertIn("is longer than 1048576 bytes", self.refuse_bounded("/dev/zero"))

    def test_what_grows_when_it_is_read(self):
        levels = "".join("a%d: &a%d [%s]\n" % (i, i, ", ".join(["*a%d" % (i - 1)] * 9))
                         for i in range(1, 30))
        million = 1000000
        for name, text, message in (
                ("aliases", "a0: &a0 [x]\n" + levels, "bomb.yaml:1:5: anchors"),
                ("lists", "[" * million, "bomb.yaml:1:33: maps and lists are nested more than 32 deep"),
                ("maps", "{a: " * (million // 4), "bomb.yaml:1:129: maps and lists are nested more than 32 deep"),
                ("blocks", "- " * (million // 2), "bomb.yaml:1:65: maps and lists are nested more than 32 deep"),
                ("questions", "? " * (million // 2), "bomb.yaml:1:3: a key must be"),
                ("items", "events:\n" + "- a\n" * (million // 4), "bomb.yaml:8192:3: there are"),
                ("keys", "".join("k%d: 1\n" % i for i in range(50000)),
                 "bomb.yaml:8192:8: there are"),
                ("a word", "label: " + "a" * million + "\n- ", "bomb.yaml:2:1: "),
                ("as many bytes as may be", "#\n" * ((1 << 19) - 3) + "tpo: 1",
                 "bomb.yaml:524286:1: ")):
            with self.subTest(file=name):
                self.text_file("bomb.yaml", text)
                self.assertEqual(self.refuse_bounded("bomb.yaml")[:len(message)], message)

    def test_files_that_cannot_be_read(self):
        os.mkdir(self.path("directory"))
        for path, reason in (("none.yaml", "ENOENT"), ("directory", "EISDIR")):
            result = self.regionstat("-c", path, "true", cwd=self.directory, status=125)
            self.assertRegex(result.stderr, r"cannot read '%s': .* \(%s\)\n  try: the path of a YAML file\n"
                             % (path, reason))
        self.text_file("a\nname", "a: [")
        result = self.regionstat("-c", "a\nname", "true", cwd=self.directory, status=125)
        self.assertIn("regionstat: a\\nname:1:", result.stderr)
