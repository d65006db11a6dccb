# SPDX-License-Identifier: MIT
"""profiled.py HOW: functions without markers, which count their own calls. HOW says how they are
passed to regionstat.profile(): objects, module or glob. It prints "NAME CALLS" for each. The calls
of generators are their steps."""

import asyncio
import sys
import threading

import regionstat

counts = {}
lock = threading.Lock()


def note(name, n=1):
    with lock:
        counts[name] = counts.get(name, 0) + n


def fib(n):
    note("fib")
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def raising(n):
    note("raising")
    if n == 0:
        raise KeyError(n)
    raising(n - 1)


class Shape:

    def area(self):
        note("Shape.area")
        return 6

    @staticmethod
    def count():
        note("Shape.count")

    @classmethod
    def make(cls):
        note("Shape.make")
        return cls()

    @property
    def name(self):
        note("Shape.name")
        return "shape"


def steps(n):
    """A generator of n values, which takes n + 1 steps."""
    note("steps")
    for i in range(n):
        try:
            yield i
        except ZeroDivisionError:
            pass
        note("steps")


async def waits(n):
    note("waits")
    for _ in range(n):
        await asyncio.sleep(0)
        note("waits")


def left_out():
    pass


def run():
    fib(7)
    try:
        raising(4)
    except KeyError:
        pass
    for _ in range(3):
        shape = Shape.make()
        shape.area()
        Shape.count()
        assert shape.name == "shape"
    first, second = steps(5), steps(5)
    for _ in range(3):
        next(first)
        next(second)
    assert list(first) == [3, 4]
    second.throw(ZeroDivisionError())
    second.close()
    note("steps")  # the step of close()

    async def all_wait():
        await asyncio.gather(*(waits(i) for i in range(4)))
    asyncio.run(all_wait())
    sorted(range(5), key=lambda i: fib(2) + i)
    threads = [threading.Thread(target=fib, args=(4,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left_out()


def choose(how):
    if how == "objects":
        return fib, raising, Shape, steps, waits
    if how == "module":
        return (sys.modules["__main__"],)
    return "fib", "rais*", "Shape.*", "[st]teps", "waits", "area", "count", "make", "name"


seen_before = []
if sys.argv[2:] == ["chained"]:
    sys.setprofile(lambda frame, event, value: seen_before.append(event))
with regionstat.profile(*choose(sys.argv[1])):
    run()
counted = dict(counts)
run()  # this call is not measured
sys.setprofile(None)
if sys.argv[2:] == ["chained"]:
    assert len(seen_before) > 500, len(seen_before)
for name, n in counted.items():
    print(name, n)
