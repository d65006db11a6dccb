# SPDX-License-Identifier: MIT
"""Everything that the module can do, in one program: `regionstat python3 example.py [N]`.

It prints a line for every region: its name, its calls, and two total times in ns. The program's own
clock gives these times, read within the markers and around them. Regions that this clock does not
time have -1."""

import asyncio
import concurrent.futures
import sys
import threading
import time

import regionstat

now = time.monotonic_ns
seen = {}
lock = threading.Lock()


def note(name, within=None, around=None):
    with lock:
        calls, inner, outer = seen.get(name, (0, 0, 0))
        seen[name] = (calls + 1, -1 if within is None else inner + within,
                      -1 if around is None else outer + around)


def spin(ns=20000):
    end = now() + ns
    while now() < end:
        pass


def statements(n):
    """Nested `with` statements."""
    for _ in range(n):
        before = now()
        with regionstat.region("outer"):
            begin = now()
            spin()
            inner_before = now()
            with regionstat.region("inner"):
                inner_begin = now()
                spin()
                inner_end = now()
            inner_after = now()
            end = now()
        after = now()
        note("inner", inner_end - inner_begin, inner_after - inner_before)
        note("outer", end - begin, after - before)


@regionstat.region("fib")
def fib(n):
    note("fib")
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@regionstat.function
def raises(n):
    note("raises")
    if n:
        raises(n - 1)
    raise ValueError(n)


@regionstat.function
def steps(n):
    for i in range(n):
        yield i


@regionstat.function
async def fetch(i):
    for _ in range(i % 4):
        await asyncio.sleep(0)
    async with regionstat.region("parse"):
        await asyncio.sleep(0)
        note("parse")
    note("fetch")


@regionstat.function
async def rows(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


async def tasks(n):
    await asyncio.gather(*(fetch(i) for i in range(n)))
    found = [row async for row in rows(n)]
    assert found == list(range(n))
    note("rows")


shared = regionstat.region("shared")


def recurse(depth):
    """One object, used in several frames and by several threads at once."""
    with shared:
        note("shared")
        if depth:
            recurse(depth - 1)


def calls(n):
    """Calls by name, and calls that end on another thread, in another order."""
    for _ in range(n):
        regionstat.begin("head")
        note("head")
        regionstat.next("head", "body")
        note("body")
        regionstat.work("body", 1000, 10)
        regionstat.end("body")
    open_calls = [regionstat.start("request") for _ in range(n)]
    for call in open_calls[::2]:
        note("request")
        regionstat.stop(call)
    thread = threading.Thread(target=lambda: [regionstat.stop(call) or note("request")
                                              for call in open_calls[1::2]])
    thread.start()
    thread.join()
    regionstat.pause()
    with regionstat.region("paused"):
        pass
    regionstat.resume()


def main(n):
    statements(n)
    assert fib(8) == 21
    try:
        raises(5)
    except ValueError:
        pass
    # Two generators run alternately, and one is closed before its end.
    first, second = steps(n), steps(n)
    for _ in range(n - 1):
        next(first)
        next(second)
    assert list(first) == [n - 1]
    second.close()
    note("steps")
    note("steps")
    asyncio.run(tasks(n))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(recurse, [5] * n))
    calls(n)
    for name, (count, within, around) in seen.items():
        print(name, count, within, around)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
