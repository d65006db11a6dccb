# SPDX-License-Identifier: MIT
# Markers one instruction at a time, on arm64: as tests/steps does on this machine.
. "$(dirname "$0")/steps.inc"
step_through 300 401
