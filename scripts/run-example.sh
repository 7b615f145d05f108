#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What `make run` shows: Peterson's algorithm is correct when stores are visible at once, violated as soon as
# they may be pending in a buffer, and right again with the fences that are found for it. `fenceline check`
# exits 1 for a violated property, so the verdicts are read and compared here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=build/fenceline
input=corpus/mutex/peterson.fl

# Prints its command line, runs it, and fails unless the exit status is the expected one.
show() {
  local expected=$1 status=0
  shift
  echo "\$ $*"
  "$@" || status=$?
  echo
  if ((status != expected)); then
    echo "run: the exit status is $status where $expected was expected" >&2
    exit 1
  fi
}

show 1 "$program" check --quiet --model sc,tso,pso "$input"
show 1 "$program" check --model pso "$input"
show 0 "$program" infer --model pso "$input"

verdicts=$("$program" check --quiet --model sc,tso,pso "$input" | sed 's/.*: //' | paste -sd ' ') || true
if [[ $verdicts != "verified violated violated" ]]; then
  echo "run: the verdicts under sc, tso, pso are '$verdicts', not 'verified violated violated'" >&2
  exit 1
fi
echo "As expected: Peterson's algorithm is verified under SC and violated under TSO and PSO without fences;"
echo "with the two that were found it is verified under PSO, too."
