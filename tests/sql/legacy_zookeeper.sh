#!/bin/bash
# legacy_zookeeper.sh PYTHON SKEP QUORUM_FILE: legacy_locks.test once more, with ZooKeeper as lock manager.
set -euo pipefail
[ -s "$3" ] || exit 77
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
zookeeper="zookeeper.ZooKeeperHiveLockManager --hiveconf hive.zookeeper.quorum=$(cat "$3") --hiveconf hive.zookeeper.namespace=sql_$$ --hiveconf hive.zookeeper.session.timeout=300s"
sed "s|EmbeddedLockManager --|$zookeeper --|" "$here/legacy_locks.test" >"$work/legacy_zookeeper.test"
"$1" "$here/run.py" --skep "$2" "$work/legacy_zookeeper.test"
