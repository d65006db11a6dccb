# SPDX-License-Identifier: MIT
"""interpreted.py OBJECT WHAT: markers in Python by ctypes. Python's calls are on the interpreter's
own stack and not on the C stack. OBJECT is built from names.c. WHAT is pairs (fib(10) by BEGIN and
END), errors (functions that an exception leaves without END) or tasks (200 of asyncio, by START and
STOP)."""

import asyncio
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.mark_begin.argtypes = library.mark_end.argtypes = [ctypes.c_char_p]
library.mark_begin.restype = library.mark_end.restype = None
library.mark_now_ns.restype = ctypes.c_uint64


def fib(n):
    library.mark_begin(b"fib")
    sum(range(2000))  # longer than the markers
    result = n if n < 2 else fib(n - 1) + fib(n - 2)
    library.mark_end(b"fib")
    return result


def pairs():
    around = library.mark_now_ns()
    library.mark_begin(b"all")
    within = library.mark_now_ns()
    print("fib", fib(10))
    within = library.mark_now_ns() - within
    library.mark_end(b"all")
    print("truth", within, library.mark_now_ns() - around)


def careless(n):
    """Raise an exception in every third call, which then has no END."""
    library.mark_begin(b"careless")
    library.mark_begin(b"inside")
    library.mark_end(b"inside")
    if n % 3 == 0:
        raise ValueError(n)
    library.mark_end(b"careless")


def errors():
    raised = 0
    for n in range(60):
        try:
            careless(n)
        except ValueError:
            raised += 1
    print("raised", raised)


def tasks():
    """Pass the struct by value, as an array of words of its size."""
    n_bytes = ctypes.c_uint.in_dll(library, "mark_call_bytes").value
    if n_bytes % 8:
        sys.exit("%d bytes are no words" % n_bytes)

    class Call(ctypes.Structure):
        _fields_ = [("word", ctypes.c_uint64 * (n_bytes // 8))]

    library.mark_start.restype, library.mark_start.argtypes = Call, [ctypes.c_char_p]
    library.mark_stop.restype, library.mark_stop.argtypes = None, [Call]

    async def task(i):
        call = library.mark_start(b"task")
        for _ in range(i % 5):
            await asyncio.sleep(0)
        library.mark_stop(call)

    async def main():
        await asyncio.gather(*(task(i) for i in range(200)))

    asyncio.run(main())


{"pairs": pairs, "errors": errors, "tasks": tasks}[sys.argv[2]]()
