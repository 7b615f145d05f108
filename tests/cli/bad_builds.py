#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each compile_commands.json below a folder must be rejected with the message that it names itself:
# tests/bad/builds/README.md.
#
#   bad_builds.py PROGRAM FOLDER
import pathlib
import re
import subprocess
import sys

SECONDS = 3600  # however slow the machine is


def check(program, path):
    """The problem with the answer; None if there is none."""
    match = re.search(r'"expect"[:,] "((?:[^"\\]|\\.)*)"', path.read_text())
    if not match:
        return "it expects nothing"
    place, message = match[1].replace('\\"', '"').split(": ", 1)
    result = subprocess.run([program, "check", str(path.parent.parent / "program.c"), "--compile-commands", str(path.parent),
                             "--timeout", "600"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS)
    begin = f"{path}:{place}: error: {message}"
    if result.returncode == 65 and not result.stdout and result.stderr.startswith(begin):
        return None
    return f"exit status {result.returncode}, expected 65 and\n    {begin}\n    {result.stdout}{result.stderr}"


def main():
    program, folder = sys.argv[1:]
    files = sorted(pathlib.Path(folder).glob("*/compile_commands.json"))
    assert len(files) >= 15, "there are fewer than 15 files"
    failures = 0
    for path in files:
        if problem := check(program, path):
            failures += 1
            print(f"{path.parent.name}: {problem}")
    print(f"{len(files)} files, {failures} failures")
    sys.exit(1 if failures else 0)


main()
