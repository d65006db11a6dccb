# SPDX-License-Identifier: MIT
"""The markers as functions of the library, for languages that cannot include the header. They work
if regionstat launches the program, and otherwise do nothing."""

import os

import harness

LIBRARY = os.path.join(harness.BUILD, "lib", "runtime")


class Functions(harness.TestCase):

    def check(self, *program, calls, told=()):
        result = self.measure(*program)
        self.assertEqual({name: n for name, n in result.report.calls().items() if n}, calls)
        self.assertClean(result.report)
        if "inner" in told:
            row = result.report.region("inner", "bytes")
            self.assertEqual((row.counted, row.total), (calls["inner"], told["inner"][0]))
            self.assertEqual(result.report.region("inner", "flops").total, told["inner"][1])
        alone = harness.run([*map(str, program)])
        self.assertEqual((alone.status, alone.stdout, alone.stderr), (0, "", ""))

    def test_go(self):
        go = harness.need_tool("go")
        program, source = self.path("program"), os.path.join(harness.APP_SOURCES, "languages", "marked.go")
        env = harness.environment(
            CGO_ENABLED="1", CGO_LDFLAGS="-L%s -Wl,-rpath,%s" % (LIBRARY, LIBRARY), GO111MODULE="off",
            GOFLAGS="", GOCACHE=self.path("cache"), GOPATH=self.path("path"))
        self.execute([go, "build", "-o", program, source], env=env)
        self.check(program, calls={"go": 40, "inner": 80, "request": 10})

    def test_c_without_the_header(self):
        """A C program that links the library, shared or static, without the header."""
        self.text_file("plain.c", """
            struct regionstat_call { unsigned long long word[8]; };
            void regionstat_begin(const char *), regionstat_end(const char *);
            void regionstat_next(const char *, const char *), regionstat_stop(struct regionstat_call);
            void regionstat_work(const char *, unsigned long long, unsigned long long);
            void regionstat_pause(void), regionstat_resume(void);
            struct regionstat_call regionstat_start(const char *);
            int main(void)
            {
                for (int i = 0; i < 9; i++) {
                    struct regionstat_call call = regionstat_start("request");
                    regionstat_begin("inner");
                    regionstat_work("inner", 8, 3);
                    regionstat_next("inner", "after");
                    regionstat_end("after");
                    regionstat_stop(call);
                }
                regionstat_pause();
                regionstat_begin("paused");
                regionstat_end("paused");
                regionstat_resume();
                return 0;
            }
            """)
        for after in (["-L" + LIBRARY, "-lregionstat", "-Wl,-rpath," + LIBRARY],
                      [os.path.join(LIBRARY, "libregionstat.a")],
                      ["-static", os.path.join(LIBRARY, "libregionstat.a")]):
            with self.subTest(after=after):
                program = self.path("plain")
                self.execute(["gcc", "-O2", self.path("plain.c"), "-o", program, *after])
                self.check(program, calls={"request": 9, "inner": 9, "after": 9}, told={"inner": (72, 27)})
