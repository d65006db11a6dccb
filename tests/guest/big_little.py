# SPDX-License-Identifier: MIT
"""A device tree with two types of cores, made from that of QEMU's machine `virt` with two CPUs.

The kernel makes a PMU of each node that it finds, for the CPUs of the node's interrupts. There are
two such nodes here: Cortex-A53 for CPU 0 and Cortex-A72 for CPU 1, although both CPUs are of one
model. The interrupts are unused ones that never come: the tests read counters, which wrap too
seldom to matter. The format is that of the Devicetree Specification, chapter 5. The nodes follow
the kernel's binding arm/pmu.yaml."""

import struct

MAGIC = 0xd00dfeed
BEGIN_NODE, END_NODE, PROPERTY, END = 1, 2, 3, 9
MODELS = ("a53", "a72")
FIRST_SPI = 100  # the first interrupt that nothing of `virt` uses
LEVEL_HIGH = 4


class Node:
    """A node: its name, its properties in order, its children."""

    def __init__(self, name, properties=()):
        self.name = name
        self.properties = list(properties)
        self.children = []


def cells(*numbers):
    return struct.pack(f">{len(numbers)}I", *numbers)


def padded(data):
    return data + b"\0" * (-len(data) % 4)


def parse(blob):
    """Parse a flattened device tree and return its root node."""
    structure, strings = struct.unpack_from(">2I", blob, 8)

    def text_at(offset):
        return blob[offset:blob.index(b"\0", offset)]

    at, open_nodes = structure, [Node(b"")]
    while True:
        token, = struct.unpack_from(">I", blob, at)
        at += 4
        if token == BEGIN_NODE:
            node = Node(text_at(at))
            at += len(padded(node.name + b"\0"))
            open_nodes[-1].children.append(node)
            open_nodes.append(node)
        elif token == END_NODE:
            open_nodes.pop()
        elif token == PROPERTY:
            length, name = struct.unpack_from(">2I", blob, at)
            value = blob[at + 8:at + 8 + length]
            open_nodes[-1].properties.append((text_at(strings + name), value))
            at += 8 + len(padded(value))
        elif token == END:
            return open_nodes[0].children[0]


def flatten(root):
    """Return the flattened device tree of a root node."""
    strings, places = bytearray(), {}

    def place(name):
        if name not in places:
            places[name] = len(strings)
            strings.extend(name + b"\0")
        return places[name]

    def emit(node):
        out = cells(BEGIN_NODE) + padded(node.name + b"\0")
        for name, value in node.properties:
            out += cells(PROPERTY, len(value), place(name)) + padded(value)
        return out + b"".join(emit(child) for child in node.children) + cells(END_NODE)

    structure = emit(root) + cells(END)
    header_bytes, reserved_bytes = 40, 16
    start = header_bytes + reserved_bytes
    end = start + len(structure)
    header = cells(MAGIC, end + len(strings), start, end, header_bytes, 17, 16, 0, len(strings),
                   len(structure))
    return header + b"\0" * reserved_bytes + structure + bytes(strings)


def with_two_types(blob):
    """Return the device tree of blob, with a PMU for each of its two CPUs instead of its one
    PMU."""
    root = parse(blob)
    cpus = next(node for node in root.children if node.name == b"cpus")
    handles = [dict(node.properties)[b"phandle"] for node in cpus.children
               if node.name.startswith(b"cpu@")]
    root.children = [node for node in root.children if node.name != b"pmu"]
    for i, model in enumerate(MODELS):
        root.children.append(Node(f"pmu-{model}".encode(), [
            (b"compatible", f"arm,cortex-{model}-pmu".encode() + b"\0"),
            (b"interrupts", cells(0, FIRST_SPI + i, LEVEL_HIGH)),
            (b"interrupt-affinity", handles[i])]))
    return flatten(root)
