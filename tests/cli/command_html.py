# SPDX-License-Identifier: MIT
"""The HTML report: its numbers are those of the JSON of the same run, nothing of a program's text
is markup, and its size is limited."""

import json
import os
import re
import shutil
import subprocess
import unittest

import harness
import html_page

EVENTS = "page-faults,minor-faults,context-switches,task-clock"
HOSTILE = ["<script>document.title='owned'</script>", "\"><img src=x onerror=document.title='owned'>",
           "</style><script>document.title='owned'</script>", "' onmouseover='x", "a&amp;b &lt;",
           "javascript:alert(1)", "]]>--><!--", "#r1", "&#60;b&#62;", "</title><b>"]
MOST_BYTES = 300_000


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Html(harness.TestCase):
    def pages(self, *program, options=(), status=0, **run_options):
        """Run a program. Return its HTML report as text and parsed, and its JSON."""
        page, saved = self.path("run.html"), self.path("run.json")
        result = harness.regionstat(*options, "-o", page, "-o", saved, "--quiet", *program, **run_options)
        self.assertEqual(result.status, status, result)
        return read(page), html_page.Page(read(page)), json.loads(read(saved))

    def again(self, name, *options):
        """Return the report of the saved run in another format."""
        result = harness.regionstat("report", *options, "-o", self.path(name), self.path("run.json"))
        self.assertEqual(result.status, 0, result)
        return read(self.path(name))


def rows_of(document, **wanted):
    wanted.setdefault("kind", "region")
    wanted.setdefault("thread", "all")
    return [row for row in document["rows"]
            if all(row.get(name) == value for name, value in wanted.items())]


def exact(cell):
    return float(cell.attributes["data-v"])


class Numbers(Html):
    def test_the_tree_has_the_numbers_of_the_json(self):
        text, page, document = self.pages(harness.app("tree"), options=("-e", EVENTS))
        self.assertNotRegex(text, r"<\d")  # "<1%", below the cost of markers
        tree, rows = page.tree(), rows_of(document, event="time")
        self.assertEqual(sorted(tree), sorted(row["region"] for row in rows))
        for row in rows:
            cells = tree[row["region"]]
            for name, key in (("self", "self_total"), ("total", "total"), ("calls", "calls"),
                              ("p90", "p90"), ("max", "max")):
                if key in row:  # asynchronous calls have no self time
                    self.assertEqual(exact(cells[name]), row[key], (row["region"], name))
                else:
                    self.assertEqual(cells[name].text(), "-")
            self.assertAlmostEqual(exact(cells["avg"]) / row["avg"], 1, 7)
            for name in ("total", "calls", "avg", "p90", "max"):
                if not cells[name].text().startswith("<"):  # below the overhead of markers
                    self.assertEqual(cells[name].text(), html_page.field(row, name))
            cpu = rows_of(document, event="cpu-time", region=row["region"])[0]
            if "total" in cpu:
                self.assertAlmostEqual(exact(cells["on-CPU"]), cpu["total"] / row["total"], 2)

    def test_the_panels_have_the_events_of_the_json(self):
        _, page, document = self.pages(harness.app("tree"), options=("-e", EVENTS))
        panels, n = page.panels(), 0
        for row in rows_of(document):
            if row["event"] == "time":  # the tree has it
                continue
            panel = panels[row["region"]]
            lines = {line.one("th").text(): [cell.text() for cell in line.all("td")]
                     for line in next(panel.all("table", class_="ev")).all("tr")
                     if list(line.all("td"))}
            event = row["event"]
            if "total" not in row:
                self.assertIn("not", lines[event][0])
                continue
            names = ("total", "avg", "p90", "max") if "avg" in row else ("total",)
            for place, name in enumerate(names):
                shown = lines[event][place]
                if not shown.startswith("<"):
                    self.assertEqual(shown, html_page.field(row, name), (row["region"], event, name))
                    n += 1
        self.assertGreater(n, 50)

    def test_the_threads_have_the_self_times_of_the_json(self):
        _, page, _ = self.pages(harness.app("glance"), "threads")
        document = json.loads(self.again("threads.json", "--per-thread"))
        table = page.root.one("table", class_="heat")
        threads = [head.text().split()[0] for head in table.one("thead").all("th")][1:-3]
        self.assertEqual(len(threads), len({row["thread"] for row in document["rows"] if "thread" in row} - {"all"}))
        lines = {next(line.all("a")).text(): [cell.text() for cell in line.all("td")]
                 for line in table.all("tr") if list(line.all("a"))}
        self.assertIn("sleep", lines)
        for name, cells in lines.items():
            for thread, shown in zip(threads, cells):
                row = rows_of(document, region=name, event="time", thread=thread)
                wanted = html_page.total(row[0]["self_total"], "ns") if row and row[0]["self_total"] else ""
                self.assertEqual(shown, wanted, (name, thread))

    def test_the_bar_of_the_whole_adds_up_to_the_lifetimes(self):
        _, page, document = self.pages(harness.app("glance"), "threads")
        where = page.root.one("div", class_="where")
        parts = [float(part.attributes["value"]) for part in where.all("data")]
        self.assertAlmostEqual(sum(parts), sum(t["lifetime_ns"] for t in document["threads"]), delta=len(parts))
        selves = sum(row["self_total"] for row in rows_of(document, event="time"))
        self.assertAlmostEqual(sum(parts[:-1]), selves, delta=0.02 * selves)  # overhead has no region

    def test_the_findings_are_the_messages_of_the_json_and_link_to_regions(self):
        _, page, document = self.pages(harness.app("glance"), "threads")
        shown = [next(item.all("p")).text() for item in page.root.one("ol", class_="find").all("li")]
        wanted = [m["text"] for m in document["messages"] if m["kind"] != "detail"]
        self.assertEqual(shown, wanted[:len(shown)])
        self.assertEqual(len(shown), min(5, len(wanted)))
        targets = {panel.attributes["id"] for panel in page.panels().values()}
        links = [a.attributes["href"][1:] for a in page.root.one("ol", class_="find").all("a")]
        self.assertTrue(links)
        self.assertLessEqual(set(links), targets)

    def test_the_icicle_has_the_totals_of_each_event(self):
        _, page, document = self.pages(harness.app("tree"), options=("-e", EVENTS))
        ice = page.root.one("div", class_="ice")
        events = [label.text() for label in ice.all("label")]
        self.assertEqual(events[:2], ["time", "cpu-time"])
        for box in ice.all("a"):
            name = box.one("span").text()
            for key, shown in box.attributes.items():
                if not key.startswith("data-") or name == "all":
                    continue
                row = rows_of(document, region=name, event=events[int(key[5:])])[0]
                self.assertEqual(shown.replace("\u202f", "").rsplit(" ", 1)[0],
                                 html_page.total(row["total"], row["unit"]))

    def test_the_tail_follows_from_the_buckets_of_the_json(self):
        _, page, document = self.pages(harness.app("glance"), "threads")
        panels, n = page.panels(), 0
        for index, region in enumerate(document["regions"]):
            counts = {}
            for result in document["results"]:
                if result["region"] == index:
                    for low, high, count in result["values"][0]["buckets"]:
                        counts[low, high] = counts.get((low, high), 0) + count
            calls = sum(counts.values())
            if calls < 10:
                continue
            left = longest = max(calls * 2 // 100, 1)
            whole, taken, bound = sum((low + high - 1) / 2 * count for (low, high), count in counts.items()), 0, 0
            for (low, high), count in sorted(counts.items(), reverse=True):
                if left > 0:
                    taken += (low + high - 1) / 2 * min(count, left)
                    left, bound = left - min(count, left), low
            text = panels[region["name"]].text().replace("\u202f", "")
            self.assertIn(f"The slowest {100 * longest / calls:.1f}% of the calls, of "
                          f"{html_page.total(bound, 'ns')} or more, take {100 * taken / whole:.0f}% of the time", text)
            n += 1
        self.assertGreater(n, 3)

    def test_a_saved_run_gives_the_same_bytes(self):
        text, _, _ = self.pages(harness.app("tree"), options=("-e", EVENTS))
        self.assertEqual(self.again("again.html"), text)
        result = harness.regionstat("report", "--html", self.path("run.json"))
        self.assertEqual(result.stdout, text)


class Kinds(Html):
    """Runs that differ in what is known of them."""

    def test_a_run_without_regions_has_a_page(self):
        _, page, _ = self.pages("true")
        self.assertIn("No region was called", page.root.one("section", id="regions").text())

    def test_a_program_that_fails_says_so(self):
        _, page, _ = self.pages("sh", "-c", "exit 3", status=3)
        self.assertIn("exit status 3", page.root.one("header").text())

    def test_without_rseq_the_state_is_unknown(self):
        env = harness.environment(GLIBC_TUNABLES="glibc.pthread.rseq=0")
        _, page, document = self.pages(harness.app("tree"), env=env)
        if "total" in rows_of(document, event="cpu-time")[0]:
            self.skipTest("this C library has no rseq that could be switched off")
        self.assertEqual({cells["on-CPU"].text() for cells in page.tree().values()}, {"-"})
        self.assertIn("is unknown", page.root.text())
        self.assertFalse([e for e in page.root.all("path") if e.attributes.get("class") == "o"])

    def test_sampled_values_have_their_errors(self):
        _, page, document = self.pages(harness.app("tree"), options=("--sample", "10"))
        sampled = [row for row in rows_of(document, event="time") if row["status"] == "scaled"]
        if not sampled:
            self.skipTest("no region had enough calls to be sampled")
        for row in sampled:
            cell = page.tree()[row["region"]]["\u00b1"]
            if row.get("error"):
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
        result = harness.regionstat("merge", self.path("first.json"), self.path("run.json"), "-o", merged)
        self.assertEqual(result.status, 0, result)
        page = html_page.Page(read(merged))
        self.assertTrue([h for h in page.root.all("h2") if h.text() == "Processes"])
        header = page.root.one("header").text()
        self.assertIn("elapsed, longest of 2 runs", header)
        self.assertNotRegex(header, r" of \d+ CPU")  # the runs may overlap

    def test_options_choose_regions_and_columns(self):
        self.pages(harness.app("tree"))
        page = html_page.Page(self.again("view.html", "--top", "2", "--columns", "avg,calls", "--percentiles", "99.9"))
        document = json.loads(self.again("view.json", "--percentiles", "99.9"))
        tree = page.tree()
        self.assertIn("more are not shown", page.root.one("section", id="regions").text())
        for name, cells in tree.items():
            row, = rows_of(document, event="time", region=name)
            self.assertEqual(list(cells), ["self", "avg", "calls", "p99.9"])
            self.assertEqual(exact(cells["p99.9"]), row["p99.9"])


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
                         f"script-src 'sha256-{html_page.script_hash(self.text)}'; "
                         "base-uri 'none'; form-action 'none'")
        self.assertNotRegex(self.text, r"https?:|//[a-z]")

    @unittest.skipUnless(shutil.which("chromium"), "there is no chromium to open the page with")
    def test_a_browser_runs_no_script_of_a_name(self):
        browser = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.path('profile')}",
             "--dump-dom", "file://" + self.path("run.html")],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=harness.TIMEOUT_S, check=False)
        if browser.returncode != 0 or "<html" not in browser.stdout:
            self.skipTest("chromium does not run here")
        title = re.search("<title>(.*?)</title>", browser.stdout, re.DOTALL).group(1)
        self.assertEqual(title, os.path.basename(self.program) + ": regions")
        self.assertIn('type="search"', browser.stdout)  # the script of the report ran

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
            result = harness.regionstat("-r", "3", "--quiet", "-o", self.path(side + ".jsonl"), program)
            self.assertEqual(result.status, 0, result)
        files = self.path("old.jsonl"), self.path("new.jsonl")
        page = html_page.Page(harness.regionstat("diff", "--html", *files).stdout)
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
        result = harness.regionstat("-r", "2", "-o", self.path("run.html"), "true")
        self.assertEqual(result.status, 125)
        self.assertIn("html shows no several runs", result.stderr)


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
        document = json.loads(read(self.path("run.json")))
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
            result = harness.regionstat("report", self.grow(n), "-o", page)
            self.assertEqual(result.status, 0, result)
            sizes[n] = os.path.getsize(page)
            self.assertEqual(len(html_page.Page(read(page)).panels()), min(n, 50))
        harness.note(f"bytes by regions: {sizes}")
        self.assertLess(sizes[1], 40_000)
        self.assertLess(sizes[50], MOST_BYTES)
        self.assertLess(sizes[500], 5 * MOST_BYTES)

    def changed(self, path, change):
        """Return the page of a saved run after a change of its results."""
        document = json.loads(read(path))
        for result in document["results"]:
            change(result)
        result = harness.regionstat("report", "--html", self.text_file("changed.json", json.dumps(document)))
        self.assertEqual(result.status, 0, result)
        return html_page.Page(result.stdout)

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


if __name__ == "__main__":
    harness.main()
