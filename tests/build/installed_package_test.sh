#!/bin/bash
# installed_package_test.sh CMAKE BUILD_DIR CONSUMER_DIR CC CXX: after an install into an empty prefix, somebody else's C and
# C++ programs find the library through pkg-config and through CMake, and the program runs from there.
set -euo pipefail
cmake=$1 build=$2 consumer=$3 cc=$4 cxx=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
"$cmake" --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
mv "$prefix" "$work/moved" # a package may be moved after it was installed
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name libskep.so)")
export LD_LIBRARY_PATH=$libdir

export PKG_CONFIG_PATH=$libdir/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs skep)"
cp "$consumer/use.c" "$work/use.cpp"
"$cc" -std=c17 -Wall -Werror -o "$work/use_c" "$consumer/use.c" "${flags[@]}"
"$cxx" -std=c++17 -Wall -Werror -o "$work/use_cpp" "$work/use.cpp" "${flags[@]}"
for program in read_table transfer; do
  "$cc" -std=c17 -Wall -Wextra -Werror -o "$work/$program" "$consumer/$program.c" "${flags[@]}"
done
version=$(pkg-config --modversion skep)
for program in use_c use_cpp; do
  [ "$("$work/$program")" = "$version" ] || { echo "$program (pkg-config) is not version $version"; exit 1; }
done

"$cmake" -S "$consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_CXX_COMPILER="$cxx" >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
"$cmake" --build "$work/build" >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
for program in use_c use_cpp; do
  [ "$("$work/build/$program")" = "$version" ] || { echo "$program (CMake) is not version $version"; exit 1; }
done

zstd -dqc "$consumer/../../golden/01-basic.tar.zst" | tar -x -C "$work"
for program in "$work/read_table" "$work/build/read_table"; do
  while read -r rows snapshot; do
    got=$("$program" "$work/01-basic/04-more/table" $snapshot)
    want="struct<id:int,name:string,age:int,balance:decimal(12,2)>"$'\n'"$rows rows"
    [ "$got" = "$want" ] || { echo "$program printed $got"; exit 1; }
  done <<<$'7\n5 s01.people:1:9223372036854775807::'
  if "$program" "$work/nothing" 2>"$work/message"; then exit 1; fi
  grep -q 'nothing' "$work/message"
done

accounts="CREATE TABLE accounts (id INT, balance DECIMAL(12,2)); INSERT INTO accounts VALUES (1, 30), (2, 5), (3, 0)"
if [ -e "$prefix/bin/skep" ]; then
  [[ $("$prefix/bin/skep" --version) == *"$version"* ]] || { echo "skep --version is not $version"; exit 1; }
  [ "$("$prefix/bin/skep" -w "$work/warehouse" --showHeader=false -e "SELECT 40 + 2")" = 42 ] || { echo "skep -e fails"; exit 1; }
  "$prefix/bin/skep" -w "$work/warehouse" -e "$accounts"
  for program in "$work/transfer" "$work/build/transfer"; do
    "$program" "$work/warehouse" 1 2 20.00
  done >"$work/transferred"
  diff "$work/transferred" - <<<$'3 accounts are not overdrawn\n2 accounts are not overdrawn' # 30 - 20 - 20 < 0
  if "$work/transfer" "$work/nothing" 1 2 20.00 2>"$work/message"; then exit 1; fi
  grep -q 'accounts' "$work/message"
fi
for page in "$build"/../../docs/man/*.1; do
  [ ! -e "$page" ] || [ -e "$prefix/share/man/man1/$(basename "$page")" ] || { echo "$page is not installed"; exit 1; }
done
