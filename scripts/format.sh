#!/bin/bash
# format.sh: lays our C out anew. format.sh --check: names the files that would change, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(find src include tests $(ls -d bench 2>/dev/null) -name '*.[ch]' | sort)
if [ "${1:-}" != --check ]; then
  clang-format -i "${files[@]}"
  exit 0
fi
bad=0
for file in "${files[@]}"; do
  if ! clang-format "$file" | cmp -s - "$file"; then
    echo "$file: not formatted (run scripts/format.sh)"
    bad=1
  fi
done
exit $bad
