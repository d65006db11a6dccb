# SPDX-License-Identifier: MIT
"""Run the analyzers on each source of lib/ and cmd/, or on the named ones, and print their
findings. The exceptions below are not printed; each has a reason. Exit with 1 if there are
findings."""

import concurrent.futures
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-DREGIONSTAT_VERSION=\"0\"",
         "-DREGIONSTAT_BINDIR=\"bin\"", "-DREGIONSTAT_LIBDIR=\"lib\"",
         "-DREGIONSTAT_DATADIR=\"share\"", "-DREGIONSTAT_PREFIX=\"/usr\"", "-Ilib", "-Icmd"]

# Checks that are disabled, and why.
WITHOUT_TIDY = {
    "bugprone-easily-swappable-parameters": "a matter of taste",
    "bugprone-reserved-identifier": "_GNU_SOURCE",
    "bugprone-narrowing-conversions": "-Wconversion says it",
    "bugprone-implicit-widening-of-multiplication-result": "sizes of tables with small bounds",
    "bugprone-assignment-in-if-condition": "a matter of taste",
    "bugprone-sizeof-expression": "arrays of pointers are what is meant",
    "concurrency-mt-unsafe": "the command has one thread, the runtime calls none of these",
    "clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling": "C11's Annex K",
    "clang-analyzer-security.insecureAPI.strcpy": "into what was measured before",
    "clang-analyzer-optin.performance.Padding": "a table for people",
}
WITHOUT_GCC = {
    "analyzer-malloc-leak": "gcc 12 loses what realloc() or an out parameter owns; LeakSanitizer "
                            "looks in all tests",
    "analyzer-use-of-uninitialized-value": "gcc 12 takes the rest of an initializer for nothing; "
                                           "clang looks",
}
WITHOUT_CPPCHECK = {
    "missingIncludeSystem": "not needed",
    "uninitvar": "takes what a function fills for what it reads; clang looks",
    "ctuuninitvar": "the same",
}

INDEX = "above 0 is not above any number: a quantity is at most that of the last event"
GARBAGE = "system calls in assembly fill it, which clang does not see"
# (start of the path, check): why the finding is wrong.
EXCEPTIONS = {
    ("lib/runtime/", "clang-analyzer-core.UndefinedBinaryOperatorResult"): GARBAGE,
    ("lib/runtime/", "clang-analyzer-core.uninitialized.Assign"): GARBAGE,
    ("lib/runtime/", "clang-analyzer-core.uninitialized.UndefReturn"): GARBAGE,
    ("lib/runtime/mark/slow.c", "clang-analyzer-core.NullDereference"):
        "the innermost entry, to which it is equal there, is not NULL",
    ("lib/runtime/mark/slow.c", "analyzer-null-dereference"): "the same",
    ("lib/runtime/mark/slow.c", "nullPointer"): "the same",
    ("lib/runtime/process/region_names.c", "analyzer-null-dereference"):
        "an index that is found is of a region that is there",
    ("lib/runtime/thread/thread.c", "selfAssignment"): "volatile: touches each page",
    ("cmd/options_table.c", "bugprone-macro-parentheses"): "a designated initializer",
    ("lib/stats/statistic.c", "bugprone-macro-parentheses"): "a part of a name",
    ("lib/stats/collect_accumulators.c", "arrayIndexOutOfBoundsCond"): INDEX,
    ("lib/stats/merge.c", "arrayIndexOutOfBoundsCond"): INDEX,
    ("lib/plan/tracefs.c", "identicalInnerCondition"): "a value is returned where it is not 0",
    ("lib/plan/plan.c", "clang-analyzer-core.NullDereference"): "where there is a last event",
    ("cmd/verbs.c", "analyzer-null-dereference"): "asked for after it was found",
}

TIDY = "-*,bugprone-*,clang-analyzer-*,concurrency-*,misc-redundant-expression," + \
    ",".join("-" + name for name in WITHOUT_TIDY)
TOOLS = {
    "gcc": ["gcc", *FLAGS, "-O1", "-fanalyzer", "-fdiagnostics-plain-output", "-c", "-o",
            "/dev/null", *("-Wno-" + name for name in WITHOUT_GCC)],
    "clang-tidy": ["clang-tidy", "-quiet", "--checks=" + TIDY],
    "cppcheck": ["cppcheck", "-q", "--std=c11", "--language=c", "-D__x86_64__", "-D__GNUC__=12",
                 "-D__linux__", "-D__ELF__", *FLAGS[1:], "--enable=warning,performance,portability",
                 *("--suppress=" + name for name in WITHOUT_CPPCHECK),
                 "--template={file}:{line}:{column}: warning: {message} [{id}]"],
}
FOUND = re.compile(r"^(\S+?):(\d+):\d*:? (?:warning|error): (.*?) ?(?:\[CWE-\d+\] )?"
                   r"\[-?W?([\w.,-]+)\]$", re.MULTILINE)


def sources():
    return sorted(os.path.relpath(os.path.join(folder, name), ROOT)
                  for top in ("lib", "cmd") for folder, _, names in os.walk(os.path.join(ROOT, top))
                  for name in names if name.endswith(".c"))


def analyze(job):
    """Return the findings of one tool in one file as (path, line, check, text), or why the tool
    failed."""
    tool, path = job
    after = ["--", *FLAGS] if tool == "clang-tidy" else []
    result = subprocess.run([*TOOLS[tool], path, *after], cwd=ROOT, capture_output=True, text=True,
                            check=False)
    found = [(os.path.relpath(os.path.join(ROOT, at), ROOT), line, check.split(",")[0], text)
             for at, line, text, check in FOUND.findall(result.stdout + result.stderr)]
    if result.returncode != 0 and not found:
        found.append((path, "0", tool, "failed: " + result.stderr.strip()[-300:]))
    return found


def exception(path, check):
    """Return the key of the exception for this finding, or None."""
    return next((key for key in EXCEPTIONS if path.startswith(key[0]) and check == key[1]), None)


def main():
    paths = sys.argv[1:] or sources()
    jobs = [(tool, path) for tool in TOOLS for path in paths]
    left, used = set(), set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(analyze, jobs):
            for path, line, check, text in found:
                key = exception(path, check)
                used.add(key)
                if not key:
                    left.add("%s:%s: %s [%s]" % (path, line, text, check))
    print("\n".join(sorted(left)), end="\n" if left else "")
    if not sys.argv[1:]:
        for key in sorted(set(EXCEPTIONS) - used):
            print("note: an exception that nothing falls under: %s %s" % key)
    print("%d files by %d tools: %d findings" % (len(paths), len(TOOLS), len(left)))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
