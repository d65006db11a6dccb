# SPDX-License-Identifier: MIT
"""The plan's encodings beside perf's own: `perf stat -vv` prints the perf_event_attr that it opens,
also for events that this machine then refuses. Tracepoints are compared with tracefs, which a
private mount namespace provides where it is not mounted."""

import collections
import concurrent.futures
import itertools
import os
import re
import shutil

import harness

ENCODE = os.path.join(harness.BUILD, "tests", "plan", "plan-encode")
DEVICES = "/sys/bus/event_source/devices"
TRACEFS = "/sys/kernel/tracing"
NOBODY = 65534
AT_A_TIME = 4

FIELDS = ("type", "config", "config1", "config2", "exclude_user", "exclude_kernel", "exclude_hv",
          "exclude_host", "precise_ip")

GENERIC = """
    cycles cpu-cycles instructions branches branch-instructions branch-misses cache-references
    cache-misses bus-cycles ref-cycles stalled-cycles-frontend stalled-cycles-backend
    idle-cycles-frontend task-clock cpu-clock page-faults faults minor-faults major-faults
    context-switches cs cpu-migrations migrations alignment-faults emulation-faults bpf-output dummy
    cgroup-switches L1-dcache-loads L1-dcache-load-misses L1-dcache-stores L1-dcache-store-misses
    L1-dcache-prefetches L1-icache-loads L1-icache-load-misses LLC-loads LLC-load-misses LLC-stores
    LLC-store-misses LLC-prefetches dTLB-loads dTLB-load-misses dTLB-stores dTLB-store-misses
    iTLB-loads iTLB-load-misses branch-loads branch-load-misses node-loads node-load-misses
    node-stores node-store-misses r1a8 rc0 r1234567812345678
""".split()
MODIFIED = """
    cycles:u cycles:k cycles:uk cycles:ku cycles:h cycles:p cycles:upp cycles:ppp page-faults:u
    instructions:G instructions:H r1a8:u L1-dcache-loads:k task-clock:u cs:k
""".split()


# One event as a tool encodes it.
Event = collections.namedtuple("Event", "name counted values")


def ours(events, prefix=(), encode=ENCODE):
    """The plan's encoding of events, by name of what the user wrote, in no order."""
    result = harness.run([*prefix, encode, *events])
    if result.status != 0:
        raise AssertionError(str(result))
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    return [Event(row[0], row[1] == "ok", dict(zip(FIELDS, map(int, row[2:])))) for row in rows]


def perfs(event, prefix=()):
    """perf's last attempt at one event, and whether it was opened. None: perf does not know it."""
    result = harness.run([*prefix, "perf", "stat", "-vv", "-e", event, "true"])
    if "event syntax error" in result.stderr:
        return None
    attempts = re.split(r"^perf_event_attr:\n", result.stderr, flags=re.M)[1:]
    if not attempts:
        return None
    values = dict.fromkeys(FIELDS, 0)
    for name, value in re.findall(r"^  (\w+) +(\S+)$", attempts[-1], flags=re.M):
        if name in values:
            values[name] = int(value, 0)
    return Event(event, re.search(r"flags 0x\w+ = \d+", attempts[-1]) is not None, values)


def compared(values, counted):
    """The fields to compare: of an event that was refused, its first attempt may have been with or
    without the kernel."""
    names = FIELDS if counted else ("type", "config", "config1", "config2", "precise_ip")
    return {name: values[name] for name in names}


class PerfAgreement(harness.TestCase):
    def setUp(self):
        super().setUp()
        harness.need_tool("perf")

    def agree(self, events, at_least=1, prefix=(), encode=ENCODE):
        n_compared = 0
        # Most of a run is the kernel's waiting when perf removes an event.
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            found = pool.map(perfs, events, itertools.repeat(prefix))
        for event, other in zip(events, found):
            with self.subTest(event=event):
                if other is None:
                    continue
                mine = ours([event], prefix, encode)[0]
                counted = mine.counted and other.counted
                self.assertEqual(compared(mine.values, counted), compared(other.values, counted))
                n_compared += 1
        harness.note("compared %d of %d events with perf" % (n_compared, len(events)))
        self.assertGreaterEqual(n_compared, at_least, "events that perf knows as well")

    def test_generic_names(self):
        self.agree(GENERIC, at_least=40)

    def test_modifiers(self):
        self.agree(MODIFIED, at_least=10)

    def test_events_of_sysfs(self):
        events = []
        for pmu in sorted(os.listdir(DEVICES)):
            directory = os.path.join(DEVICES, pmu, "events")
            names = os.listdir(directory) if os.path.isdir(directory) else []
            events += ["%s/%s/" % (pmu, name) for name in sorted(names) if "." not in name][:10]
        harness.need(events, "no PMU of this machine names events in sysfs")
        self.agree(events)

    def test_unprivileged(self):
        setpriv = harness.need_tool("setpriv")
        harness.need_root("only root can become somebody else")
        # other users may have no access to the build directory
        os.chmod(self.directory, 0o755)
        encode = shutil.copy(ENCODE, self.directory)
        prefix = [setpriv, "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY, "--clear-groups"]
        self.agree(["page-faults", "task-clock", "cpu-clock", "cycles", "instructions:u",
                    "minor-faults", "page-faults:u"], prefix=prefix, encode=encode)


class Tracepoints(harness.TestCase):
    """Runs this file again in a mount namespace of its own, with tracefs mounted."""

    def test_ids(self):
        if os.path.isdir(os.path.join(TRACEFS, "events")):
            prefix = []
        else:
            unshare = harness.need_tool("unshare")
            prefix = [unshare, "--mount", "sh", "-c",
                      "mount -t tracefs nodev %s && exec \"$@\"" % TRACEFS, "sh"]
        probe = harness.run([*prefix, "ls", os.path.join(TRACEFS, "events")])
        harness.need(probe.status == 0, "tracefs cannot be mounted or read: %s" % probe.stderr.strip())
        names = []
        # Few of each: the kernel waits for 0.2 s when one is removed.
        for system in ("sched", "syscalls", "irq", "kmem"):
            path = os.path.join(TRACEFS, "events", system)
            script = "cd %s 2>/dev/null && grep -s . */id | head -4" % path
            listing = harness.run([*prefix, "sh", "-c", script]).stdout
            names += [("%s:%s" % (system, name), int(number))
                      for name, number in re.findall(r"^(\w+)/id:(\d+)$", listing, flags=re.M)]
        self.assertGreater(len(names), 10)
        events = ours([name for name, _ in names], prefix)
        found = {event.name.removesuffix(":u"): event.values for event in events}
        for name, number in names:
            self.assertEqual(found[name]["type"], 2)
            self.assertEqual(found[name]["config"], number, name)
        harness.note("compared %d tracepoints with tracefs" % len(names))
