#!/bin/bash
# install_packages.sh [LIST]: installs the Debian packages of LIST (default: packages.txt here) that are missing.
# A second word is a command: where it is there, the package is not needed. Does nothing, and needs no rights, when all are there.
set -euo pipefail
list=${1:-$(dirname "$0")/packages.txt}

if ! command -v dpkg-query >/dev/null; then
  echo "This is no Debian system: make sure that the counterparts of these are installed:" >&2
  sed 's/ .*//; s/^/  /' "$list" >&2
  exit 0
fi
missing=()
while read -r package command; do
  if [ -n "$command" ] && command -v "$command" >/dev/null; then continue; fi # from elsewhere than Debian
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done <"$list"
[ ${#missing[@]} -gt 0 ] || exit 0

echo "== installing ${missing[*]}"
as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
as_root+=(env DEBIAN_FRONTEND=noninteractive)
"${as_root[@]}" apt-get -qq update </dev/null
"${as_root[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null
