#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# fuzz.sh SECONDS JOBS: builds every libFuzzer target (they are named NAME_fuzzer) and runs each for so long. What it
# learns about inputs stays in build-fuzz/found/, so the next run goes on from there; an input that breaks something is
# left in build-fuzz/ as NAME_fuzzer-crash-*, to be shrunk and added to the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=$1 jobs=$2

mapfile -t targets < <(scripts/build.sh fuzz "$jobs" help | sed -nE 's/^(\w+_fuzzer): phony$/\1/p' | sort)
if ((${#targets[@]} == 0)); then
  echo "fuzz: there is no fuzz target" >&2
  exit 1
fi
for target in "${targets[@]}"; do
  scripts/build.sh fuzz "$jobs" "$target"
  program=$(find build-fuzz -type f -name "$target" -perm -u+x -print -quit)
  found=build-fuzz/found/$target
  mkdir -p "$found"
  echo "fuzz: $target for $seconds s"
  "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/$target-" "$found" corpus models tests/fuzz/parser/seeds tests/cli/bad_inputs \
    tests/cli/bad_tables
done
