#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGINT and SIGTERM at random moments of all commands: the program ends soon, with 130 or 143, leaves no process and
no temporary file, and an earlier result file is as it was.

    signals.py FENCELINE [--runs N] [--seed S] [--strict]

With --strict "soon" is two seconds. Half of the runs are of programs that end by themselves: if they were done before
the signal came, the result file is complete.
"""

import argparse
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

from endless import PATIENCE, SupervisedRun, random_words, write_programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
EARLIER = '{"earlier": true}\n'
SHORT = [
    ["check", "--model", "sc,tso,pso", "corpus/mutex/peterson.fl"],
    ["check", "--model", "rc11,tso", "corpus/c/dekker.c"],
    ["check", "--model", "tso", "corpus/c/msn.tests"],
    ["infer", "--model", "pso", "--patch", "out/result.json.patch", "corpus/mutex/peterson.fl"],
    ["litmus", "corpus/litmus-tests/x86"],
]


def run_once(program, number, seed, strict):
    rng = random.Random(f"{seed}-{number}")
    which = rng.choice([signal.SIGINT, signal.SIGTERM]) if number < 0 else [signal.SIGINT, signal.SIGTERM][number % 2]
    ends = rng.random() < 0.5
    words = rng.choice(SHORT) if ends else random_words(rng)
    moment = rng.uniform(0, 0.4 if ends else 2)
    with tempfile.TemporaryDirectory(prefix="fenceline-signals-") as name:
        folder = pathlib.Path(name)
        write_programs(folder)
        if ends:
            (folder / "corpus").symlink_to(ROOT / "corpus")
        (folder / "out").mkdir()
        (folder / "out" / "result.json").write_text(EARLIER, encoding="utf-8")
        patch = folder / "out" / "result.json.patch"
        patch.write_text(EARLIER, encoding="utf-8")
        run = SupervisedRun(program, words, folder, ROOT / "docs" / "result.schema.json")
        complaints = []
        done = run.watch(moment)
        if not done:
            run.process.send_signal(which)
            before = run.start
            run.start = time.monotonic()
            if not run.watch(60 if strict else PATIENCE):
                complaints.append("it does not end")
                run.end()
            elif strict and run.seconds > 2:
                complaints.append(f"it took {run.seconds:.2f} s")
            run.start = before
        status = run.process.returncode
        # Killed by the signal itself: it came before the program could take care of it.
        interrupted = status in (128 + which, -which)
        untouched = run.json.read_text(encoding="utf-8") == EARLIER
        if interrupted and not untouched:
            complaints.append("the earlier result was touched")
        if interrupted and patch.read_text(encoding="utf-8") != EARLIER:
            complaints.append("the earlier patch was touched")
        if not interrupted and not ((ends or done) and status in (0, 1, 2)):
            complaints.append(f"exit status {status}")
        patch.unlink()
        complaints += run.complaints_about_leftovers()
        if not interrupted:
            complaints += run.complaints_about_json()
        for complaint in complaints:
            print(f"run {number}: {which.name} after {moment:.3f} s: {' '.join(words)}: {complaint}\n{run.output()}")
        return not complaints, interrupted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=12, help="half of them with each signal")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    program = shutil.which(str(options.program)) or str(options.program.resolve())
    program = str(pathlib.Path(program).resolve())
    good, interrupted = 0, 0
    for number in range(options.first, options.first + options.runs):
        fine, came_in_time = run_once(program, number, options.seed, options.strict)
        good += fine
        interrupted += came_in_time
    print(f"{good} of {options.runs} runs ended as they should; {interrupted} were interrupted, the others were done")
    return 0 if good == options.runs else 1


if __name__ == "__main__":
    sys.exit(main())
