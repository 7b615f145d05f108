#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# build.sh PRESET JOBS [TARGET]: configures if that was not done yet, and builds the target or everything. A build
# folder remembers the absolute path of its sources; one that was moved or copied along with a clone belongs to
# another place and is configured afresh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1 jobs=$2
target=${3:-all}

folder=build
if [[ $preset != release ]]; then folder=build-$preset; fi

fresh=()
if [[ -f $folder/CMakeCache.txt ]] &&
  ! grep -qxF -e "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" -e "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" "$folder/CMakeCache.txt"; then
  fresh=(--fresh)
fi
if [[ ! -f $folder/build.ninja || ${#fresh[@]} -gt 0 ]]; then
  cmake --preset "$preset" "${fresh[@]}"
fi
cmake --build --preset "$preset" -j "$jobs" --target "$target"
