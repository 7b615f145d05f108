#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the fences out of the fenced memories of corpus/stm, one at a time: without any one of them the memory must be
violated on the models that it is there for. That the files as they are verify is for test_stm.py.

usage: test_stm_fences.py FENCELINE CORPUS
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Of each file: how many fences of each kind it has, and on which models it needs those of that kind.
FENCED = {
    "tl2-fenced.fl": {"sfence": (2, ["pso", "rmo-ctrl"]), "lfence": (3, ["rmo-ctrl"])},
    "dstm-fenced.fl": {"sfence": (2, ["pso", "rmo-ctrl"]), "lfence": (1, ["rmo-ctrl"])},
    "mcrt-fenced.fl": {"sfence": (2, ["pso", "rmo-ctrl"])},
}


def fences(text):
    """The lines of the fences that are not in a comment."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", lambda comment: " " * len(comment[0]), text, flags=re.DOTALL)
    return list(re.finditer(r"\b([sl]?fence)\b(\([^)]*\))?\s*;", code))


def verdict(fenceline, path, model):
    run = subprocess.run([fenceline, "check", str(path), "--model", model, "--property", "opaque", "--quiet"],
                         capture_output=True, text=True, check=False)
    found = [line.split(": ")[-1] for line in run.stdout.splitlines() if ": opaque: " in line]
    return (found[0] if len(found) == 1 else f"{found} {run.stderr}"), run.returncode


def main():
    fenceline, corpus = sys.argv[1], pathlib.Path(sys.argv[2])
    wrong = checked = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, kinds in FENCED.items():
            text = (corpus / "stm" / name).read_text()
            found = fences(text)
            for kind in sorted(kinds.keys() | {fence[1] for fence in found}):
                here = [fence for fence in found if fence[1] == kind]
                count, models = kinds.get(kind, (0, []))
                if len(here) != count:
                    print(f"{name}: {len(here)} times {kind}, expected {count}")
                    wrong += 1
                for fence in here:
                    line = text.count("\n", 0, fence.start()) + 1
                    path = pathlib.Path(folder) / name
                    path.write_text(text[:fence.start()] + text[fence.end():])
                    for model in models:
                        checked += 1
                        answer, status = verdict(fenceline, path, model)
                        if answer != "violated" or status != 1:
                            print(f"{name} without the {kind} of line {line} on {model}: "
                                  f"expected violated, found {answer} (status {status})")
                            wrong += 1
    print(f"{checked} tasks, {wrong} wrong")
    return 1 if wrong or checked != 16 else 0


sys.exit(main())
