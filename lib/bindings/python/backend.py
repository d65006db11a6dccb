# SPDX-License-Identifier: MIT
"""This file builds the wheel of the module, for pip (PEP 517, PEP 660). The module is plain Python,
so the build needs neither other packages nor the network. Name and version are in pyproject.toml.
"""

import base64
import hashlib
import os
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = "regionstat"


def project():
    """Return the string values of pyproject.toml by their keys."""
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        return dict(re.findall(r'^([\w-]+) = "(.*)"$', file.read(), re.MULTILINE))


def write_wheel(directory, files):
    """Write a wheel with files {path: content}, and return its name."""
    about = project()
    info = "%s-%s.dist-info/" % (about["name"], about["version"])
    name = "%s-%s-py3-none-any.whl" % (about["name"], about["version"])
    files = {**files,
             info + "METADATA": "Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\n"
                                "License: MIT\nRequires-Python: %s\n" % tuple(
                                    about[key] for key in ("name", "version", "description",
                                                           "requires-python")),
             info + "WHEEL": "Wheel-Version: 1.0\nGenerator: regionstat\n"
                             "Root-Is-Purelib: true\nTag: py3-none-any\n"}
    record = ""
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, text in files.items():
            data = text.encode("utf-8")
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
            record += "%s,sha256=%s,%d\n" % (path, digest.decode(), len(data))
            wheel.writestr(path, data)
        wheel.writestr(info + "RECORD", record + info + "RECORD,,\n")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build a wheel with the module's files."""
    files = {}
    for name in sorted(os.listdir(os.path.join(HERE, PACKAGE))):
        if name.endswith(".py"):
            with open(os.path.join(HERE, PACKAGE, name), encoding="utf-8") as file:
                files[PACKAGE + "/" + name] = file.read()
    return write_wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Build a wheel that points to this directory, for pip install -e."""
    return write_wheel(wheel_directory, {PACKAGE + ".pth": HERE + "\n"})
