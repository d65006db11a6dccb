# SPDX-License-Identifier: MIT
"""The HTML report as a browser draws it without scripts: on narrow and wide screens, dark and light.
REGIONSTAT_PICTURES names a folder in which the pictures stay."""

import os
import re

import harness

HEIGHT = 1400
SCHEMES = ("dark", "light")  # as blink numbers them
# Print the brightness of the background in a corner, and the pixels at the right edge that differ from
# it: nothing may be cut off there.
LOOK = """
import sys
from PIL import Image
for path in sys.argv[1:]:
    picture = Image.open(path).convert("L")
    width, height = picture.size
    corner = picture.getpixel((0, 0))
    edge = picture.crop((width - 4, 0, width, height)).tobytes()
    print(width, corner, sum(pixel != corner for pixel in edge), len(picture.getcolors()))
"""


class Pictures(harness.TestCase):
    def draw(self, page, width, scheme, path):
        harness.run([harness.need_tool("chromium"), "--headless", "--no-sandbox", "--disable-gpu",
                     "--user-data-dir=" + self.path("profile"), "--hide-scrollbars",
                     "--window-size=%d,%d" % (width, HEIGHT), "--screenshot=" + path,
                     "--blink-settings=preferredColorScheme=%d" % SCHEMES.index(scheme),
                     "file://" + page], env=harness.environment(XDG_CONFIG_HOME=self.path("profile")))
        harness.need(os.path.exists(path), "chromium makes no pictures here")

    def test_without_scripts(self):
        python = harness.need_module("PIL")
        page, folder = self.path("run.html"), os.environ.get("REGIONSTAT_PICTURES", self.path("."))
        result = self.regionstat("--quiet", "-e", "page-faults,context-switches", "-o", page,
                                 harness.app("coming"), "300")
        text, n = re.subn(r"script-src '[^']*'", "script-src 'none'", harness.read_text(page))
        self.assertEqual(n, 1)
        self.text_file("run.html", text)
        wanted = [(width, scheme) for width in (360, 1280, 2560) for scheme in SCHEMES]
        paths = [os.path.join(folder, "%s-%d.png" % (scheme, width)) for width, scheme in wanted]
        for (width, scheme), path in zip(wanted, paths):
            self.draw(page, width, scheme, path)
        result = self.execute([python, "-c", LOOK, *paths])
        for (width, scheme), line in zip(wanted, result.stdout.splitlines(), strict=True):
            found, corner, at_edge, n_colours = map(int, line.split())
            self.assertEqual((found, at_edge), (width, 0), (width, scheme))
            self.assertTrue(corner < 64 if scheme == "dark" else corner > 192, (scheme, corner))
            self.assertGreater(n_colours, 16)
