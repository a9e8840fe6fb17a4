#!/bin/bash
# build.sh PRESET [TARGET...]: configures when needed, then builds; prints little where nobody watches. ccache is used when
# it is there; SKEP_JOBS bounds the jobs.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
dir=build/$preset
if [ -z "${CMAKE_C_COMPILER_LAUNCHER:-}" ] && command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache
fi

# A build folder that came along with a moved checkout still points to the old place.
if [ -f "$dir/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" "$dir/CMakeCache.txt"; then
  rm -rf "$dir"
fi
mkdir -p "$dir"
if [ ! -f "$dir/build.ninja" ]; then
  cmake --preset "$preset" >"$dir/configure.log" 2>&1 || { cat "$dir/configure.log" >&2; exit 1; }
fi
build=(cmake --build "$dir" -j "${SKEP_JOBS:-$(nproc)}" ${1:+--target "$@"})
if [ -t 1 ] && [ -z "${CI:-}" ]; then
  exec "${build[@]}"
fi
"${build[@]}" -- --quiet 2>&1 | { grep -v '^-- ' || true; } # what CMake says when it looks again at a changed tree
