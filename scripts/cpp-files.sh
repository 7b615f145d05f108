#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Prints all C++ files of the project, each followed by a zero byte: what `make format` and `make lint` look at. Those in
# tests/bad have errors on purpose.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

find src tests bench -path tests/bad -prune -o \( -name '*.cpp' -o -name '*.h' \) -type f -print0 | sort -z
