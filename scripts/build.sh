#!/bin/bash
# build.sh PRESET: configures when needed and builds; prints little. ccache is used when it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
if [ -z "${CMAKE_C_COMPILER_LAUNCHER:-}" ] && command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache
fi
jobs=${SKEP_JOBS:-$(nproc)}
log=build/$preset/configure.log
mkdir -p "build/$preset"
if [ ! -f "build/$preset/build.ninja" ]; then
  cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
if [ -n "${CI:-}" ] || [ ! -t 1 ]; then
  NINJA_STATUS='' cmake --build "build/$preset" -j "$jobs" -- --quiet
else
  cmake --build "build/$preset" -j "$jobs"
fi
