#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   scripts/install-packages.sh [LIST...]     LIST: packages.txt if none is given
#
# Installs what the lists name and the machine lacks. It queries dpkg's own database, so when nothing is
# missing it prints nothing, needs no network and no rights, and ends at once: every make target can afford to
# call it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { echo "install-packages: $*" >&2; }

if (($# == 0)); then set -- packages.txt; fi
wanted=()
for list in "$@"; do
  while IFS= read -r line || [[ -n $line ]]; do
    line=${line%%#*}
    line=${line//[[:space:]]/}
    if [[ -n $line ]]; then wanted+=("$line"); fi
  done <"$list"
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say "this is not a Debian system, so nothing is installed here. Fenceline needs what these Debian 12 packages hold:"
  say "${wanted[*]}"
  exit 0
fi

# dpkg-query fails when a name is unknown to it, which is a valid answer.
declare -A installed=()
while read -r status name; do
  if [[ $status == installed ]]; then installed[$name]=1; fi
done < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)

missing=()
for name in "${wanted[@]}"; do
  if [[ -z ${installed[$name]:-} ]]; then missing+=("$name"); fi
done
if ((${#missing[@]} == 0)); then exit 0; fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    say "these packages are missing, and installing them needs root or sudo: ${missing[*]}"
    exit 1
  fi
  as_root=(sudo)
fi

say "installing ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
