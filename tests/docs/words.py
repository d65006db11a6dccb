# SPDX-License-Identifier: MIT
"""Manual, messages and comments are plain: no word of the project's past, and no sentence that has
to be read twice for its length. Every source names its licence, because a file may be copied alone."""

import functools
import inspect
import io
import os
import re
import tokenize

import harness

# Words that mean something else to a reader, or nothing, and the plain ones in their place.
WORDS = {
    r"own cost": "overhead",
    r"gaug(e|es|ed|ing)": "calibrate, measure",
    r"(leave|leaves|left|leaving) out": "skipped, filtered, excluded",
    r"(take|takes|took|taking) turns|in turns": "multiplexed",
    r"twins?": "two regions, a pair",
    r"undisturbed|disturbed": "without a context switch",
    r"to be had": "supported, permitted",
    r"\(outside\)": "(unmarked)",
    r"moments": "sums",
    r"stands? for": "has the weight, is",
    r"foreseen": "predicted",
    r"(is|are|was|were|be|been) (told|owed|paid)|told (of|from|apart)|tells? of": "reported, shown",
    r"owes|pays|goes home": "the plain verb",
    r"who (attaches|changes|measures|marks|runs)": "the attaching process, the user",
    r"slowest part": "tail",
    r"lacking": "not counted",
    r"no more must|nor (is|are|does|do|has|can)|so (does|do|is|are) (it|they|the|that)":
        "subject, verb, object",
    r"unless (it is |they are )?told": "by default",
    r"quantit(y|ies)": "value, statistic",
    r"(open|of) entr(y|ies)|entries of regions": "call",
    r"calls? (that were |that was )?interrupted": "preempted",
    r"so little sure|charged to nobody|time alone|whoever": "plain words",
}
# Allowed matches: text, and why.
EXCEPTIONS = {
    "neither root nor who measures": "a message that the header, Python's and Rust's modules share",
    "# TYPE %s gauge": "Prometheus' word for a number that may become smaller",
}
# The verbs with which a remedy of a finding begins.
REMEDY_VERBS = ("allow", "attach", "begin", "build", "call", "close", "compare", "compile", "count",
                "create", "decorate", "divide", "end", "find", "install", "keep", "leave", "link",
                "look", "mark", "measure", "pause", "raise", "run", "select", "turn", "use")
# "At most about 25 words": lists of names need some more.
MOST_WORDS = 28


NOT_READ = (".Dl", ".Bd", ".Ed", ".Bl", ".Dd", ".Dt", ".Sh", ".Ss", ".Xr", ".Op")


def lines_of_page(text):
    """The paragraphs of a page in mdoc, as words; a line of a literal block is a paragraph."""
    paragraphs, words, is_literal = [], [], False
    for line in text.splitlines():
        name = line.split()[0] if line.startswith(".") and line.split() else ""
        if name in (".Bd", ".Ed"):
            is_literal = name == ".Bd" and "-literal" in line
        is_break = name in (".Sh", ".Ss", ".Pp", ".It", ".Bl", ".El", ".Bd", ".Ed", ".Dl")
        if is_break and words:
            paragraphs.append(" ".join(words))
            words = []
        if is_literal and name != ".Bd":
            paragraphs.append(line)
        if is_literal or line.startswith('.\\"') or name in NOT_READ and not line.endswith(" ."):
            continue
        if name == ".It":
            line = line.partition(" Ta ")[2].strip('"')
        elif name in (".Cm", ".Li", ".Ev", ".Fl", ".Ar", ".Fn", ".Ql"):  # names, however many
            line = "NAMES" + (" ." if line.endswith(" .") else "")
        elif name:
            line = " ".join(line.split()[1:])
        words.append(line.replace("\\-", "-").replace("\\&", ""))
    return paragraphs + [" ".join(words)]


def joined(lines):
    """The paragraphs of a comment's lines: an empty line, an item or an indented line ends one."""
    paragraphs = [""]
    for line in lines:
        if re.match(r"- |  |\t|\S+.*\S {3}|$", line) or "SPDX-" in line:
            paragraphs.append("")
        if "SPDX-" not in line:
            paragraphs[-1] += " " + re.sub(r"`\w+`", "CODE", line)
    return [paragraph for paragraph in paragraphs if paragraph]


def comments_of_c(text):
    """The comments of a C source, without their stars."""
    found = re.findall(r"/\*(.*?)\*/", STRING_OF_C.sub('""', text), re.DOTALL)
    return [paragraph for comment in found
            for paragraph in joined(re.split(r"\n[ \t]*\*? ?", comment.strip("*! \t\n")))]


# A character comes first, since it may be a quotation mark; a comment may have an odd one.
STRING_OF_C = re.compile(r"'(?:\\.|[^\\'\n])'|\"(?:\\.|[^\\\"\n])*\"(?![^\n]*\*/)")


def strings_of_c(text):
    """The string literals of a C source; neighbours are one."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\"\s*(PRI\w+\s*)?\"", "", text)
    return [found[1:-1].replace("\\n", " ") for found in STRING_OF_C.findall(text)
            if found.startswith('"')]


def comments_of_lines(mark):
    """A reader of the comments that begin with `mark` and end with the line."""
    begin = re.compile(r"(?:^|(?<=\s))%s[!/]?(?: |$)(.*)" % mark)

    def read(text):
        lines = []
        for line in text.splitlines():
            found = begin.search(line)
            lines.append(found.group(1) if found else "")
            if found and line[:found.start()].strip():
                lines.append("")  # a remark at a line of code is a paragraph
        return joined(lines)
    return read


def comments_of_python(text):
    """The comments and the docstrings of a Python source."""
    lines, docstrings, before = [], [], tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines.append(token.string[1:].removeprefix(" "))
        elif token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT):
            docstrings += joined(inspect.cleandoc(token.string.strip('rf"')).splitlines())
        elif token.type != tokenize.NL:
            lines.append("")
        if token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.DEDENT):
            before = token.type
    return joined(lines) + docstrings


def paragraphs_of_markdown(text):
    """The text of a file in Markdown; an item, a cell or a line of code is a paragraph."""
    literal = re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\]\([^)]*\)|`[^`]*`", "CODE", text)
    return re.split(r"\n\s*\n|\n- |\n\|| \| ", text) + "".join(literal).splitlines()


# How the text of a file is found, by the end of its name.
READERS = [
    (".md", paragraphs_of_markdown),
    ("NEWS", paragraphs_of_markdown),
    (".1", lines_of_page),
    (".3", lines_of_page),
    (".5", lines_of_page),
    (".7", lines_of_page),
    (".c", comments_of_c),
    (".h", comments_of_c),
    (".py", comments_of_python),
    (".sh", comments_of_lines("#")),
    (".inc", comments_of_lines("#")),
    (".yaml", comments_of_lines("#")),
    ("meson.build", comments_of_lines("#")),
    ("CMakeLists.txt", comments_of_lines("#")),
    (".rs", comments_of_lines("//")),
    (".f90", comments_of_lines("!")),
]
# The files to read: a file, or all of a directory.
TEXTS = ["NEWS", "README.md", "CMakeLists.txt", "meson.build", "meson_options.txt", "man", "cmd", "lib",
         "tests"]
# Goldens are compared to the byte. Objects, pictures and inputs of fuzzing are no text.
WITHOUT_LICENCE = (".txt", ".pyc", ".o", ".bin", ".webp")
# Strings that repeat the text of lib/report, which is read there.
STRINGS_NOT_READ = ("tests/report/",)


@functools.cache
def files():
    """Every file of TEXTS, by its path in the source."""
    found = []
    for path in TEXTS:
        full = os.path.join(harness.SOURCE, path)
        found += [os.path.join(directory, name) for directory, _, names in os.walk(full)
                  for name in names if not name.startswith(".")] or [full]
    return sorted(os.path.relpath(name, harness.SOURCE) for name in found)


@functools.cache
def paragraphs():
    """Every paragraph and string, with one space between words: [(file, text, is a string)]."""
    found = []
    for name in files():
        reader = next((reader for ending, reader in READERS if name.endswith(ending)), None)
        text = harness.read_text(os.path.join(harness.SOURCE, name)) if reader else ""
        strings = []
        if reader is comments_of_c and not name.startswith(STRINGS_NOT_READ):
            strings = strings_of_c(text)
        found += [(name, re.sub(r"\s+", " ", paragraph), False)
                  for paragraph in (reader(text) if reader else ())]
        found += [(name, re.sub(r"\s+", " ", string), True) for string in strings]
    return found


def sentences(text):
    """The sentences of a paragraph."""
    text = re.sub(r" ([.,;:])(?= |$)", r"\1", text)
    return re.split(r"(?<=[.!?])\)? ", text)


class Words(harness.TestCase):

    def test_every_reader_finds_sentences(self):
        """So that no kind of text is passed over by mistake."""
        for ending, _ in READERS:
            self.assertTrue(any(name.endswith(ending) and len(sentences(text)) > 1
                                for name, text, _ in paragraphs()), ending)
        for file, kind, found in (
                ("README.md", "screen", "(unmarked)"),
                ("man/regionstat-output.5", "literal block", "sort_by"),
                ("man/regionstat-output.5", "column", "shown as 0"),
                ("lib/bindings/python/regionstat/_profile.py", "comment",
                 "two with the same source are equal"),
                ("lib/plan/plan.c", "message", "try: time, or task-clock")):
            self.assertTrue(any(name == file and found in text for name, text, _ in paragraphs()), kind)

    def test_words(self):
        pattern = re.compile(r"(?<![\w-])(%s)(?![\w-])" % "|".join(WORDS), re.IGNORECASE)
        found, used = [], set()
        for name, text, _ in paragraphs():
            for match in pattern.finditer(text):
                around = text[max(0, match.start() - 40):match.end() + 40]
                exceptions = [known for known in EXCEPTIONS if known in around]
                used.update(exceptions)
                if not exceptions:
                    found.append("%s: ...%s..." % (name, around))
        self.assertEqual(found, [])
        self.assertEqual(used, set(EXCEPTIONS), "an exception that nothing needs")

    def test_sentences_are_short(self):
        found = []
        for name, paragraph, is_string in paragraphs():
            for sentence in [] if is_string else sentences(paragraph):
                words = [word for word in sentence.split() if re.search(r"\w", word)]
                if len(words) > MOST_WORDS:
                    found.append("%s: %d words: %s" % (name, len(words), sentence))
        self.assertEqual(found, [])

    def test_remedies_begin_with_a_verb(self):
        """A noun such as "more memory" after a finding could as well be its cause."""
        row = re.compile(r'\{"[a-z-]+", RS_\w+,[^"}]*?(?:"[^"]*"\s*)+,\s*(?P<remedy>"[^{][^"]*")'
                         r'|remedy = (?P<alone>"[^"]*")')
        remedies = [(name, match["remedy"] or match["alone"])
                    for name in files() if name.startswith("lib/report/findings_") and name.endswith(".c")
                    for match in row.finditer(harness.read_text(os.path.join(harness.SOURCE, name)))]
        self.assertGreater(len(remedies), 60)
        verb = re.compile(r'"(%s) |"(--|perf |regionstat-)[^:;"]*? (measures|names|says|shows|waits) '
                          % "|".join(REMEDY_VERBS))
        self.assertEqual([each for each in remedies if not verb.match(each[1])], [])

    def test_every_source_names_its_licence(self):
        """In the line that tools look for, near the file's beginning."""
        sources = [name for name in files() if not name.endswith(WITHOUT_LICENCE)
                   and name not in ("NEWS", "README.md")]
        self.assertGreater(len(sources), 400)
        self.assertEqual([name for name in sources if "SPDX-License-Identifier: MIT" not in "".join(
            harness.read_text(os.path.join(harness.SOURCE, name)).splitlines()[:20])], [])
