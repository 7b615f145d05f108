#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# fuzz.sh SECONDS JOBS: builds every libFuzzer target (executables named fuzz_*) and runs each for so long. What it learns about
# inputs stays in build-fuzz/found/, so the next run goes on from there; an input that breaks something is left in
# build-fuzz/ as crash-*, to be shrunk and added to the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=$1 jobs=$2

scripts/build.sh fuzz "$jobs"

mapfile -d '' targets < <(find build-fuzz -type f -name 'fuzz_*' -perm -u+x -print0 | sort -z)
if ((${#targets[@]} == 0)); then
  echo "fuzz: no fuzz target was built" >&2
  exit 1
fi
for target in "${targets[@]}"; do
  name=$(basename "$target")
  found=build-fuzz/found/$name
  mkdir -p "$found"
  echo "fuzz: $name for $seconds s"
  "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/$name-" "$found" corpus
done
