# SPDX-License-Identifier: MIT
"""The same with all states."""

from cases.steps_some import judge  # noqa: F401 pylint: disable=unused-import
