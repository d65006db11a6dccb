# SPDX-License-Identifier: MIT
"""Making and reading the HTML report, and formatting numbers as reports do."""

import base64
import hashlib
import html.parser
import math
import re
import subprocess

import harness

VOID = {"meta", "br", "input", "img", "link", "hr", "wbr"}
DRAWING_VOID = {"path", "use"}  # they end themselves: <path .../>
# elements whose end tag may be missing, and the open elements that their start ends (HTML 13.1.2.4)
ENDS = {"td": {"td", "th"}, "th": {"td", "th"}, "tr": {"td", "th", "tr"}, "li": {"li"},
        "tbody": {"td", "th", "tr", "thead", "tbody"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}}
OPTIONAL = {"td", "th", "tr", "li", "tbody", "thead", "dt", "dd", "html", "body", "head"}


class Element:
    """An element with its attributes, and its children: elements and texts."""

    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children = tag, dict(attributes), []

    def text(self):
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def all(self, tag=None, **attributes):
        """Yield the elements below this one with this tag and these attributes, in order. class_
        is one of the classes."""
        for child in self.children:
            if isinstance(child, str):
                continue
            if (tag is None or child.tag == tag) and all(
                    value in child.classes() if name == "class_" else child.attributes.get(name) == value
                    for name, value in attributes.items()):
                yield child
            yield from child.all(tag, **attributes)

    def one(self, tag=None, **attributes):
        found = list(self.all(tag, **attributes))
        assert len(found) == 1, f"{len(found)} of {tag} {attributes}"
        return found[0]

    def classes(self):
        return (self.attributes.get("class") or "").split()


class Page(html.parser.HTMLParser):
    """A parsed page. An element that is not closed in order is an error."""

    def __init__(self, text):
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]
        self.feed(text)
        self.close()
        for element in self.open[1:]:
            assert element.tag in OPTIONAL, f"<{element.tag}> has no end"

    def handle_starttag(self, tag, attrs):
        while self.open[-1].tag in ENDS.get(tag, ()):
            self.open.pop()
        element = Element(tag, attrs)
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        assert tag in DRAWING_VOID, f"<{tag}/>"
        self.open[-1].children.append(Element(tag, attrs))

    def handle_endtag(self, tag):
        while self.open[-1].tag != tag and self.open[-1].tag in OPTIONAL:
            self.open.pop()
        assert self.open[-1].tag == tag, f"</{tag}> ends <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)

    # ---- parts of the report ----

    def policy(self):
        metas = self.root.all("meta", **{"http-equiv": "Content-Security-Policy"})
        return [meta.attributes["content"] for meta in metas]

    def tree(self):
        """Return the rows of the tree by their region: a dict of cells by their headings."""
        table = self.root.one("table", id="tree")
        heads = [head.text() for head in table.all("th") if "data-k" in head.attributes]
        rows = {}
        for row in table.all("tr"):
            cells = [cell for cell in row.children if not isinstance(cell, str)]
            if any(name.startswith("r") and name[1:].isdigit() for name in row.classes()):
                name = next(cells[0].all("a")).text()
                rows[name] = dict(zip(heads[1:], cells[1:]))
        return rows

    def panels(self):
        return {next(panel.one("h2").children.__iter__()): panel
                for panel in self.root.all("section", class_="panel")}


def script_hash(text):
    script = re.search("<script>(.*)</script>", text, re.DOTALL).group(1)
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


# ---- numbers as reports show them ----

def three_digits(value):
    if 0 < value < 0.0995:
        return f"{value:#.3g}"
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else \
        f"{math.floor(value + 0.5):,}"


def total(value, unit):
    """Return an integer with three digits and its unit."""
    if unit != "ns" and value <= 99999:
        return f"{value:,}"
    units = (("ns", 1), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)) if unit == "ns" else \
        (("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12), ("P", 1e15), ("E", 1e18))
    name, size = next((u for u in units if value / u[1] < 999.5), units[-1])
    return (f"{value:,}" if size == 1 else three_digits(value / size)) + name


def mean(value, unit):
    """Return an average, which is a real number."""
    if unit == "ns" and value >= 99.5:
        return total(math.floor(value + 0.5), unit)
    if value >= 9.995 or value == math.floor(value):
        text = f"{math.floor(value + 0.5):,}"
    else:
        text = "<0.01" if value < 0.01 else f"{value:.2f}"
    return text + ("ns" if unit == "ns" else "")


def field(row, name):
    """Return a field of a JSON row as a report shows it."""
    if name not in row:
        return "-"
    if name == "avg":
        return mean(row[name], row["unit"])
    return total(row[name], "ns") if row["unit"] == "ns" and name != "calls" else f"{row[name]:,}"


class Html(harness.TestCase):
    def pages(self, *program, options=(), status=0, **run_options):
        """Run a program. Return its HTML report as text and parsed, and its JSON."""
        page, saved = self.path("run.html"), self.path("run.json")
        self.regionstat(*options, "-o", page, "-o", saved, "--quiet", *program, status=status,
                        **run_options)
        return harness.read_text(page), Page(harness.read_text(page)), harness.read_json(saved)

    def browse(self, page):
        """Return the document as a browser has it after its scripts ran."""
        browser = subprocess.run(
            [harness.need_tool("chromium"), "--headless", "--no-sandbox", "--disable-gpu",
             f"--user-data-dir={self.path('profile')}", "--dump-dom", "file://" + page],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=harness.TIMEOUT_S, check=False)
        harness.need(browser.returncode == 0 and "<html" in browser.stdout, "chromium does not run here")
        return browser.stdout

    def again(self, name, *options):
        """Return the report of the saved run in another format."""
        self.regionstat("report", *options, "-o", self.path(name), self.path("run.json"))
        return harness.read_text(self.path(name))


def rows_of(document, **wanted):
    wanted.setdefault("kind", "region")
    wanted.setdefault("thread", "all")
    return [row for row in document["rows"]
            if all(row.get(name) == value for name, value in wanted.items())]


def exact(cell):
    return float(cell.attributes["data-v"])


def plain(text):
    return text.replace("\u202f", "")


def time(ns):
    return total(math.floor(ns + 0.5), "ns")


def facts(section):
    """Return the numbers with names below them: {name: number}."""
    return {pair.one("dt").text(): plain(pair.one("dd").text())
            for group in section.all("dl", class_="kv") for pair in group.all("div")}
