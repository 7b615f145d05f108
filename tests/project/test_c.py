#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of corpus/c, corpus/liveness and corpus/real against the answers that their first lines promise (corpus/c/README.md has the format).

    test_c.py PROGRAM [--slow] [NAME...]        NAME as in msn.c, liveness/abba.c, real/ck_rwlock.c; none: all. --slow: what takes long, and only that
    test_c.py PROGRAM --list                    what is expected, a line for each answer, without checking

A line `expect ...: verified` that speaks of tests is about each of them; `violated` without `tests` means that at least
one of them shows it.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CORPUS = [ROOT / "corpus/c", ROOT / "corpus/liveness", ROOT / "corpus/real"]
EXPECT = re.compile(r"^(?://|#)\s*expect\s+([^:]+):\s*(verified|violated|unknown)\s*(\?)?\s*(slow)?$")
OPTIONS = re.compile(r"^//\s*options\s+(.+)$")
TIMEOUT = "20000"  # s: a slow machine is no failure


def expectations(path):
    """(models, tests, defines, options, verdict) of each `expect` line."""
    always = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if (match := OPTIONS.match(line.strip())) is not None:
            always = match.group(1).split()
            continue
        match = EXPECT.match(line.strip())
        if match is None:
            if re.match(r"^(?://|#)\s*expect\b", line):
                raise SystemExit(f"{path}: not understood: {line}")
            continue
        head, verdict, unsure, slow = match.groups()
        models, *clauses = [part.strip() for part in head.split(",")]
        tests, options, variants, only, vacuous = [], list(always), [[]], None, False
        for clause in clauses:
            word, *rest = clause.split()
            if word == "tests":
                tests = rest
            elif word == "without":
                variants = [[f"-DFL_WITHOUT={n}"] for n in rest]
            elif word == "weaken":
                variants = [[f"-DFL_WEAKEN={n}"] for n in rest]
            elif word == "vacuous" and not rest:
                vacuous = True
            elif word == "define":
                options += [f"-D{name}" for name in rest]
            elif word == "options":
                options += rest
            elif word == "property" and rest == ["use-after-free"]:
                options += ["--frees"]
            elif word == "property" and rest in (["deadlock"], ["liveness"]):
                options += ["--property", rest[0]]
                only = rest[0]
            else:
                raise SystemExit(f"{path}: not understood: {clause}")
        for variant in variants:
            yield models.split(), tests, variant + options, only, vacuous, verdict, bool(slow)


def check(program, path, models, tests, options):
    words = [program, "check", str(path), "--model", ",".join(models), "--json", "-", "--timeout", TIMEOUT, *options]
    words += ["--certify", "never"]  # proofs have tests of their own
    if tests:
        words += ["--test", ",".join(tests)]
    result = subprocess.run(words, capture_output=True, text=True)
    if result.returncode not in (0, 1, 2):
        return None, result.stderr
    return json.loads(result.stdout)["results"], ""


def main():
    program, *rest = sys.argv[1:]
    names = [word for word in rest if not word.startswith("--")]
    failures = checked = 0
    for path in sorted(path for folder in CORPUS for path in folder.glob("*.c*")):
        name = path.name if path.parent.name == "c" else f"{path.parent.name}/{path.name}"
        if names and name not in names:
            continue
        target = path.with_suffix(".tests") if path.suffix == ".c" else path.with_name(path.stem + "_cpp.tests")
        target = target if target.exists() else path
        for models, tests, options, only, vacuous, verdict, slow in expectations(path):
            what = f"{name} {' '.join(models)} {' '.join(tests)} {' '.join(options)}: {verdict}"
            if "--list" in rest:
                print(what)
                continue
            if slow != ("--slow" in rest):
                continue
            answers, trouble = check(program, target, models, tests, options)
            checked += 1
            if answers is None:
                print(f"FAIL {what}\n{trouble}")
                failures += 1
                continue
            for model in models:
                found = {
                    a["test"]["name"] if "test" in a else "": a["verdict"]
                    for a in answers
                    if a["model"] == model and only in (None, a["property"])
                }
                good = (
                    any(v == verdict for v in found.values())
                    if verdict == "violated" and not tests
                    else found and all(v == verdict for v in found.values())
                )
                for a in answers:
                    if a["model"] != model or a["verdict"] != "verified" or only not in (None, a["property"]):
                        continue
                    if bool(a["vacuous"]) != vacuous:
                        print(f"FAIL {what}: on {model} {a['property']} is vacuous: {a['vacuous']}")
                        failures += 1
                if not good:
                    reasons = {a["reason"] for a in answers if a["model"] == model and a["verdict"] == "unknown"}
                    print(f"FAIL {what}: on {model} {found} {' '.join(sorted(reasons))}")
                    failures += 1
    print(f"{checked} tasks, {failures} not as expected")
    return 1 if failures or (names and not checked and "--list" not in rest) else 0


if __name__ == "__main__":
    sys.exit(main())
