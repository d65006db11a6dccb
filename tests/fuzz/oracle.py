# SPDX-License-Identifier: MIT
"""The expected report of a program of random_programs.py, from its log alone: a second
implementation of the rules of regionstat(3)."""

import collections
import math
import struct

# As in traced.h.
BEGIN, END, NEXT, PAUSE, RESUME, TOUCH, CHILD, SCOPE_END, START, STOP = range(1, 11)
ENTRY = struct.Struct("=6IQ")
HEAD = struct.Struct("=2Q")

# A thread may have more calls than this open. Then it may drop calls that can no longer end, and
# only the runtime knows which.
MAX_OPEN = 100


class Call:
    """One call of a region in progress. ticket: where in the log it began."""

    def __init__(self, region, ticket, stack):
        self.region, self.ticket, self.stack = region, ticket, stack
        self.kind = "open"  # or "paused", "inherited": both of them are none
        self.generation = 0
        self.faults = 0
        self.is_call = False  # it has ended and counts
        self.ended_within = 0  # faults of what calls of its region began and ended within it
        self.is_crossed = False  # one of its region that began before it has ended before it
        self.is_passed = False  # so has one of any region


class Async:
    """One that runs outside the nesting, with the faults that its thread had when it began."""

    def __init__(self, region, thread, faults):
        self.region, self.thread, self.faults = region, thread, faults
        self.kind = "open"
        self.generation = 0


class Region:
    """The facts about a region."""

    def __init__(self):
        self.counts = collections.Counter()  # calls and diagnostics
        self.faults = []  # of each call whose events are known
        self.total = 0  # nothing twice
        self.own = 0
        self.is_nested = True  # its calls lay within or beside each other, so total is known
        self.taken_scopes = 0  # that an END by name had ended before they did


class Oracle:
    """The log's bytes in; regions out, by number. is_full: the truth is unknown, since the log ends
    too early, a process was killed while it wrote to it, or too many calls were open at once."""

    def __init__(self, log):
        self.regions = collections.defaultdict(Region)
        self.calls = collections.defaultdict(list)  # by process and thread, the innermost last
        self.asyncs = {}  # by where they started
        self.touches = []  # how many faults, and the calls that were open, outermost first
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
        """A begun call counts unless counting is paused."""
        call.generation = self.generation
        if any(self.depth.values()):
            call.kind = "paused"

    def is_recursion_known(self, region):
        """Whether no call of the region lay within one that was none in the end, or crossed it."""
        return region.is_nested and not self.generation and not any(
            region.counts[what] for what in ("lost", "open"))

    def is_call(self, call):
        """Whether what ends was one all the time."""
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
        """The innermost that began in this stack frame, else the innermost."""
        named = [call for call in calls if call.region == name]
        here = [call for call in named if call.stack == stack]
        if named:
            self.end(calls, (here or named)[-1])
        else:
            self.regions[name].counts["unmatched"] += 1

    def end_scope(self, calls, ticket, name):
        """The call that it began, unless an END of that name has ended it."""
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
            return  # by another thread it has time only
        region, faults = self.regions[old.region], self.touched[thread] - old.faults
        region.faults.append(faults)
        region.own += faults
        region.total += faults


def page_faults(region):
    """The row of page faults that a region has: counted from its calls. Its own are those while
    none was open that began later, and was to end."""
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
