# SPDX-License-Identifier: MIT
"""What Yama allows, to the program's own user and to root."""

NAME = "(kernel.yama.ptrace_scope is %d)"
REFUSALS = {1: ("a process to attach only to its children " + NAME % 1, "PR_SET_PTRACER in the program"),
            2: ("only for root " + NAME % 2, "try: sudo regionstat attach"),
            3: ("lets nobody attach " + NAME % 3, "try: start the program again: regionstat COMMAND")}


def judge(run, check):
    if "status 0" in run.section("scope 2"):
        check.skip("all", "this kernel has no Yama")
        return
    for scope in range(4):
        text, as_root = run.section(f"scope {scope}"), run.section(f"root {scope}")
        if scope == 0:
            check.contains("0: the user may", text, "scope ")
        else:
            for part in REFUSALS[scope]:
                check.contains(f"{scope}: the user is refused", text, part)
            check.contains(f"{scope}: the user's status", text, "status 125")
        if scope == 3:
            for part in REFUSALS[3]:
                check.contains("3: root is refused", as_root, part)
        else:
            check.contains(f"{scope}: root may", as_root, "scope ")
