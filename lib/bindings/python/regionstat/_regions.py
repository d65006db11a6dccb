# SPDX-License-Identifier: MIT
"""Markers for a measured program. `with` and decorators identify calls by tickets, never by names.
The runtime distinguishes calls of the same name by the C stack frame, and all Python functions run
in the same one."""

import ctypes
import functools
import inspect
import os
import sys

from regionstat import _table
from regionstat._off import _check, _ready, _Results
from regionstat._runtime import Call, Site, Values

# At most this many names have a site, which is never freed. A report has at most as many regions.
# Names beyond this limit are looked up at every call.
MOST_SITES = 4096

# What to read: REGIONSTAT_PROCESS, _OPEN_CALL, _SELF | _QUANTILES.
READ_PROCESS, READ_OPEN_CALL, READ_ALL = 1, 2, 16 | 32

MOST_WORK = (1 << 64) - 1

_sites = {}  # name -> address of its struct regionstat_site_
_kept = []  # keeps the sites at these addresses alive
_begin, _end, _begin_name = _table.begin, _table.end, _table.begin_name
_start, _stop, _start_name = _table.start, _table.stop, _table.start_name
_begin_by_name, _end_by_name = _table.begin_name, _table.end_name
_frame = sys._getframe
_nothing = object()


def _bytes(name):
    return name if isinstance(name, bytes) else str(name).encode("utf-8", "replace")


def _find_site(name):
    """Return the address of a name's site, or None if there are too many sites."""
    place = _sites.get(name)
    if place is None and len(_sites) < MOST_SITES:
        site = Site(_bytes(name), 0, 1)
        # Keep the site before its address is published. Another thread may have added a site for
        # this name.
        _kept.append(site)
        place = _sites.setdefault(name, ctypes.addressof(site))
    return place


def _begin_ticket(name, place):
    return _begin(place) if place else _begin_name(_bytes(name))


def _start_call(name, place):
    call = Call()
    if place:
        _start(ctypes.addressof(call), place)
    else:
        _start_name(ctypes.addressof(call), _bytes(name))
    return call


def start(name):
    """Start an asynchronous call. Pass the result to stop() once, on any thread."""
    return _start_call(name, _find_site(name))


def stop(call):
    """End an asynchronous call. On the thread that started it, time and events are counted. On
    another thread, only the time is counted."""
    if call is not None:
        _stop(ctypes.addressof(call))


def begin(name):
    """Begin a call of a region on this thread."""
    _begin_by_name(_bytes(name))


def end(name):
    """End the innermost open call of this name on this thread."""
    _end_by_name(_bytes(name))


def next(ended, begun):
    """End one region and begin another, with one reading of the clock and the counters."""
    _table.next_name(_bytes(ended), _bytes(begun))


def _amount(number):
    """Return an amount of work as an integer. If it is no number of 64 bits, return the highest
    one, and the program continues as without regionstat. The report warns of this number."""
    try:
        number = int(number)
    except Exception:
        return MOST_WORK
    return number if 0 <= number <= MOST_WORK else MOST_WORK


def work(name, bytes=0, flops=0):
    """Add bytes moved and floating-point operations to the innermost open call of this name on this
    thread."""
    if _table.work_name:
        _table.work_name(_bytes(name), _amount(bytes), _amount(flops))


def pause():
    """Stop all counting, of regions and of the run, until as many calls of resume() follow."""
    _table.pause()


def resume():
    _table.resume()


def _read_all(read_one):
    """Return a dict from the names of values to Values. If two values have the same name, the dict
    has the last one. read_one takes the number of a value, and the address and the size of a
    Values. Value 0 is the time. It is read last, so that no part of it, such as on-CPU time, is
    longer."""
    names = []
    while _table.event_name and (name := _table.event_name(len(names))) is not None:
        names.append(name.decode("utf-8", "replace"))
    values = [Values() for _ in names]
    for number in reversed(range(len(names))):
        read_one(number, ctypes.addressof(values[number]), ctypes.sizeof(Values))
    return _Results(zip(names, values))


def read(name, process=False, open_call=False):
    """Return what a region has measured so far on this thread: a dict from the names of values
    ("time", "cpu-time", events) to Values. These have calls, total, self, p50, p90 and p99. Their
    validity and quantiles_validity are 0: unknown, 1: as measured, 2: an estimate. process: read
    all threads of the process. open_call: read the innermost open call of this thread."""
    what = (READ_PROCESS if process else 0) | (READ_OPEN_CALL if open_call else 0) | READ_ALL
    return _read_all(lambda number, *values: _table.read_name(_bytes(name), number, what, *values))


def peek(call):
    """Return what an asynchronous call of this thread has used so far, as read() does."""
    if call is None:
        return _Results()
    return _read_all(lambda number, *values: _table.peek(ctypes.addressof(call), number, *values))


def report(path):
    """Write the report so far to a file, as -o does. Raise OSError if that fails."""
    reason = _table.report(os.fsencode(path)) if _table.report else b"the runtime is too old"
    if reason is not None:
        raise OSError(reason.decode("utf-8", "replace"))


class region:
    """A region for `with`, for `async with`, or as a decorator of a function.

    One object may be used for all of these, at the same time, recursively, and on several threads.
    The frame of the statement identifies the call. With ExitStack, a call may be entered and left
    in different frames. Then each call needs its own object. If one object has several open calls,
    none is ended, because it is unclear which one is meant.

    `with` is nested and has self time. `async with` is an asynchronous call, because other tasks
    run while it waits."""

    __slots__ = ("_name", "_site", "_open")

    def __init__(self, name):
        self._name = name
        self._site = _find_site(name)
        # id of a frame -> the ticket or Call that the frame opened, or a list of several
        self._open = {}

    def __enter__(self):
        key, open_here = id(_frame(1)), self._open
        ticket = _begin(self._site) if self._site else _begin_name(_bytes(self._name))
        if key in open_here:
            self._add(key, ticket)
        else:
            open_here[key] = ticket

    def __exit__(self, *error):
        ticket = self._open.pop(id(_frame(1)), _nothing)
        if ticket.__class__ is not int:
            ticket = self._find(id(_frame(1)), ticket)
        if ticket:
            _end(ticket)

    def __aenter__(self):
        key, call = id(_frame(1)), _start_call(self._name, self._site)
        if key in self._open:
            self._add(key, call)
        else:
            self._open[key] = call
        return _ready

    def __aexit__(self, *error):
        call = self._open.pop(id(_frame(1)), _nothing)
        if call.__class__ is not Call:
            call = self._find(id(_frame(1)), call)
        if call:
            _stop(ctypes.addressof(call))
        return _ready

    def _add(self, key, what):
        """Add a call whose frame already has an open call of this object."""
        before = self._open[key]
        self._open[key] = (before if before.__class__ is list else [before]) + [what]

    def _find(self, key, found):
        """Return the latest of the calls that a frame opened. If the frame opened none, return the
        only call of other frames, or None if these have several."""
        if found is _nothing:
            if len(self._open) != 1:
                return None
            key, found = self._open.popitem()
        if found.__class__ is not list:
            return found
        if len(found) > 1:
            self._open[key] = found[:-1]
        return found[-1]

    def __call__(self, function):
        return _decorate(function, self._name, self._site)


def function(function):
    """Decorate a function with a region of its own name: MODULE.NAME, or NAME in the main
    program."""
    plain = getattr(function, "__func__", function)
    return region(name_of(plain.__module__, plain.__qualname__))(function)


def name_of(module, qualified):
    """Return the name of a function's region."""
    in_main = module in (None, "__main__", "__mp_main__")
    return qualified if in_main else "%s.%s" % (module, qualified)


def _decorate(function, name, place):
    """Wrap a function. Generators and coroutines are suspended while others run, so they have
    asynchronous calls, from the first step to the end. Calls of other functions are nested."""
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_decorate(function.__func__, name, place))
    _check(function)
    kinds = ((inspect.isasyncgenfunction, _of_async_generator),
             (inspect.iscoroutinefunction, _of_coroutine),
             (inspect.isgeneratorfunction, _of_generator))
    make = [make for is_one, make in kinds if is_one(function)] or [_of_function]
    return functools.wraps(function)(make[0](function, name, place))


def _of_function(function, name, place):
    def wrapper(*args, **kwargs):
        ticket = begin_it(argument)
        try:
            return function(*args, **kwargs)
        finally:
            if ticket:
                end_it(ticket)
    begin_it, argument = (_begin, place) if place else (_begin_name, _bytes(name))
    end_it = _end
    return wrapper


def _of_generator(function, name, place):
    def wrapper(*args, **kwargs):
        call = _start_call(name, place)
        try:
            return (yield from function(*args, **kwargs))
        finally:
            stop(call)
    return wrapper


def _of_coroutine(function, name, place):
    async def wrapper(*args, **kwargs):
        call = _start_call(name, place)
        try:
            return await function(*args, **kwargs)
        finally:
            stop(call)
    return wrapper


def _of_async_generator(function, name, place):
    async def wrapper(*args, **kwargs):
        call = _start_call(name, place)
        generator = function(*args, **kwargs)
        try:
            item = await generator.__anext__()
            while True:
                try:
                    sent = yield item
                except GeneratorExit:
                    raise
                except BaseException as error:
                    item = await generator.athrow(error)
                else:
                    item = await generator.asend(sent)
        except StopAsyncIteration:
            pass
        finally:
            try:
                await generator.aclose()
            finally:
                stop(call)
    return wrapper
