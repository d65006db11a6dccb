# SPDX-License-Identifier: MIT
"""Ranks of MPI programs, in reports of several processes and in file names. With MPI installed, MPI
itself reports the rank; otherwise the test sets a launcher's variables."""

import os
import re
import shlex
import shutil
import socket

import harness

VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")


def with_rank(**settings):
    """Return an environment in which only these of the variables are set."""
    return harness.environment(**{**dict.fromkeys(VARIABLES), **settings})


def ranks_of(report):
    """Return the rank of each process label, from the rows."""
    return {row.process: row.value for row in report.select(kind="info", event="process_rank")}


# Settings of the environment, and the rank that they mean. The first variable that has a rank counts,
# whatever order they are set in.
RANKS = [(["%s=%d" % (name, rank)], str(rank)) for name in VARIABLES for rank in (2, 0, 11)] + [
    (["SLURM_PROCID=4", "PMIX_RANK=3", "PMI_RANK=2", "OMPI_COMM_WORLD_RANK=1"], "1"),
    (["SLURM_PROCID=4", "PMIX_RANK=3"], "3"),
    (["PMI_RANK=2", "SLURM_PROCID=4"], "2"),
    (["PMI_RANK=here", "SLURM_PROCID=4"], "4"),
    (["PMI_RANK=2147483647"], "2147483647"),
    (["PMI_RANK=007"], "7"),
    ([], None), (["XPMI_RANK=1"], None), (["PMI_RANKS=1"], None),
] + [(["PMI_RANK=" + value], None) for value in (
    "", "-1", "+1", "1.0", "0x1", "2147483648", "18446744073709551616", "9" * 5000, "1 2", "1a", "%n")]


class Processes(harness.TestCase):

    def test_which_one_counts(self):
        script = "\n".join("env %s %s 5" % (shlex.join(settings), harness.app("ranks"))
                           for settings, _ in RANKS)
        for options in ([], ["--per-process"]):
            result = self.measure("sh", "-c", script, options=options, env=with_rank())
            pids = result.stdout.split()
            found = ranks_of(result.report)
            self.assertLessEqual(set(found), set(pids))
            for (settings, rank), pid in zip(RANKS, pids, strict=True):
                with self.subTest(settings=settings, options=options):
                    self.assertEqual(found.get(pid), rank)
            rows = result.report.select(kind="region", region="step", event="time")
            self.assertEqual(sum(row.calls for row in rows), 5 * len(RANKS))
        for pid in pids:
            row = result.report.one(kind="region", region="step", event="time", process=pid)
            self.assertEqual(row.calls, 5)

    def test_a_large_environment(self):
        """The variable may be anywhere in the environment."""
        for fill in range(0, 2100, 100):
            env = {"A%d" % i: "x" * (fill + i) for i in range(4)}
            result = self.measure(harness.app("ranks"), 1, env=with_rank(PMI_RANK="9", **env))
            self.assertEqual(list(ranks_of(result.report).values()), ["9"], fill)

    def test_children_have_their_parents_rank(self):
        for program in harness.built_apps("rules", "rules-static"):
            result = self.measure(harness.app(program), "markers", 2, "pP{cC}",
                                  env=with_rank(PMIX_RANK="6"))
            self.assertEqual(list(ranks_of(result.report).values()), ["6"] * 3, program)

    def test_the_table(self):
        # regionstat frees what dead processes have left each 100 ms.
        command = "PMI_RANK=1 %s 5; sleep 0.3; PMI_RANK=0 %s 6; %s 7" % ((harness.app("ranks"),) * 3)
        env = with_rank()
        result = harness.regionstat("--per-process", "sh", "-c", command, env=env)
        one, zero, other = result.stdout.split()
        self.assertRegex(result.stderr, r"(?m)^%s rank 1 .* 5  step$" % one)
        self.assertRegex(result.stderr, r"(?m)^%s rank 0 .* 6  step$" % zero)
        self.assertRegex(result.stderr, r"(?m)^%s ranks .* 7  step$" % other)
        self.assertNotIn("of an MPI program", result.stderr)
        # the thread ids of a process do not say which rank it is
        page = self.path("report.html")
        result = harness.regionstat("--per-thread", "-o", "-", "-o", page, "sh", "-c", command,
                                    env=env)
        pids = re.findall(r"(?m)^\d+$", result.stdout)
        for pid, rank in zip(pids, (" rank 1 ranks", " rank 0 ranks", " ranks"), strict=True):
            self.assertRegex(result.stdout, r"(?m)^%s/%s%s .* step$" % (pid, pid, rank))
            self.assertIn("%s/<wbr>%s%s<" % (pid, pid, rank), harness.read_text(page))
        result = harness.regionstat("-v", "sh", "-c", command, env=env)
        one, zero, other = result.stdout.split()
        self.assertIn("ranks of an MPI program: 0 (ranks %s), 1 (ranks %s)" % (zero, one),
                      re.sub(r"\s+", " ", result.stderr))

    def test_a_saved_run_and_markdown(self):
        page, saved = self.path("report.md"), self.path("run.json")
        result = self.regionstat("--per-process", "-o", page, "-o", saved, harness.app("ranks"), 3,
                                 env=with_rank(PMI_RANK="8"))
        pid = result.stdout.strip()
        self.assertIn("\n| %s rank 8 ranks |" % pid, harness.read_text(page))
        self.assertEqual([(row["process"], row["value"]) for row in harness.read_json(saved)["rows"]
                          if row["event"] == "process_rank"], [(pid, 8)])
        again = harness.regionstat("report", "-x", ",", saved)
        self.assertEqual(ranks_of(harness.Report(again.stdout)), {pid: "8"})


class Names(harness.TestCase):

    def test_letters(self):
        """%p is the process id of regionstat, the parent of the program."""
        for template, expected, settings in (
                *(("out.%r.json", "out.17.json", {name: "17"}) for name in VARIABLES),
                ("%r%r.csv", "22.csv", {"PMI_RANK": "2", "SLURM_PROCID": "3"}),
                ("%r.csv", "3.csv", {"PMI_RANK": "-2", "SLURM_PROCID": "3"}),
                ("%h.csv", socket.gethostname() + ".csv", {}),
                ("100%%.csv", "100%.csv", {}),
                ("%%r%%.csv", "%r%.csv", {}),
                ("%p.csv", "PPID.csv", {})):
            with self.subTest(template=template, settings=settings):
                result = self.regionstat("-o", self.path(template), "--quiet", "sh", "-c", "echo $PPID",
                                         env=with_rank(**settings))
                expected = expected.replace("PPID", result.stdout.strip())
                self.assertEqual(os.listdir(self.directory), [expected])
                os.unlink(self.path(expected))

    def test_other_names(self):
        slow = self.path("slow.%r")
        self.regionstat("--slow", "*:time>=1ns", "--slow-output", slow, "--quiet",
                        "-o", self.path("report.csv"), harness.app("ranks"), 3,
                        env=with_rank(PMI_RANK="5"))
        self.assertEqual(harness.read_text(self.path("slow.5")).count("step"), 3)

    def test_report(self):
        saved = self.path("run.json")
        harness.regionstat("-o", saved, "--quiet", "true")
        result = harness.regionstat("report", "-o", self.path("%r.csv"), saved,
                                    env=with_rank(PMI_RANK="5"))
        self.assertEqual((result.status, os.path.exists(self.path("5.csv"))), (0, True), result)

    def test_a_file_for_each(self):
        """Two names that expand to the same name are two reports in one file, which is an error."""
        result = self.regionstat("-o", self.path("%r.csv"), "-o", self.path("5.csv"), "true",
                                 env=with_rank(PMI_RANK="5"), status=125)
        self.assertIn("cannot hold two reports", result.stderr)

    def test_configuration(self):
        """--print-config prints the name as the user wrote it, so that it can be read again."""
        config = self.text_file("regionstat.yaml", "outputs: '%s/out.%%r.json'\n" % self.directory)
        env = with_rank(PMI_RANK="5")
        result = harness.regionstat("-c", config, "--print-config", "true", env=env)
        self.assertIn("out.%r.json", result.stdout)
        result = self.regionstat("-c", config, "--quiet", "true", env=env)
        self.assertTrue(os.path.exists(self.path("out.5.json")))

    def test_refused(self):
        for template, settings, *words in (
                ("%r.json", {}, "%r is the rank of an MPI program, and there is none",
                 "PMIX_RANK and SLURM_PROCID are not set", "%p"),
                ("%r.json", {"PMI_RANK": "../../x"}, "PMI_RANK is '../../x', which is no rank"),
                ("%q.json", {}, "unknown code at '%q.json'", "%%"),
                ("out%", {}, "ends in a percent sign", "%%"),
                ("%R.json", {}, "unknown code at '%R.json'"),
                ("%%%", {}, "ends in a percent sign")):
            for option in ("-o", "--slow-output"):
                result = self.regionstat("--slow", "*:time>1s", option, self.path(template), "--",
                                         "sh", "-c", "echo ran", status=125,
                                         env=with_rank(**settings))
                self.assertEqual(result.stdout, "", result)
                for word in ("regionstat: " + option, "try: ", *words):
                    self.assertIn(word, result.stderr)
        self.assertEqual(os.listdir(self.directory), [])


class OpenMpi(harness.TestCase):
    """Open MPI: the report has the rank of MPI_Comm_rank()."""

    compilers, launchers = ["mpicc.openmpi", "mpicc"], ["mpirun.openmpi", "mpirun"]
    many = ["--oversubscribe"]

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer()
        found = [[name for name in names if shutil.which(name)]
                 for names in (self.compilers, self.launchers)]
        harness.need(all(found), "%s or %s is not installed" % (self.compilers[0], self.launchers[0]))
        self.program = self.compile("ranks.c", found[0][0], "-DRANKS_MPI", "-O2")
        self.words = [found[1][0], *self.many, "-n", "4"]
        self.env = with_rank(OMPI_ALLOW_RUN_AS_ROOT="1",
                             OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        result = harness.run([*self.words, "true"], env=self.env)
        harness.need(result.status == 0, "no four processes are started here: " + result.stderr.strip())

    def told(self, text):
        """Return the rank of each process id, as the ranks print them."""
        found = {pid: rank for rank, pid in map(str.split, text.split("\n")[:-1])}
        self.assertEqual(sorted(found.values()), ["0", "1", "2", "3"])
        return found

    def test_regionstat_around_mpirun(self):
        result = self.measure(*self.words, self.program, 10, options=["--per-process"],
                              env=self.env)
        told = self.told(result.stdout)
        self.assertEqual(ranks_of(result.report), told)
        for pid, rank in told.items():
            row = result.report.one(kind="region", region="step", event="time", process=pid)
            self.assertEqual(row.calls, 10 + int(rank))

    def test_regionstat_in_each_rank(self):
        result = self.execute([*self.words, harness.REGIONSTAT, "--quiet", "-o",
                               self.path("out.%r.csv"), self.program, "10"], env=self.env)
        told = self.told(result.stdout)
        self.assertEqual(sorted(os.listdir(self.directory)),
                         sorted(["program", *("out.%d.csv" % rank for rank in range(4))]))
        for pid, rank in told.items():
            report = harness.read_report(self.path("out.%s.csv" % rank))
            self.assertEqual(ranks_of(report), {pid: rank})
            self.assertEqual(report.calls(), {"step": 10 + int(rank)})


class Mpich(OpenMpi):
    """MPICH: the same tests; its launcher is Hydra."""

    compilers, launchers, many = ["mpicc.mpich"], ["mpirun.mpich"], []
