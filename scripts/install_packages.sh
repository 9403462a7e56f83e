#!/bin/sh
# Installs the Debian packages of packages/GROUP.txt that are missing; does nothing if all are installed.
set -eu
folder=$(dirname "$0")/../packages
[ $# -gt 0 ] || set -- build
wanted=""
for group in "$@"; do
  list=$folder/$group.txt
  [ -e "$list" ] || {
    echo "There is no group of packages '$group'; there are:" >&2
    for file in "$folder"/*.txt; do echo "  $(basename "$file" .txt)" >&2; done
    exit 2
  }
  wanted="$wanted $(grep -v '^#' "$list" | tr '\n' ' ')"
done
missing=""
for package in $(echo "$wanted" | tr ' ' '\n' | sort -u); do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo"
else
  echo "These Debian packages are missing, and neither root nor sudo is at hand to install them:" >&2
  echo " $missing" >&2
  echo "Ask an administrator to run: apt-get install$missing" >&2
  exit 1
fi
echo "Installing:$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086  # the list is meant to be split into words
$as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends $missing >/dev/null
