# SPDX-License-Identifier: MIT
"""Write the style and the script of the HTML report as a C source, without comments and line
breaks. The policy of a report allows this one script, by its SHA-256.

usage: html_files.py CSS JS OUTPUT
"""

import base64
import hashlib
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def string_of(text):
    """Return text as C string literals of moderate length."""
    escaped = "".join(c if " " <= c <= "~" and c not in '"\\?' else
                      "".join(f"\\{byte:03o}" for byte in c.encode()) for c in text)
    pieces = re.findall(r"(?:\\...|[^\\]){1,90}", escaped)
    return "\n\t".join(f'"{piece}"' for piece in pieces)


def main():
    css_path, js_path, output = sys.argv[1:]
    css = re.sub(r"(?s)/\*.*?\*/", "", read(css_path))
    css = re.sub(r"\s*\n\s*", "", css)
    js = re.sub(r"(?m)^\s*//.*$", "", read(js_path))
    js = re.sub(r"\n\s*", "\n", js).strip()
    digest = base64.b64encode(hashlib.sha256(js.encode()).digest()).decode()
    with open(output, "w", encoding="utf-8") as file:
        file.write('/* Made by html_files.py. */\n#include "report/html.h"\n\n')
        for name, text in (("css", css), ("js", js), ("js_hash", digest)):
            file.write(f"const char rs_html_{name}[] =\n\t{string_of(text)};\n")


main()
