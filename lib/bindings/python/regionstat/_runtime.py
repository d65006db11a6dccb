# SPDX-License-Identifier: MIT
"""This module loads the runtime that the environment names, as regionstat.h does. Before that, it
checks that the launcher's segment belongs to root or to this user. It loads the runtime's file only
if no other user may have written it."""

import ctypes
import os
import stat
import struct

from regionstat._segment import O_PATH, is_ours, open_segment, tell

ABI = 1
RTLD_NODELETE = getattr(os, "RTLD_NODELETE", 0x1000)
FUSE_MAGIC = 0x65735546
SHARED_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Site(ctypes.Structure):
    """struct regionstat_site_."""

    _fields_ = [("name", ctypes.c_char_p), ("region", ctypes.c_uint), ("is_paired", ctypes.c_uint)]


class Call(ctypes.Structure):
    """struct regionstat_call."""

    _fields_ = [("word", ctypes.c_uint64 * 8)]


_ticket, _place, _name = ctypes.c_uint64, ctypes.c_void_p, ctypes.c_char_p

# The functions of struct regionstat_table_29_ after abi and bytes: name, result, arguments.
ENTRIES = (
    ("begin", _ticket, _place),
    ("end", None, _ticket),
    ("end_site", None, _place),
    ("next", None, _place, _place),
    ("start", None, _place, _place),
    ("stop", None, _place),
    ("begin_name", _ticket, _name),
    ("end_name", None, _name),
    ("next_name", None, _name, _name),
    ("start_name", None, _place, _name),
    ("pause", None),
    ("resume", None),
    ("work", None, _place, ctypes.c_uint64, ctypes.c_uint64),
    ("work_name", None, _name, ctypes.c_uint64, ctypes.c_uint64),
    *[(None,)] * 9,  # for adapters
    ("read", ctypes.c_int, _place, ctypes.c_int, ctypes.c_uint, _place, ctypes.c_uint64),
    ("read_name", ctypes.c_int, _name, ctypes.c_int, ctypes.c_uint, _place, ctypes.c_uint64),
    ("peek", ctypes.c_int, _place, ctypes.c_int, _place, ctypes.c_uint64),
    ("event", ctypes.c_int, _name),
    ("event_name", _name, ctypes.c_int),
    ("report", _name, _name),
)

# These functions wait for another process, so they release the GIL.
WAITING = ("pause", "resume", "report")


class Values(ctypes.Structure):
    """The values of an event: calls, total, self, p50, p90, p99, validity, quantiles_validity."""

    _fields_ = ([("calls", ctypes.c_uint64)] +
                [(name, ctypes.c_double) for name in ("total", "self", "p50", "p90", "p99")] +
                [("validity", ctypes.c_int), ("quantiles_validity", ctypes.c_int)])

    def __repr__(self):
        return "Values(%s)" % ", ".join(
            "%s=%.15g" % (name, getattr(self, name)) for name, _ in self._fields_)


class Refused(Exception):
    """The reason why nothing is measured, which the report shows."""


class Table:
    """The runtime's markers as callables. A marker that an older runtime does not have is None."""

    def __init__(self, address):
        words = (ctypes.c_uint * 2).from_address(address)
        if words[0] != ABI:
            raise Refused("the Python module is of ABI %d, the runtime of ABI %d" % (ABI, words[0]))
        for index, (name, *types) in enumerate(ENTRIES):
            if not name:
                continue
            offset = 8 + 8 * index
            entry = None
            if offset + 8 <= words[1]:
                kind = ctypes.CFUNCTYPE if name in WAITING else ctypes.PYFUNCTYPE
                entry = kind(*types)(ctypes.c_void_p.from_address(address + offset).value)
            setattr(self, name, entry)


def _is_safe_file(status):
    return is_ours(status) and stat.S_ISREG(status.st_mode) and not status.st_mode & SHARED_WRITE


def _is_safe_path(path):
    """Return True if no other user can write or replace the file. For that, no other user may write
    a directory on its path, unless it is sticky, and no part may be a symbolic link."""
    if not path.startswith("/"):
        return False
    try:
        for end in [1] + [i for i, letter in enumerate(path) if i > 0 and letter == "/"]:
            status = os.lstat(path[:end])
            is_shared = status.st_mode & SHARED_WRITE and not status.st_mode & stat.S_ISVTX
            if not is_ours(status) or not stat.S_ISDIR(status.st_mode) or is_shared:
                return False
        return _is_safe_file(os.lstat(path))
    except OSError:
        return False


def _load_file(path, libc):
    """Load the runtime by its path if nobody else can replace the file there, else by a descriptor
    of the checked file. Reject files in FUSE file systems, because the user who mounts one chooses
    the owners of its files."""
    mode = os.RTLD_NOW | RTLD_NODELETE
    if not path or _is_safe_path(path):
        return ctypes.CDLL(path or "libregionstat.so.1", mode)
    try:
        place = os.open(path, O_PATH | os.O_CLOEXEC)
    except OSError:
        raise Refused("%s: cannot be opened" % path)
    try:
        system = (ctypes.c_uint64 * 32)()
        if (_is_safe_file(os.fstat(place)) and libc.fstatfs(place, system) == 0
                and system[0] != FUSE_MAGIC):
            return ctypes.CDLL("/proc/self/fd/%d" % place, mode)
    finally:
        os.close(place)
    raise Refused("%s: neither root's nor the program's user's, or others may write to it "
                  "(chmod go-w)" % path)


def _load(fd, segment, runtime, libc):
    if not is_ours(os.fstat(fd)):
        raise Refused("the program's user is neither root nor who measures")
    library = _load_file(runtime, libc)
    join_segment = library.regionstat_join
    join_segment.restype, join_segment.argtypes = ctypes.c_void_p, [ctypes.c_uint, ctypes.c_char_p]
    address = join_segment(ABI, segment)
    return Table(address) if address else None


def join():
    """Return the Table, or None if the program is not measured."""
    try:
        libc = ctypes.CDLL(None)
        secure_getenv = libc.secure_getenv  # returns NULL in set-user-ID programs
    except (AttributeError, OSError):
        return None
    secure_getenv.restype, secure_getenv.argtypes = ctypes.c_char_p, [ctypes.c_char_p]
    segment = secure_getenv(b"REGIONSTAT_SEGMENT")
    if not segment or struct.calcsize("P") != 8:
        return None
    runtime = os.fsdecode(secure_getenv(b"REGIONSTAT_RUNTIME") or b"")
    fd, is_new = open_segment(segment.decode("ascii", "replace"))
    if fd < 0:
        return None
    try:
        return _load(fd, segment, runtime, libc)
    except (Refused, OSError, AttributeError) as reason:
        tell(fd, reason)
        return None
    finally:
        if is_new:
            os.close(fd)


def open_process(events):
    """Let this process measure itself. Return the Table, or raise OSError."""
    try:
        library = ctypes.CDLL("libregionstat.so.1", os.RTLD_NOW | RTLD_NODELETE)
    except OSError as reason:
        raise OSError("cannot load regionstat's runtime: %s\n  try: install regionstat, or add the "
                      "directory of libregionstat.so.1 to LD_LIBRARY_PATH before Python starts, or "
                      "run regionstat python3 program.py" % reason) from None
    start, join_own = library.regionstat_open_process, library.regionstat_join
    start.restype, start.argtypes = _name, [ctypes.c_uint, _name]
    join_own.restype, join_own.argtypes = ctypes.c_void_p, [ctypes.c_uint, _name]
    reason = start(ABI, events.encode())
    if reason is not None:
        raise OSError(reason.decode("utf-8", "replace"))
    return Table(join_own(ABI, None))
