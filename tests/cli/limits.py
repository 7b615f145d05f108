#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits are promises: random small limits of time and memory on programs that do not come to an end.

    limits.py FENCELINE [--runs N] [--seed S] [--strict | --sanitized]

With --strict the wall time is at most the limit and a second, and the peak of the resident memory of all processes
together at most the limit and a tenth of it. Without it (in the test suite) the machine may be slow and busy with other
things: the run has to end, and may hold half as much again. With --sanitized the memory is mostly the sanitizer's, and
is not measured. Always: exit status 2, a valid JSON result, no process and no temporary file left.
"""

import argparse
import pathlib
import random
import sys
import tempfile

from endless import PATIENCE, SupervisedRun, random_words, write_programs

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_once(program, number, seed, strict, sanitized):
    rng = random.Random(f"{seed}-{number}")
    seconds = round(rng.uniform(0.2, 3), 2)
    megabytes = rng.randint(60, 400)
    words = random_words(rng)
    limits = ["--timeout", str(seconds), "--memory", str(megabytes)]
    with tempfile.TemporaryDirectory(prefix="fenceline-limits-") as name:
        folder = pathlib.Path(name)
        write_programs(folder)
        run = SupervisedRun(program, [words[0], *limits, *words[1:]], folder, ROOT / "docs" / "result.schema.json")
        complaints = []
        patience = 60 if strict else PATIENCE
        if not run.watch(seconds + patience):
            complaints.append("it does not end")
            run.end()
            run.seconds = seconds + patience
        late, large = run.seconds - seconds, run.peak_kb / 1024 / megabytes - 1
        if strict and late > 1:
            complaints.append(f"it took {run.seconds:.2f} s")
        if not sanitized and large > (0.1 if strict else 0.5):
            complaints.append(f"it held {run.peak_kb / 1024:.0f} MB")
        if run.process.returncode != 2:
            complaints.append(f"exit status {run.process.returncode}")
        complaints += run.complaints_about_leftovers()
        complaints += run.complaints_about_json()
        for complaint in complaints:
            print(f"run {number}: {' '.join([words[0], *limits, *words[1:]])}: {complaint}\n{run.output()}", flush=True)
        return not complaints, late, large


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="1")
    measured = parser.add_mutually_exclusive_group()
    measured.add_argument("--strict", action="store_true")
    measured.add_argument("--sanitized", action="store_true")
    options = parser.parse_args()
    program = str(options.program.resolve())
    kept, latest, largest = 0, 0.0, -1.0
    for number in range(options.first, options.first + options.runs):
        good, late, large = run_once(program, number, options.seed, options.strict, options.sanitized)
        kept += good
        latest, largest = max(latest, late), max(largest, large)
    print(f"{kept} of {options.runs} runs kept their limits; at most {latest:.2f} s and {largest:+.0%} beyond them")
    return 0 if kept == options.runs else 1


if __name__ == "__main__":
    sys.exit(main())
