# SPDX-License-Identifier: MIT
"""Mark the regions of a Python program for regionstat(1).

    import regionstat

    with regionstat.region("render"):
        ...

    @regionstat.function
    def solve(matrix):
        ...

`regionstat python3 program.py` measures every call of every region. Without regionstat, nothing is
loaded, the decorator returns the function itself, and the other markers do nothing.

region(name)        a region, for `with`, `async with`, or as a decorator
function            a decorator: a region named after the function
profile(*what)      measure functions without decorators: objects, or patterns of names
start(name), stop(call)          an asynchronous call: ends in any order, on any thread
begin(name), end(name), next(ended, begun)  a call that begins and ends on one thread
work(name, bytes, flops)         add work to the innermost open call of this name
pause(), resume()   stop and restart all counting, of regions and of the run
is_measured         True if regionstat measures this process
read(name), peek(call)           what a region, or an open call, has measured so far
open(events), report(path)       let this process measure itself, and write its report

A name is a str or bytes; other objects are converted with str(). A marker takes 1 to 2 us, most of
it in the interpreter. The overhead that reports state is that of the runtime only.

See regionstat-bindings(7).
"""

import os as _os

# `import *` leaves the built-in functions open() and next() alone.
__all__ = ["begin", "end", "function", "is_measured", "pause", "peek", "profile", "read", "region",
           "report", "resume", "start", "stop", "work"]

_table = None
if "REGIONSTAT_SEGMENT" in _os.environ:
    try:
        from regionstat import _runtime
    except ImportError as reason:  # as in a subinterpreter of Python 3.12
        from regionstat import _segment
        _segment.tell_without_ctypes(reason)
    else:
        _table = _runtime.join()

is_measured = _table is not None


def _choose():
    """Set the module's functions to those that measure, or to those that do nothing."""
    if is_measured:
        from regionstat import _profile, _regions as chosen
        globals()["profile"] = _profile.profile
    else:
        from regionstat import _off as chosen
    for name in [*__all__, "next"]:
        if hasattr(chosen, name):
            globals()[name] = getattr(chosen, name)


def open(events=""):
    """Let this process measure itself if regionstat did not launch it. events: perf's names, such as
    "instructions,cycles". Regions that exist already are not measured, so call this first. Raise
    OSError if it fails."""
    global _table, is_measured
    if not is_measured:
        from regionstat import _runtime
        _table = _runtime.open_process(events)
        is_measured = True
        _choose()


_choose()
