# SPDX-License-Identifier: MIT
"""Wrong uses of the command, one of each common kind. Each message says what failed, why, and what
to type instead. Nothing runs, and stdout is empty."""

import os

import harness

# The command line, the first line of the message, and a part of its remedy.
OPTIONS = (
    ([], "there is no COMMAND to run", "regionstat --help"),
    (["run"], "there is no COMMAND to run", "regionstat --help"),
    (["--"], "there is no COMMAND to run", "regionstat --help"),
    (["-v"], "there is no COMMAND to run", "regionstat --help"),
    (["-x", "true"], "there is no COMMAND to run", "regionstat --help"),
    (["-o", "./program"], "there is no COMMAND to run", "regionstat --help"),
    (["--no-color", "true"], "unknown option '--no-color'", "--color=never"),
    (["-e"], "-e: its EVENT is missing", "-e EVENT"),
    (["-x"], "-x: its SEP is missing", "-x SEP"),
    (["--output"], "--output: its FILE is missing", "--output FILE"),
    (["-o", "-x", ",", "true"], "-o: its value is missing: '-x' looks like an option", "-o FILE"),
    (["-x", "--append", "true"], "-x: its value is missing: '--append' looks", "-x SEP"),
    (["-e", "-x", ",", "true"], "-e: its value is missing: '-x' looks like", "-e EVENT"),
    (["--append", "true"], "--append: there is no file to add to", "--append -o FILE"),
    (["-x", "", "true"], "-x: the separator is empty", "-x ,"),
    (["-x", '"', "true"], "-x: '\"' cannot separate fields", "-x ,"),
    (["-o", "a.csv", "-o", "b.jsonl", "true"], "csv cannot show a series (-o FILE.jsonl or", "--format"),
    (["-o", "", "true"], "-o: the file name is empty", "-o regionstat.txt"),
    (["-o", "/no/such/file", "true"], "cannot write to '/no/such/file': No such file or directory (ENOENT)",
     "directory"),
    (["-o", "/", "true"], "cannot write to '/': Is a directory (EISDIR)", "-o with the name of a file in it"),
    (["-o", "x" * 300, "true"], "cannot write to 'xxx", ""),
    (["-o", "/dev/null/file", "true"], "cannot write to '/dev/null/file': Not a directory (ENOTDIR)", ""),
    (["-D", "x", "true"], "-D: 'x' is not a number of milliseconds", "-D 500"),
    (["-D", "1.5 s", "true"], "-D: '1.5 s' is not a number of milliseconds", "-D 500"),
    (["--timeout", "2days", "true"], "--timeout: '2days' is not a number", "--timeout 10000"),
    (["--timeout", "700h", "true"], "--timeout: '700h' is not a number", "--timeout 10000"),
    (["--timeout", "true"], "--timeout: 'true' is not a number", "--timeout 10000"),
    (["--timeout", "0", "true"], "--timeout: '0' is not a number of milliseconds from 1", "--timeout 10000"),
    (["--only"], "--only: its GLOB is missing", "--only GLOB"),
    (["--only", "", "true"], "--only: the glob is empty", "--only 'parse*'"),
    (["--only", "--raw", "true"], "--only: its value is missing: '--raw'", "--only GLOB"),
    (["--only", "x" * 256, "true"], "--only: the glob is longer than 255", "'*' for the rest"),
    (["--sample", "pixel", "true"], "--sample: 'pixel' is not a number of calls", "REGION:100"),
    (["--budget", "200%", "true"], "--budget: '200%' is not a percentage", "--budget 0.5%"),
    (["--color=blue", "true"], "--color: unknown word 'blue'; words: auto", "--color auto"),
    (["--strict=1", "true"], "--strict takes no value", "--strict"),
    (["-v=1", "true"], "-v takes no value, but got '1'", "-v"),
    (["-=1", "true"], "unknown option '-=1'", "regionstat --help"),
    (["--out", "f", "true"], "unknown option '--out'", "--output"),
    (["--per", "true"], "unknown option '--per'", "--per-process, --per-thread or --percentiles"),
    (["-version"], "-version: options that are words have two dashes", "--version"),
    (["-output", "f", "true"], "-output: options that are words have two dashes", "--output"),
    (["-event=cycles", "true"], "-event: options that are words have two dashes", "--event"),
    (["-V"], "unknown option '-V'", "--version"),
    (["--list"], "unknown option '--list'", "regionstat list"),
    (["--dealy", "5", "true"], "unknown option '--dealy'", "--delay"),
    (["--Verbose", "true"], "unknown option '--Verbose'", "--verbose"),
    (["--frequency", "99", "true"], "unknown option '--frequency'", "regionstat --help"),
    (["-a", "true"], "-a of perf stat", "perf stat -a"),
    (["-r", "0", "true"], "-r: '0' is not a number of runs from 1", "-r 5"),
    (["compare", "true"], "compare: needs two commands", ":::"),
    (["compare", "a.json", "b.json"], "compare: needs two commands", "diff OLD NEW"),
    (["compare", "--format", "csv", "--", "true", ":::", "true"], "csv cannot show a difference",
     "--format table"),
    (["-I", "0", "true"], "-I: '0' is not a number of milliseconds from 1", "-I 1000"),
    (["-I", "5", "-r", "3", "true"], "-I shows one run", "without -r"),
    (["--trace", "x.pftrace", "-r", "3", "true"], "--trace shows one run", "without -r"),
    (["--sort", "calls", "-r", "3", "true"], "--sort shows one run", "without -r"),
    (["--histogram", "a", "-o", "a.jsonl", "true"], "--histogram shows one run", "without a series"),
    (["compare", "-I", "5", "--", "true", ":::", "true"], "compare: -I is an option of other verbs: run, attach",
     "regionstat compare --help"),
    (["--interval-count", "5", "true"], "--interval-count needs -I", "-I 1000"),
    (["--interval-output", "x", "true"], "--interval-output needs -I", "-I 1000"),
    (["-I", "5", "--interval-output", "/no/such/dir/x", "true"],
     "cannot write intervals to '/no/such/dir/x': No such file or directory (ENOENT)",
     "create the directory first"),
    (["-I", "5", "--interval-output", "x.foo", "true"],
     "--interval-output: 'x.foo' has an unknown ending; endings: .txt, .csv, .json, .ndjson, .jsonl", "-x ,"),
    (["-I", "5", "--interval-output", "x.csv", "-o", "./x.csv", "true"],
     "--interval-output: x.csv is the file of -o", "another file"),
    (["-I", "5", "--interval-output", "x", "--trace", "x", "true"],
     "--interval-output: x is the file of --trace", "another file"),
    (["-I", "5", "--interval-output", "x", "--slow", "*:time>1s", "--slow-output", "x", "true"],
     "--interval-output: x is the file of --slow-output", "another file"),
    (["--slow", "*:time>1s", "--slow-output", "/no/such/dir/x", "true"],
     "cannot write slow calls to '/no/such/dir/x': ", "create the directory first"),
    (["--slow", "*:time>1s", "--slow-output", "/", "true"], "cannot write slow calls to '/': ",
     "--slow-output with the name of a file in it"),
    (["--per-core", "true"], "--per-core of perf stat", "--per-thread"),
    (["attach"], "attach: there is no PID", "regionstat attach $(pidof NAME)"),
    (["stat", "true"], "'stat' is a verb of perf", "regionstat COMMAND"),
    (["-o", "run.pdf", "true"], "-o: 'run.pdf' has an unknown ending; endings: .txt (table), "
     ".csv (csv), .json (json), .md (markdown), .html (html), .ndjson (ndjson), .cali (cali), "
     ".folded (folded), .prom (prometheus), .otlp.jsonl (otlp), .jsonl (series), .xml (junit)",
     "--format NAME -o 'run.pdf'"),
    (["-o", "a.csv", "-o", "/tmp/run.jsn", "true"], "-o: '/tmp/run.jsn' has an unknown ending",
     "--format NAME"),
)

EVENTS = (
    ("", "-e: the event is empty", "regionstat list"),
    ("no-such", "unknown event 'no-such'", "regionstat list"),
    ("cycle", "unknown event 'cycle'", "cycles"),
    ("page", "unknown event 'page'", "page-faults"),
    ("page*", "unknown event 'page*'", "regionstat list 'page*'"),
    ("0x1a8", "unknown event '0x1a8'", "r1a8"),
    ("IPC", "unknown event 'IPC'", "{cycles,instructions}"),
    ("cs/u/", "bad event 'cs/u/': unknown term 'u'", "cs:u"),
    ("{page-faults", "bad event list: the '{' is never closed", "-e '{"),
    ("time:u", "bad event 'time:u': time takes no modifiers", "time"),
    ("page-faults:S", "bad event 'page-faults:S': the modifier S does not apply to counting",
     "without"),
    ("page-faults:pppp", "bad event 'page-faults:pppp': more than 3 times", "P, the most"),
    ("nopmu/event=1/", "bad event 'nopmu/event=1/': this machine has no PMU", "ls /sys/bus"),
    ("software/x=1/", "bad event 'software/x=1/': unknown term 'x'", "config"),
    (",".join("r%x" % i for i in range(1, 50)), "more than 32 events", "several runs"),
)

# The status, the command, the first line of the message, a part of its remedy, and perhaps the reason.
COMMANDS = (
    (127, ["no-such-program"], "cannot run 'no-such-program': No such file or directory (ENOENT)",
     "./no-such-program", "it is in none of the directories of PATH"),
    (127, ["/no/such/program"], "cannot run '/no/such/program': ", "a path that exists"),
    (127, [""], "cannot run '': ", "the name of a program"),
    (127, ["\x1b[2J\nname"], r"cannot run '\x1b[2J\nname': ", ""),
    (127, ["sleep 1"], "cannot run 'sleep 1': ", "sleep 1, without quotes"),
    (127, ["cd"], "cannot run 'cd': ", "sh -c 'cd ...'"),
    (127, ["./dangling"], "cannot run './dangling': ", "a path that exists",
     "it is a link to 'nowhere', which does not exist"),
    (127, ["A=1", "true"], "cannot run 'A=1': ", "env A=1 COMMAND"),
    (127, ["--", "-v", "true"], "cannot run '-v': ", "options before '--'"),
    (127, ["./script"], "cannot run './script': ", "correct the first line",
     "the file exists, but the interpreter that its first line"),
    (126, ["./plain"], "cannot run './plain': Permission denied (EACCES)", "chmod +x"),
    (126, ["./plain/x"], "cannot run './plain/x': Not a directory (ENOTDIR)", "a path that exists"),
    (126, ["."], "cannot run '.': ", "a program in it", "it is a directory"),
    (126, ["./" + "x" * 300], "cannot run './xxx", "a shorter path"),
    (126, ["./circle"], "cannot run './circle': ", "without a loop of symbolic links"),
)

LISTS = (
    (125, ["--frob"], "list: unknown option '--frob'", "regionstat list --help"),
    (125, ["--hepl"], "list: unknown option '--hepl'", "--help"),
    (125, ["-help"], "list: -help: options that are words have two dashes", "--help"),
    (125, ["--help=1"], "list: --help takes no value", "--help"),
    (125, ["-o", "x"], "list: -o is an option of other verbs: run, report, compare, diff, merge, attach",
     "regionstat list --help"),
    (125, ["cs", "--append"], "list: --append is an option of other verbs: run, report, compare, diff, merge, attach",
     "list --help"),
    (125, ["-a"], "list: unknown option '-a'", "regionstat list --help"),
    (125, ["a", "b"], "list: more than one GLOB: 'b'", "in quotes"),
    (125, ["metrics", "a", "b"], "list: more than one GLOB: 'b'", "in quotes"),
    (125, ["-s", ""], "list: -s: the text is empty", "-s miss"),
    (125, ["-s"], "list: -s: its TEXT is missing", "-s TEXT"),
    (1, ["-s", "no such words"], "no event of this machine has 'no such words' in its name or meaning",
     "regionstat list, for all"),
    (1, ["metrics", "-s", "no such words"], "no metric has 'no such words' in its name or meaning",
     "regionstat list metrics, for all"),
    (1, ["metrics", "zzz"], "no metric matches 'zzz'", "regionstat list metrics '*zzz*'"),
    (1, ["options", "x"], "no option matches 'x'", "regionstat list options '*x*'"),
    (1, ["no\033[31m"], r"no event of this machine matches 'no\x1b[31m'", "for all"),
    (1, ["ipc"], "'ipc' is a metric, not an event", "regionstat list metrics 'ipc'"),
    (1, ["no-such"], "no event of this machine matches 'no-such'", "list '*no-such*'"),
    (1, ["no-such*"], "no event of this machine matches 'no-such*'", "regionstat list, for all"),
    (1, ["--", "--help"], "no event of this machine matches '--help'", "list '*--help*'"),
    (1, [""], "no event of this machine matches ''", "regionstat list, for all"),
)


class Wrong(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.text_file("plain", "text\n")
        self.text_file("script", "#!/no/such/interpreter\n", 0o755)
        os.symlink("circle", self.path("circle"))
        os.symlink("nowhere", self.path("dangling"))

    def check(self, status, arguments, what, remedy, why=""):
        with self.subTest(arguments=arguments):
            before = sorted(os.listdir(self.directory))
            result = harness.regionstat(*arguments, cwd=self.directory)
            self.assertEqual((result.status, result.stdout), (status, ""), result)
            first, *lines = result.stderr.splitlines()
            self.assertTrue(first.startswith("regionstat: " + what), result)
            remedies = [line for line in lines if line.startswith("  try: ")]
            self.assertTrue(any(remedy in line for line in remedies), result)
            self.assertIn("\n  " + why, result.stderr)
            self.assertEqual("usage: " in result.stderr, "no COMMAND" in what, result)
            if arguments[:1] != ["list"]:
                self.assertEqual(lines[-1],
                                 "regionstat: nothing was run (exit status %d)" % status)
                lines.pop()
            for line in lines:  # all other lines belong to the message
                self.assertTrue(line.startswith("  "), result)
            self.assertEqual(sorted(os.listdir(self.directory)), before)

    def test_options(self):
        for arguments, what, remedy in OPTIONS:
            self.check(125, arguments, what, remedy)

    def test_events(self):
        for event, what, remedy in EVENTS:
            self.check(125, ["-e", event, "true"], what, remedy)

    def test_events_without_libpfm4(self):
        """An empty file takes the place of the library, which only names of CPU models need."""
        self.text_file("libpfm.so.4", "")
        environment = harness.environment(LD_LIBRARY_PATH=self.directory)
        for event, status in (("page-faults", 0), ("no-such", 125)):
            result = harness.regionstat("-e", event, "true", env=environment)
            self.assertEqual((result.status, "libpfm.so.4" in result.stderr), (status, status > 0), result)

    def test_commands(self):
        for status, arguments, *texts in COMMANDS:
            self.check(status, arguments, *texts)

    def test_lists(self):
        for status, arguments, what, remedy in LISTS:
            self.check(status, ["list", *arguments], what, remedy)

    def test_a_value_that_an_option_did_not_take(self):
        told = "\n  --color takes a value after '=': see regionstat --help\n"
        self.assertIn(told, harness.regionstat("--color", "no-such").stderr)
        for arguments in (["--color", "--", "no-such"], ["--color", "-v", "no-such"],
                          ["--color=always", "no-such"]):
            self.assertNotIn(told, harness.regionstat(*arguments).stderr)

    def test_a_command_that_an_option_took(self):
        for arguments, word, option in ((["-x", "true"], "true", "-x"),
                                        (["-v", "--output", "./program"], "./program", "--output")):
            stderr = harness.regionstat(*arguments).stderr
            self.assertIn("\n  the last word, '%s', was taken as the value of %s\n"
                          % (word, option), stderr)
        self.assertNotIn("was taken", harness.regionstat("-xtrue").stderr)
