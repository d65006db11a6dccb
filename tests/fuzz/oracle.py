# SPDX-License-Identifier: MIT
"""Computing the expected report of a program of random_programs.py from its log alone. This is a
second implementation of the rules of regionstat(3)."""

import collections
import math
import struct

# As in traced.h.
BEGIN, END, NEXT, PAUSE, RESUME, TOUCH, CHILD, SCOPE_END, START, STOP = range(1, 11)
ENTRY = struct.Struct("=6IQ")
HEAD = struct.Struct("=2Q")

# If a thread has more calls open than this, the runtime may drop calls that can no longer end. Only
# the runtime knows which ones.
MAX_OPEN = 100


class Call:
    """An open call of a region. ticket is the index of its BEGIN in the log."""

    def __init__(self, region, ticket, stack):
        self.region, self.ticket, self.stack = region, ticket, stack
        self.kind = "open"  # or "paused" or "inherited", which do not count as calls
        self.generation = 0
        self.faults = 0
        self.is_call = False  # has ended and counts
        self.ended_within = 0  # faults of calls of the same region that began and ended within it
        self.is_crossed = False  # an earlier call of the same region has ended before it
        self.is_passed = False  # an earlier call of any region has ended before it


class Async:
    """An asynchronous call, and the faults that its thread had had when it started."""

    def __init__(self, region, thread, faults):
        self.region, self.thread, self.faults = region, thread, faults
        self.kind = "open"
        self.generation = 0


class Region:
    """What the report must say about a region."""

    def __init__(self):
        self.counts = collections.Counter()  # calls and diagnostics
        self.faults = []  # one number for each call whose events are known
        self.total = 0  # recursion counts once
        self.own = 0
        self.is_nested = True  # its calls do not overlap without nesting, so total is known
        self.taken_scopes = 0  # scopes whose call an END by name had ended


class Oracle:
    """Compute regions, by number, from the bytes of a log. is_full means that the truth is unknown:
    the log was too small, a process was killed while it wrote to the log, or too many calls were
    open."""

    def __init__(self, log):
        self.regions = collections.defaultdict(Region)
        self.calls = collections.defaultdict(list)  # by process and thread, the innermost last
        self.asyncs = {}  # by the index of their START
        self.touches = []  # (number of faults, calls that were open, outermost first)
        self.touched = collections.Counter()  # faults so far, by process and thread
        self.depth = collections.Counter()  # of pauses, by process
        self.generation = 0
        n, _ = HEAD.unpack_from(log)
        capacity = (len(log) - HEAD.size) // ENTRY.size
        self.is_full = n > capacity
        for i in range(min(n, capacity)):
            written, *entry = ENTRY.unpack_from(log, HEAD.size + i * ENTRY.size)
            if not written:
                self.is_full = True
            if self.is_full:
                return
            self.follow(i, *entry)
        for calls in self.calls.values():
            for call in calls:
                if call.kind == "open":
                    self.regions[call.region].counts["lost" if call.is_passed else "open"] += 1
        for call in self.asyncs.values():
            if call.kind == "open":
                self.regions[call.region].counts["open"] += 1
        for n_faults, calls in self.touches:
            within = [call for call in calls if call.is_call]
            if within:
                self.regions[within[-1].region].own += n_faults

    def follow(self, i, op, pid, thread, a, b, stack):
        calls = self.calls[pid, thread]
        if op == BEGIN:
            self.begin(calls, a, i, stack)
        elif op == END:
            self.end_named(calls, a, stack)
        elif op == NEXT:
            self.end_named(calls, a, stack)
            self.begin(calls, b, i, stack)
        elif op == SCOPE_END:
            self.end_scope(calls, a, b)
        elif op == START:
            self.start(a, i, (pid, thread))
        elif op == STOP:
            self.stop(self.asyncs.pop(a), (pid, thread))
        elif op == PAUSE:
            self.depth[pid] += 1
            self.generation += 1
        elif op == RESUME:
            if self.depth[pid]:
                self.depth[pid] -= 1
        elif op == TOUCH:
            self.touched[pid, thread] += a
            for call in calls:
                call.faults += a
            self.touches.append((a, list(calls)))
        elif op == CHILD:
            for call in self.calls[a, thread]:
                copy = Call(call.region, call.ticket, call.stack)
                copy.kind = "inherited"
                calls.append(copy)

    def open(self, call):
        """Begin a call. It counts unless counting is paused."""
        call.generation = self.generation
        if any(self.depth.values()):
            call.kind = "paused"

    def is_recursion_known(self, region):
        """Return True if no call of the region overlaps a call that did not count in the end."""
        return region.is_nested and not self.generation and not any(
            region.counts[what] for what in ("lost", "open"))

    def is_call(self, call):
        """Return True if the call that ends was counted from its beginning to its end."""
        if call.kind != "open":
            return False
        is_whole = call.generation == self.generation
        self.regions[call.region].counts["calls" if is_whole else "cut"] += 1
        return is_whole

    def begin(self, calls, name, ticket, stack):
        new = Call(name, ticket, stack)
        self.open(new)
        if new.kind == "open" and any(call.region == name and call.kind == "open"
                                      for call in calls):
            self.regions[name].counts["recursive"] += 1
        calls.append(new)
        self.is_full |= len(calls) > MAX_OPEN

    def end_named(self, calls, name, stack):
        """End the innermost call of the name that began in this stack frame, else the innermost."""
        named = [call for call in calls if call.region == name]
        here = [call for call in named if call.stack == stack]
        if named:
            self.end(calls, (here or named)[-1])
        else:
            self.regions[name].counts["unmatched"] += 1

    def end_scope(self, calls, ticket, name):
        """End the scope's own call, unless an END by name has ended it."""
        old = [call for call in calls if call.ticket == ticket]
        if old:
            self.end(calls, old[0])
        else:
            self.regions[name].taken_scopes += 1

    def end(self, calls, old):
        place = calls.index(old)
        calls.remove(old)
        region = self.regions[old.region]
        for later in calls[place:]:
            later.is_crossed |= later.region == old.region
            later.is_passed |= old.kind == "open"
        if not self.is_call(old):
            return
        old.is_call = True
        region.faults.append(old.faults)
        region.total += old.faults - old.ended_within
        region.is_nested &= not old.is_crossed
        for earlier in calls[:place]:
            if earlier.region == old.region:
                earlier.ended_within += old.faults - old.ended_within

    def start(self, name, i, thread):
        new = Async(name, thread, self.touched[thread])
        self.open(new)
        self.asyncs[i] = new

    def stop(self, old, thread):
        if not self.is_call(old) or old.thread != thread:
            return  # another thread has stopped it, so it has only its time
        region, faults = self.regions[old.region], self.touched[thread] - old.faults
        region.faults.append(faults)
        region.own += faults
        region.total += faults


def page_faults(region):
    """Return a region's row of page faults, computed from its calls. Self faults occurred while no
    later call was open that would end."""
    values = sorted(region.faults)
    n = len(values)
    mean = sum(values) / n

    def rank(percent):
        return values[max(0, math.ceil(percent * n / 100) - 1)]

    row = {"calls": region.counts["calls"], "counted": n, "avg": mean, "min": values[0],
           "max": values[-1], "p50": rank(50), "p90": rank(90), "p99": rank(99),
           "stddev": math.sqrt(sum((v - mean) ** 2 for v in values) / n)}
    if region.is_nested and n == region.counts["calls"]:
        row["total"] = region.total
        row["self_total"] = region.own
    return row
