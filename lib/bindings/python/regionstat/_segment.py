# SPDX-License-Identifier: MIT
"""This module finds the launcher's segment and writes into it why nothing is measured. It does not
need ctypes."""

import fcntl
import os
import stat
import struct

MAGIC = 0x746174736E676572
LOAD_ERROR_OFFSET, LOAD_ERROR_BYTES = 320, 512
F_GET_SEALS, SEALS = 1034, 7  # seals that forbid further seals, shrinking and growing
O_PATH = getattr(os, "O_PATH", 0o10000000)


def is_ours(status):
    return status.st_uid in (0, os.geteuid())


def _is_segment(fd, nonce):
    try:
        return (fcntl.fcntl(fd, F_GET_SEALS) & SEALS == SEALS
                and struct.unpack("=4Q", os.pread(fd, 32, 0))[::3] == (MAGIC, nonce))
    except (OSError, OverflowError, ValueError, struct.error):
        return False


def open_segment(text):
    """Return a descriptor of the segment, and whether it is a new one. Return (-1, False) if there
    is no segment."""
    try:
        _, fd, launcher, nonce = text.split(":")
        fd, launcher, nonce = int(fd), int(launcher), int(nonce, 16)
    except ValueError:
        return -1, False
    if _is_segment(fd, nonce):
        return fd, False
    # The program has closed its descriptor, so open the descriptor of the launcher. Check the file
    # first, because opening a terminal or device has effects.
    place = opened = -1
    try:
        place = os.open("/proc/%d/fd/%d" % (launcher, fd), O_PATH | os.O_CLOEXEC)
        if stat.S_ISREG(os.fstat(place).st_mode):
            opened = os.open("/proc/self/fd/%d" % place,
                             os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        pass
    finally:
        if place >= 0:
            os.close(place)
    if opened >= 0 and not _is_segment(opened, nonce):
        os.close(opened)
        opened = -1
    return opened, opened >= 0


def tell(fd, reason):
    """Write the reason into the segment, where the launcher reads it."""
    text = str(reason).encode("utf-8", "replace")[:LOAD_ERROR_BYTES - 1] + b"\0"
    try:
        os.pwrite(fd, text, LOAD_ERROR_OFFSET)
    except OSError:
        pass


def tell_without_ctypes(reason):
    """Write that Python cannot load ctypes. A program with more rights than its user writes nothing."""
    if os.getuid() != os.geteuid() or os.getgid() != os.getegid():
        return
    fd, is_new = open_segment(os.environ["REGIONSTAT_SEGMENT"])
    if fd >= 0:
        tell(fd, "no-ctypes: the Python module cannot load ctypes: %s" % reason)
    if is_new:
        os.close(fd)
