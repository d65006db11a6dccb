# SPDX-License-Identifier: MIT
"""Programs with markers of other APIs, which regionstat finds. Their regions have the programs'
calls and known instructions, on one thread and on four, in one tree."""

import re

import adapter_counts
import harness

CALLS, PAIRS = 50, 2500
OUTER, MIDDLE, INNER = 2 * PAIRS, 4 * PAIRS, 8 * PAIRS
# The most instructions of an adapter's own BEGIN and END within a region, and of both around a
# nested one, which count for the outer region.
WITHIN, BESIDE = 200, 640
# The most instructions that two slow markers add to their call or remove. Markers by name are
# always slow, and others are after a context switch of the thread.
SLOW = 2 * 40
# At the first call an API looks for its library, and names are looked up: once in the process, and
# once on each thread.
FIRST, FIRST_OF_THREAD = 12000, 2000
# The instructions of a level of OpenMP, in which LLVM's library sets up its threads.
LEVEL = 8000
# by API: the regions' names in the report, and the sign that the program uses the API
NAMES = ("outer", "middle", "inner")
DOMAIN = tuple("dom:" + name for name in NAMES)
SHOWN = {
    "header": (NAMES, {}),
    "likwid": (NAMES, {"likwid": r"likwid_marker(Init|StartRegion|StopRegion)"}),
    "itt": (DOMAIN, {"itt": "INTEL_LIBITTNOTIFY64"}),
    "nvtx": (NAMES, {"nvtx": "NVTX_INJECTION64_PATH"}),
    "kokkos": (NAMES, {"kokkos": "KOKKOS_TOOLS_LIBS"}),
    "papi": (NAMES, {"papi": "PAPI_hl_region_(begin|end)"}),
    "caliper": (NAMES, {"caliper": "cali_(begin|end)_.*"}),
    "functions": (NAMES, {"functions": "__cyg_profile_func_enter"}),
    "three": (NAMES[:2] + DOMAIN[2:], {"likwid": r"likwid_marker(Init|StartRegion|StopRegion)",
                                       "nvtx": "NVTX_INJECTION64_PATH",
                                       "itt": "INTEL_LIBITTNOTIFY64"}),
}
LIBRARIES = {"papi": "PAPI's library", "openmp": "LLVM's library of OpenMP"}


def judge_why(run, api, signs, check):
    """Check the sign of the API that the launcher reports."""
    said = run.section("why " + api)
    found = dict(re.findall(rf"^  markers +(\w+), marked-{api} has (\S+)$", said, re.MULTILINE))
    check.true(f"{api}: what it shows to use", set(found) == set(signs) and
               all(re.fullmatch(signs[name], sign) for name, sign in found.items()), said)


def report_of(run, title, check):
    """Return a run's report. The program's result must be that without regionstat."""
    *messages, status = run.section(title + " messages").splitlines()
    check.equal(f"{title}: status", status, "status 0")
    # other load may be reported, and in short programs markers may take most of the time
    messages = [line for line in messages if "markers take at least " not in line]
    check.true(f"{title}: messages", not messages or not run.emulated, messages)
    return harness.Report(run.section(title))


def judge_tree(what, report, names, n_threads, check):
    """Check three nested regions, which are called equally often, with the instructions between
    their markers."""
    check.equal(f"{what}: calls", report.calls(), dict.fromkeys(names, CALLS * n_threads))
    rows = [report.region(name, "instructions:u") for name in names]
    check.equal(f"{what}: parents, threads and status",
                [(row.parent, row.threads, row.counted, row.status) for row in rows],
                [(parent, n_threads, CALLS * n_threads, "ok") for parent in ("", *names[:2])])
    check.between(f"{what}: the innermost call of {INNER}", rows[2].min, INNER - SLOW,
                  INNER + WITHIN + SLOW)
    for row, own in zip(rows, (OUTER, MIDDLE, INNER)):
        first = FIRST + n_threads * FIRST_OF_THREAD
        check.between(f"{what}: {row.region}: all calls but the first are the same",
                      row.total - row.calls * row.min, 0, first)
        check.between(f"{what}: {row.region}: itself, {own} a call", row.self_total,
                      own * row.calls, (own + BESIDE + SLOW) * row.calls + first)
    check.equal(f"{what}: what is not its own is of the one within it",
                [row.total - row.self_total for row in rows], [rows[1].total, rows[2].total, 0])
    return rows


def judge_api(run, api, check):
    names, signs = SHOWN[api]
    judge_why(run, api, signs, check)
    least = []
    for n_threads in (1, 4):
        what = f"{api} {n_threads}"
        report = report_of(run, what, check)
        for name in signs:
            check.equal(f"{what}: what the adapter {name} met", adapter_counts.of(report, name),
                        {"processes": 1, "regions": len(names) if len(signs) == 1 else 1})
        rows = judge_tree(what, report, names, n_threads, check)
        least.append([row.min for row in rows])
    check.true(f"{api}: on four threads as on one {least}",
               all(abs(one - four) <= SLOW for one, four in zip(*least)), least)


def judge_uprof(run, check):
    """The library is linked to the program, so nothing is loaded, and there is one region."""
    judge_why(run, "uprof", {}, check)
    report = report_of(run, "uprof 1", check)
    check.equal("uprof: calls", report.calls(), {"amdProfile": CALLS})
    row = report.region("amdProfile", "instructions:u")
    check.between("uprof: from Resume to Pause", row.min, INNER - SLOW, INNER + WITHIN + SLOW)
    check.between("uprof: and in every call", row.max, row.min, row.min + FIRST)


def judge_openmp(run, check):
    """Each construct has the calls that the source has, by each thread of its team."""
    judge_why(run, "openmp", {"openmp": r"libomp\.so\.5"}, check)
    for n_threads in (1, 4):
        what = f"openmp {n_threads}"
        report = report_of(run, what, check)
        n = CALLS * n_threads
        rows = {}
        for row in report.select(kind="region", event="instructions:u"):
            name = re.fullmatch(r"(.*?)( \(openmp\.c:\d+\))?", row.region)
            rows[name[1] if name[2] or name[1] == "OpenMP barrier" else row.region] = row
        expected = {f"{kind} {name}": n for kind in ("parallel", "parallel part") for name in NAMES}
        expected.update({"parallel part inner": 2 * n, "OpenMP barrier": 2 * n})
        calls = {name: row.calls for name, row in rows.items()}
        if not check.equal(f"{what}: calls", calls, expected):
            continue
        for name, own in zip(NAMES, (OUTER, MIDDLE, INNER)):
            row = rows["parallel part " + name]
            check.between(f"{what}: {row.region}: itself, {own} a call", row.self_total,
                          own * row.calls, (own + LEVEL) * row.calls)
            check.true(f"{what}: {row.region}: no call has less", row.min >= own, row)
        check.equal(f"{what}: threads", [rows["parallel part " + name].threads for name in NAMES],
                    [n_threads, n_threads, 2 * n_threads])
    judge_itt_of_libomp(report_of(run, "itt of libomp", check), check)


def judge_itt_of_libomp(report, check):
    """The ITT that is built into libomp. It reports teams, and only the outermost ones."""
    what, name = "the ITT of libomp", "inner$omp$parallel:2@openmp.c:1:2"
    check.equal(f"{what}: its parallel regions", report.calls(), {name: CALLS})
    row = report.region(name, "instructions:u")
    check.between(f"{what}: their instructions", row.min, INNER, INNER + LEVEL)


def judge(run, check):
    judges = {"uprof": judge_uprof, "openmp": judge_openmp}
    for api in (*SHOWN, *judges):
        if "=== absent " + api in run.text.splitlines():
            check.skip(api, f"the machine is built without {LIBRARIES[api]}")
        elif api in judges:
            judges[api](run, check)
        else:
            judge_api(run, api, check)
