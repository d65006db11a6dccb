# SPDX-License-Identifier: MIT
"""marked.py LIBRARY: makes 40 calls of "python", each with two of "inner" in it. It also makes 10
calls of "request", which end on another thread than they start on."""

import ctypes
import sys
import threading


class Call(ctypes.Structure):
    """struct regionstat_call."""

    _fields_ = [("word", ctypes.c_uint64 * 8)]


library = ctypes.CDLL(sys.argv[1])
library.regionstat_start.restype = Call
library.regionstat_stop.argtypes = [Call]

for _ in range(40):
    library.regionstat_begin(b"python")
    library.regionstat_begin(b"inner")
    library.regionstat_next(b"inner", b"inner")
    library.regionstat_end(b"inner")
    library.regionstat_end(b"python")
library.regionstat_pause()
library.regionstat_begin(b"paused")
library.regionstat_end(b"paused")
library.regionstat_resume()
for _ in range(10):
    call = library.regionstat_start(b"request")
    thread = threading.Thread(target=library.regionstat_stop, args=(call,))
    thread.start()
    thread.join()
