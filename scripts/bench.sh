#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# bench.sh: runs every benchmark program that was built (build/bench/*bench*).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -d '' programs < <(find build/bench -maxdepth 1 -type f -name '*bench*' -perm -u+x -print0 | sort -z)
if ((${#programs[@]} == 0)); then
  echo "bench: no benchmark was built" >&2
  exit 1
fi
for program in "${programs[@]}"; do
  echo "bench: $(basename "$program")"
  "$program"
done
