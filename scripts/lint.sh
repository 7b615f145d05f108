#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# lint.sh JOBS: the format of all C++ files, then clang-tidy over src/ as .clang-tidy says. Clang reads the flags that
# GCC was given (build/compile_commands.json), so it is told not to mind those it does not know.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$1

scripts/cpp-files.sh | xargs -0 clang-format --dry-run -Werror
echo "format: fine"

# Each file on its own, so that all of them are looked at even when one has complaints.
find src -name '*.cpp' -type f -print0 | sort -z |
  xargs -0 -P "$jobs" -n 1 clang-tidy -p build --quiet --extra-arg=-Wno-unknown-warning-option \
    2> >(grep -vE '^[0-9]+ warnings? generated\.$|^Suppressed |^Use -header-filter' >&2 || true)
echo "clang-tidy: fine"
