# SPDX-License-Identifier: MIT
"""The Python module, with the oldest and the newest Python that is installed. The test programs
count and time their calls themselves."""

import functools
import glob
import json
import os
import shutil
import sys
import textwrap

import binding
import harness

BINDINGS = os.path.join(harness.SOURCE, "lib", "bindings", "python")
EXAMPLE = os.path.join(BINDINGS, "example.py")
PROFILED = os.path.join(harness.APP_SOURCES, "languages", "profiled.py")


def find_pythons():
    """Return the oldest Python from 3.8 on and the newest one, by version. The module has a hook for
    versions before 3.12, and one for later ones."""
    names = ["/usr/bin/python3", "python3", sys.executable]
    names += ["python3.%d" % minor for minor in range(8, 20)]
    names += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")))
    found = {}
    for path in filter(None, map(shutil.which, names)):
        result = harness.run([path, "-c", "import sys, ctypes; print(*sys.version_info[:2])"])
        version = tuple(map(int, result.stdout.split())) if result.status == 0 else ()
        if version >= (3, 8):
            found.setdefault(version, path)
    return {version: found[version] for version in sorted(found) if version in (min(found), max(found))}


PYTHONS = find_pythons()


def with_each_python(test):
    """Decorate a test, to be called with each of PYTHONS as self.python."""
    @functools.wraps(test)
    def repeated(self):
        for self.version, self.python in PYTHONS.items():
            with self.subTest(python="%d.%d" % self.version):
                test(self)
    return repeated


class Base(binding.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer("the interpreter has no sanitizer, as the runtime then needs")
        harness.need(PYTHONS, "there is no Python with ctypes")
        self.env = harness.environment(PYTHONPATH=BINDINGS, PYTHONDONTWRITEBYTECODE="1")
        self.python = PYTHONS[max(PYTHONS)]

    def script(self, text):
        return self.text_file("script.py", textwrap.dedent(text))

    def measure_script(self, text):
        return self.measure(self.python, self.script(text), env=self.env)


# Scripts, the calls that each region must have, and the diagnostics of all.
SCRIPTS = {
    "regions on an exit stack": ("""
        import contextlib
        import regionstat
        with contextlib.ExitStack() as stack:
            for i in range(5):
                stack.enter_context(regionstat.region("stacked"))
        @contextlib.contextmanager
        def around():
            with regionstat.region("around"):
                yield
        with around(), around():
            pass
     """, {"stacked": 5, "around": 2}, {"recursive": 5}),
    # If two functions begin a call each and a third ends one, regionstat does not guess which. If
    # one call is open, it ends that.
    "nothing is guessed": ("""
        import sys
        import regionstat
        two, one = regionstat.region("two"), regionstat.region("one")
        def enter(region):
            region.__enter__()
            return sys._getframe()
        def leave(region):
            region.__exit__(None, None, None)
        frames = [enter(two), enter(two), enter(one)]
        leave(two)
        leave(one)
        leave(one)
     """, {"two": 0, "one": 1}, {"open": 2}),
    "kinds of functions": ("""
        import asyncio
        import inspect
        import regionstat
        said = []
        @regionstat.function
        def plain(a, *, b): "Doc."; return a + b
        @regionstat.function
        def generator():
            got = yield 1
            try:
                yield got
            except KeyError:
                yield "key"
            return "end"
        @regionstat.function
        async def agenerator():
            try:
                got = yield 1
                yield got
            finally:
                said.append("closed")
        class Thing:
            @regionstat.function
            def method(self): return self
            @regionstat.function
            @staticmethod
            def static(): return 2
            @classmethod
            @regionstat.function
            def klass(cls): return cls
        assert plain(1, b=2) == 3 and plain.__doc__ == "Doc." and plain.__name__ == "plain"
        def outer():
            return (yield from generator())
        it = outer()
        assert [next(it), it.send(5), it.throw(KeyError())] == [1, 5, "key"]
        try:
            next(it)
        except StopIteration as stop:
            assert stop.value == "end"
        assert inspect.isgeneratorfunction(generator)
        assert inspect.isasyncgenfunction(agenerator)
        assert inspect.iscoroutinefunction(regionstat.function(asyncio.sleep))
        async def main():
            it = agenerator()
            assert [await it.asend(None), await it.asend(7)] == [1, 7]
            await it.aclose()
            it = agenerator()
            await it.asend(None)
            try:
                await it.athrow(KeyError())
            except KeyError:
                said.append("thrown")
        asyncio.run(main())
        thing = Thing()
        assert thing.method() is thing and Thing.static() == 2 and Thing.klass() is Thing
        try:
            regionstat.function(Thing)
        except TypeError as error:
            said += str(error).splitlines()
        assert said[:3] == ["closed", "closed", "thrown"], said
        assert said[3].startswith("a region decorates a function"), said
     """, {"plain": 1, "generator": 1, "agenerator": 2, "Thing.method": 1, "Thing.static": 1,
           "Thing.klass": 1}, {}),
    "more names than have their own site": ("""
        import regionstat
        for i in range(6000):
            with regionstat.region("name %d" % (i % 4000)):
                pass
        from regionstat import _regions
        _regions.MOST_SITES = 0
        for i in range(10):
            with regionstat.region("late"):
                regionstat.stop(regionstat.start("call"))
     """, {**{"name %d" % i: 2 if i < 2000 else 1 for i in range(4000)}, "late": 10, "call": 10},
     {}),
    "fork, spawn and exec": ("""
        import multiprocessing
        import os
        import subprocess
        import sys
        import regionstat

        @regionstat.function  # multiprocessing calls the main program __mp_main__ in a child
        def work(i):
            with regionstat.region("child"):
                return i

        if __name__ == "__main__":
            if sys.argv[1:] == ["again"]:
                work(1)
                sys.exit()
            with regionstat.region("around"):
                pid = os.fork()
                if pid == 0:
                    work(1)
            if pid == 0:
                os._exit(0)
            os.waitpid(pid, 0)
            for method in ("fork", "spawn", "forkserver"):
                with multiprocessing.get_context(method).Pool(2) as pool:
                    assert pool.map(work, range(6), 1) == list(range(6))
                    pool.close()
                    pool.join()
            # closes descriptors
            subprocess.run([sys.executable, __file__, "again"], check=True)
            os.execv(sys.executable, [sys.executable, __file__, "again"])
     """, {"around": 1, "work": 1 + 3 * 6 + 2, "child": 1 + 3 * 6 + 2}, {}),
    "the same names on and off": ("""
        import regionstat, regionstat._off as off
        for name in regionstat.__all__ + ["next"]:
            assert callable(getattr(regionstat, name)) or name == "is_measured", name
            assert name == "is_measured" or callable(getattr(off, name)), name
        before = open, next
        from regionstat import *
        assert before == (open, next) and begin is regionstat.begin
        assert regionstat.is_measured
        regionstat.stop(None)
        with regionstat.region("x") as region:
            assert region is None
     """, {"x": 1}, {}),
    "parts of the time are not longer, although the interpreter runs between two readings": ("""
        import regionstat
        for i in range(1000):
            call = regionstat.start("short")
            values = regionstat.peek(call)
            regionstat.stop(call)
            assert list(values)[:2] == ["time", "cpu-time"], values
            assert values["cpu-time"].total <= values["time"].total, values
            with regionstat.region("open"):
                values = regionstat.read("open", open_call=True)
            assert values["cpu-time"].total <= values["time"].total, values
     """, {"short": 1000, "open": 1000}, {}),
    "names are those of str(), and an empty one is that of C": ("""
        import regionstat
        for name in ("", b"bytes", 5, None):
            with regionstat.region(name):
                pass
     """, {"(unnamed)": 1, "bytes": 1, "5": 1, "None": 1}, {}),
}


class Example(Base):

    @with_each_python
    @harness.steady
    def test_calls_and_times(self):
        result = self.measure(self.python, EXAMPLE, 100, env=self.env)
        lines = [line.split() for line in result.stdout.splitlines()]
        report = result.report
        self.assertEqual(report.calls(), {name: int(n) for name, n, _, _ in lines})
        for name, _, within, around in lines:
            row = report.region(name)
            self.assertEqual(row.counted, row.calls)
            if int(within) >= 0:
                self.assertBetweenClocks(row, int(within), int(around))
        inner, outer = report.region("inner"), report.region("outer")
        self.assertEqual(outer.parent, "")
        self.check_nested(outer, inner)
        self.assertGreater(outer.self_total, 0)
        # 67 calls of fib(8), 6 of raises(5), 100 times 6 of recurse(5): all but the outermost
        self.assertEqual(report.diagnostics(), {"recursive": 66 + 5 + 500})
        self.assertEqual(report.region("request").threads, 2)
        body = report.one(kind="region", region="body", event="bytes")
        self.assertEqual((body.total, body.calls), (100000, 100))

    @with_each_python
    def test_not_launched(self):
        result = harness.run([self.python, EXAMPLE, "3"], env=self.env)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertIn("fib 67 ", result.stdout)

    @with_each_python
    def test_not_launched_is_nothing(self):
        script = self.script("""
            import sys
            import regionstat
            assert "ctypes" not in sys.modules and "inspect" not in sys.modules
            def f(): pass
            assert regionstat.function(f) is f and regionstat.region("f")(f) is f
            assert regionstat.region("a") is regionstat.region("b")
            assert not regionstat.is_measured
            with regionstat.profile("*"):
                assert sys.getprofile() is None
                assert not hasattr(sys, "monitoring") or not any(
                    sys.monitoring.get_tool(i) for i in range(6))
            regionstat.stop(regionstat.start("x"))
            for decorate in (regionstat.region("f"), regionstat.function):
                try:
                    decorate(type)
                except TypeError:
                    print("refused")
                assert isinstance(decorate(staticmethod(f)), staticmethod)
            try:
                with regionstat.region("x"):
                    raise KeyError(1)
            except KeyError:
                print("raised")
        """)
        result = harness.run([self.python, script], env=self.env)
        self.assertEqual((result.status, result.stdout, result.stderr),
                         (0, "refused\nrefused\nraised\n", ""))

    def test_amounts_of_work(self):
        """An amount is converted as in C. What is no amount does not end the program."""
        script = """
            import regionstat
            for name, amount in (("float", 5e5 / 2), ("bool", True), ("text", "many"),
                                 ("below", -1), ("above", 1 << 64), ("infinite", 1e999)):
                with regionstat.region(name):
                    regionstat.work(name, amount, 2)
        """
        result = self.measure_script(script)
        for name, total in (("float", 250000), ("bool", 1)):
            row = result.report.one(kind="region", region=name, event="bytes")
            self.assertEqual(row.total, total)
        self.assertEqual(result.report.one(kind="region", region="text", event="flops").total, 2)
        result = self.regionstat(self.python, self.script(script), env=self.env)
        self.assertRegex(result.stderr, r"exceed 64 bits, so rates are unknown: "
                                        r"'text', 'below', 'above', 'infinite';")

    @with_each_python
    def test_generators_share_an_object(self):
        """Two generators that alternate within `with`: each ends its own call."""
        row = self.measure_script("""
            import time
            import regionstat
            shared = regionstat.region("shared")
            def spin(ns):
                end = time.monotonic_ns() + ns
                while time.monotonic_ns() < end:
                    pass
            def walk(ns):
                with shared:
                    yield
                    spin(ns)
                    yield
            first, second = walk(30000000), walk(0)
            next(first); next(first)
            next(second)
            first.close()
            spin(10000000)
            second.close()
        """).report.region("shared")
        self.assertEqual(row.calls, 2)
        # if the calls were confused, the shorter would end where the longer does
        self.assertTrue(10e6 <= row.min and 30e6 <= row.max, row)

    @with_each_python
    def test_scripts(self):
        for name, (script, calls, diagnostics) in SCRIPTS.items():
            with self.subTest(script=name):
                report = self.measure_script(script).report
                self.assertEqual((report.calls(), report.diagnostics()), (calls, diagnostics))


class Profile(Base):

    @with_each_python
    def test_as_often_as_called(self):
        for how, *more in (["objects"], ["objects", "chained"], ["module"], ["glob"]):
            result = self.measure(self.python, PROFILED, how, *more, env=self.env)
            told = {name: int(n) for name, n in map(str.split, result.stdout.splitlines())}
            found = result.report.calls()
            if how == "module":  # everything that is defined in the module and was called
                for name in ("note", "left_out", "run"):
                    self.assertGreater(found.pop(name), 0)
            if how == "glob":
                found = {name: n for name, n in found.items() if "<locals>" not in name}
            # before Python 3.11, code objects do not know their class
            if how == "glob" and self.version < (3, 11):
                told = {name.replace("Shape.", ""): n for name, n in told.items()}
            self.assertEqual(found, told, (how, more))
            self.assertEqual(set(result.report.diagnostics()), {"recursive"})

    def test_globs_are_those_of_the_command(self):
        """The globs match the same names as those of --only."""
        names = ["a", "b", "ab", "a.b", "-", "]", "[", "[ab]", "\\", "*", "!", "^", "ü", "aü", "a\nb"]
        globs = ["*", "?", "??", "a*", "[ab]", "[!ab]", "[^a]", "[a-b]*", "[b-a]", "[!b-a]", "[]]",
                 "[!]]*", "[a-]", "[-a]", "\\*", "\\a*", "[\\]]", "[\\]a]", "[", "[a", "[ab", "a\\",
                 "\\", "[*?]", "a?b", "[a-ü]", "*b", "[\\a-\\b]", "[!", "[]", "\\[ab]"]
        script = self.script("""
            import json
            from regionstat import _profile
            print(json.dumps([[name for name in %r if _profile._pattern(glob).fullmatch(name)]
                              for glob in %r]))
        """ % (names, globs))
        matched = json.loads(harness.regionstat(self.python, script, env=self.env).stdout)
        path = self.path("out.json")
        for text, found in zip(globs, matched):
            with self.subTest(glob=text):
                harness.regionstat("--only", text, "-o", path, harness.app("named"), *names)
                rows = harness.read_json(path)["rows"]
                measured = {row["region"] for row in rows if row["kind"] == "region"}
                self.assertEqual(set(found), measured)

    def test_nothing_to_measure(self):
        for words, message in (("", "nothing that could be measured"), ("3", "not 3"),
                               ("len", "takes functions")):
            result = self.regionstat(self.python, "-c",
                                     "import regionstat; regionstat.profile(%s)" % words,
                                     env=self.env, status=1)
            self.assertIn(message, result.stderr)


class Trust(binding.Trust, Base):

    def run_with(self, variable, launcher=()):
        script = self.script("""
            import sys
            import regionstat
            sys.stderr.write("measured: %s\\n" % str(regionstat.is_measured).lower())
            with regionstat.region("x"):
                assert "proc/self/fd" not in open("/proc/self/maps").read()
            """)
        return self.execute([*launcher, "env", variable, self.python, script], env=self.env)

    @with_each_python
    def test_a_python_without_ctypes(self):
        """The program continues as without regionstat, and the report says why. Subinterpreters of
        Python 3.12 cannot load ctypes either."""
        script = self.script("""
            import sys
            sys.modules["_ctypes"] = None
            import regionstat
            with regionstat.region("x"):
                print(regionstat.is_measured)
            """)
        for launcher, reason in (([], "^$"), ([harness.REGIONSTAT], "regions are not measured: the Python "
                                  "module cannot load ctypes: .*; use a Python with ctypes;")):
            result = harness.run([*launcher, self.python, script], env=self.env)
            self.assertEqual((result.status, result.stdout), (0, "False\n"), result)
            self.assertRegex(" ".join(result.stderr.split()), reason)


class Installed(Base):

    def test_pip(self):
        """Installing with pip needs no network and no other module, not even setuptools."""
        target, tree = self.path("target"), self.path("tree")
        shutil.copytree(BINDINGS, tree, ignore=shutil.ignore_patterns("__pycache__"))
        command = [self.python, "-m", "pip", "install", "--no-index", "--target", target, tree]
        for python in reversed(list(PYTHONS.values())):
            command[0] = python
            if harness.run([python, "-c", "import pip"]).status == 0:
                break
        else:
            self.skipTest("no Python here has pip")
        self.execute(command)
        report = self.measure(command[0], "-c", "import regionstat\n"
                              "with regionstat.region('pip'): pass",
                              env={**self.env, "PYTHONPATH": target}).report
        self.assertEqual(report.calls(), {"pip": 1})


class Reading(Base):

    def test_a_program_reads_its_results(self):
        """The sums are those of the report; times differ by the length of a tick, 1 in 50,000."""
        result = self.measure_script("""
            import regionstat
            for i in range(100):
                with regionstat.region("render"):
                    sum(range(1000))
            call = regionstat.start("request")
            assert regionstat.peek(call)["time"].validity == 1
            regionstat.stop(call)
            for event, values in regionstat.read("render", process=True).items():
                print(event, values.calls, values.total, values.validity)
                assert repr(values).startswith(f"Values(calls={values.calls}, total="), repr(values)
            """)
        for line in result.stdout.splitlines():
            event, calls, total, validity = line.split()
            row = result.report.region("render", event)
            self.assertEqual((int(calls), int(validity)), (row.calls, int(row.status == "ok")))
            self.assertLessEqual(abs(float(total) - row.total), 3 + 4e-5 * row.total)
        self.assertGreaterEqual(len(result.stdout.splitlines()), 4)

    def test_the_remedy_for_unmarked_time_is_for_python(self):
        result = self.regionstat(self.python, self.script("""
            import regionstat
            with regionstat.region("short"):
                pass
            sum(range(10000000))
            """), env=self.env)
        # on a busy machine the thread does not run for most of this time
        self.assertRegex(result.stderr, r"in no region(, most of it preempted|"
                                        r": mark more, or use regionstat\.profile\(\))")
        self.assertNotIn("-finstrument", result.stderr)

    def test_the_remedy_for_suspended_calls_is_for_python(self):
        result = self.regionstat(self.python, self.script("""
            import os, regionstat
            def steps():
                with regionstat.region("inner"):
                    yield
            suspended = steps()
            with regionstat.region("outer"):
                next(suspended)
            os._exit(0)
            """), env=self.env)
        self.assertRegex(result.stderr, r"1 call left by .*: 'inner' \(1\); decorate the generator")
        self.assertNotIn("REGIONSTAT_BEGIN", result.stderr)

    def test_a_missing_library(self):
        result = harness.run([self.python, "-c", "import regionstat; regionstat.open()"],
                             env={**self.env, "LD_LIBRARY_PATH": self.directory})
        harness.need(result.status != 0, "the library is installed")
        self.assertRegex(result.stderr, r"OSError: cannot load regionstat's runtime: libregionstat"
                                        r"\.so\.1: .*\n  try: install regionstat")

    @with_each_python
    def test_an_event_that_is_not_counted_has_values_of_0(self):
        """So a program that reads its results also runs without regionstat."""
        script = self.script("""
            import regionstat
            call = regionstat.start("a")
            for values in (regionstat.read("a"), regionstat.peek(call), regionstat.peek(None)):
                value = values["no-event"]
                assert (value.calls, value.total, value.self, value.p99) == (0, 0, 0, 0)
                assert (value.validity, value.quantiles_validity) == (0, 0)
            time = regionstat.read("a")["time"]
            print(regionstat.is_measured, time.calls, time.total, time.validity,
                  len(regionstat.read("a")) > 0)
            """)
        for words, told in (([], "False 0 0 0 False\n"),
                            ([harness.REGIONSTAT, "-e", "time"], "True 0 0.0 1 True\n")):
            result = harness.run([*words, self.python, script], env=self.env)
            self.assertEqual((result.status, result.stdout), (0, told), result)
