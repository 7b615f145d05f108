# SPDX-License-Identifier: GPL-3.0-or-later
"""What fuzzers share that make several programs from one, check them all, and compare the verdicts."""

import argparse
import collections
import json
import pathlib
import subprocess
import tempfile


def arguments(count):
    """Those that all of them have."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", metavar="FOLDER")
    return parser


def verdicts(program, paths, options, checked="errors"):
    """The verdicts of `fenceline check` about the property, by file and model."""
    words = [program, "check", *map(str, paths), "--json", "-", "--quiet", "--certify", "never", *options]
    result = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if result.returncode not in (0, 1, 2):
        raise SystemExit(f"exit status {result.returncode}: {' '.join(words)}\n{result.stderr[:2000]}")
    return {(one["file"], one["model"]): one["verdict"] for one in json.loads(result.stdout)["results"]
            if one["property"] == checked}


def run(options, compare, batch=25):
    """Calls compare(options, folder, seeds) for so many seeds at a time, and returns the exit status.

    It yields for each seed the files that it has made (the first one is shown if something is wrong, and all are
    removed if nothing is), what is wrong, and the answers to count.
    """
    answers, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        seeds = range(options.seed * 100000, options.seed * 100000 + options.count)
        for begin in range(0, options.count, batch):
            some = seeds[begin:begin + batch]
            for seed, (paths, wrong, answered) in zip(some, compare(options, folder, some)):
                answers.update(answered)
                if wrong:
                    failures += 1
                    print(f"{seed}: {'; '.join(wrong)}\n{paths[0].read_text() if failures <= 3 else ''}")
                else:
                    for path in paths:
                        path.unlink()
    for answer, times in sorted(answers.items()):
        print(f"{answer}: {times}")
    print(f"{options.count} programs, {failures} failures")
    return 1 if failures else 0
