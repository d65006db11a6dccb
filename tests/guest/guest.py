#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the tests of cases/ in an emulated arm64 machine, or on this machine, and judge their output.

A test consists of two files in cases/. NAME.sh runs in the machine and prints. NAME.py judges what
it printed, in a function judge(run, check). One boot runs all of them. The result is TAP on
standard output.

The emulated machine counts cycles and retired instructions deterministically (QEMU with -icount).
So tests can expect exact numbers even if this machine has no counters. Its parts come from
fetch.sh; the programs are built on this machine with a cross compiler."""

import argparse
import fcntl
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_little  # noqa: E402 pylint: disable=wrong-import-position

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
CROSS = "aarch64-linux-gnu"
BOOT_SECONDS = 1200
# Tests that take minutes. They run only if they are named, in a separate boot.
LONG = ("turns_", "sampling_", "clock")
# QEMU's options for each CPU model. Without this option the pointer authentication of `max` is
# computed in software, and takes most of the time.
PROCESSORS = {"max": "max,pauth-impdef=on"}
# The directories of a build that contain the tests' programs.
FOLDERS = ("tests/apps", "tests/guest", "tests/guest/marked")
TOOLS = {
    "qemu-system-aarch64": "qemu-system-arm",
    f"{CROSS}-gcc": f"gcc-{CROSS}",
    "cpio": "cpio",
    "meson": "meson",
}


class Run:
    """The output of one test, and its machine."""

    def __init__(self, name, text, status, kernel, cpu, big_little=False):
        self.name = name
        self.text = text
        self.status = status
        self.kernel = kernel  # such as 6.1, or None on this machine
        self.cpu = cpu  # as QEMU calls it, or None on this machine
        self.emulated = kernel is not None
        self.big_little = big_little  # emulated with cores of two types
        self.halved = None  # the run of the same test on a processor of half the frequency
        self.regionstat = None  # the program of this machine

    def section(self, title):
        """Return the lines between `=== TITLE` and the next line that begins with ===."""
        lines, inside = [], False
        for line in self.text.splitlines():
            if line.startswith("=== "):
                inside = line == "=== " + title
            elif inside:
                lines.append(line)
        return "\n".join(lines)

    def messages(self, title):
        """Return the messages of a section without the finding about overhead, which short programs
        on a slow machine have."""
        return "\n".join(line for line in self.section(title).splitlines()
                         if not line.startswith("regionstat: markers take at least "))


class Check:
    """Counts comparisons and prints a TAP line for each."""

    def __init__(self):
        self.count = 0
        self.failed = 0
        self.test = ""

    def true(self, what, passed, shown=""):
        self.count += 1
        print(f"{'ok' if passed else 'not ok'} {self.count} - {self.test}: {what}")
        if not passed:
            self.failed += 1
            print("\n".join("# got: " + line for line in str(shown).splitlines()) or "# got: ''")
        sys.stdout.flush()
        return passed

    def equal(self, what, value, expected):
        return self.true(what, value == expected, f"{value!r}, expected {expected!r}")

    def between(self, what, value, low, high):
        return self.true(f"{what} ({value})", low <= value <= high,
                         f"{value!r}, expected {low}..{high}")

    def contains(self, what, text, part):
        return self.true(what, part in text, f"{part!r} is not in:\n{text}")

    def skip(self, what, reason):
        self.count += 1
        print(f"ok {self.count} - {self.test}: {what} # SKIP {reason}")


def scripts(only, without=()):
    """Return the tests' scripts in order: those named in only, or all except the long ones and
    those of without."""
    return [path for path in sorted((HERE / "cases").glob("*.sh"))
            if (path.stem in only if only else not path.stem.startswith((*LONG, *without)))]


def skip_all(reason):
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def command(*words, **keywords):
    """Run a command that must succeed. Print its output only if it fails."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **keywords)
    if done.returncode != 0:
        print("\n".join("# " + line for line in done.stdout.splitlines()[-60:]))
        sys.exit(f"{words[0]} {words[1]} failed with status {done.returncode}")
    return done.stdout


def needed_files(build, cases, folders):
    """Return what is built for the machine: regionstat, and of the tests what folders contain. Of
    tests/apps these are only the programs that the cases name."""
    words = set(re.findall(r"[\w-]+", "".join(path.read_text() for path in cases.glob("*.sh"))))
    needed = []
    command("ninja", "-C", build, "build.ninja")  # configures again if a file of meson's changed
    for target in json.loads((build / "meson-info/intro-targets.json").read_text()):
        paths = [os.path.relpath(path, build) for path in target["filename"]]
        folder = os.path.dirname(paths[0])
        if target["build_by_default"] and (not folder.startswith("tests") or folder in folders and
                                           (folder != "tests/apps" or target["name"] in words)):
            needed += paths
    return needed


def cross_build(cache, work, cases, folders):
    """Build and install for arm64 below work. Nothing is built if nothing has changed."""
    build = work / "build"
    library = cache / "sysroot/usr/lib" / CROSS
    cross, text = work / "cross.ini", f"""[binaries]
c = '{CROSS}-gcc'
ar = '{CROSS}-ar'
strip = '{CROSS}-strip'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
[built-in options]
c_args = ['-isystem{cache}/sysroot/usr/include']
c_link_args = ['-L{library}', '-L{cache}/sysroot/lib/{CROSS}', '-Wl,-rpath-link,{library}:{cache}/sysroot/lib/{CROSS}']
"""
    if not cross.exists() or cross.read_text() != text:  # a newer file is configured again
        cross.write_text(text)
    if not (build / "build.ninja").exists():
        command("meson", "setup", build, SOURCE, "--cross-file", cross,
                "--prefix=/usr", "--libdir=lib", "-Dwerror=true", "-Ddebug=false")
    command("ninja", "-C", build, *needed_files(build, cases, folders))
    root = work / "root"
    shutil.rmtree(root, ignore_errors=True)
    command("meson", "install", "-C", build, "--no-rebuild", "--destdir", root)
    return build, root


def is_program(path):
    with path.open("rb") as file:
        return os.access(path, os.X_OK) and file.read(4) == b"\x7fELF"


def fill_root(cache, build, root, cases, folders):
    """Add to the installed files what the programs need, the programs of folders, and the cases."""
    lib = root / "lib"
    lib.mkdir(parents=True, exist_ok=True)
    for name in ("ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libgcc_s.so.1"):
        path = command(f"{CROSS}-gcc", f"-print-file-name={name}").strip()
        shutil.copy(path, lib / name)
    for folder in ("usr/lib", "lib"):
        for path in sorted((cache / "sysroot" / folder / CROSS).glob("lib*.so.*")):
            shutil.copy(path, lib)
    (root / "bin").mkdir(exist_ok=True)
    shutil.copy(cache / "sysroot/bin/busybox", root / "bin")
    programs = root / "usr/libexec/guest"
    programs.mkdir(parents=True)
    for folder in folders:
        for path in sorted((build / folder).glob("*")):
            if path.is_file() and (is_program(path) or path.suffix == ".so"):
                shutil.copy(path, programs)
    # Programs find their libraries here, whatever directory of the build these are in.
    for folder in (programs, root / "usr/lib/regionstat/standin"):
        for path in sorted(folder.glob("lib*.so*")):
            shutil.copy(path, lib)
    shutil.copytree(cases, root / "tests", ignore=shutil.ignore_patterns("*.py"))
    shutil.copy(HERE / "init", root)
    (root / "init").chmod(0o755)


def make_initrd(cache, work, cases=HERE / "cases", folders=FOLDERS):
    """Build everything that the machine contains. Several boots may do this at a time."""
    work.mkdir(parents=True, exist_ok=True)
    with (work / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build, root = cross_build(cache, work, cases, folders)
        fill_root(cache, build, root, cases, folders)
        # Each boot has a separate file, because another boot may be reading while this one writes.
        initrd = tempfile.NamedTemporaryFile(dir=work, prefix="initrd.", delete=False).name
        with open(initrd, "wb") as out:
            names = subprocess.run(["find", ".", "-print0"], cwd=root, check=True,
                                   stdout=subprocess.PIPE).stdout
            subprocess.run(["cpio", "--quiet", "-0", "-o", "-H", "newc", "-R", "0:0"], cwd=root,
                           input=names, stdout=out, check=True)
    return initrd


def qemu_words(cpu, n_cpus, machine="virt", shift=0):
    """Return QEMU's command. An instruction takes 1 ns, or 2 ns with a shift of 1."""
    return ["qemu-system-aarch64", "-M", machine, "-cpu", PROCESSORS.get(cpu, cpu),
            "-icount", f"shift={shift},sleep=off", "-m", "512", "-smp", str(n_cpus), "-nic", "none",
            "-nographic"]


def make_device_tree(cpu, work):
    """Write the device tree of a machine with two types of cores to a file."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "virt.dtb"
        command(*qemu_words(cpu, 2, f"virt,dumpdtb={plain}"))
        blob = plain.read_bytes()
    path = work / "big_little.dtb"
    path.write_bytes(big_little.with_two_types(blob))
    return path


def boot(kernel_image, initrd, cpu, only, device_tree=None, shift=0):
    """Boot, run the tests, power off, and return all that the machine's console showed."""
    words = qemu_words(cpu, 2 if device_tree else 1, shift=shift)
    # Each system call would change the page tables (kpti) and fill the branch history, on processors
    # that need it. In QEMU this takes most of the time of a system call.
    # The kernel passes unknown words of its command line to init as environment.
    words += ["-kernel", str(kernel_image), "-initrd", initrd,
              "-append", "console=ttyAMA0 quiet panic=-1 mitigations=off kpti=off nokaslr only=" + ",".join(only),
              "-no-reboot"]
    if device_tree:
        words += ["-dtb", str(device_tree)]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=BOOT_SECONDS, check=False)
        console, note = done.stdout, ""
    except subprocess.TimeoutExpired as expired:
        console, note = expired.stdout or b"", f"\n(ended after {BOOT_SECONDS} seconds)\n"
    return console.decode(errors="replace").replace("\r\n", "\n") + note


def runs_of_console(console, kernel, cpu, big_little=False):
    """Return the tests that ran, by name, from the console's text."""
    runs, name, lines = {}, None, []
    for line in console.split("\n"):
        if line.startswith("@@@ begin "):
            name, lines = line.split()[2], []
        elif line.startswith("@@@ end ") and name:
            runs[name] = Run(name, "\n".join(lines[:-1]) + "\n", int(line.split()[3]),
                             kernel, cpu, big_little)
            name = None
        else:
            lines.append(line)
    return runs


def emulated_runs(arguments):
    cache = Path(arguments.cache)
    for tool, package in TOOLS.items():
        if not shutil.which(tool):
            skip_all(f"the emulated machine needs {tool} (package {package})")
    if not (cache / "complete").exists():
        skip_all("the emulated machine is not fetched: run sh tests/check.sh")
    image = cache / f"vmlinuz-{arguments.kernel}"
    if not image.exists():
        skip_all(f"this machine's package sources offer no arm64 cloud kernel {arguments.kernel}")
    work = Path(arguments.build).resolve() / "tests/guest/aarch64"
    initrd = make_initrd(cache, work)
    device_tree = make_device_tree(arguments.cpu, work) if arguments.big_little else None
    try:
        names = [path.stem for path in scripts(arguments.only, arguments.without)]
        console = boot(image, initrd, arguments.cpu, names, device_tree)
        runs = runs_of_console(console, arguments.kernel, arguments.cpu, arguments.big_little)
        if arguments.halved:
            again = boot(image, initrd, arguments.cpu, names, shift=1)
            halved = runs_of_console(again, arguments.kernel, arguments.cpu)
            for name, run in runs.items():
                run.halved = halved[name]
                run.regionstat = Path(arguments.build).resolve() / "cmd/regionstat"
    finally:
        os.unlink(initrd)
    return runs, console


def native_runs(arguments):
    """Run the same tests on this machine, if it has counters."""
    build = Path(arguments.build)
    path = [build / folder for folder in ("cmd", *FOLDERS)]
    environment = dict(os.environ, LC_ALL="C", LD_LIBRARY_PATH=str(build / "lib" / "runtime"),
                       PATH=":".join(str(folder) for folder in path) + ":" + os.environ["PATH"])
    probe = subprocess.run(["pmu_probe"], env=environment, stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    if "instructions unsupported" in probe:
        skip_all("this machine counts no instructions (" + probe.split("\n")[1] + " = errno of "
                 "perf_event_open); the emulated machine's tests stand for it")
    runs = {}
    for test in scripts(arguments.only, arguments.without):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["sh", str(test)], cwd=folder, env=environment, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, errors="replace", check=False)
        runs[test.stem] = Run(test.stem, done.stdout, done.returncode, None, None)
    return runs, ""


def judge(name, run, check, console):
    """Judge one test by its module in cases/. An exception in the module is a failure with its
    reason."""
    check.test = name
    if run is None:
        check.true("ran to its end", False, console)
        return
    spec = importlib.util.spec_from_file_location("case_" + name, HERE / "cases" / (name + ".py"))
    module = importlib.util.module_from_spec(spec)
    failed_before = check.failed
    try:
        spec.loader.exec_module(module)
        module.judge(run, check)
    except Exception as error:  # pylint: disable=broad-except
        check.true("was judged", False, f"{type(error).__name__}: {error}")
    if check.failed > failed_before:
        print("\n".join("# " + line for line in run.text.splitlines()))


def main():
    parser = argparse.ArgumentParser(description="run the tests of cases/ and judge them")
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--cache", help="where fetch.sh has put the machine's parts")
    parser.add_argument("--kernel", help="the emulated kernel, such as 6.1; none: this machine")
    parser.add_argument("--cpu", default="neoverse-n1", help="the emulated processor")
    parser.add_argument("--big-little", action="store_true",
                        help="two CPUs with a PMU each, as if of two types; not exact")
    parser.add_argument("--halved", action="store_true",
                        help="boot twice, the second time with half the processor's frequency")
    parser.add_argument("--without", action="extend", default=[], metavar="NAME[,NAME...]",
                        type=lambda names: names.split(","),
                        help="leave out the tests whose names begin so, unless they are named")
    parser.add_argument("only", nargs="*", help="the tests to run, by name; unless told, all but the long ones")
    arguments = parser.parse_args()

    # judges read CSV with the harness of the command tests
    sys.path.insert(0, str(HERE.parent / "cli"))
    runs, console = emulated_runs(arguments) if arguments.kernel else native_runs(arguments)
    check = Check()
    for test in scripts(arguments.only, arguments.without):
        judge(test.stem, runs.get(test.stem), check, console)
    print(f"1..{check.count}")
    sys.exit(1 if check.failed else 0)


if __name__ == "__main__":
    main()
