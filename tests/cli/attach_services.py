# SPDX-License-Identifier: MIT
"""Redis and nginx, built from their sources with a few markers and started without regionstat. Both are
attached under load. Calls equal what Redis and nginx count themselves, and periods add up to the
run."""

import collections
import glob
import http.client
import os
import re
import shutil
import signal
import socket
import threading
import unittest

import harness

# periods of a measurement; more of them in a long proof
PERIODS = int(os.environ.get("REGIONSTAT_PERIODS", "3"))
PERIOD = os.environ.get("REGIONSTAT_PERIOD", "300ms")
# columns of the run that the merged periods have, too
SAME = ("calls", "counted", "total", "self_total", "min", "p50", "p90", "p99", "max")

# What is changed in a source file: a text that is there once, and its replacement.
REDIS = {"src/server.c": (
    ('#include "server.h"\n', '#include "server.h"\n#include <regionstat.h>\n'),
    ("    c->cmd->proc(c);\n    server.in_nested_call--;\n",
     "    regionstat_begin(real_cmd->fullname);\n    c->cmd->proc(c);\n"
     "    regionstat_end(real_cmd->fullname);\n    server.in_nested_call--;\n"))}
# A request is a call from its handler to the end of its memory; HEAD is a region of its own.
NGINX = {"src/http/ngx_http_core_module.c": (
    ("#include <ngx_http.h>\n", "#include <ngx_http.h>\n#include <regionstat.h>\n"),
    ("void\nngx_http_handler(", """
static void
stop_request(void *call)
{
    regionstat_stop(*(struct regionstat_call *) call);
}

void
ngx_http_handler("""),
    ("    r->write_event_handler = ngx_http_core_run_phases;\n    ngx_http_core_run_phases(r);\n", """
    int                  is_head = r->method == NGX_HTTP_HEAD;
    ngx_pool_cleanup_t  *end = ngx_pool_cleanup_add(r->pool, sizeof(struct regionstat_call));

    if (end) {
        *(struct regionstat_call *) end->data = regionstat_start(is_head ? "HEAD" : "GET");
        end->handler = stop_request;
    }
    r->write_event_handler = ngx_http_core_run_phases;
    regionstat_begin(is_head ? "HEAD phases" : "GET phases");
    ngx_http_core_run_phases(r);
    regionstat_end(is_head ? "HEAD phases" : "GET phases");
"""))}
NGINX_SETTINGS = """
daemon off;
worker_processes 1;
pid nginx.pid;
error_log error.log;
%s
events { }
http {
    log_format method '$request_method';
    access_log access.log method;
    server {
        listen unix:%s;
        keepalive_requests 1000000000;
        location / { root html; }
        location /status { stub_status; }
    }
}
"""


def is_listening(path):
    """Return True if a server accepts connections to this Unix socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


def connect(path):
    """Return a connection to a Unix socket."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(harness.TIMEOUT_S)
    connection.connect(path)
    return connection


class Redis:
    """A connection to Redis."""

    def __init__(self, path):
        self.socket = connect(path)
        self.file = self.socket.makefile("rb")

    def close(self):
        self.file.close()
        self.socket.close()

    def command(self, *words):
        """Execute a command. Return the reply: bytes, or a list."""
        parts = [word.encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(parts) + b"".join(
            b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
        return self.reply()

    def reply(self):
        line = self.file.readline()
        if line[:1] == b"$":
            return self.file.read(int(line[1:]) + 2)[:-2] if int(line[1:]) >= 0 else b""
        if line[:1] == b"*":
            return [self.reply() for _ in range(int(line[1:]))]
        if line[:1] not in (b"+", b":"):
            raise AssertionError(line)
        return line[1:-2]


class Nginx(http.client.HTTPConnection):
    """A connection to nginx."""

    def __init__(self, path):
        super().__init__("a")
        self.sock = connect(path)

    def requests(self, method, path, n):
        """Send n requests, one after another. Return the content of the last response."""
        for _ in range(n):
            self.request(method, path)
            response = self.getresponse()
            content = response.read().decode()
            if response.status != 200:
                raise AssertionError("a request failed: %d" % response.status)
        return content


class Load:
    """A thread that calls a function until the end of the block."""

    def __init__(self, act):
        self.act = act
        self.n = 0
        self.ends = False
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while not self.ends:
            self.act()
            self.n += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *failure):
        self.ends = True
        self.thread.join()


class AttachServices(harness.TestCase):

    def build(self, name, changes, *command):
        """Mark the copied sources, and compile what is marked. Return their directory."""
        sources = harness.need_sources(name)
        directory = self.path(name)
        shutil.copytree(os.path.join(sources, "source"), directory, symlinks=True)
        for path, pairs in changes.items():
            text = harness.read_text(os.path.join(directory, path))
            for old, new in pairs:
                self.assertEqual(text.count(old), 1, (path, old))
                text = text.replace(old, new)
            harness.write_text(os.path.join(directory, path), text)
        self.execute(["make", *command], cwd=directory, timeout=500,
                     env=harness.environment(CPATH=os.path.dirname(harness.HEADER)))
        return directory

    def attach(self, pid, first, work):
        """Attach, and call work() until some periods have ended. first is a region that is always
        busy. Return how often, and the report."""
        names = [self.path("rows.csv"), self.path("total.json")]
        for path in names + glob.glob(self.path("part-*.json")):
            if os.path.exists(path):
                os.unlink(path)
        measurement = self.spawn([
            harness.REGIONSTAT, "attach", pid, "-e", "task-clock:u,page-faults:u", "--quiet",
            "--rotate", PERIOD, "-o", self.path("part-%t.json"), "-o", names[1],
            "-I", "50", "--interval-output", names[0]])
        harness.wait_until(lambda: self.holds(names[0], first))
        n = 0
        while n == 0 or len(self.parts()) < PERIODS:
            work()
            n += 1
        measurement.send_signal(signal.SIGINT)
        messages = measurement.communicate(timeout=harness.TIMEOUT_S)[1].decode()
        self.assertEqual(measurement.returncode, 0, messages)
        # short calls have much overhead
        self.assertEqual([line for line in messages.splitlines()
                          if not line.startswith("regionstat: markers take at least ")], [])
        return n, self.check_periods()

    @staticmethod
    def holds(path, region):
        if not os.path.exists(path):
            return False
        return ",%s," % region in harness.read_text(path)

    def parts(self):
        return glob.glob(self.path("part-*.json"))

    def report(self, *words):
        """Return the report that a verb of regionstat makes of files."""
        result = self.regionstat(words[0], "-x", ",", "-o", "-", *words[1:])
        return harness.Report(result.stdout)

    def check_periods(self):
        """All periods add up to the run, in each region and event. Return the report of the run."""
        report = self.report("report", self.path("total.json"))
        rows = [{(row.region, row.event): [getattr(row, what) for what in SAME]
                 for row in each.select(kind="region")}
                for each in (report, self.report("merge", *self.parts()))]
        self.assertEqual({key: [each.get(key) for each in rows] for key in {*rows[0], *rows[1]}
                          if rows[0].get(key) != rows[1].get(key)}, {})
        harness.note("%d periods, %d calls" % (len(self.parts()), sum(report.calls().values())))
        self.assertGreater(len(self.parts()), PERIODS)
        return report

    @staticmethod
    def statistics(client):
        """Return how many calls of each command Redis has executed."""
        text = client.command("INFO", "commandstats").decode()
        return {name: int(calls)
                for name, calls in re.findall(r"cmdstat_(\S+?):calls=(\d+),", text)}

    def test_commands_of_redis(self):
        directory = self.build("redis", REDIS, "-C", "src", "MALLOC=libc", "OPTIMIZATION=-O1",
                               "DEBUG=", "redis-server")
        path = self.path("socket")
        benchmark = [os.path.join(directory, "src", "redis-benchmark"), "-s", path, "-q"]
        server = self.spawn([os.path.join(directory, "src", "redis-server"), "--port", "0",
                             "--unixsocket", path, "--save", ""], cwd=self.directory)
        harness.wait_until(lambda: is_listening(path))
        client, clients = Redis(path), [Redis(path) for _ in range(2)]
        stats = []
        client.command("PING")  # it has set its title

        def work():
            stats.append(self.statistics(client))
            self.execute([*benchmark, "-n", "3000", "-P", "8", "-c", "20", "-t",
                          "set,get,incr,lpush,rpush,lpop,rpop,sadd,hset,spop,zadd,mset"])
            for _ in range(100):
                client.command("MULTI")
                client.command("INCR", "a")
                client.command("CONFIG", "GET", "save")
                client.command("EXEC")
                client.command("EVAL", "return redis.call('incr', 'b')", "0")
            stats.append(self.statistics(client))

        with Load(lambda: clients[0].command("PING")), Load(lambda: clients[1].command("ECHO", "x")):
            for _ in range(2):
                stats.clear()
                n, report = self.attach(server.pid, "ping", work)
                before, after = stats[0], stats[-1]
                expected = {name: after[name] - before.get(name, 0) for name in after}
                expected = {name: some for name, some in expected.items() if some}
                expected["info"] += 1  # an INFO is not in its own statistics
                least = {name: expected.pop(name) for name in ("ping", "echo")}
                calls = report.calls()
                for name, some in least.items():
                    self.assertGreaterEqual(calls.pop(name), some)
                self.assertEqual(calls, expected)
                self.assertIn("redis-server ", report.one(kind="info", event="command").value)
                self.assertEqual((expected["set"], expected["incr"], expected["multi"]),
                                 (3000 * n, 3200 * n, 100 * n))
                self.assertEqual(set(report.diagnostics()) - {"clamped", "open"}, set())
        self.assertIsNone(server.poll())
        for each in (client, *clients):
            each.close()
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=harness.TIMEOUT_S)
        self.assertEqual(server.returncode, 0)

    def test_requests_of_nginx(self):
        directory = self.build("nginx", NGINX)
        os.chmod(self.directory, 0o755)
        path = self.path("socket")
        try:
            harness.need_other_user()
            user = "" if os.getuid() else "user nobody nogroup;"
        except unittest.SkipTest:
            user = "user root root;"
        self.text_file("nginx.conf", NGINX_SETTINGS % (user, path))
        self.text_file("html/index.html", "x" * 1000)
        os.mkdir(self.path("logs"))
        server = self.spawn([os.path.join(directory, "objs", "nginx"), "-p", self.directory, "-c",
                             "nginx.conf"])
        harness.wait_until(lambda: os.path.exists(path) and harness.children(server.pid))
        worker = harness.children(server.pid)[0]
        # a new worker has its master's title at first
        harness.wait_until(lambda: "worker process" in open("/proc/%d/cmdline" % worker).read())
        client, clients = Nginx(path), [Nginx(path) for _ in range(2)]

        def logged():
            return collections.Counter(harness.read_text(self.path("access.log")).split())

        def work():
            client.requests("GET", "/index.html", 3000)
            # GET's ends are before the next response: nginx has one thread
            client.requests("HEAD", "/index.html", 1)

        heads = [lambda each=each: each.requests("HEAD", "/index.html", 10) for each in clients]
        with Load(heads[0]), Load(heads[1]):
            for _ in range(2):
                before = logged()
                n, report = self.attach(worker, "HEAD phases", work)
                after = logged()
                calls = report.calls()
                self.assertEqual(after["GET"] - before["GET"], 3000 * n)
                self.assertEqual((calls["GET"], calls["GET phases"]), (3000 * n, 3000 * n))
                self.assertLessEqual(calls["HEAD"], after["HEAD"] - before["HEAD"])
                self.assertGreater(calls["HEAD"], 0)
                self.assertEqual(report.one(kind="info", event="command").value,
                                 "nginx: worker process")
                self.assertEqual(set(report.diagnostics()) - {"clamped", "open"}, set())
        # all requests, by nginx's own counter, which has the request of its own page, too
        client.requests("HEAD", "/index.html", 1)
        n = int(client.requests("GET", "/status", 1).splitlines()[2].split()[2])
        harness.wait_until(lambda: sum(logged().values()) == n)
        for each in (client, *clients):
            each.close()
        server.send_signal(signal.SIGQUIT)
        server.communicate(timeout=harness.TIMEOUT_S)
        self.assertEqual(server.returncode, 0)
