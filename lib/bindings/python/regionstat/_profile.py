# SPDX-License-Identifier: MIT
"""Regions of functions without markers. Python 3.12 and later report calls by sys.monitoring, and
earlier versions by the hooks of sys.setprofile() and threading.setprofile().

A call begins and ends with the function's frame, so calls are nested. In a generator or coroutine
each step, from resuming to the next wait, is a call. So these calls are nested too, and do not
contain the time of waiting."""

import inspect
import re
import sys
import threading

from regionstat._regions import _begin, _begin_name, _bytes, _end, _find_site, name_of

# Dictionaries use the id() of a code object as the key, because two with the same source are equal.
_open = {}  # id of a frame -> the ticket of its call
_names = {}  # id of a code object that was passed to profile() -> (the region's name, the code)
# id of a code object that was called -> (the function that begins a call, its argument, the code);
# the first two are None if it is not measured
_begins = {}
_globs = []
_lock = threading.RLock()
_frame = sys._getframe

MOST_MET = 65536  # limit of _begins, for programs that compile code all the time


def _begin_of(name, code):
    place = _find_site(name)
    return (_begin, place, code) if place else (_begin_name, _bytes(name), code)


# A character or range in a set; a backslash quotes the character that follows it.
_RANGE = re.compile(r"(\\.|[^\\]|\\$)(?:-(?!\])(\\.|[^\\]|\\$))?", re.DOTALL)
_SET = re.compile(r"\[([!^]?)((?:\\.|[^\\])(?:\\.|[^\\\]])*)\]", re.DOTALL)


def _pattern(glob):
    """Return a regular expression that matches the same names as a glob of --only."""
    parts, at = [], 0
    while at < len(glob):
        found = _SET.match(glob, at)
        if found:
            ranges = [(low[-1], (high or low)[-1]) for low, high in _RANGE.findall(found.group(2))]
            text = "".join(re.escape(low) + "-" + re.escape(high)
                           for low, high in ranges if low <= high)
            negated = found.group(1)
            parts.append("[%s%s]" % ("^" if negated else "", text) if text
                         else "." if negated else "(?!)")
            at = found.end()
            continue
        if glob[at] == "\\" and at + 1 < len(glob):
            at += 1
            value = re.match(r"x([0-7][0-9a-fA-F])", glob[at:])
            parts.append(re.escape(chr(int(value.group(1), 16)) if value else glob[at]))
            at += 2 if value else 0
        else:
            parts.append({"*": ".*", "?": "."}.get(glob[at]) or re.escape(glob[at]))
        at += 1
    if "\\" not in glob:  # it also matches a name that equals it
        parts.append("|" + re.escape(glob))
    return re.compile("".join(parts), re.DOTALL)


def _match(frame):
    """Return the name of the region of a frame's function, or None if no pattern matches it."""
    module, code = frame.f_globals.get("__name__"), frame.f_code
    if not isinstance(module, str) or module.split(".")[0] == "regionstat":
        return None
    name = name_of(module, getattr(code, "co_qualname", code.co_name))
    return name if any(glob.fullmatch(name) for glob in _globs) else None


def _find(frame):
    """Return the item of _begins for a frame's function."""
    code = frame.f_code
    found = _begins.get(id(code))
    if found is None:
        if len(_begins) >= MOST_MET:
            _begins.clear()
        name, _ = _names.get(id(code)) or (_globs and _match(frame), code)
        found = _begin_of(name, code) if name else (None, None, code)
        _begins[id(code)] = found
    return found


def _enter(frame):
    """Begin a call, and return true, if the frame's function is measured."""
    begin, argument, _ = _find(frame)
    if begin:
        _open[id(frame)] = begin(argument)
    return begin


def _leave(frame):
    ticket = _open.pop(id(frame), 0)
    if ticket:
        _end(ticket)


# ---- Python 3.12 and later ----


class _Monitor:
    """A tool of sys.monitoring. It disables the events of code that is not measured, so that Python
    reports each of them only once."""

    def __init__(self):
        self.tool = None
        self.events = None

    def start(self):
        monitoring = sys.monitoring
        if self.tool is None:
            self.take(monitoring)
        # enable disabled events again, because other functions are measured now
        monitoring.restart_events()

    def take(self, monitoring):
        for tool in (monitoring.PROFILER_ID, 3, 4, 1, 0, 5):
            if monitoring.get_tool(tool) is None:
                break
        else:
            raise RuntimeError("regionstat.profile: sys.monitoring has no tool id left")
        monitoring.use_tool_id(tool, "regionstat")
        self.tool, names = tool, monitoring.events
        entered = (names.PY_START, names.PY_RESUME)
        left = (names.PY_RETURN, names.PY_YIELD)
        for event in entered:
            monitoring.register_callback(tool, event, self.enter)
        for event in left:
            monitoring.register_callback(tool, event, self.leave)
        monitoring.register_callback(tool, names.PY_THROW, self.throw)
        monitoring.register_callback(tool, names.PY_UNWIND, self.unwind)
        self.events = sum(entered) + sum(left) + names.PY_THROW + names.PY_UNWIND
        monitoring.set_events(tool, self.events)

    def stop(self):
        tool, self.tool = self.tool, None
        if tool is not None:
            sys.monitoring.set_events(tool, 0)
            sys.monitoring.free_tool_id(tool)

    @staticmethod
    def enter(code, offset):
        return None if _enter(_frame(1)) else sys.monitoring.DISABLE

    @staticmethod
    def leave(code, offset, value):
        frame = _frame(1)
        _leave(frame)
        # Look up the function even if the call has no ticket: profile() may have begun during it.
        return None if _find(frame)[0] else sys.monitoring.DISABLE

    @staticmethod
    def throw(code, offset, error):
        _enter(_frame(1))

    @staticmethod
    def unwind(code, offset, error):
        _leave(_frame(1))


# ---- before Python 3.12 ----


class _Hook:
    """The profiling hook of this thread and of threads that start later. It also calls the hook
    that was set before."""

    def __init__(self):
        self.before = None
        self.is_on = False

    def start(self):
        if self.is_on:
            return
        self.is_on = True
        self.before = sys.getprofile()
        threading.setprofile(self.take)
        sys.setprofile(self.take)

    def take(self, frame, event, value):
        if not self.is_on:
            return
        if event == "call":
            _enter(frame)
        elif event == "return":
            _leave(frame)
        if self.before:
            self.before(frame, event, value)

    def stop(self):
        if self.is_on:
            self.is_on = False
            threading.setprofile(self.before)
            if sys.getprofile() == self.take:
                sys.setprofile(self.before)


_hook = _Monitor() if hasattr(sys, "monitoring") else _Hook()


# ---- the functions to measure ----


def _functions_in(thing, module):
    """Yield the functions of a module or class that are defined in it."""
    for member in list(vars(thing).values()):
        if inspect.isclass(member):
            if member.__module__ == module and member is not thing:
                yield from _functions_in(member, module)
            continue
        for part in (getattr(member, "__func__", member), getattr(member, "fget", None),
                     getattr(member, "fset", None), getattr(member, "fdel", None)):
            if inspect.isfunction(part) and part.__module__ == module:
                yield part


def _functions_of(thing):
    if inspect.ismodule(thing):
        return list(_functions_in(thing, thing.__name__))
    if inspect.isclass(thing):
        return list(_functions_in(thing, thing.__module__))
    thing = inspect.unwrap(getattr(thing, "__func__", thing))
    if not inspect.isfunction(thing):
        raise TypeError("regionstat.profile takes functions, classes, modules and patterns of "
                        "names, not %r" % (thing,))
    return [thing]


class _Profile:
    """The result of profile(). Its functions are measured until stop() or the end of a `with`."""

    __slots__ = ("_names", "_globs")

    def __init__(self, names, globs):
        self._names, self._globs = names, globs

    def stop(self):
        """Stop measuring these functions. Calls that are open on other threads, or around this one,
        may stay open."""
        with _lock:
            for key in self._names:
                _names.pop(key, None)
            for glob in self._globs:
                _globs.remove(glob)
            self._names, self._globs = {}, []
            _begins.clear()
            if not _names and not _globs:
                _hook.stop()

    def __enter__(self):
        return None

    def __exit__(self, *error):
        self.stop()


def profile(*what):
    """Measure functions without markers. Arguments are functions, methods, or classes and modules
    with all functions that are defined in them. A string is a glob of names as in --only, such as
    "json.*", and also matches functions that are imported later."""
    globs = [_pattern(thing) for thing in what if isinstance(thing, str)]
    names = {id(function.__code__): (name_of(function.__module__, function.__qualname__),
                                     function.__code__)
             for thing in what if not isinstance(thing, str) for function in _functions_of(thing)}
    if not names and not globs:
        raise TypeError("regionstat.profile: nothing that could be measured was given")
    with _lock:
        _names.update(names)
        _globs.extend(globs)
        _begins.clear()
        _hook.start()
    return _Profile(names, globs)
