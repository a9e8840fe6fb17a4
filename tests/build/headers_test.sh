#!/bin/bash
# headers_test.sh CC LAYER_DIR INCLUDE_PATH: every header of a layer compiles alone, twice, as C17 with all warnings.
set -euo pipefail
cc=$1 dir=$2 layer=$(basename "$2")
IFS=: read -ra path <<<"$3"
includes=()
for p in "${path[@]}"; do includes+=(-I "$p"); done
failures=0
for file in "$dir"/*.h; do
  [ -e "$file" ] || exit 77
  header=$layer/$(basename "$file")
  "$cc" -std=c17 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Wall -Wextra -Wshadow -Wconversion -Wenum-conversion -Wvla \
    -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-function -Werror -fsyntax-only "${includes[@]}" -x c - \
    <<<"$(printf '#include "%s"\n#include "%s"\n' "$header" "$header")" || { echo "$header: not alone"; failures=1; }
done
exit $failures
