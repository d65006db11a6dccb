# SPDX-License-Identifier: MIT
"""Run the tests of a file, or only those that are named, and print TAP.

    REGIONSTAT_BUILD=build python3 tests/run.py FILE [CLASS[.TEST]...]
"""

import importlib
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "cli"))
import harness  # noqa: E402


def main():
    """Run the tests that the command line names."""
    path, *names = sys.argv[1:]
    directory, file = os.path.split(os.path.abspath(path))
    sys.path.insert(0, directory)
    module = importlib.import_module(file.removesuffix(".py"))
    loader = unittest.TestLoader()
    suite = (loader.loadTestsFromNames(names, module) if names
             else loader.loadTestsFromModule(module))
    result = harness.TapResult(sys.stdout)
    suite.run(result)
    print("1..%d" % result.number, flush=True)
    if harness.TestCase.n_repeated:
        print("# repeated: %d" % harness.TestCase.n_repeated, flush=True)
    sys.exit(0 if result.number > 0 and result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
