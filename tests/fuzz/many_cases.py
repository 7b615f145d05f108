# SPDX-License-Identifier: GPL-3.0-or-later
"""What fuzzers share that check one generated file after the other with Fenceline."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import tempfile


def run(case, count):
    """Calls case(program, seed, folder) for each seed of the command line, several at a time.

    A case returns its problem, None if there is none, and a list of answers. Returns how often each answer was given
    and how many cases failed; the failures are printed. Files that a case leaves in the folder are kept with --keep.
    """
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--count", type=int, default=count)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--keep", metavar="FOLDER")
    options = arguments.parse_args()
    answers = collections.Counter()
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        seeds = range(options.seed * 100000, options.seed * 100000 + options.count)
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as workers:
            results = workers.map(lambda seed: case(options.program, seed, folder), seeds)
            for seed, (problem, answered) in zip(seeds, results):
                answers.update(answered)
                if problem:
                    failures += 1
                    print(f"{seed}: {problem}")
    for answer, times in sorted(answers.items()):
        print(f"{answer}: {times}")
    print(f"{options.count} programs, {failures} failures")
    return answers, failures
