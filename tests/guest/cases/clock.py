# SPDX-License-Identifier: MIT
"""If the processor has half the frequency, the verdict is that the machine changed, and no region
is reported as slower."""

import json
import subprocess
import tempfile
from pathlib import Path


def judge(run, check):
    if not run.halved:
        return
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("old.jsonl", "new.jsonl")]
        for path, each in zip(paths, (run, run.halved)):
            path.write_text(each.section("series") + "\n", encoding="utf-8")
        words = [run.regionstat, "diff", *paths]
        table, lines = (subprocess.run(words + more, stdout=subprocess.PIPE, text=True, check=True).stdout
                        for more in ([], ["-j"]))
    comparison, = json.loads(lines)["comparisons"]
    check.equal("the machine changed", comparison["machine"]["verdict"], "changed")
    check.between("it takes twice the time", comparison["machine"]["control"]["ratio"], 1.95, 2.05)
    check.contains("the table says so", table, "machine changed: ")
    verdicts = {row["region"]: row["verdict"] for row in comparison["verdicts"]}
    check.equal("regions with a verdict", len(verdicts), 9)
    # Timer interrupts do not come at half the frequency: they take a larger share of the time.
    check.equal("no region is slower", [row for row in comparison["verdicts"]
                                        if row["verdict"] != "same" and abs(row["effect"]) > 0.02], [])
