#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Swap two statements of a source file. A test that runs the result must fail.

usage: swap.py SOURCE RESULT FIRST SECOND

FIRST is the beginning of a statement and occurs once in SOURCE. SECOND is the beginning of the
statement to swap it with: the next one after it that begins like this. If they are not found,
RESULT is a copy of SOURCE, and the test that must fail reports that.
"""

import sys


def swap(text, first, second):
    """Return the text with both statements swapped, up to their semicolons, or None if one of them
    is not found."""
    begin = text.find(first)
    other = text.find(second, begin + len(first))
    if text.count(first) != 1 or other < 0:
        return None
    end, other_end = text.index(";", begin), text.index(";", other)
    return (text[:begin] + text[other:other_end] + text[end:other] + text[begin:end]
            + text[other_end:])


def main():
    source, result, first, second = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = file.read()
    swapped = swap(text, first, second)
    if swapped is None:
        print(f"{source}: no '{first}' before '{second}' any more: tell tests/steps/meson.build "
              "which stores to swap", file=sys.stderr)
    with open(result, "w", encoding="utf-8") as file:
        file.write(swapped or text)


main()
