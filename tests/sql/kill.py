#!/usr/bin/env python3
"""The program is killed at random moments while it writes; whatever it had answered for is there afterwards, and nothing else.

usage: kill.py --skep PATH [--seed N] [--rounds N]

Each round a process inserts batches of rows, moves some to another state by UPDATE or MERGE, and deletes some, one statement after
the other, until it is killed (-9). A statement whose answer came is there as a whole; the one that was running is there as a whole or
not at all. The next round begins on the same warehouse."""
import argparse, collections, os, random, shutil, subprocess, sys, tempfile, threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from session import Session, environment  # noqa: E402

BATCH = 7


def statement(rng, state, number):
    """(SQL, state after it). state: batch -> value of all its rows."""
    after = dict(state)
    old = [b for b in state]
    kind = rng.random()
    if kind < 0.55 or not old:
        after[number] = 0
        return "INSERT INTO t VALUES " + ", ".join(f"({number}, {i}, 0)" for i in range(BATCH)), after
    b = rng.choice(old)
    if kind < 0.75:
        after[b] = number
        return f"UPDATE t SET v = {number} WHERE b = {b}", after
    if kind < 0.9:
        c = rng.choice(old)
        after[b] = after[c] = number
        return f"MERGE INTO t USING (SELECT {b} AS b" + (f" UNION ALL SELECT {c}" if b != c else "") + f") m ON t.b = m.b WHEN MATCHED THEN UPDATE SET v = {number}", after
    del after[b]
    return f"DELETE FROM t WHERE b = {b}", after


def rows_of(state):
    return collections.Counter(f"{b}\t{i}\t{v}" for b, v in state.items() for i in range(BATCH))


class Failure(Exception):
    pass


def one_round(args, rng, warehouse, env, state, number):
    """(state, number) after the kill, as found in the table."""
    session = Session(args.skep, warehouse, [], env)
    killer = threading.Timer(rng.uniform(0.02, args.longest), session.p.kill)
    killer.start()
    running = None
    while True:
        number += 1
        sql, after = statement(rng, state, number)
        _, err = session.run(sql)
        if session.p.poll() is not None or "the program ended" in err:
            running = after
            break
        if err:
            raise Failure(f"refused: {sql}: {err}")
        state = after
    killer.join()
    session.close(kill=True)
    session = Session(args.skep, warehouse, [], env)
    have, err = session.run("SELECT b, i, v FROM t")
    session.close()
    have = collections.Counter(have)
    if err:
        raise Failure(f"cannot be read after the kill: {err}")
    if have == rows_of(state):
        return state, number
    if have == rows_of(running):
        return running, number
    missing, extra = rows_of(state) - have, have - rows_of(state)
    raise Failure(f"after the kill during: {sql}\n  missing {list(missing)[:5]} extra {list(extra)[:5]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--longest", type=float, default=0.6, help="seconds a process lives at most")
    args = parser.parse_args()
    args.skep = os.path.abspath(args.skep)
    rng, env = random.Random(args.seed), environment(args.skep)
    print(f"seed {args.seed}", flush=True)
    here = tempfile.mkdtemp(prefix="skep-kill-")
    warehouse, state, number = os.path.join(here, "warehouse"), {}, 0
    session = Session(args.skep, warehouse, [], env)
    _, err = session.run("CREATE TABLE t (b INT, i INT, v INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    session.close()
    try:
        if err:
            raise Failure(err)
        for _ in range(args.rounds):
            state, number = one_round(args, rng, warehouse, env, state, number)
        checked = subprocess.run([args.skep, "metastore", "-w", warehouse, "validate"], capture_output=True, text=True, env=env)
        if checked.returncode:
            raise Failure("metastore: " + checked.stdout + checked.stderr)
    except Failure as failure:
        sys.exit(f"seed {args.seed}: {failure}\n  warehouse: {warehouse}")
    shutil.rmtree(here, ignore_errors=True)
    print(f"{args.rounds} kills, {number} statements, {len(state)} batches left")


main()
