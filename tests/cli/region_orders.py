# SPDX-License-Identifier: MIT
"""Events of different kernel PMUs in every order. Their counts in a region equal those that the
program prints (tests/apps/orders.c), from the first instruction and on every thread.

In Linux 6.12 and later, events that join a running leader of another PMU are idle until the thread
is next switched in. So counts depended on the order of events, and on which thread sleeps first."""

import ctypes
import itertools
import os
import subprocess

import harness

# The program's name of each event's count. The tests try events in this order, which is not that of
# a report.
TRUTHS = {
    "task-clock": "cpu_ns",
    "cpu-clock": "cpu_ns",
    "page-faults": "faults",
    "minor-faults": "faults",
    "context-switches": "switches",
    "syscalls:sys_enter_getppid": "getppid",
    "msr/tsc/": "tsc",
}
SOFTWARE = ("page-faults", "minor-faults", "context-switches")
REGIONS = ("faults", "getppid", "sleep", "spin")
CALLS = 4
TRACING = "/sys/kernel/tracing"


def has_tracepoint():
    return os.path.exists(TRACING + "/events/syscalls/sys_enter_getppid/id")


def mount_tracing():
    """Mount tracefs for this process and its children alone, where it is not and that is allowed."""
    if has_tracepoint() or os.geteuid() != 0:
        return
    if ctypes.CDLL(None, use_errno=True).unshare(0x20000) == 0:  # CLONE_NEWNS
        subprocess.run("mount --make-rprivate / && mount -t tracefs tracefs " + TRACING,
                       shell=True, check=False, stderr=subprocess.DEVNULL)


def countable_events():
    """Return the events of TRUTHS that exist on this machine, and the names of the others."""
    exists = {"syscalls:sys_enter_getppid": has_tracepoint(),
              "msr/tsc/": os.path.exists("/sys/bus/event_source/devices/msr/events/tsc")}
    events = [event for event in TRUTHS if exists.get(event, True)]
    return events, [event for event in TRUTHS if event not in events]


def pmu_of(event):
    """Return the kernel PMU of an event. Only that of the software events has several here."""
    return "software" if event in SOFTWARE else event


def orders(events, threads):
    """Return every pair in every order, and a triple for each order of PMUs, one half for one thread
    and the other half for more."""
    pairs, triples = (list(itertools.permutations(events, n)) for n in (2, 3))
    triples = list({tuple(map(pmu_of, order)): order for order in triples}.values())
    return pairs + triples[threads % 2::2]


def read_truth(text):
    """Return {(region, what): (low, high)} from the program's output."""
    truth = {}
    for line in text.splitlines():
        region, what, low, high = line.split()
        truth[region, what] = int(low), int(high)
    return truth


def find_wrong(report, truth, events, calls):
    """Return wrong values of a report, as texts. report: harness.Report; calls: of each region."""
    wrong = []
    for region, event in itertools.product(REGIONS, events):
        row = report.region(region, event)
        what = TRUTHS[event]
        low, high = truth[region, what]
        if (row.status, row.calls, row.counted) != ("ok", calls, calls):
            wrong.append("%s: %r" % (",".join(events), row))
            continue
        if what == "faults":
            high = low  # page faults of markers are outside of them
        if what in ("cpu_ns", "tsc"):
            # The kernel adjusts the rate of the program's clock by at most 0.05 %. Three short system
            # calls may take less CPU time than is subtracted for the markers.
            low = {"spin": low * 0.97, "getppid": 0}.get(region, 1)
            high *= 1.001
        if not low <= row.total <= high:
            wrong.append("%s %s %s: %d, but it was %d to %d"
                         % (",".join(events), region, event, row.total, low, high))
    return wrong


class Orders(harness.TestCase):

    @classmethod
    def setUpClass(cls):
        mount_tracing()

    def setUp(self):
        super().setUp()
        harness.need_exact_faults()
        if os.geteuid() != 0 and (harness.sysctl("kernel.perf_event_paranoid") or 0) > 1:
            self.skipTest("kernel.perf_event_paranoid is above 1: no events of the kernel's side")
        self.events, missing = countable_events()
        if missing:
            harness.note("not there on this machine, or not for this user: " + ", ".join(missing))

    def measure_order(self, order, threads):
        result = self.measure(harness.app("orders"), str(threads), str(CALLS),
                              events=",".join(order))
        return find_wrong(result.report, read_truth(result.stdout), order, threads * CALLS)

    def check(self, threads):
        wrong = [self.measure_order(order, threads) for order in orders(self.events, threads)]
        self.assertEqual(sum(wrong, []), [])

    def test_one_thread(self):
        self.check(1)

    def test_four_threads(self):
        self.check(4)

    def test_system_calls_without_those_of_markers(self):
        """In each call, the program also asks twice for its usage and its CPU time: 4 system calls. It has
        no other ones, though markers make some."""
        harness.need(has_tracepoint(), "no tracepoints on this machine, or not for this user")
        for n_calls in (4, 400):
            with self.subTest(n_calls):
                result = self.measure(harness.app("orders"), "1", str(n_calls),
                                      events="raw_syscalls:sys_enter")
                own = read_truth(result.stdout)["getppid", "getppid"][0]
                for region, expected in (("getppid", own + 4 * n_calls), ("faults", 4 * n_calls)):
                    row = result.report.region(region, "raw_syscalls:sys_enter")
                    self.assertEqual(row.total, expected)

    def test_totals_after_a_resume(self):
        """The run's totals count threads that never give up the CPU from the resume on."""
        for order in itertools.permutations(("page-faults", "task-clock", "cpu-clock"), 2):
            with self.subTest(order=order):
                result = self.measure(harness.app("orders"), "1", "10", "resumed",
                                      events=",".join(order))
                truth = read_truth(result.stdout)
                for event in order:
                    low = sum(truth[region, TRUTHS[event]][0] for region in REGIONS)
                    row = result.report.run(event)
                    self.assertEqual(row.status, "ok", row)
                    self.assertGreaterEqual(row.total, low * 0.97, row)

    def test_a_group_that_does_not_count_has_a_message(self):
        """The program makes enabling an event fail: no number is better than 0."""
        alone = harness.run([harness.app("orders"), "1", "1", "idle"])
        harness.need(alone.status != 77, "no seccomp filters here: " + alone.stderr)
        result = self.measure(harness.app("orders"), "1", "3", "idle",
                              events="{page-faults,task-clock},minor-faults")
        for event in ("page-faults", "task-clock"):
            row = result.report.region("faults", event)
            self.assertEqual((row.status, row.calls, row.counted, row.total),
                             ("not-counted", 3, 0, None), row)
        self.assertEqual(result.report.region("faults", "minor-faults").total, 21)
        self.assertIn("1 group of events not counted: 'page-faults' did not count", result.stderr)
        self.assertNotIn("measured time only", result.stderr)
