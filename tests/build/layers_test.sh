#!/bin/bash
# layers_test.sh CC SRC_DIR INCLUDE_PATH LAYER LOWER...: with the layer's own include path a header of LAYER or LOWER can be
# included, and one of any other layer cannot be found: an upward include fails the build.
set -euo pipefail
cc=$1 src=$2 layer=$4
IFS=: read -ra path <<<"$3"
shift 3
allowed=" $* "
includes=()
for p in "${path[@]}"; do includes+=(-I "$p"); done
failures=0
for dir in "$src"/*/; do
  other=$(basename "$dir")
  file=$(find "$dir" -maxdepth 1 -name '*.h' | sort | sed -n 1p) # head would end before sort does, which pipefail tells
  [ -n "$file" ] || continue
  header=$other/$(basename "$file")
  if errors=$("$cc" -std=c17 -D_GNU_SOURCE -E -o /dev/null "${includes[@]}" -x c - <<<"#include \"$header\"" 2>&1); then
    [[ $allowed == *" $other "* ]] || { echo "$layer can include $header, which is not below it"; failures=1; }
  else
    [[ $allowed != *" $other "* ]] || { echo "$layer cannot include $header: $errors"; failures=1; }
    [[ $errors == *"$header"* ]] || { echo "$layer: $header fails for another reason: $errors"; failures=1; }
  fi
done
exit $failures
