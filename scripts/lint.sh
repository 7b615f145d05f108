#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# lint.sh JOBS: the format of all C++ files, and clang-tidy over src/ and tests/ as their .clang-tidy say. Both are run
# to the end, so that one look shows everything there is to repair. Clang reads the flags that GCC was given
# (build/compile_commands.json), so warnings about unknown ones are disabled.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$1
status=0

# Says how it went and remembers a failure.
verdict() {
  if (($2 == 0)); then
    echo "$1: fine"
  else
    echo "$1: there are complaints" >&2
    status=1
  fi
}

failed=0
scripts/cpp-files.sh | xargs -0 clang-format --dry-run -Werror || failed=1
verdict clang-format $failed

failed=0
# Not the one file that includes PPL: Clang 14 rejects its header as C++20. tests/bad has inputs, not code.
find src tests -name '*.cpp' -type f ! -path src/domain/numeric/abstract_element.cpp ! -path 'tests/bad/*' -print0 | sort -z |
  xargs -0 -P "$jobs" -n 1 clang-tidy -p build --quiet --extra-arg=-Wno-unknown-warning-option \
    2> >(grep -vE '^[0-9]+ warnings? generated\.$|^Suppressed |^Use -header-filter' >&2 || true) || failed=1
verdict clang-tidy $failed

exit $status
