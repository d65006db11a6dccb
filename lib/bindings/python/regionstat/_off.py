# SPDX-License-Identifier: MIT
"""The same names where nothing is measured: as little as Python can do."""


class _Ready:
    """Awaited, it is done at once."""

    __slots__ = ()

    def __await__(self):
        return iter(())


_ready = _Ready()


class _Region:
    """Every region. Methods of built-in objects that do nothing, and take nothing or anything: they
    are called without a frame of Python's."""

    __slots__ = ()
    __enter__ = [].clear
    __exit__ = "".format

    def __aenter__(self):
        return _ready

    def __aexit__(self, *error):
        return _ready

    def __call__(self, function):
        return function


class _Profile:
    """The result of profile()."""

    __slots__ = ()
    __enter__ = [].clear
    __exit__ = "".format

    def stop(self):
        """Measure these functions no more."""


_region, _profile = _Region(), _Profile()


def region(name):
    return _region


def function(function):
    return function


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
