#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random sequential C programs by csmith, whose checksum a native run and Fenceline must agree on.

    fuzz_csmith.py PROGRAM [--count N] [--seed N] [--keep FOLDER] [--plant] [--target aarch64|riscv64|ppc64le]

Each program is compiled and run; then Fenceline verifies, on sc, that the checksum is the one that was printed, which
must be verified, and whether it is one more, which must be violated. csmith takes addresses of members of packed
structures: where Fenceline reports a misaligned access, Clang's sanitizer must report one too. (Not the other way
round: whether such a member is aligned depends on where its variable lies.) What Fenceline rejects is counted by
reason, and so is what it does not decide. The same seed makes the same programs. Those that fail are kept in FOLDER.

With --target, programs are compiled for that processor, and run by an emulator.

With --plant, numbers of 16 bits do not wrap in the native run: then it is an error if no difference is found.
"""

import pathlib
import re
import subprocess
import sys

import cross
import many_cases

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = "/usr/include/csmith"
PLANT = "--plant" in sys.argv
if PLANT:
    sys.argv.remove("--plant")

# Floating point is not generated: Fenceline has no words for it. All else is: structures, packed or not, bit fields, unions
# whose members have different sizes, arithmetic of 64 bits.
OPTIONS = ["--no-argc", "--no-float", "--concise", "--quiet"]
# Small, so that most of them end soon.
SIZES = [
    ["--max-funcs", "2", "--max-block-depth", "2", "--max-block-size", "3", "--max-expr-complexity", "4"],
    ["--max-funcs", "4", "--max-block-depth", "3", "--max-block-size", "4", "--max-expr-complexity", "6"],
    ["--max-funcs", "6", "--max-block-depth", "3", "--max-block-size", "4", "--max-expr-complexity", "10",
     "--max-array-len-per-dim", "4"],
    ["--max-funcs", "3", "--max-block-depth", "3", "--max-block-size", "5", "--max-expr-complexity", "6", "--no-structs"],
    ["--max-funcs", "2", "--max-block-depth", "2", "--max-block-size", "3", "--max-expr-complexity", "6", "--builtins",
     "--disable-builtin-kinds", "x86"],
]
PATIENCE = 3600  # s: a slow machine is no failure


def run(words, seconds, folder=None):
    try:
        return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=seconds, cwd=folder)
    except subprocess.TimeoutExpired:
        return None


def check(program, path, checksum):
    """The exit status, and why there is no verdict."""
    words = [program, "check", str(path), "--model", "sc", *cross.CHECK, "--engine", "explicit", "--timeout", "60", "-I", str(HERE), "-I", HEADERS,
             "-D", f"CHECKSUM={checksum}u"]
    result = run(words, PATIENCE)
    if result is None:
        return 124, "no answer"
    text = result.stderr + result.stdout
    reason = re.search(r"error: (.*)", text) or re.search(r"unknown[^\n]*\n\s*(.*)", text)
    return result.returncode, re.sub(r"'[^']*'|\d+", "_", reason.group(1)) if reason else text.strip()[:200]


def is_misaligned(path, binary):
    """Whether the sanitizer stops the program, which ends without it."""
    compiled = run([*cross.compiler("clang-19"), "-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-fsanitize=alignment",
                    "-fsanitize-trap=alignment", f"-I{HERE}", f"-I{HEADERS}", "-o", str(binary), str(path)], PATIENCE)
    ran = run([*cross.EMULATOR, str(binary)], PATIENCE) if compiled is not None and compiled.returncode == 0 else None
    return ran is not None and ran.returncode < 0


def case(program, seed, folder):
    path, binary = folder / f"csmith_{seed}.c", folder / f"csmith_{seed}"
    made = run(["csmith", "--seed", str(seed), *OPTIONS, *SIZES[seed % len(SIZES)]], 30, folder)  # it writes a file
    if made is None or made.returncode != 0:
        return None, ["csmith does not come to an end"]
    path.write_text(made.stdout.replace('"csmith.h"', '"csmith_runtime.h"'))

    def finish(problem, *answers):
        binary.unlink(missing_ok=True)
        if problem is None:
            path.unlink()
        return problem, list(answers)

    compiled = run([*cross.compiler("cc"), "-w", "-O1", "-fwrapv", "-fno-strict-aliasing", f"-I{HERE}", f"-I{HEADERS}",
                    *(["-DWIDE"] if PLANT else []), "-o", str(binary), str(path)], PATIENCE)
    if compiled is None or compiled.returncode != 0:
        return finish(f"the program does not compile: {compiled and compiled.stderr[:500]}", "does not compile")
    ran = run([*cross.EMULATOR, str(binary)], 2 if cross.TARGET is None else 10)
    if ran is None:
        return finish(None, "native run without an end")
    if ran.returncode != 0:
        return finish(f"the native run ends with {ran.returncode}", "native run fails")
    checksum = int(ran.stdout)
    status, reason = check(program, path, checksum)
    if status == 65:
        return finish(None, f"rejected: {reason}")
    if status == 2:
        return finish(None, f"unknown: {reason}")
    if status == 1 and "is not a multiple of" in reason and is_misaligned(path, binary):
        return finish(None, "agree about a misaligned access")
    if status != 0:
        return finish(f"status {status} for the right checksum {checksum}: {reason}", "WRONG")
    status, reason = check(program, path, (checksum + 1) % 2**32)
    if status == 2:
        return finish(None, f"unknown for a wrong checksum: {reason}")
    if status != 1:
        return finish(f"status {status} for a wrong checksum: {reason}", "WRONG")
    return finish(None, "agree")


cross.stop_unless_available()
ANSWERS, FAILURES = many_cases.run(case, 20)
if PLANT:
    print("the planted bug is found" if FAILURES else "the planted bug is not found")
    sys.exit(0 if FAILURES else 1)
if not ANSWERS["agree"]:
    print("nothing was compared")
sys.exit(1 if FAILURES or not ANSWERS["agree"] else 0)
