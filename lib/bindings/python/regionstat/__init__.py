# SPDX-License-Identifier: MIT
"""Mark the regions of a Python program for regionstat(1).

    import regionstat

    with regionstat.region("render"):
        ...

    @regionstat.function
    def solve(matrix):
        ...

Run as `regionstat python3 program.py`, every region is measured per call. Run without it, nothing
is loaded, a decorated function is the function itself, and the other markers do nothing.

region(name)        a region, for `with`, `async with`, or as a decorator
function            a decorator: a region named after the function
profile(*what)      regions of functions that are not decorated: objects or patterns of names
start(name), stop(call)          a call that need not nest, in any order, on any thread
begin(name), end(name), next(ended, begun)  a call from here to there, on one thread
work(name, bytes, flops)         what the innermost open call of that name has done
pause(), resume()   stop all counting, of regions and of the run
is_measured         whether regionstat measures this process

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
