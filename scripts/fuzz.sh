#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# fuzz.sh SECONDS JOBS: builds every libFuzzer target and runs each for so long. What it learns about inputs stays in
# build-fuzz/found/, so the next run goes on from there; an input that breaks something is left in build-fuzz/ as
# NAME-crash-*, to be shrunk and added to the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=$1 jobs=$2

scripts/build.sh fuzz "$jobs"

# A libFuzzer target is an executable that defines the function libFuzzer calls; other programs are not run here.
targets=()
while IFS= read -r -d '' file; do
  if grep -qa LLVMFuzzerTestOneInput "$file"; then targets+=("$file"); fi
done < <(find build-fuzz/tests -type f -perm -u+x ! -name '*.so' ! -name '*.sh' -print0 | sort -z)
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
