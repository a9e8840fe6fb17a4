#!/bin/sh
# A real Hive reads, changes and compacts tables that Skep wrote, and Skep reads what came of it.
#
# usage: hive_reads_acid.sh --samples PROGRAM --skep PROGRAM --oracle RUN.SH --verify PROGRAM --out DIR
# RUN.SH runs a script on a Hive and leaves snapshots (table directory, Hive's answer); the verifier compares Skep's
# answer with Hive's on each. Exit status 77: no such Hive here.
set -eu
while [ $# -gt 1 ]; do
  case $1 in
    --samples) samples=$2 ;;
    --skep) skep=$2 ;;
    --oracle) oracle=$2 ;;
    --verify) verify=$2 ;;
    --out) out=$2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
[ -x "${oracle:-}" ] && [ -x "${verify:-}" ] || { echo "no Hive here"; exit 77; }
rm -rf "$out"
mkdir -p "$out/tables"
"$samples" "$out/tables"
sed "s|@SAMPLES@|$(cd "$out/tables" && pwd)|" "$out/tables/script.hql" > "$out/skepw.hql"
"$oracle" -o "$out/hive" "$out/skepw.hql" > "$out/hive.log" 2>&1 || { tail -30 "$out/hive.log"; exit 1; }
if grep -n "^ERROR" "$out/hive/skepw/log.txt"; then exit 1; fi
"$verify" --skep "$skep" "$out/hive"
