#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks every file of corpus/stm and compares with its `// expect PROPERTY: MODEL VERDICT, ...` lines.

usage: test_stm.py FENCELINE CORPUS [--slow]

`// expect 3x1 PROPERTY: ...` is about three threads and one variable; otherwise it is two and two. Lines that begin
with `// slow expect` are checked only with --slow.
"""
import pathlib
import re
import subprocess
import sys


def expectations(path, slow):
    for line in path.read_text().splitlines():
        found = re.fullmatch(r"// (slow )?expect (?:(\d)x(\d) )?(\w+): (.*)", line)
        if found and (slow or not found[1]):
            size = ["--threads", found[2] or "2", "--variables", found[3] or "2"]
            for pair in found[5].split(","):
                model, verdict = pair.split()
                yield size, found[4], model, verdict


def main():
    fenceline, corpus, slow = sys.argv[1], pathlib.Path(sys.argv[2]), "--slow" in sys.argv[3:]
    wrong = checked = 0
    for path in sorted((corpus / "stm").glob("*.fl")):
        lines = list(expectations(path, True))
        if not lines:
            print(f"{path.name}: has no expectations")
            wrong += 1
        for size, prop, model, verdict in expectations(path, slow):
            checked += 1
            run = subprocess.run([fenceline, "check", str(path), "--model", model, "--property", prop, *size, "--quiet"],
                                 capture_output=True, text=True, check=False)
            found = [line.split(": ")[-1] for line in run.stdout.splitlines() if f": {prop}: " in line]
            if found != [verdict]:
                print(f"{path.name} {' '.join(size)} {prop} {model}: expected {verdict}, found {found} {run.stderr}")
                wrong += 1
    print(f"{checked} tasks, {wrong} wrong")
    return 1 if wrong or checked < 20 else 0


sys.exit(main())
