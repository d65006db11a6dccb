#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count the tests of several meson test logs: how many passed, failed and were skipped, and why.

usage: check_summary.py LABEL=DIRECTORY... [--passed WHAT]... [--failed WHAT]...
       check_summary.py --list-failed MOST LOG

DIRECTORY has LABEL.json, and LABEL-again.json if failed programs ran once more; their second run
counts.
Tests inside a TAP stream count separately. --passed and --failed add what ran outside of meson. The
last line is exactly `N passed, N failed, N skipped`; the exit status is 1 if any failed.

--list-failed prints the programs that failed, or nothing if these are more than MOST.
"""

import argparse
import itertools
import json
import os
import re
import sys

RESULT_LINE = re.compile(r"^(not )?ok\b\s*(\d+)?\s*(?:-\s*)?(.*?)\s*(?:#\s*(SKIP|TODO)\S*\s*(.*))?$",
                         re.IGNORECASE)
PLAN_LINE = re.compile(r"^1\.\.(\d+)\s*(?:#\s*SKIP\S*\s*(.*))?$", re.IGNORECASE)

# Of what the first failed test of a program printed, so many lines of so many characters are shown.
MOST_LINES, MOST_CHARACTERS = 5, 300


def comments(lines):
    """Return the first lines up to the next result. harness.py prints a failure before its result,
    others behind it."""
    return list(itertools.takewhile(lambda line: re.match(r"#|\s", line), lines))[:MOST_LINES]


class Tally:
    """The counts of one log."""

    def __init__(self):
        self.passed = 0
        self.failures = []  # the first one of a program with what it printed
        self.skips = []  # (program, test or None, reason)
        self.n_repeated = 0  # runs that were repeated because of other load: cli/harness.py

    def add_tap(self, name, text, returncode):
        planned, seen, failures = None, 0, len(self.failures)
        lines = text.splitlines()
        for at, line in enumerate(lines):
            plan = PLAN_LINE.match(line)
            if plan:
                planned = int(plan.group(1))
                if planned == 0:
                    self.skips.append((name, None, plan.group(2) or "no reason given"))
                continue
            result = RESULT_LINE.match(line)
            if not result:
                continue
            seen += 1
            what = f"{name}: {result.group(3)}"
            if (result.group(4) or "").upper() == "SKIP":
                self.skips.append((name, result.group(3), result.group(5) or "no reason given"))
            elif result.group(1):
                if len(self.failures) == failures:
                    printed = comments(lines[:at][::-1])[::-1] or comments(lines[at + 1:])
                    what = "\n".join([what, *("    " + text[:MOST_CHARACTERS] for text in printed)])
                self.failures.append(what)
            else:
                self.passed += 1
        if planned is None or seen < planned:
            self.failures.append(f"{name}: ended after {seen} of {planned or 'unknown'} tests")
        elif returncode not in (0, None) and len(self.failures) == failures:
            self.failures.append(f"{name}: exit status {returncode}")

    def add(self, test):
        # meson writes `PROJECT:SUITE / NAME`.
        name, result = test["name"].split(" / ")[-1], test["result"]
        text = test.get("stdout", "")
        self.n_repeated += sum(map(int, re.findall(r"^# repeated: (\d+)$", text, re.MULTILINE)))
        if result in ("TIMEOUT", "INTERRUPT"):
            self.failures.append(f"{name}: {result.lower()} after {test['duration']:.0f} s")
        elif re.search(r"^(1\.\.\d+|TAP version|(not )?ok\b)", text, re.MULTILINE):
            self.add_tap(name, text, test.get("returncode"))
        elif result == "SKIP":
            lines = (text + test.get("stderr", "")).strip().splitlines()
            self.skips.append((name, None, lines[-1] if lines else "no reason given"))
        elif result in ("OK", "EXPECTEDFAIL"):
            self.passed += 1
        else:
            self.failures.append(f"{name}: {result.lower()}, status {test.get('returncode')}")


def read_log(path):
    """Return the test programs of a log, by name."""
    with open(path, encoding="utf-8") as file:
        tests = [json.loads(line) for line in file]
    return {test["name"]: test for test in tests}


def failures_of(test):
    tally = Tally()
    tally.add(test)
    return tally.failures


def list_failed(most, path):
    failed = [name.split(" / ")[-1] for name, test in read_log(path).items() if failures_of(test)]
    if len(failed) <= most:
        print("\n".join(failed))


def main():
    parser = argparse.ArgumentParser(description="count the tests of several meson test logs")
    parser.add_argument("logs", nargs="*", metavar="LABEL=DIRECTORY")
    parser.add_argument("--list-failed", type=int, metavar="MOST")
    parser.add_argument("--failed", action="append", default=[])
    parser.add_argument("--passed", action="append", default=[])
    arguments = parser.parse_intermixed_args()

    if arguments.list_failed is not None:
        list_failed(arguments.list_failed, arguments.logs[0])
        return

    passed, failures, skips = len(arguments.passed), list(arguments.failed), {}
    failed_once = []
    print("Tests by build:")
    for log in arguments.logs:
        label, directory = log.split("=", 1)
        tally, tests, again = Tally(), {}, {}
        try:
            tests = read_log(f"{directory}/{label}.json")
            if os.path.exists(f"{directory}/{label}-again.json"):
                again = read_log(f"{directory}/{label}-again.json")
        except (OSError, ValueError) as error:
            tally.failures.append(f"the log cannot be read: {error}")
        for name, test in tests.items():
            tally.add(again.get(name, test))
        for name in again:
            failed_once += [f"{label}: {what}" for what in failures_of(tests[name])]
        if not tests:
            tally.failures.append("no test ran")
        n_repeated = tally.n_repeated + len(again)
        print(f"  {label}: {tally.passed} passed, {len(tally.failures)} failed, "
              f"{len(tally.skips)} skipped, in {len(tests)} programs; {n_repeated} runs repeated")
        passed += tally.passed
        failures += [f"{label}: {what}" for what in tally.failures]
        for program, test, reason in tally.skips:
            skips.setdefault((label, program, reason), []).append(test)
    if arguments.passed:
        print(f"  beside them passed: {', '.join(arguments.passed)}")
    if skips:
        print("Skipped:")
        for (label, program, reason), tests in skips.items():
            what = f"{len(tests)} tests" if len(tests) > 1 else tests[0] or "all of it"
            print(f"  {label}: {program}: {what}: {reason}")
    if failed_once:
        print("Failed in the first of two runs:")
        for what in failed_once:
            print(f"  {what}")
    if failures:
        print("Failed:")
        for what in failures:
            print(f"  {what}")
    print(f"{passed} passed, {len(failures)} failed, {sum(map(len, skips.values()))} skipped")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
