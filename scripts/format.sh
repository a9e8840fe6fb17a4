#!/bin/bash
# format.sh: lays our C out anew. format.sh --check: names the files that would change, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(find src include tests $(ls -d bench 2>/dev/null) -name '*.[ch]' | sort)
if [ "${1:-}" != --check ]; then
  clang-format -i "${files[@]}"
  exit 0
fi
check_one='clang-format "$1" | cmp -s - "$1" || { echo "$1: not formatted (run scripts/format.sh)"; exit 1; }'
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c "$check_one" check
