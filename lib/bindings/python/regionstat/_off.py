# SPDX-License-Identifier: MIT
"""The functions of the module if the program is not measured. They do as little as possible."""

import types


class _Ready:
    """An awaitable that completes at once."""

    __slots__ = ()

    def __await__(self):
        return iter(())


_ready = _Ready()


class _Results(dict):
    """The result of read() and peek(). The values of an event that is not counted are 0."""

    __slots__ = ()

    def __missing__(self, event):
        return types.SimpleNamespace(calls=0, total=0, self=0, p50=0, p90=0, p99=0, validity=0,
                                     quantiles_validity=0)


def _check(function):
    """Return the argument of a decorator. Raise TypeError if it is no function, whether or not the
    program is measured."""
    plain = getattr(function, "__func__", function)
    if isinstance(plain, type) or not callable(plain):
        raise TypeError("a region decorates a function, not %r" % (function,))
    return function


class _Region:
    """The only region object. It does nothing. `with` calls methods of built-in objects, because
    these need no Python frame. clear() takes no arguments, and format() takes any."""

    __slots__ = ()
    __enter__ = [].clear
    __exit__ = "".format

    def __aenter__(self):
        return _ready

    def __aexit__(self, *error):
        return _ready

    def __call__(self, function):
        return _check(function)


class _Profile:
    """The result of profile(), which does nothing."""

    __slots__ = ()
    __enter__ = [].clear
    __exit__ = "".format

    def stop(self):
        """Stop measuring these functions."""


_region, _profile = _Region(), _Profile()


def region(name):
    return _region


def function(function):
    return _check(function)


def profile(*what):
    return _profile


def start(name):
    return None


def stop(call):
    pass


def begin(name):
    pass


def end(name):
    pass


def next(ended, begun):
    pass


def work(name, bytes=0, flops=0):
    pass


def pause():
    pass


def resume():
    pass


def read(name, process=False, open_call=False):
    """Return an empty dict, because nothing is measured. It has values of 0 for every event."""
    return _Results()


def peek(call):
    return _Results()


def report(path):
    raise OSError("nothing is measured; try: regionstat.open() first")
