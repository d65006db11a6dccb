# SPDX-License-Identifier: MIT
"""Read a trace in Perfetto's format, by the numbers of fields in its published .proto files
(protos/perfetto/trace). Only what regionstat writes is understood; anything else is an error."""

import zlib
from collections import namedtuple

Slice = namedtuple("Slice", "track name category begin end depth parent args flows around")
Track = namedtuple("Track", "uuid parent name pid tid counter")


def varint(data, at):
    """Return the number at a place, and the place after it."""
    value, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """Return the (number, value)s of a message. Nested messages and strings are bytes."""
    found, at, end = [], 0, len(data)
    while at < end:
        # Most numbers are one byte. A call for each would take most of the time.
        key, at = (data[at], at + 1) if data[at] < 0x80 else varint(data, at)
        kind = key & 7
        if kind == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            assert kind in (0, 2), f"wire type {kind}"
            value, at = (data[at], at + 1) if data[at] < 0x80 else varint(data, at)
            if kind == 2:
                value, at = data[at:at + value], at + value
        found.append((key >> 3, value))
    assert at == end, "a message is cut"
    return found


def one(data, number, default=None):
    return next((value for key, value in fields(data) if key == number), default)


def text(data, number):
    return one(data, number, b"").decode("utf-8")


def packets(data):
    """Yield the fields of each packet, also of those in compressed ones."""
    for number, packet in fields(data):
        assert number == 1, "a trace is a list of packets"
        found = fields(packet)
        for key, value in found:
            if key == 50:
                yield from packets(zlib.decompress(value))
                break
        else:
            yield found


class Trace:
    """slices, instants: lists of Slice; parent and around are the name and the args of the slice around.
    counters: {uuid: [(time, value)]}. tracks: {uuid: Track}."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.bytes = len(data)
        self.tracks, self.counters, self.clocks = {}, {}, []
        self.slices, self.instants = [], []
        self.clock = None
        self.attributes = {}
        events = []
        for packet in packets(data):
            self.read_packet(packet, events)
        # The order of the file is that of each track, so a stable sort by time is enough.
        events.sort(key=lambda event: event[0])
        self.open = {}
        for event in events:
            self.read_event(*event)
        for stack in self.open.values():
            self.slices += [Slice(*begun, None, *rest) for begun, rest in stack]

    def read_packet(self, packet, events):
        time = 0
        for number, value in packet:
            if number == 8:
                time = value
            elif number == 6:
                self.clocks = [(one(c, 1), one(c, 2)) for key, c in fields(value) if key == 1]
            elif number == 126:
                self.attributes.update((text(a, 1), text(a, 3)) for _, a in fields(value))
            elif number == 59:
                self.clock = one(value, 58)
            elif number == 60:
                self.read_track(value)
            elif number == 11:
                events.append((time, value))
            else:
                assert number in (10, 13), f"packet field {number}"

    def read_track(self, data):
        process, thread = one(data, 3, b""), one(data, 4, b"")
        name = text(data, 2) or text(thread, 5) or text(process, 6)
        uuid = one(data, 1)
        assert uuid and uuid not in self.tracks or thread or process, "a track is defined twice"
        self.tracks[uuid] = Track(uuid, one(data, 5), name, one(thread, 1) or one(process, 1),
                                  one(thread, 2), one(data, 8))

    def read_event(self, time, data):
        kind, uuid, args, flows, category, name, value = None, None, {}, [], None, None, None
        for number, field in fields(data):
            if number == 9:
                kind = field
            elif number == 11:
                uuid = field
            elif number == 22:
                category = field.decode("utf-8")
            elif number == 23:
                name = field.decode("utf-8")
            elif number == 4:
                arg = dict(fields(field))
                args[text(field, 10)] = arg[6].decode("utf-8") if 6 in arg else arg.get(3)
            elif number in (47, 48):
                flows.append((field, number == 48))
            elif number == 30:
                value = field
            else:
                raise AssertionError(f"event field {number}")
        assert uuid in self.tracks, "an event is on no track"
        stack = self.open.setdefault(uuid, [])
        if kind == 4:
            self.counters.setdefault(uuid, []).append((time, value))
        elif kind == 3:
            self.instants.append(Slice(self.tracks[uuid], name, category, time, time, len(stack),
                                       None, args, flows, {}))
        elif kind == 1:
            parent, around = (stack[-1][0][1], stack[-1][1][2]) if stack else (None, {})
            stack.append(((self.tracks[uuid], name, category, time),
                          (len(stack), parent, args, flows, around)))
        else:
            assert kind == 2 and stack, "a slice ends that has not begun"
            begun, rest = stack.pop()
            self.slices.append(Slice(*begun, time, *rest))

    def contents(self):
        """Return what the trace says of itself: {region: args}, and the args of the whole."""
        rows = [s.args for s in self.instants if s.name == "contents"]
        return {a["region"]: a for a in rows if "region" in a}, \
            next(a for a in rows if "region" not in a)
