"""What a report has to say of a program of random_programs.py, from its log alone: the rules of
regionstat(3), written down a second time."""

import collections
import math
import struct

# As in traced.h.
BEGIN, END, NEXT, PAUSE, RESUME, TOUCH, CHILD = range(1, 8)
ENTRY = struct.Struct("=6I3Q")
HEAD = struct.Struct("=2Q")


class Frame:
    """One open call."""

    def __init__(self, region, stack, site, caller):
        self.region, self.stack, self.site, self.caller = region, stack, site, caller
        self.kind = "open"  # or "paused", "inherited"
        self.inner = 0  # entries of recursion
        self.faults = 0
        self.own = 0  # faults while no later call was open
        self.generation = 0


class Region:
    """What is known of a region."""

    def __init__(self):
        self.counts = collections.Counter()  # calls and diagnostics
        self.faults = []  # of each call
        self.own = 0


class Oracle:
    """The log's bytes in; regions out, by number. is_orderly: every call that began has ended and
    counts, so that what is a region's own is beyond doubt. is_full: the log ends too early, or a
    process was killed while it wrote to it."""

    def __init__(self, log):
        self.regions = collections.defaultdict(Region)
        self.frames = collections.defaultdict(list)  # by process and thread
        self.depth = collections.Counter()  # of pauses, by process
        self.generation = 0
        n, _ = HEAD.unpack_from(log)
        capacity = (len(log) - HEAD.size) // ENTRY.size
        self.is_full = n > capacity
        for i in range(min(n, capacity)):
            written, *entry = ENTRY.unpack_from(log, HEAD.size + i * ENTRY.size)
            if not written:
                self.is_full = True
                return
            self.follow(*entry)
        for frames in self.frames.values():
            for frame in frames:
                if frame.kind == "open":
                    self.regions[frame.region].counts["open"] += 1
        self.is_orderly = not any(region.counts[what] for region in self.regions.values()
                                  for what in ("lost", "cut", "open"))

    def follow(self, op, pid, thread, a, b, site, stack, caller):
        frames = self.frames[pid, thread]
        if op == BEGIN:
            self.begin(frames, a, stack, site, caller)
        elif op == END:
            self.end(frames, a)
        elif op == NEXT:
            self.end(frames, a)
            self.begin(frames, b, stack, site, caller)
        elif op == PAUSE:
            self.depth[pid] += 1
            self.generation += 1
        elif op == RESUME:
            if self.depth[pid]:
                self.depth[pid] -= 1
        elif op == TOUCH:
            for frame in frames:
                frame.faults += a
            if frames:
                frames[-1].own += a
        elif op == CHILD:
            for frame in self.frames[a, thread]:
                copy = Frame(frame.region, frame.stack, frame.site, frame.caller)
                copy.kind, copy.inner = "inherited", frame.inner
                frames.append(copy)

    def begin(self, frames, name, stack, site, caller):
        region = self.regions[name]
        old = next((frame for frame in reversed(frames) if frame.region == name), None)
        if old and old.kind != "inherited":
            inlined = stack == old.stack and site and site == old.site and caller != old.caller
            if stack < old.stack or inlined:
                old.inner += 1
                if old.kind == "open":
                    region.counts["recursive"] += 1
                return
            if old.kind == "open":
                region.counts["lost"] += 1
            frames.remove(old)
        new = Frame(name, stack, site, caller)
        new.generation = self.generation
        if any(self.depth.values()):
            new.kind = "paused"
        frames.append(new)

    def end(self, frames, name):
        region = self.regions[name]
        old = next((frame for frame in reversed(frames) if frame.region == name), None)
        if not old:
            region.counts["unmatched"] += 1
        elif old.inner:
            old.inner -= 1
        else:
            frames.remove(old)
            if old.kind != "open":
                return
            if old.generation != self.generation:
                region.counts["cut"] += 1
                return
            region.counts["calls"] += 1
            region.faults.append(old.faults)
            region.own += old.own


def page_faults(region):
    """The row of page faults that a region has: counted from its calls."""
    values = sorted(region.faults)
    n = len(values)
    mean = sum(values) / n

    def rank(percent):
        return values[max(0, math.ceil(percent * n / 100) - 1)]

    return {"calls": n, "counted": n, "total": sum(values), "self_total": region.own,
            "avg": mean, "min": values[0], "max": values[-1], "p50": rank(50), "p90": rank(90),
            "p99": rank(99),
            "stddev": math.sqrt(sum((v - mean) ** 2 for v in values) / n)}
