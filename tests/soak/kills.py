# SPDX-License-Identifier: MIT
"""Programs that SIGKILL ends at a random time. Reports contain every call that had ended, and no
call that was not about to end. Each program writes the truth to its own file (soak.c).

REGIONSTAT_KILLS is their number, and REGIONSTAT_SEED chooses them. Without a number, this is a short
test with a fixed seed. The instruction that a kill hits differs from run to run.
"""

import os
import random
import signal

import soak
import harness

# Features without children that outlive the killed process.
FEATURES = ("", "t", "s", "h", "ts", "x", "w", "wt", "wh")
EVENTS = ("time", "page-faults", "page-faults,context-switches")
KILLED = 128 + signal.SIGKILL
STEPS = 1000000  # more than a program reaches before it is killed
MOST_SECONDS = 0.08
NUMBER = int(os.environ.get("REGIONSTAT_KILLS", "40"))
SEED = harness.seed(1, "REGIONSTAT_KILLS" in os.environ)


class Kills(harness.TestCase):

    def kill_one(self, dice):
        """Kill a program. Return the differences as text, and the number of calls in the truth."""
        path = self.path("truth")
        with open(path, "wb") as file:
            file.truncate(4096)
        features, events = dice.choice(FEATURES), dice.choice(EVENTS)
        seconds, seed = dice.random() * MOST_SECONDS, dice.randrange(10 ** 6)
        options = ["--by-work"] if "w" in features and dice.random() < 0.7 else []
        result = self.measure("timeout", "--signal=KILL", "%.6f" % seconds, soak.SOAK, path, seed,
                              features, STEPS, events=events, options=options, status=KILLED)
        truth = soak.read_truth(path)
        found = soak.differences(result, truth)
        if found:
            found.insert(0, "features %r, -e %s %s, killed after %.6f s" % (
                features, events, " ".join(options), seconds))
        return found, sum(truth.ended.values())

    def test_every_call_is_known(self):
        harness.need_no_sanitizer()
        dice, n_calls, n_marked = random.Random(SEED), 0, 0
        for _ in range(NUMBER):
            found, n_known = self.kill_one(dice)
            self.assertFalse(found, "\n".join(found))
            n_calls, n_marked = n_calls + n_known, n_marked + bool(n_known)
        harness.note("seed %d: %d killed, %d of them with %d calls, all of them known" % (
            SEED, NUMBER, n_marked, n_calls))
        self.assertGreater(n_marked, NUMBER // 4)
