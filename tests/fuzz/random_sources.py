#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs in C and random litmus tests, on which compare_sources compares engines.

    random_sources.py COMPARE_SOURCES [--count N] [--seed N] [--kind NAME,...] [--keep FOLDER] [--plant NAME] [--every]

Half of the N sources are C programs: those of random_c.py, random_concurrent_c.py, random_retries.py,
random_structures.py and random_small_c.py; half are litmus tests in C and in the assembly of four architectures (litmus_models.py), with a
random condition. COMPARE_SOURCES reads each with its front end; see there what is compared. The same seed makes the same
sources. The exit status is that of COMPARE_SOURCES.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import concurrent_c
import litmus_models
import random_c
import random_concurrent_c
import random_retries
import random_small_c
import random_structures


def litmus(architecture):
    def text(rng):
        whole = architecture(rng).text(f"{architecture.NAME}-{rng.randrange(10**6)}", rng)
        seen = re.findall(r"[\w:]+(?=;)", re.search(r"locations \[(.*)\]", whole)[1])
        terms = [f"{name}={rng.choice([0, 1, 1, 2])}" for name in rng.sample(seen, min(len(seen), rng.choice([1, 2, 2, 3])))]
        condition = " /\\ ".join(terms)
        return whole.replace("forall (true)", f"{rng.choice(['exists', '~exists', 'forall'])} ({condition})")

    return text


KINDS = {
    "plain": (".c", random_c.program_text),
    "concurrent": (".c", lambda rng: concurrent_c.c_text(random_concurrent_c.random_program(rng))),
    "retries": (".c", lambda rng: random_retries.text_of(random_retries.random_program(rng))),
    "structures": (".c", random_structures.text),
    "small": (".c", random_small_c.text),
    **{architecture.NAME: (".litmus", litmus(architecture))
       for architecture in (litmus_models.AArch64, litmus_models.RiscV, litmus_models.Ppc, litmus_models.X86, litmus_models.C)},
}
OF_C = [kind for kind, (extension, _) in KINDS.items() if extension == ".c"]
OF_LITMUS = [kind for kind, (extension, _) in KINDS.items() if extension == ".litmus"]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("compare_sources")
    arguments.add_argument("--count", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--kind", default=",".join(KINDS), help="only these")
    arguments.add_argument("--keep", metavar="FOLDER")
    arguments.add_argument("--plant")
    arguments.add_argument("--every", action="store_true", help="all models for every source")
    options = arguments.parse_args()
    chosen = options.kind.split(",")
    groups = [group for group in ([k for k in OF_C if k in chosen], [k for k in OF_LITMUS if k in chosen]) if group]
    with tempfile.TemporaryDirectory(prefix="fenceline-sources-") as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(options.count):
            group = groups[number % len(groups)]
            kind = group[number // len(groups) % len(group)]
            extension, make = KINDS[kind]
            rng = random.Random(f"{kind} {options.seed} {number}")
            (folder / f"{number:06}-{kind}{extension}").write_text(make(rng))
        words = [options.compare_sources, "--folder", str(folder), "--seed", str(options.seed)]
        words += ["--plant", options.plant] if options.plant else []
        words += ["--every"] if options.every else []
        return subprocess.run(words, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
