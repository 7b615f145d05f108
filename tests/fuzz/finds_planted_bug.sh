#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The test of the test: with a rule of the naive explorer (for fuzz_sat: of the models) broken on purpose, the fuzzer
# must find it among so many programs, say so with exit status 1, and show a small program.
# Usage: finds_planted_bug.sh FUZZER PLANT [FAMILY]
output=$("$1" --plant "$2" --family "${3:-loopfree}" --model tso,pso --count 20000)
status=$?
echo "$output"
[ "$status" -eq 1 ] || { echo "expected exit status 1, got $status"; exit 1; }
echo "$output" | grep -q 'disagree under' || { echo "no difference shown"; exit 1; }
lines=$(echo "$output" | sed -n '/^shared int/,/^property/p' | wc -l)
[ "$lines" -ge 5 ] && [ "$lines" -le 30 ] || { echo "not a small program: $lines lines"; exit 1; }
