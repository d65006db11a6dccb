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

See regionstat-bindings(7).
"""

import os as _os

__all__ = ["begin", "end", "function", "is_measured", "next", "pause", "profile", "region",
           "resume", "start", "stop", "work"]

_table = None
if "REGIONSTAT_SEGMENT" in _os.environ:
    from regionstat import _runtime
    _table = _runtime.join()

is_measured = _table is not None

if is_measured:
    from regionstat._regions import (begin, end, function, next, pause, region, resume, start,
                                     stop, work)
    from regionstat._profile import profile
else:
    from regionstat._off import (begin, end, function, next, pause, profile, region, resume,
                                 start, stop, work)
