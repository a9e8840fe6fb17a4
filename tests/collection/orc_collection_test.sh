#!/bin/sh
# orc_collection_test.sh FOLDER SKEP: the collection's own comparison of every file with its expected rows.
set -eu
if [ ! -x "$1/tools/verify-orc" ]; then
  echo "no collection at $1"
  exit 77
fi
exec "$1/tools/verify-orc" --skep "$2"
