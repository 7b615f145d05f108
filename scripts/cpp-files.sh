#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Prints all C++ files of the project, each followed by a zero byte: what `make format` and `make lint` look at.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

find src tests bench \( -name '*.cpp' -o -name '*.h' \) -type f -print0 | sort -z
