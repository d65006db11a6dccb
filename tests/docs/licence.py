# SPDX-License-Identifier: MIT
"""Every source file says under which licence it may be copied, because a file may be copied
alone."""

import os

import harness

LINE = "SPDX-License-Identifier: MIT"
# goldens are compared to the byte; objects, pictures and inputs of fuzzing are no text
WITHOUT = (".txt", ".pyc", ".o", ".bin", ".webp")
FIRST_LINES = 20


class Licence(harness.TestCase):
    """The line that tools look for, near each file's beginning."""

    def test_every_source_names_its_licence(self):
        paths = [os.path.join(harness.SOURCE, name) for name in ("meson.build", "meson_options.txt")]
        for top in ("cmd", "lib", "man", "tests"):
            for folder, _, names in os.walk(os.path.join(harness.SOURCE, top)):
                paths += [os.path.join(folder, name) for name in names
                          if not name.startswith(".") and not name.endswith(WITHOUT)]
        self.assertGreater(len(paths), 400)
        missing = []
        for path in paths:
            with open(path, encoding="utf-8") as file:
                start = [line for line, _ in zip(file, range(FIRST_LINES))]
            if not any(LINE in line for line in start):
                missing.append(os.path.relpath(path, harness.SOURCE))
        self.assertEqual(missing, [])
