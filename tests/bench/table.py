# SPDX-License-Identifier: MIT
"""Rows of the benchmark: what was measured, with what it is compared, and whether it is within its
budget."""

import csv
import statistics

COLUMNS = ("section", "what", "unit", "this", "peer", "peer_value", "ratio", "ratio_low",
           "ratio_high", "budget", "verdict", "note")


def number(value):
    """Return a figure with three or four significant digits."""
    if value is None:
        return ""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


class Budget:
    """The budget of a row: in words, and as a limit of its value or of its ratio, which may also
    have a lower limit."""

    def __init__(self, text, value=None, ratio=None, least=0):
        self.text = text
        self.least = least
        self.value = value
        self.ratio = ratio

    def verdict(self, value, ratio):
        if self.value is not None:
            return "met" if value <= self.value else "MISSED"
        if self.ratio is not None and ratio is not None:
            return "met" if self.least <= ratio <= self.ratio else "MISSED"
        return ""


class Table:
    """The rows of one run, which are printed at once and written as CSV at the end."""

    def __init__(self):
        self.rows = []
        self.widths = (52, 14, 22, 10, 8, 30, 7)

    def line(self, cells):
        what, this, peer, peer_value, ratio, budget, verdict = cells
        widths = self.widths
        print(f"  {what:<{widths[0]}} {this:>{widths[1]}}  {peer:<{widths[2]}}"
              f" {peer_value:>{widths[3]}} {ratio:>{widths[4]}}  {budget:<{widths[5]}}"
              f" {verdict}".rstrip(), flush=True)

    def section(self, title):
        self.title = title
        print(f"\n{title}\n")
        self.line(("", "this", "beside", "", "ratio", "budget", ""))

    def add(self, what, unit, this, peer="", peers=None, budget=None, note=""):
        """Add one row. what: the subject, printed once for consecutive rows with the same one.
        this: one value for each round, or a single one. peers: the other tool's values in the same
        rounds."""
        mine = this if isinstance(this, list) else [this]
        others = peers if isinstance(peers, list) or peers is None else [peers]
        value = statistics.median(mine)
        peer_value = statistics.median(others) if others else None
        low = ratio = high = None
        if others:
            ratios = [a / b for a, b in zip(mine, others) if b]
            if len(ratios) > 1:
                low, ratio, high = statistics.quantiles(ratios, n=4, method="inclusive")
            elif ratios:
                low = ratio = high = ratios[0]
        verdict = budget.verdict(value, ratio) if budget else ""
        self.rows.append(dict(zip(COLUMNS, (
            self.title, what, unit, value, peer, peer_value, ratio, low, high,
            budget.text if budget else "", verdict.lower(), note))))
        shown = "" if len(self.rows) > 1 and self.rows[-2]["what"] == what else what
        self.line((shown, f"{number(value)} {unit}", peer, number(peer_value), number(ratio),
                   budget.text if budget else "", verdict))
        if note:
            print(f"      {note}", flush=True)

    def skip(self, what, reason):
        self.rows.append(dict(zip(COLUMNS, (
            self.title, what, "", None, "", None, None, None, None, "", "skipped", reason))))
        print(f"  {what:<{self.widths[0]}} skipped: {reason}", flush=True)

    def write(self, path):
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            for row in self.rows:
                writer.writerow({key: f"{value:.6g}" if isinstance(value, float) else value
                                 for key, value in row.items()})

    def write_markdown(self, path, machine):
        """Write the rows with a budget or a peer, for regionstat-overhead(7)."""
        lines = [machine + ".", ""]
        for title in dict.fromkeys(row["section"] for row in self.rows):
            rows = [row for row in self.rows if row["section"] == title
                    and row["this"] is not None
                    and (row["budget"] or row["peer"] or row["unit"] == "%")]
            if not rows:
                continue
            lines += [f"| {title} | this | beside | | ratio | budget | |",
                      "|---|--:|---|--:|--:|---|---|"]
            lines += ["| " + " | ".join((
                row["what"], f"{number(row['this'])} {row['unit']}".strip(), row["peer"],
                number(row["peer_value"]), number(row["ratio"]), row["budget"], row["verdict"]))
                + " |" for row in rows]
            lines.append("")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
