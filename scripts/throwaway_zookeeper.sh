#!/bin/bash
# throwaway_zookeeper.sh start DIR | stop DIR: a ZooKeeper server for tests, on 127.0.0.1 only.
#
# start makes a server with a new data directory below DIR, on a free port, waits until it answers, and writes its address
# into DIR/quorum ("127.0.0.1:21811"). An earlier one of the same DIR is stopped first. Sessions may be as short as a
# second. Exit status 77, and no DIR/quorum, where ZooKeeper (Debian: zookeeper) or Java is not installed.
set -euo pipefail
action=${1:-} dir=${2:-}
[ -n "$dir" ] || { echo "usage: $0 start DIR | stop DIR" >&2; exit 2; }
jar=${SKEP_ZOOKEEPER_JAR:-/usr/share/java/zookeeper.jar}

stop() {
  rm -f "$dir/quorum"
  [ -s "$dir/pid" ] || return 0
  local pid
  pid=$(cat "$dir/pid")
  # only what is our server still: the number may be somebody else's by now
  if tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$dir/zoo.cfg"; then
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
  fi
  rm -rf "$dir/pid" "$dir/data"
}

# whether it is our server: another one may have the port
answers() {
  local text
  text=$( (exec 3<>"/dev/tcp/127.0.0.1/$1" && printf conf >&3 && timeout 20 cat <&3) 2>/dev/null) && [[ $text == *"dataDir=$dir/data/"* ]]
}

start() {
  [ -e "$jar" ] && command -v java >/dev/null || { echo "ZooKeeper is not installed (Debian: apt-get install zookeeper): its tests are skipped" >&2; exit 77; }
  local port
  mkdir -p "$dir/data"
  for port in $(shuf -i 21000-28000 -n 20); do
    printf '%s\n' tickTime=500 minSessionTimeout=1000 maxSessionTimeout=600000 "dataDir=$dir/data" "clientPort=$port" \
      clientPortAddress=127.0.0.1 admin.enableServer=false 4lw.commands.whitelist=conf >"$dir/zoo.cfg"
    printf 'log4j.rootLogger=OFF\n' >"$dir/log4j.properties"
    java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$dir:$jar" \
      org.apache.zookeeper.server.ZooKeeperServerMain "$dir/zoo.cfg" >"$dir/log" 2>&1 </dev/null &
    echo $! >"$dir/pid"
    while :; do
      if answers "$port"; then
        echo "127.0.0.1:$port" >"$dir/quorum"
        exit 0
      fi
      kill -0 "$(cat "$dir/pid")" 2>/dev/null || break # the port is taken: another one
      sleep 0.1
    done
    stop
    mkdir -p "$dir/data"
  done
  tail -5 "$dir/log" >&2
  exit 1
}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
case $action in
  start) stop; start ;;
  stop) stop ;;
  *) echo "$0: $action?" >&2; exit 2 ;;
esac
