# SPDX-License-Identifier: GPL-3.0-or-later
"""The processor that a fuzzer is about: this machine's, or with `--target CPU` on its command line another one.

A program for another processor is compiled with Clang and executed by QEMU. What that needs is in packages-tests.txt.
"""

import pathlib
import shutil
import sys

# The triple, flags for the compiler, the emulator.
TARGETS = {
    "aarch64": ("aarch64-linux-gnu", ["-march=armv8.4-a"], ["qemu-aarch64", "-cpu", "max"]),
    "riscv64": ("riscv64-linux-gnu", [], ["qemu-riscv64"]),
    "ppc64le": ("powerpc64le-linux-gnu", [], ["qemu-ppc64le"]),
}


def target_of_command_line():
    """The word behind --target, which is taken off the command line; None if there is none."""
    if "--target" not in sys.argv:
        return None
    at = sys.argv.index("--target")
    target = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    return target


TARGET = target_of_command_line()
if TARGET is None:
    CHECK, EMULATOR, AVAILABLE = [], [], True
else:
    TRIPLE, FLAGS, EMULATOR = TARGETS[TARGET]
    CHECK = ["--target", TARGET]
    AVAILABLE = bool(shutil.which(EMULATOR[0]) and shutil.which("ld.lld-19") and pathlib.Path(f"/usr/{TRIPLE}/lib/libc.a").exists())


def compiler(native):
    """How a program begins that compiles for the processor; `native` is the compiler for this machine."""
    if TARGET is None:
        return [native]
    return ["clang-19", f"--target={TRIPLE}", *FLAGS, "-static", "-fuse-ld=lld"]


def stop_unless_available():
    if not AVAILABLE:
        print("no emulator, linker or C library: nothing is compared")
        sys.exit(0)
