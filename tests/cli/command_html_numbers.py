# SPDX-License-Identifier: MIT
"""Every number of the HTML report is that of the JSON of the same run."""

import collections
import json
import re

import harness
from html_page import Html, exact, facts, field, plain, rows_of, three_digits, time, total

EVENTS = "page-faults,minor-faults,context-switches,task-clock"


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
            self.assertAlmostEqual(exact(cells["avg"]), row["avg"], delta=row["avg"] * 1e-7)
            for name in ("total", "calls", "avg", "p90", "max"):
                if not cells[name].text().startswith("<"):  # below the overhead of markers
                    self.assertEqual(cells[name].text(), field(row, name))
            cpu = rows_of(document, event="cpu-time", region=row["region"])[0]
            if cpu.get("total"):  # 0 if the markers took longer than the calls
                self.assertAlmostEqual(exact(cells["on-CPU"]), cpu["total"] / row["total"], 2)

    def test_the_header_has_the_figures_of_the_json(self):
        _, page, document = self.pages(harness.app("glance"), "threads")
        run, cpus = document["run"], document["machine"]["cpus"]
        cpu_ns = run["user_ns"] + run["system_ns"]
        share, = (row["value"] for row in document["rows"]
                  if row["event"] == "overhead_share" and "region" not in row)
        self.assertEqual(facts(page.root.one("header")), {
            "elapsed": time(run["elapsed_ns"]),
            f"CPU time, {cpu_ns / run['elapsed_ns']:.2f} of {cpus} CPU{'s' * (cpus != 1)}": time(cpu_ns),
            "marked threads": str(len(document["threads"])),
            "overhead, of the CPU time": f"\u2265 {share:.{1 if share < 9.95 else 0}f}%"})

    def test_the_panels_have_the_figures_of_the_json(self):
        _, page, document = self.pages(harness.app("glance"), "threads")
        lifetimes = sum(thread["lifetime_ns"] for thread in document["threads"])
        slowest = {row["region"]: row for row in document["rows"]
                   if (row["kind"], row["event"]) == ("slowest", "start")}
        tree = page.tree()
        for name, panel in page.panels().items():
            row, = rows_of(document, region=name, event="time")
            shown = facts(panel)
            self.assertEqual(shown["self"], tree[name]["self"].text())
            # Shares are rounded so that all of them make 100.0 %.
            self.assertAlmostEqual(float(shown["self"].rstrip("%")), 100 * row["self_total"] / lifetimes, delta=0.1)
            self.assertEqual([plain(shown[key]) for key in ("total", "calls", "avg")],
                             [field(row, key) for key in ("total", "calls", "avg")])
            self.assertEqual(shown["thread" if row["threads"] == 1 else "threads"], str(row["threads"]))
            flags = dict(plain(flag.text()).lstrip("\u2190 ").split() for flag in
                         panel.one("div", class_="plot").all("b") if "style" in flag.attributes)
            self.assertEqual(flags, {key: time(row[key]) for key in ("p50", "p90", "p99", "max")})
            if row["calls"] >= 10:
                self.assertIn(f"The slowest call began at {time(slowest[name]['value'])} on thread "
                              f"{slowest[name]['thread']}.", plain(panel.text()))

    def test_the_tails_the_work_and_the_metrics_are_those_of_the_json(self):
        _, page, document = self.pages(harness.app("coming"), "300",
                                       options=("-e", "task-clock", "-M", "cpus-utilized"))
        tails, metrics = collections.defaultdict(list), {}
        for row in document["rows"]:
            if row["kind"] == "tail" and row["event"] == "share":
                tails[row["region"]].append({"share": f"{100 * row['value']:.1f}%"})
            elif row["kind"] == "tail":
                tails[row["region"]][-1][row["event"]] = time(row.get("avg", row["value"]))
            elif row["kind"] == "metric" and row["event"] == "cpus-utilized" and "region" in row:
                metrics[row["region"]] = f"{three_digits(row['value'])} CPUs"
        for name, panel in page.panels().items():
            self.assertEqual(facts(panel).get("cpus-utilized"), metrics.get(name))
            if name not in tails:
                continue
            share, bound = re.search(r"the slowest (\S+) of the calls, of (\S+) or more$", plain(
                panel.one("section", class_="events").one("p").text())).groups()
            line, = (line for line in panel.one("table", class_="ev").one("tbody").all("tr")
                     if line.one("th").text() == "task-clock")
            self.assertIn((share, bound, list(line.all("td"))[4].text() or None), [
                (tail["share"], tail["bound"], tail.get("task-clock")) for tail in tails[name]])
        self.assertIn("64.0 B, 2.00 flop a call", page.panels()["part"].one("p", class_="work").text())
        self.assertIn("part", metrics)

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
                    self.assertEqual(shown, field(row, name), (row["region"], event, name))
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
            selves = {row["thread"]: row["self_total"] for row in document["rows"]
                      if (row["kind"], row.get("region"), row["event"]) == ("region", name, "time")}
            for thread, shown in zip(threads, cells):
                self.assertEqual(shown, time(selves[thread]) if selves.get(thread) else "", (name, thread))
            selves.pop("all", None)
            most = max(selves.values())
            self.assertEqual(cells[-2], f"{most * len(selves) / sum(selves.values()):.2f}\u00d7", name)
            self.assertEqual(selves[cells[-1].split()[0]], most)
        lifetimes = [cell.attributes["title"] for cell in table.one("tr", class_="life").all("td")
                     if "title" in cell.attributes]
        self.assertEqual(list(map(plain, lifetimes)), [time(thread["lifetime_ns"]) for thread in document["threads"]])

    def test_the_bar_of_the_whole_adds_up_to_the_lifetimes(self):
        _, page, document = self.pages(harness.app("glance"), "threads")
        where = page.root.one("div", class_="where")
        parts = [float(part.attributes["value"]) for part in where.all("data")]
        self.assertAlmostEqual(sum(parts), sum(t["lifetime_ns"] for t in document["threads"]), delta=len(parts))
        for part in where.all("data"):
            self.assertEqual(plain(part.text()), time(float(part.attributes["value"])))
        percents = [round(100 * part / sum(parts)) for part in parts if part / sum(parts) >= 0.001]
        self.assertEqual([bar.text() for bar in where.one("div", class_="bar").all("b")],
                         [f"{percent}%" for percent in percents])
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
                                 total(row["total"], row["unit"]))

    def test_the_tail_follows_from_the_buckets_of_the_json(self):
        """Here it is one call. stats/long_calls_test.c has tails of more."""
        _, page, document = self.pages(harness.app("glance"), "threads")
        panels, n = page.panels(), 0
        for index, region in enumerate(document["regions"]):
            values = [result["values"][0] for result in document["results"] if result["region"] == index]
            most = max((value["max"] for value in values), default=0)
            # of each call: the middle and the lower end of its bucket, but never more than the maximum
            lengths = sorted((min((low + high - 1) / 2, most), min(low, most)) for value in values
                             for low, high, count in value["buckets"] for _ in range(count))
            calls, whole = len(lengths), sum(length for length, _ in lengths)
            if calls < 10:
                continue
            self.assertLess(calls, 100)
            taken, bound = lengths[-1]
            text = panels[region["name"]].text().replace("\u202f", "")
            self.assertIn(f"The slowest {100 / calls:.1f}% of the calls, of {total(bound, 'ns')} or more, "
                          f"take {100 * taken / whole:.0f}% of the time", text)
            n += 1
            row, = rows_of(document, region=region["name"], event="time")
            shown = [plain(list(line.all("td"))[0].text()) for line in
                     panels[region["name"]].one("table", class_="diff").all("tr")]
            took = row["total"] * taken / whole
            self.assertEqual(shown, [f"{time(took)} each", f"{time((row['total'] - took) / (calls - 1))} each"])
        self.assertGreater(n, 3)

    def test_a_saved_run_gives_the_same_bytes(self):
        text, _, _ = self.pages(harness.app("tree"), options=("-e", EVENTS))
        self.assertEqual(self.again("again.html"), text)
        result = harness.regionstat("report", "--html", self.path("run.json"))
        self.assertEqual(result.stdout, text)
