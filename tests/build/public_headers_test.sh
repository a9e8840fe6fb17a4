#!/bin/bash
# public_headers_test.sh CC CXX INCLUDE_DIR: every public header compiles alone, twice, as C17 and as C++17.
set -euo pipefail
cc=$1 cxx=$2 dir=$3
failures=0
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -I "$dir")
for path in "$dir"/skep/*.h; do
  header=skep/$(basename "$path")
  text=$(printf '#include "%s"\n#include "%s"\n' "$header" "$header")
  "$cc" -std=c17 -Wstrict-prototypes "${warnings[@]}" -x c - <<<"$text" || { echo "$header: not as C17"; failures=1; }
  "$cxx" -std=c++17 -Wold-style-cast "${warnings[@]}" -x c++ - <<<"$text" || { echo "$header: not as C++17"; failures=1; }
done
exit $failures
