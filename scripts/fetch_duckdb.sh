#!/bin/bash
# fetch_duckdb.sh [DIR]: puts DuckDB's C library and its header into DIR/lib and DIR/include (default: build/duckdb).
# Does nothing when they are there. They come out of npm packages, whose checksums are in duckdb.sha256, and are kept in
# ${XDG_CACHE_HOME:-~/.cache}/skep for other checkouts. CMake calls this where the system has no libduckdb.
set -euo pipefail
version=1.4.4
scripts=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$scripts/../build/duckdb}
if [ -f "$dir/include/duckdb.h" ] && [ -f "$dir/lib/libduckdb.so" ] && [ "$(cat "$dir/version" 2>/dev/null)" = $version ]; then
  exit 0
fi

case $(uname -s)-$(uname -m) in
  Linux-x86_64) arch=x64 ;;
  Linux-aarch64) arch=arm64 ;;
  *) echo "no DuckDB package is known for $(uname -sm): install libduckdb, or set SKEP_DUCKDB_DIR" >&2; exit 1 ;;
esac
library=duckdb-node-bindings-linux-$arch-$version-r.1.tgz
header=duckdb-$version.tgz
mkdir -p "$dir"
cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}/skep
mkdir -p "$cache" 2>/dev/null || cache=$dir
cache=$cache/duckdb-$version-$arch

# fetch SPEC FILE: `npm pack` into the working folder; only a file with the expected checksum is let through.
fetch() {
  npm pack --silent "$1" >npm.log 2>&1 || { echo "npm pack $1 failed:" >&2; cat npm.log >&2; exit 1; }
  grep -F "  $2" "$scripts/duckdb.sha256" | sha256sum --check --status - ||
    { echo "$2: the checksum is not the one in scripts/duckdb.sha256" >&2; exit 1; }
}

# Filled aside and renamed, so that builds that run side by side never see half of it.
if [ ! -f "$cache/version" ]; then
  command -v npm >/dev/null || { echo "npm is needed to fetch DuckDB (scripts/install_packages.sh)" >&2; exit 1; }
  echo "== fetching DuckDB $version"
  work=$(mktemp -d "$cache.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  cd "$work"
  fetch "@duckdb/node-bindings-linux-$arch@$version-r.1" "$library"
  fetch "duckdb@$version" "$header"
  mkdir -p new/lib new/include
  tar -xOzf "$library" package/libduckdb.so >new/lib/libduckdb.so
  tar -xOzf "$header" package/src/duckdb/src/include/duckdb.h >new/include/duckdb.h
  tar -xOzf "$header" package/LICENSE >new/LICENSE
  chmod 755 new new/lib/libduckdb.so
  echo $version >new/version
  mv -T new "$cache" 2>/dev/null || [ -f "$cache/version" ] # another build may have been faster
  cd "$scripts"
fi
for file in include/duckdb.h lib/libduckdb.so LICENSE version; do
  mkdir -p "$(dirname "$dir/$file")"
  aside=$(mktemp -u "$dir/$file.XXXXXX")
  ln "$cache/$file" "$aside" 2>/dev/null || cp -p "$cache/$file" "$aside"
  mv "$aside" "$dir/$file"
done
