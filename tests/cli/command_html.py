# SPDX-License-Identifier: MIT
"""The HTML report: sorting, filtering and keys work, nothing of a program's text is markup, and its
size is limited. Its numbers: command_html_numbers.py."""

import html
import json
import os
import re
import shutil
import unittest

import harness
from html_page import Html, Page, exact, rows_of, script_hash

HOSTILE = ["<script>document.title='owned'</script>", "\"><img src=x onerror=document.title='owned'>",
           "</style><script>document.title='owned'</script>", "' onmouseover='x", "a&amp;b &lt;",
           "javascript:alert(1)", "]]>--><!--", "#r1", "&#60;b&#62;", "</title><b>"]
MOST_BYTES = 300_000


class Kinds(Html):
    """Runs that differ in what is known of them."""

    def test_a_program_without_regions_that_fails(self):
        _, page, _ = self.pages("sh", "-c", "exit 3", status=3)
        self.assertIn("exit status 3", page.root.one("header").text())
        self.assertIn("No region was called", page.root.one("section", id="regions").text())

    def test_without_rseq_the_state_is_unknown(self):
        env = harness.environment(GLIBC_TUNABLES="glibc.pthread.rseq=0")
        _, page, document = self.pages(harness.app("tree"), env=env)
        if "total" in rows_of(document, event="cpu-time")[0]:
            self.skipTest("this C library has no rseq that could be switched off")
        self.assertEqual({cells["on-CPU"].text() for cells in page.tree().values()}, {"-"})
        self.assertIn("is unknown", page.root.text())
        self.assertFalse([e for e in page.root.all("path") if e.attributes.get("class") == "o"])

    def test_sampled_values_have_their_errors(self):
        _, page, document = self.pages(harness.app("coming"), "300", options=("--sample", "10"))
        rows = [row for row in rows_of(document, event="time") if row.get("error")]
        self.assertTrue(rows)
        for row in rows:
            cell = page.tree()[row["region"]]["\u00b1"]
            self.assertAlmostEqual(exact(cell) / row["error"], 1, 6)
            self.assertRegex(cell.text(), r"^(\d+\.\d%)?$")

    def test_processes_are_columns_if_rows_are_split_by_them(self):
        _, page, document = self.pages(harness.app("glance"), "forks", options=("--per-process",))
        pids = {row["process"] for row in rows_of(document)} - {"all"}
        heads = [h.text().split()[0] for h in page.root.one("table", class_="heat").one("thead").all("th")]
        self.assertEqual(set(heads[1:-3]), pids)

    def test_merged_runs_have_a_table_of_processes(self):
        merged = self.path("merged.html")
        self.pages(harness.app("tree"))
        os.rename(self.path("run.json"), self.path("first.json"))
        self.pages(harness.app("tree"))
        self.regionstat("merge", self.path("first.json"), self.path("run.json"), "-o", merged)
        page = Page(harness.read_text(merged))
        self.assertTrue([h for h in page.root.all("h2") if h.text() == "Processes"])
        header = page.root.one("header").text()
        self.assertIn("elapsed, longest of 2 runs", header)
        self.assertNotRegex(header, r" of \d+ CPU")  # the runs may overlap

    def test_options_choose_regions_and_columns(self):
        self.pages(harness.app("tree"))
        page = Page(self.again("view.html", "--top", "2", "--columns", "avg,calls", "--percentiles", "99.9"))
        document = json.loads(self.again("view.json", "--percentiles", "99.9"))
        tree = page.tree()
        self.assertIn("more are not shown", page.root.one("section", id="regions").text())
        for name, cells in tree.items():
            row, = rows_of(document, event="time", region=name)
            self.assertEqual(list(cells), ["self", "avg", "calls", "p99.9"])
            self.assertEqual(exact(cells["p99.9"]), row["p99.9"])


# Press keys and buttons, and put into the title which region has the focus, or which ones are seen.
PRESS = """
const seen = () => [...document.querySelectorAll('#tree tbody tr')].filter(r => r.offsetParent)
	.map(r => r.cells[0].querySelector('a').textContent);
const focus = () => document.activeElement.closest('#tree tr')?.cells[0].querySelector('a').textContent;
const press = (key, on = document) => { on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })); };
const button = text => [...document.querySelectorAll('button')].find(b => b.textContent == text).click();
const log = [];
for (const key of ['j', 'ArrowDown', 'k']) { press(key); log.push(focus()); }
press('ArrowLeft'); log.push(seen()); press('ArrowRight'); log.push(seen());
location.hash = document.activeElement.hash; document.activeElement.blur();
press('Escape'); log.push([location.hash, focus()]);
press('/'); const find = document.activeElement; find.value = 'PIX'; find.oninput(); log.push(seen());
press('Escape', find); log.push(seen());
button('Flat list'); button('calls'); log.push(seen()); button('calls'); log.push(seen());
button('Collapse all'); button('Tree'); log.push(seen());
document.title = JSON.stringify(log);
"""


class Keys(Html):
    def test_keys_and_buttons(self):
        text, _, _ = self.pages(harness.app("nest"), "5")
        text, n = re.subn(r"script-src '[^']*'", "script-src 'unsafe-inline'", text)
        self.assertEqual(n, 1)
        text = self.browse(self.text_file("keys.html", f"{text}<script>{PRESS}</script>"))
        log = json.loads(html.unescape(re.search("<title>(.*?)</title>", text, re.DOTALL).group(1)))
        regions = ["render", "line", "pixel"]  # each within the one before, and with more calls
        self.assertEqual(log, ["render", "line", "render", ["render"], regions, ["#regions", "render"],
                               ["pixel"], regions, regions[::-1], regions, ["render"]])


class Hostile(Html):
    def setUp(self):
        super().setUp()
        calls = "".join(f"regionstat_begin({json.dumps(name)}); regionstat_end({json.dumps(name)});"
                        for name in HOSTILE * 12)
        self.program = self.compile_text(f"#include <regionstat.h>\nint main(void) {{ {calls} return 0; }}\n")
        self.text, self.page, self.document = self.pages(
            self.program, HOSTILE[0], options=("--label", HOSTILE[1]))

    def test_names_stay_text(self):
        self.assertLessEqual(set(HOSTILE), set(self.page.tree()))
        cut = [name.text() for name in self.page.root.one("table", id="tree").all("span", class_="m")]
        self.assertEqual(set(cut), {name for name in self.page.tree() if len(name.encode()) > 20})
        tags = {element.tag for element in self.page.root.all()}
        self.assertFalse(tags & {"img", "link", "iframe", "object", "base", "form"})
        self.assertEqual(len(list(self.page.root.all("script"))), 1)
        for element in self.page.root.all():
            for name, value in element.attributes.items():
                self.assertFalse(name.startswith("on"), (element.tag, name))
                if name in ("href", "src"):
                    self.assertRegex(value, r"^#[a-z]*\d*$")

    def test_the_policy_allows_the_one_script_and_nothing_else(self):
        policy, = self.page.policy()
        self.assertEqual(policy, "default-src 'none'; style-src 'unsafe-inline'; "
                         f"script-src 'sha256-{script_hash(self.text)}'; "
                         "base-uri 'none'; form-action 'none'")
        self.assertNotRegex(self.text, r"https?:|//[a-z]")

    def test_a_browser_runs_no_script_of_a_name(self):
        text = self.browse(self.path("run.html"))
        title = re.search("<title>(.*?)</title>", text, re.DOTALL).group(1)
        self.assertEqual(title, os.path.basename(self.program) + ": regions")
        self.assertIn('type="search"', text)  # the script of the report ran

    @unittest.skipUnless(shutil.which("xmllint"), "there is no xmllint (package libxml2-utils)")
    def test_another_parser_finds_no_error(self):
        without_script = re.sub("<script>.*</script>", "", self.text, flags=re.DOTALL)
        result = harness.run(["xmllint", "--html", "--noout", self.text_file("page.html", without_script)])
        # it knows no elements of HTML 5
        errors = [line for line in result.stderr.splitlines()
                  if "error :" in line and not re.search(r"Tag [\w]+ invalid", line)]
        self.assertEqual(errors, [])


class Differences(Html):
    def test_the_numbers_are_those_of_the_json_and_both_sides_are_drawn(self):
        program = harness.app("tree")
        for side in ("old", "new"):
            self.regionstat("-r", "3", "--quiet", "-o", self.path(side + ".jsonl"), program)
        files = self.path("old.jsonl"), self.path("new.jsonl")
        page = Page(harness.regionstat("diff", "--html", *files).stdout)
        comparison, = json.loads(harness.regionstat("diff", "-j", *files).stdout)["comparisons"]
        rows = {(row["region"] or "(whole run)", row["event"]): row for row in comparison["rows"]}
        lines = list(page.root.one("table", class_="cmp").one("tbody").all("tr"))
        self.assertEqual(len(lines), len({name for name, _ in rows}))
        for line in lines:
            region, cells = line.one("a").text(), list(line.all("td"))
            row = rows[region, cells[1].text()]
            for cell, wanted in zip(cells[2:5], (row["old"]["median"], row["new"]["median"],
                                                 row["self"]["ratio"])):
                if wanted is not None:
                    found = exact(cell) + (1 if cell is cells[4] else 0)
                    self.assertAlmostEqual(found, wanted, delta=1e-7 * max(abs(wanted), 1))
            drawn = {path.attributes["class"] for path in line.all("path")}
            self.assertEqual(drawn, set() if region == "(whole run)" else {"was", "now"}, region)
        self.assertEqual(page.policy(), ["default-src 'none'; style-src 'unsafe-inline'; script-src 'none'; "
                                         "base-uri 'none'; form-action 'none'"])

    def test_several_runs_of_one_command_have_no_page(self):
        result = self.regionstat("-r", "2", "-o", self.path("run.html"), "true", status=125)
        self.assertIn("html cannot show several runs", result.stderr)


def bucket(value):
    shift = max(value.bit_length() - 9, 0)
    low = value >> shift << shift
    return [low, low + (1 << shift)]


def values_of(event, lows, per_bucket):
    """Return a value of a saved run whose histogram has these buckets."""
    buckets = [[*bucket(low), per_bucket] for low in lows]
    middles = [low + (high - 1 - low) // 2 for low, high, _ in buckets]
    n, total = per_bucket * len(buckets), per_bucket * sum(middles)
    square = per_bucket * sum((middle - total / n) ** 2 for middle in middles)
    return {"event": event, "status": "ok", "counted": n, "weight": n, "sum": total, "square": square,
            "min": middles[0], "max": middles[-1], "total": total, "self": total // 2, "variance": 0.0,
            "enabled_ns": total, "running_ns": total, "slowest": middles[-1], "buckets": buckets}


class Size(Html):
    def grow(self, n, n_threads=4):
        """Make a saved run of n regions and some threads out of a small one. Every histogram has all
        bins that a drawing can show."""
        events = ("page-faults,minor-faults,major-faults,context-switches,cpu-migrations,task-clock,"
                  "cpu-clock,alignment-faults,emulation-faults,user_time")
        self.pages(harness.app("glance"), "threads", options=("-e", events))
        document = harness.read_json(self.path("run.json"))
        region, result = document["regions"][1], document["results"][0]
        document["threads"] = [{**document["threads"][0], "tid": 1000 + t, "name": f"worker {t}",
                                "lifetime_ns": 10 ** 12} for t in range(n_threads)]
        document["regions"][1:] = [{**region, "name": f"a region's name {r}"} for r in range(n)]
        document["results"] = []
        for thread in range(n_threads):
            for r in range(1, n + 1):
                lengths = [int(1000 * 2 ** (b / 4)) for b in range(40)]
                counts = [int(10 * 2 ** (b / 2)) + r % 7 for b in range(24)]
                values = [values_of(0, lengths, 10), values_of(1, lengths[:32], 10)]
                values[1].pop("slowest")
                calls = values[0]["counted"]
                values += [{**values[1], "event": e, "counted": 0, "weight": 0, "sum": 0, "square": 0.0, "min": 0,
                            "max": 0, "total": 10 ** 6 * e, "self": 10 ** 6, "buckets": []} for e in (2, 3)]
                values += [values_of(4 + e, counts, calls // 24) for e in range(10)]
                document["results"].append({**result, "region": r, "thread": thread, "calls": calls,
                    "measured": calls, "weight": calls, "octaves": [], "values": values,
                    "parents": [None if r % 4 == 1 else r - 1]})
        for key in ("rows", "messages"):
            document[key] = []
        return self.text_file(f"{n}.json", json.dumps(document))

    def test_a_page_of_50_regions_and_10_events_is_small(self):
        sizes = {}
        for n in (1, 50, 500):
            page = self.path(f"{n}.html")
            self.regionstat("report", self.grow(n), "-o", page)
            sizes[n] = os.path.getsize(page)
            self.assertEqual(len(Page(harness.read_text(page)).panels()), min(n, 50))
        harness.note(f"bytes by regions: {sizes}")
        self.assertLess(sizes[1], 40_000)
        self.assertLess(sizes[50], MOST_BYTES)
        self.assertLess(sizes[500], 5 * MOST_BYTES)

    def changed(self, path, change):
        """Return the page of a saved run after a change of its results."""
        document = harness.read_json(path)
        for result in document["results"]:
            change(result)
        changed = self.text_file("changed.json", json.dumps(document))
        return Page(self.regionstat("report", "--html", changed).stdout)

    def test_the_thread_that_differs_has_a_column_among_many_equal_ones(self):
        def change(result):
            if result["thread"] == 19:
                result["values"][0]["self"] = result["values"][0]["total"]
        table = self.changed(self.grow(3, 20), change).root.one("table", class_="heat")
        heads = [head.text() for head in table.one("thead").all("th")][1:-3]
        self.assertEqual(len(heads), 12)
        self.assertIn("1019", heads[-1])
        for line in table.all("tr"):
            if list(line.all("a")):
                cells = [cell.text() for cell in line.all("td")]
                self.assertEqual(len(set(cells[:11])), 1)
                self.assertNotEqual(cells[11], cells[0])
                self.assertIn("1019", cells[-1])

    def test_sums_above_the_largest_integer_stay_there(self):
        def change(result):
            result["values"][4]["total"] = str(2 ** 64 - 1)
        ice = self.changed(self.grow(5), change).root.one("div", class_="ice")
        event = [label.text() for label in ice.all("label")].index("page-faults")
        self.assertIn("18.4", ice.one("a", class_="root").attributes[f"data-{event}"])
