# SPDX-License-Identifier: GPL-3.0-or-later
"""What fuzzers share whose programs print a checksum that a native or emulated run and Fenceline must agree on.

A program prints its checksum; with CHECKSUM defined it asserts instead that it is that one. So the one that was printed
must be verified, and one more must be violated.

With --plant on the command line the program that is run natively is another one (`planted` flags of the compiler): then
it is an error if no difference is found.
"""

import re
import subprocess
import sys

import cross
import many_cases

PATIENCE = 3600  # s: a slow machine is no failure
PLANT = "--plant" in sys.argv
if PLANT:
    sys.argv.remove("--plant")


def run(words, seconds=PATIENCE, folder=None):
    """None if it does not end in time."""
    try:
        return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=seconds, cwd=folder)
    except subprocess.TimeoutExpired:
        return None


def reason_in(text):
    """Why there is no verdict, without names and numbers."""
    reason = re.search(r"error: (.*)", text) or re.search(r"unknown[^\n]*\n\s*(.*)", text)
    return re.sub(r"'[^']*'|\d+", "_", reason.group(1)) if reason else text.strip()[:200]


def check(program, path, options, checksum):
    """Fenceline's exit status and reason."""
    result = run([program, "check", str(path), "--model", "sc", *cross.CHECK, *options, "--timeout", "60",
                  "-D", f"CHECKSUM={checksum}u"])
    return (124, "no answer") if result is None else (result.returncode, reason_in(result.stderr + result.stdout))


def compare(program, path, compiler, options=(), planted=(), seconds=60, excuse=lambda status, reason, binary: None):
    """A case of many_cases: compiles the file, runs it, and has Fenceline check both checksums.

    `compiler` are words for the compiler, `options` those for Fenceline. A run of more than `seconds` is no problem.
    excuse(status, reason, binary) is what to count a status as that is neither the right verdict nor `unknown`; None if it
    is a problem. The file stays if there is one.
    """
    binary = path.with_suffix("")

    def finish(problem, answer):
        binary.unlink(missing_ok=True)
        if problem is None:
            path.unlink()
        return problem, [answer]

    compiled = run([*cross.compiler("cc"), "-w", "-fwrapv", *compiler, *(planted if PLANT else []), "-o", str(binary),
                    str(path)])
    if compiled is None or compiled.returncode != 0:
        return finish(f"the program does not compile: {compiled and compiled.stderr[:500]}", "does not compile")
    ran = run([*cross.EMULATOR, str(binary)], seconds)
    if ran is None:
        return finish(None, "native run without an end")
    if ran.returncode != 0:
        return finish(f"the native run ends with {ran.returncode}", "native run fails")
    checksum = int(ran.stdout)
    status, reason = check(program, path, options, checksum)
    if status == 2:
        return finish(None, f"unknown: {reason}")
    if status != 0:
        excused = excuse(status, reason, binary)
        if excused is not None:
            return finish(None, excused)
        return finish(f"status {status} for the right checksum {checksum}: {reason}", "WRONG")
    status, reason = check(program, path, options, (checksum + 1) % 2**32)
    if status == 2:
        return finish(None, f"unknown for a wrong checksum: {reason}")
    if status != 1:
        return finish(f"status {status} for a wrong checksum: {reason}", "WRONG")
    return finish(None, "agree")


def main(case, count=20):
    """Runs the cases of the command line, and exits."""
    answers, failures = many_cases.run(case, count)
    if PLANT:
        print("the planted bug is found" if failures else "the planted bug is not found")
        sys.exit(0 if failures else 1)
    if not answers["agree"]:
        print("nothing was compared")
    sys.exit(1 if failures or not answers["agree"] else 0)
