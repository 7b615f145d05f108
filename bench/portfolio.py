#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the portfolio with the engines it is made of, on the corpus.

    portfolio.py FENCELINE CORPUS [--seconds S] [--only TEXT] [--markdown]

Every file is checked on its models by the portfolio (--jobs 2), and where that takes more than 0.1 s or does not
decide, by each engine alone (--engine E --jobs 1). The portfolio has to decide whatever an engine decides, with the same
verdict, in at most 1.5 times the time of the best engine plus 0.1 s. Exit status 1 if it does not. Times are wall-clock
seconds of the verification, from the JSON result; so the machine has to be idle.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ENGINES = ["explicit", "coherence", "automata", "numeric", "sat", "queue"]
MODELS = {".fl": ["sc", "tso", "pso"], ".c": ["sc", "tso", "rc11"], ".cpp": ["sc", "tso", "rc11"]}
FACTOR, EXTRA = 1.5, 0.1


def check(fenceline, path, model, seconds, *options):
    """{(property, test): (verdict, seconds)} of the file; empty if it cannot be checked like this."""
    command = [fenceline, "check", str(path), "--model", model, "--json", "-", "--timeout", str(seconds), *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        answers = json.loads(result.stdout)["results"]
    except (ValueError, KeyError):
        return {}
    return {
        (one["property"], one.get("test", {}).get("name", "")): (one["verdict"], one["engine_seconds"], one["seconds"])
        for one in answers
        if one["engine"]
    }


def compare(arguments, path, model):
    """Rows (name, best engine, its seconds, the portfolio's seconds, verdicts) of the slow tasks that some engine
    decides, and the number of tasks that the portfolio decides within 0.1 s."""
    # A second more than each engine: it has to decide what they decide.
    together = check(arguments.fenceline, path, model, 1.5 * arguments.seconds + 1, "--jobs", "2")
    slow = {
        key: (verdict, seconds)
        for key, (verdict, _, seconds) in together.items()
        if verdict == "unknown" or seconds > EXTRA
    }
    rows, alone = [], {}
    for engine in ENGINES if slow else []:
        alone[engine] = check(arguments.fenceline, path, model, arguments.seconds, "--engine", engine)
    for key, (verdict, seconds) in slow.items():
        decided = {
            engine: (answers[key][0], answers[key][2])
            for engine, answers in alone.items()
            if key in answers and answers[key][0] != "unknown"
        }
        if decided:
            best = min(decided, key=lambda engine: decided[engine][1])
            name = f"{path.name} {key[1]} {key[0]} {model}"
            rows.append((name, best, decided[best][1], seconds, decided[best][0], verdict))
    return rows, len(together) - len(slow)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fenceline")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", default="")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    rows, late, wrong, best_of, at_once = [], [], [], {}, 0
    for path in sorted(p for p in arguments.corpus.rglob("*") if p.suffix in MODELS and arguments.only in str(p)):
        for model in MODELS[path.suffix]:
            compared, quick = compare(arguments, path, model)
            at_once += quick
            for row in compared:
                name, best, alone, together, expected, verdict = row
                rows.append(row)
                best_of[best] = best_of.get(best, 0) + 1
                if verdict != expected:
                    wrong.append(row)
                elif together > FACTOR * alone + EXTRA:
                    late.append(row)
                progress = f"{name}: {best} {alone:.3f} s, portfolio {together:.3f} s, {verdict}"
                print(progress, file=sys.stderr, flush=True)
    bar = "| " if arguments.markdown else ""
    sums = sum(row[2] for row in rows), sum(row[3] for row in rows)
    print(f"{bar}{at_once} tasks decided within {EXTRA} s; {len(rows)} others that some engine decides: seconds of the "
          f"best engine of each {sums[0]:.1f}, of the portfolio {sums[1]:.1f}")
    print("best engine: " + ", ".join(f"{engine} {best_of.get(engine, 0)}" for engine in ENGINES))
    for title, listed in (("not decided by the portfolio", wrong), (f"above {FACTOR} times + {EXTRA} s", late)):
        print(f"{title}: {len(listed)}")
        for name, best, alone, together, expected, verdict in listed:
            print(f"  {name}: {best} {expected} {alone:.2f} s, portfolio {verdict} {together:.2f} s")
    return 1 if wrong or late else 0


if __name__ == "__main__":
    sys.exit(main())
