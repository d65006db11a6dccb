#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Swap two statements of a source, so that a test can show that it notices.

usage: swap.py SOURCE RESULT FIRST SECOND

FIRST stands once in SOURCE, and begins a statement; SECOND begins the statement to swap it with, the
first such one behind it. Where they are not found RESULT is SOURCE: the test that must fail does not.
"""

import sys


def swap(text, first, second):
    """The text with both statements swapped, up to their semicolons; None: they are not there."""
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
