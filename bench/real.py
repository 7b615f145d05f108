#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the clients of corpus/real cost: each answer that their first lines promise, with its time and memory.

    bench/real.py PROGRAM [--timeout SECONDS] [NAME...]     a line for each answer, as a table in Markdown

NAME as in ck_rwlock.c; none: all. Answers that are not as expected are marked with `!`.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/project"))
from test_c import expectations  # noqa: E402


def ask(program, path, model, tests, options, timeout):
    """(verdict, seconds, MiB, message); the verdict is `rejected` if the program was not read."""
    path = path.with_suffix(".tests") if path.with_suffix(".tests").exists() else path
    words = [program, "check", str(path), "--model", model, "--json", "-", "--certify", "never"]
    words += ["--test", ",".join(tests)] if tests else []
    started = time.monotonic()
    process = subprocess.Popen(
        [*words, "--timeout", str(timeout), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    output, errors = process.communicate()
    seconds = time.monotonic() - started
    if process.returncode not in (0, 1, 2):
        return "rejected", seconds, 0, errors.split("\n", 1)[0]
    results = json.loads(output)["results"]
    verdicts = {result["verdict"] for result in results}
    verdict = next(v for v in ("violated", "unknown", "verified") if v in verdicts)
    memory = max(result["peak_rss_kb"] for result in results) / 1024
    reasons = [result["reason"] for result in results if result["verdict"] == "unknown"]
    return verdict, seconds, memory, reasons[0] if reasons else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--timeout", type=int, default=600)
    arguments = parser.parse_intermixed_args()
    print("| client | options | model | verdict | s | MiB |")
    print("|---|---|---|---|---|---|")
    folder = ROOT / "corpus/real"
    wrong = 0
    for path in sorted([*folder.glob("*.c"), *folder.glob("*.cpp")]):
        if arguments.names and path.name not in arguments.names:
            continue
        for models, tests, options, _, _, expected, _ in expectations(path):
            shown = " ".join(word for word in options if not word.startswith("-I"))
            for model in models:
                verdict, seconds, memory, message = ask(
                    os.path.abspath(arguments.program), path.relative_to(ROOT), model, tests, options, arguments.timeout
                )
                mark = "" if verdict == expected else " !"
                wrong += verdict != expected
                print(f"| {path.name} | {shown} | {model} | {verdict}{mark} | {seconds:.1f} | {memory:.0f} |", flush=True)
                if mark:
                    print(f"{path.name} {shown} {model}: {message}", file=sys.stderr, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
