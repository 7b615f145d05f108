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

import checksums
import cross

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = "/usr/include/csmith"

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
INCLUDES = ["-I", str(HERE), "-I", HEADERS]
FLAGS = ["-fno-strict-aliasing", *INCLUDES]


def is_misaligned(path, binary):
    """Whether a sanitizer stops the program, which ends without it.

    Sanitizers do not look at volatile accesses, so there are none. What is in a packed structure may be aligned by chance,
    as the structure happens to be placed. So it is placed otherwise, too: GCC places large ones at multiples of 32, and in
    a second program all variables that are structures are at multiples of 16.
    """
    traps = {"clang-19": "-fsanitize-trap=alignment", "gcc": "-fsanitize-undefined-trap-on-error"}
    aligned = path.with_suffix(".aligned.c")
    variable = r"^(\s*(?:(?:static|const|volatile) +)*)((?:struct|union) +\w+[\w\s*]*[ *][gl]_\d+\b)"
    aligned.write_text(re.sub(variable, r"\1_Alignas(16) \2", path.read_text(), flags=re.MULTILINE))

    def traps_in(source, name):
        compiled = checksums.run([*cross.compiler(name), "-w", "-O0", "-fwrapv", *FLAGS, "-Dvolatile=", "-fsanitize=alignment",
                                  traps[name], "-o", str(binary), str(source)])
        ran = checksums.run([*cross.EMULATOR, str(binary)]) if compiled is not None and compiled.returncode == 0 else None
        return ran is not None and ran.returncode < 0

    found = any(traps_in(source, name) for source in [path, aligned]
                for name in (["clang-19"] if cross.TARGET else ["clang-19", "gcc"]))
    aligned.unlink()
    return found


def case(program, seed, folder):
    path = folder / f"csmith_{seed}.c"
    # It writes a file.
    made = checksums.run(["csmith", "--seed", str(seed), *OPTIONS, *SIZES[seed % len(SIZES)]], 30, folder)
    if made is None or made.returncode != 0:
        return None, ["csmith does not come to an end"]
    path.write_text(made.stdout.replace('"csmith.h"', '"csmith_runtime.h"'))

    def excuse(status, reason, binary):
        if status == 65:
            return f"rejected: {reason}"
        if status == 1 and "is not a multiple of" in reason and is_misaligned(path, binary):
            return "agree about a misaligned access"
        return None

    return checksums.compare(program, path, ["-O1", *FLAGS], ["--engine", "explicit", *INCLUDES], ["-DWIDE"],
                             seconds=2 if cross.TARGET is None else 10, excuse=excuse)


cross.stop_unless_available()
checksums.main(case)
