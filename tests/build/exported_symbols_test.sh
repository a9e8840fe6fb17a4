#!/bin/bash
# exported_symbols_test.sh LIBRARY INCLUDE_DIR: the library exports what its headers mark SKEP_API, and nothing else.
set -euo pipefail
library=$1 dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
perl -0777 -ne 's{/\*.*?\*/}{}gs; s{^\s*#(?:[^\n\\]|\\\n|\\.)*}{}gm; print "$1\n" while /\bSKEP_API\b[^;(]*?\b(skep_\w+)\s*\(/g' \
  "$dir"/skep/*.h | sort -u >"$work/declared"
nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | sort -u >"$work/exported"
[ -s "$work/declared" ] || { echo "no SKEP_API function found"; exit 1; }
if ! diff "$work/declared" "$work/exported" >"$work/diff"; then
  echo "< declared but not exported, > exported but not declared"
  cat "$work/diff"
  exit 1
fi
