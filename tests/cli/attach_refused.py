# SPDX-License-Identifier: MIT
"""Processes that regionstat may not attach to, as regionstat-attach(1) lists them. Each refusal has its
cause and a remedy. attach.py tests the refusals that can be tested without rights."""

import os
import sys

import harness
from attach_program import AttachTestCase, Program

# Run a program as user 65534 in a user namespace that root made.
IN_ROOTS_NAMESPACE = """
import ctypes, os, sys
told, tell = os.pipe(), os.pipe()
pid = os.fork()
if pid == 0:
    if ctypes.CDLL(None).unshare(0x10000000):  # CLONE_NEWUSER
        os._exit(1)
    os.write(tell[1], b"x")
    os.read(told[0], 1)
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    os.execv(sys.argv[1], sys.argv[1:])
os.close(tell[1])
if not os.read(tell[0], 1):
    sys.exit("no user namespace can be made here")
for name in ("uid_map", "gid_map"):
    with open("/proc/%d/%s" % (pid, name), "w") as file:
        file.write("65534 65534 1")
os.write(told[1], b"x")
os.waitpid(pid, 0)
"""


class Refused(AttachTestCase):

    def setUp(self):
        super().setUp()
        self.other = harness.need_other_user()
        os.chmod(self.directory, 0o755)
        self.program = self.build()

    def start(self, *words, is_child=False):
        """Start the program by words. Return its pid."""
        return Program(self, [*words, self.program], is_child=is_child, may_fail=True).pid

    def try_to_attach(self, pid, words=()):
        return harness.run([*words, "env", "-C", "/", harness.REGIONSTAT, "attach", "--duration",
                            "300ms", "-e", "time", str(pid)])

    def refuse(self, pid, *texts, words=None):
        """As another user, unless words say otherwise."""
        result = self.try_to_attach(pid, self.other if words is None else words)
        self.assertEqual(result.status, 125, result)
        for text in texts:
            self.assertIn(text, result.stderr)

    def allow(self, pid, words=()):
        """Root may attach, or the user of these words. Calls are measured, however slow the machine is."""
        for _ in range(10):
            result = self.try_to_attach(pid, words)
            self.assertEqual(result.status, 0, result)
            if "scope" in result.stderr:
                return
        self.fail(result)

    def test_the_programs_own_user(self):
        """Without any capability."""
        harness.need(not harness.sysctl("kernel.yama.ptrace_scope"), "kernel.yama.ptrace_scope is not 0")
        self.allow(self.start(*self.other), self.other)

    def test_programs_of_others(self):
        for words, texts in (
                ((), ("belongs to user 0, and this regionstat to user 65534", "as root")),
                ((*self.other, "--inh-caps=+net_raw", "--ambient-caps=+net_raw"),
                 ("cannot access process ", "it may have more capabilities", "try: as root")),
                ((sys.executable, "-c", IN_ROOTS_NAMESPACE),
                 ("is in another user namespace\n", "in its container"))):
            with self.subTest(words=words):
                pid = self.start(*words, is_child=sys.executable in words)
                self.refuse(pid, *texts)
                self.allow(pid)

    def test_a_program_of_another_user(self):
        self.allow(self.start(*self.other))

    def test_an_own_user_namespace_of_root(self):
        self.refuse(self.start("unshare", "-U"), "user", "try: ")

    def test_set_user_id(self):
        os.chmod(self.program, 0o4755)
        pid = self.start(*self.other)
        if "Uid:\t65534\t0\t" not in harness.read_text("/proc/%d/status" % pid):
            self.skipTest("set-user-ID has no effect on this file system")
        self.refuse(pid, "belongs to user 0, and this regionstat to user 65534", "as root")
        self.allow(pid)

    def test_not_dumpable(self):
        code = ("import ctypes, time; ctypes.CDLL(None).prctl(4, 0); print('ready', flush=True); "
                "time.sleep(60)")  # PR_SET_DUMPABLE
        process = self.spawn([*self.other, sys.executable, "-c", code], text=True, ready="ready")
        self.refuse(process.pid, "it is not dumpable", "PR_SET_DUMPABLE")
        result = self.execute([*harness.need_other_user(1), harness.REGIONSTAT, "attach", str(process.pid)], 125)
        self.assertIn("belongs to user 65534, and this regionstat to user 1\n"
                      "  try: sudo regionstat attach %d\n" % process.pid, result.stderr)

    def test_yama(self):
        if not harness.sysctl("kernel.yama.ptrace_scope"):
            self.skipTest("this kernel has no Yama, or kernel.yama.ptrace_scope is 0")
        self.refuse(self.start(*self.other), "kernel.yama.ptrace_scope", "try: ")

    def test_events_that_the_program_may_not_count(self):
        """The thread of the runtime that calibrates does not count as one of the program."""
        if (harness.sysctl("kernel.perf_event_paranoid") or 0) < 2:
            self.skipTest("kernel.perf_event_paranoid is below 2")
        pid = self.start(*self.other)
        for _ in range(10):
            result = harness.regionstat("attach", pid, "--duration", "300ms", "-e", "task-clock")
            if "scope" in result.stderr:
                break
        self.assertRegex(result.stderr, r"- [1-4] threads? measured time only: cannot count")

    def test_kernel_thread_and_itself(self):
        is_kernel_thread = "Kthread:\t1" in harness.read_text("/proc/2/status")
        if is_kernel_thread:
            self.refuse(2, "process 2 has no program: it is a kernel thread", words=[])
        else:
            harness.note("process 2 is no kernel thread: this is a container")
        result = self.execute(["sh", "-c", 'exec %s attach "$$"' % harness.REGIONSTAT], status=125)
        self.assertRegex(result.stderr, r"process \d+ is this regionstat\n  try: ")

    def test_a_container_without_its_proc(self):
        harness.need_no_sanitizer("a program with a sanitizer reads /proc at its end")
        unshare = harness.need_pid_namespaces()
        pid = self.start(*unshare, "-m", "sh", "-c", "mount -t tmpfs none /proc && exec $0",
                         is_child=True)
        self.refuse(pid, "the /proc of process %d does not show this regionstat" % pid,
                    "mount -t proc proc /proc in the program's container or chroot", words=[])

    def test_a_rootless_container_without_regionstat(self):
        """The host's runtime belongs to nobody whom the program knows, so that it does not load it."""
        pid = self.start(*self.other, "unshare", "-U", "-r", "-m", "-p", "--fork", "--kill-child",
                         "--mount-proc", "sh", "-c",
                         "mount -t tmpfs none %s && exec $0" % harness.BUILD, is_child=True)
        result = self.try_to_attach(pid)
        self.assertEqual(result.status, 0, result)
        self.assertNotIn("scope", result.stderr)
        self.assertIn("neither root's nor the program's user's", result.stderr)
