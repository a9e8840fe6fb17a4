#!/bin/bash
# throwaway_postgres.sh start DIR [SETTING=VALUE]... | again DIR | stop DIR: a PostgreSQL server for tests, on a Unix socket only.
#
# start makes a cluster in a new temporary directory (below TMPDIR, else in memory), starts it, and writes its URL into
# DIR/url, with %s for the name of a database: "postgresql://skep@/%s?host=/tmp/skep-pg.x". An earlier one of the same DIR
# is stopped first; again starts the same cluster once more after it was killed. The cluster forgives nothing: it does not
# sync (give fsync=on to measure). PostgreSQL refuses to run as root, so root hands it over to the user postgres, or
# nobody. Exit status 77, and no DIR/url, where PostgreSQL is not installed.
set -euo pipefail
action=${1:-} dir=${2:-}
[ -n "$dir" ] || { echo "usage: $0 start DIR [SETTING=VALUE]... | again DIR | stop DIR" >&2; exit 2; }
shift 2

as_user=()
if [ "$(id -u)" = 0 ]; then
  user=postgres
  id -u $user >/dev/null 2>&1 || user=nobody
  as_user=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --clear-groups --)
fi

find_programs() {
  local found
  for found in "${SKEP_POSTGRES_BIN:-}" /usr/lib/postgresql/*/bin /usr/pgsql-*/bin "$(dirname "$(command -v initdb || echo /nowhere/x)")"; do
    if [ -x "$found/initdb" ] && [ -x "$found/pg_ctl" ]; then bin=$found; return; fi
  done
  echo "PostgreSQL is not installed (Debian: apt-get install postgresql): its tests are skipped" >&2
  exit 77
}

stop() {
  local place
  rm -f "$dir/url"
  [ -s "$dir/place" ] || return 0
  place=$(cat "$dir/place")
  case $place in
    /*/skep-pg.*) ;;
    *) echo "$dir/place: $place?" >&2; exit 1 ;;
  esac
  if [ -d "$place/data" ]; then
    (cd / && "${as_user[@]}" "$bin/pg_ctl" -D "$place/data" -m immediate -w stop >/dev/null 2>&1) || true
  fi
  rm -rf "$place" "$dir/place"
}

run() {
  (cd / && "${as_user[@]}" "$bin/pg_ctl" -D "$1/data" -l "$1/data/log" -w -t 1200 start >/dev/null)
}

start() {
  local place setting
  stop
  mkdir -p "$dir"
  local above=${TMPDIR:-/tmp}
  # Nothing of it is to last; a container's /dev/shm may be too small for it.
  if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && [ "$(df -Pk /dev/shm | awk 'END { print $4 }')" -gt 4000000 ]; then above=/dev/shm; fi
  place=$(mktemp -d "$above/skep-pg.XXXXXX") # short: the path of a socket has 107 bytes
  echo "$place" >"$dir/place"
  if [ ${#as_user[@]} -gt 0 ]; then chown "$user" "$place"; fi
  chmod 755 "$place"
  cd /
  "${as_user[@]}" "$bin/initdb" -D "$place/data" -U skep -A trust -E UTF8 --locale=C --no-sync >"$place.log" 2>&1 ||
    { cat "$place.log" >&2; rm -f "$place.log"; exit 1; }
  rm -f "$place.log"
  for setting in listen_addresses= "unix_socket_directories=$place" fsync=off full_page_writes=off max_connections=600 \
    shared_buffers=64MB jit=off autovacuum_naptime=10s log_min_messages=fatal "$@"; do
    echo "${setting%%=*} = '${setting#*=}'"
  done | "${as_user[@]}" tee -a "$place/data/postgresql.conf" >/dev/null
  run "$place" || { cat "$place/data/log" >&2; exit 1; }
  cd "$OLDPWD"
  echo "postgresql://skep@/%s?host=$place" >"$dir/url"
}

find_programs
case $action in
  start) start "$@" ;;
  again) run "$(cat "$dir/place")" ;;
  stop) stop ;;
  *) echo "usage: $0 start DIR [SETTING=VALUE]... | again DIR | stop DIR" >&2; exit 2 ;;
esac
