#!/usr/bin/env python3
"""The CDC hour: a big partitioned, bucketed table takes a MERGE of changes every few minutes while a reader looks on.

usage: cdc_hour.py --skep PROGRAM [--keep DIR]

`orders` has 6 million rows in 10 days, bucketed by order_id; today's partition holds base_0000498. Transaction 9107 is
given write id 512 and merges 40,000 rows into today: 28,000 match, 12,000 are new. Eight more such transactions follow,
write ids 513 to 520. After each: counts, sums, row ids and directories must be as computed here, and a reader whose
transaction began before the hour must see what it saw.

Then the table is compacted: the initiator asks for a minor compaction of today, a worker does it while reader and writer
go on, a write to another day takes id 521, and a major compaction makes a new base. The cleaner removes nothing as long
as the reader's transaction is open, says that it is the reader it waits for, and removes everything once it has ended.
At last a second writer comes to a partition that the first one has changed and not committed: it waits, and runs on what
that one left.
Prints a table of the hour; exit status 1 on any difference."""
import argparse
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from session import Session, environment  # noqa: E402

DAYS = 10
ROWS_A_DAY = 600_000
BUCKETS = 4
TODAY = "2026-03-10"
MATCHED, NEW = 28_000, 12_000
FIRST_TXN, BASE_WRITE_ID, FIRST_WRITE_ID, MERGES = 9107, 498, 512, 9
AGGREGATES = "count(*), count(DISTINCT order_id), sum(amount), sum(version), min(order_id), max(order_id)"

failures = []


def check(what, got, want):
    if got != want:
        failures.append(f"{what}: got {got}, want {want}")
        print(f"  DIFFERS {failures[-1]}")


def metastore(warehouse, statement, *values):
    """What months of other work would have done to the numbering of transactions and write ids."""
    with sqlite3.connect(os.path.join(warehouse, "metastore.sqlite"), timeout=3600) as db:
        db.execute(statement, values)
    db.close()


def owner(warehouse, write_id):
    """The transaction that was given a write id of orders."""
    with sqlite3.connect(os.path.join(warehouse, "metastore.sqlite"), timeout=3600) as db:
        row = db.execute("SELECT T2W_TXNID FROM TXN_TO_WRITE_ID WHERE T2W_DATABASE = 'shop' AND T2W_TABLE = 'orders' "
                         "AND T2W_WRITEID = ?", (write_id,)).fetchone()
    db.close()
    return row[0] if row else None


def numbers(rows_from, rows):
    """SELECT of `rows` consecutive numbers as n."""
    return (f"SELECT {rows_from} + a.i * 1000 + b.j AS n FROM (SELECT posexplode(split(space({rows // 1000 - 1}), ' ')) AS (i, x)) a "
            f"CROSS JOIN (SELECT posexplode(split(space(999), ' ')) AS (j, y)) b")


class Model:
    """Today's partition by arithmetic: every order starts with amount order_id % 1000, version 0."""

    def __init__(self):
        self.first = (DAYS - 1) * ROWS_A_DAY
        self.last = DAYS * ROWS_A_DAY - 1
        self.amount = sum(n % 1000 for n in range(self.first, self.last + 1))
        self.version = 0

    def merge(self, step):
        """Matched orders get amount + 1, version + 1; the new ones amount 7, version 100."""
        self.amount += MATCHED + 7 * NEW
        self.version += MATCHED + 100 * NEW
        self.last += NEW

    def row(self):
        n = self.last - self.first + 1
        return f"{n}\t{n}\t{self.amount}\t{self.version}\t{self.first}\t{self.last}"


def source_sql(step, model):
    """MATCHED known orders, spread and different in each step, and NEW ones after the last."""
    return (f"SELECT n * 10 + {model.first + step} AS order_id FROM ({numbers(0, MATCHED)}) m "
            f"UNION ALL SELECT n AS order_id FROM ({numbers(model.last + 1, NEW)}) i")


def events(skep, path):
    """Number of events by operation below one directory, with the write ids of their rows."""
    out = subprocess.run([skep, "events", path], check=True, capture_output=True, text=True).stdout.splitlines()
    return len(out) - 1


def directories(warehouse):
    return sorted(os.listdir(os.path.join(warehouse, "shop.db", "orders", f"day={TODAY}")))


def service(skep, warehouse, *options):
    """A round of `skep compact`: what it said."""
    done = subprocess.run([skep, "compact", "-w", warehouse, "--once", *options], capture_output=True, text=True, env=environment(skep))
    check(f"exit status of compact {' '.join(options)}: {done.stderr.strip()}", done.returncode, 0)
    return done.stdout


def column(warehouse, statement, *values):
    """The first column of a statement's rows in the metastore."""
    with sqlite3.connect(os.path.join(warehouse, "metastore.sqlite"), timeout=3600) as db:
        rows = [row[0] for row in db.execute(statement, values)]
    db.close()
    return rows


def without_txn(names):
    return sorted(re.sub(r"_v\d+$", "_v*", name) for name in names)


def compact(skep, warehouse, writer, reader, model, today, before):
    """What the hour left becomes one delta, then one base; the reader keeps its snapshot all the time."""
    root = os.path.join(warehouse, "shop.db", "orders", f"day={TODAY}")
    last = FIRST_WRITE_ID + MERGES - 1
    deltas = directories(warehouse)
    # Of this small day the changes are a good part; of a real one they would be less than a tenth.
    writer.rows("ALTER TABLE shop.orders SET TBLPROPERTIES ('compactorthreshold.hive.compactor.delta.pct.threshold'='100')")
    said = service(skep, warehouse, "--roles", "initiator")
    check("the initiator asks for one minor compaction",
          column(warehouse, "SELECT CQ_TYPE || CQ_STATE || CQ_PARTITION FROM COMPACTION_QUEUE"), [f"iiday={TODAY}"])
    check("and says why", f"{len(deltas) - 1} deltas are more than 10" in said, True)

    at = time.monotonic()
    worker = subprocess.Popen([skep, "compact", "-w", warehouse, "--once", "--roles", "worker"], stdout=subprocess.PIPE, text=True, env=environment(skep))
    rounds = 0
    while worker.poll() is None or rounds == 0:
        writer.rows("INSERT INTO shop.changes VALUES (1)")
        check("reader while the worker works", reader.value(today), before)
        rounds += 1
    check("exit status of the worker", worker.returncode, 0)
    worker.stdout.close()
    made = sorted(set(directories(warehouse)) - set(deltas))
    check("what the worker made", without_txn(made), [f"delete_delta_{FIRST_WRITE_ID:07d}_{last:07d}_v*", f"delta_{FIRST_WRITE_ID:07d}_{last:07d}_v*"])
    check("delete events of the minor compaction", sum(events(skep, os.path.join(root, d)) for d in made if d.startswith("delete_")), MERGES * MATCHED)
    check("rows of the minor compaction", sum(events(skep, os.path.join(root, d)) for d in made if d.startswith("delta_")), MERGES * (MATCHED + NEW))
    check("today after the minor compaction", writer.value(today), model.row())
    check("reader after the minor compaction", reader.value(today), before)
    print(f"minor compaction of {len(deltas) - 1} directories beside {rounds} statements: {time.monotonic() - at:.2f} s: {' '.join(made)}")

    service(skep, warehouse, "--roles", "cleaner")
    check("nothing goes while the reader is open", set(deltas) <= set(directories(warehouse)), True)
    holder = column(warehouse, "SELECT min(TXN_ID) FROM TXNS WHERE TXN_STATE = 'o'")[0]
    why = subprocess.run([skep, "why", "-w", warehouse, "shop.orders"], capture_output=True, text=True, env=environment(skep)).stdout
    check(f"why names transaction {holder} and what it holds: {why}",
          f"waits for transaction {holder} of tester@" in why and f"in {len(deltas) - 1} directories" in why, True)
    shown = [row for row in writer.rows("SHOW COMPACTIONS shop.orders") if "ready for cleaning" in row]
    check("so does SHOW COMPACTIONS", len(shown) == 1 and f"waits for transaction {holder} of" in shown[0], True)

    writer.rows("INSERT INTO shop.orders VALUES (-1, 'late', 1, 0, DATE '2026-03-09')")
    check(f"write id {last + 1} is of another day", owner(warehouse, last + 1) is not None, True)
    at = time.monotonic()
    writer.run(f"ALTER TABLE shop.orders PARTITION (day='{TODAY}') COMPACT 'major' AND WAIT")
    seconds = time.monotonic() - at
    bases = [d for d in directories(warehouse) if d.startswith(f"base_{last:07d}_v")]
    check("the new base", len(bases), 1)
    check("today after the major compaction", writer.value(today), model.row())
    check("reader after the major compaction", reader.value(today), before)
    rows = str(model.last - model.first + 1)
    check("statistics of the new base", column(warehouse, "SELECT PARAM_VALUE FROM PARTITION_PARAMS JOIN PARTITIONS USING (PART_ID) "
          "WHERE PART_NAME = ? AND PARAM_KEY = 'numRows'", f"day={TODAY}"), [rows])
    print(f"major compaction: {seconds:.2f} s: {' '.join(bases)}")
    service(skep, warehouse, "--roles", "cleaner")
    check("still nothing goes", set(deltas) <= set(directories(warehouse)), True)
    check("reader at its end", reader.value(today), before)
    reader.rows("COMMIT")
    service(skep, warehouse, "--roles", "cleaner")
    check("what is left when the reader has ended", directories(warehouse), bases)
    check("today at last", writer.value(today), model.row())
    check("the queue is empty", column(warehouse, "SELECT count(*) FROM COMPACTION_QUEUE"), [0])


def second_writer(skep, warehouse, writer, model, today):
    """Two writers of one row, neither of which may be lost: what comes out says in which order they ran, and on what."""
    second, looker = (Session(skep, warehouse, [], environment(skep)) for _ in range(2))
    second.rows("SET skep.lock.wait.timeout=3600s")
    where = f"WHERE order_id = {model.last} AND day = DATE '{TODAY}'"
    check("before the two writers", writer.value(f"SELECT amount FROM shop.orders {where}"), "7")
    writer.rows("SET hive.in.test=true")
    writer.rows("START TRANSACTION")
    writer.rows(f"UPDATE shop.orders SET amount = amount + 10 {where}")
    ended = []
    thread = threading.Thread(target=lambda: ended.append(second.run(f"UPDATE shop.orders SET amount = amount * 2 {where}")))
    thread.start()
    waits = False
    while not waits and not ended:
        waits = any("\tWAITING\t" in row for row in looker.rows("SHOW LOCKS shop.orders"))
        time.sleep(0.1)
    check("the second writer waits", (waits, ended), (True, []))
    check("nobody sees the first one's change", looker.value(f"SELECT amount FROM shop.orders {where}"), "7")
    writer.rows("COMMIT")
    thread.join()
    check("the second writer's answer", ended, [([], "")])
    check("it ran on what the first one left", looker.value(f"SELECT amount FROM shop.orders {where}"), "34")
    model.amount += 27
    check("today after both", writer.value(today), model.row())
    print("second writer: waited, then ran on the new snapshot")
    for session in (second, looker):
        session.close()


def run(skep, warehouse):
    started = time.monotonic()
    writer = Session(skep, warehouse, [], environment(skep))
    writer.rows("CREATE DATABASE shop")
    writer.rows("CREATE TABLE shop.orders (order_id BIGINT, customer STRING, amount BIGINT, version INT) PARTITIONED BY (day DATE) "
                f"CLUSTERED BY (order_id) INTO {BUCKETS} BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    writer.rows("CREATE TABLE shop.changes (order_id BIGINT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    metastore(warehouse, "INSERT INTO NEXT_WRITE_ID (NWI_DATABASE, NWI_TABLE, NWI_NEXT) VALUES ('shop', 'orders', ?)", BASE_WRITE_ID)
    writer.rows("INSERT OVERWRITE TABLE shop.orders SELECT n, concat('customer ', n % 5000), n % 1000, 0, "
                f"date_add('2026-03-01', cast(n DIV {ROWS_A_DAY} AS INT)) FROM ({numbers(0, DAYS * ROWS_A_DAY)}) s")
    check("base", directories(warehouse), [f"base_{BASE_WRITE_ID:07d}"])
    check("rows", writer.value("SELECT count(*) FROM shop.orders"), str(DAYS * ROWS_A_DAY))
    loaded = time.monotonic() - started

    model = Model()
    today = f"SELECT {AGGREGATES} FROM shop.orders WHERE day = '{TODAY}'"
    reader = Session(skep, warehouse, [], environment(skep))
    reader.rows("START TRANSACTION")
    before = model.row()
    check("reader at the start", reader.value(today), before)

    print(f"{DAYS * ROWS_A_DAY:,} rows in {DAYS} days written in {loaded:.1f} s")
    print(f"{'txn':>5} {'write id':>8} {'seconds':>8} {'rows today':>11} {'deleted':>8} {'written':>8}  new directories")
    for step in range(MERGES):
        write_id = FIRST_WRITE_ID + step
        writer.rows("TRUNCATE TABLE shop.changes")
        writer.rows(f"INSERT INTO shop.changes {source_sql(step, model)}")
        # Transactions of other work took the numbers up to here.
        if step == 0:
            metastore(warehouse, "UPDATE sqlite_sequence SET seq = ? WHERE name = 'TXNS'", FIRST_TXN - 1)
        metastore(warehouse, "UPDATE NEXT_WRITE_ID SET NWI_NEXT = ? WHERE NWI_DATABASE = 'shop' AND NWI_TABLE = 'orders'", write_id)
        known = set(directories(warehouse))
        at = time.monotonic()
        writer.rows(f"""MERGE INTO shop.orders t USING shop.changes s ON t.order_id = s.order_id AND t.day = '{TODAY}'
          WHEN MATCHED THEN UPDATE SET amount = t.amount + 1, version = t.version + 1
          WHEN NOT MATCHED THEN INSERT VALUES (s.order_id, 'new', 7, 100, DATE '{TODAY}')""")
        seconds = time.monotonic() - at
        model.merge(step)
        new = sorted(set(directories(warehouse)) - known)
        wanted = re.compile(rf"(delete_)?delta_{write_id:07d}_{write_id:07d}_\d{{4}}$")
        check(f"names of write id {write_id}", [d for d in new if not wanted.match(d)], [])
        root = os.path.join(warehouse, "shop.db", "orders", f"day={TODAY}")
        deleted = sum(events(skep, os.path.join(root, d)) for d in new if d.startswith("delete_"))
        written = sum(events(skep, os.path.join(root, d)) for d in new if d.startswith("delta_"))
        check(f"delete events of write id {write_id}", deleted, MATCHED)
        check(f"rows of write id {write_id}", written, MATCHED + NEW)
        check(f"today after write id {write_id}", writer.value(today), model.row())
        check(f"rows that carry write id {write_id}",
              writer.value(f"SELECT count(*) FROM shop.orders WHERE day = '{TODAY}' AND ROW__ID.writeid = {write_id}"), str(MATCHED + NEW))
        check(f"row ids after write id {write_id}", writer.value(
            f"SELECT count(*) - count(DISTINCT ROW__ID) FROM shop.orders WHERE day = '{TODAY}'"), "0")
        check(f"old reader after write id {write_id}", reader.value(today), before)
        txn = owner(warehouse, write_id)
        if step == 0:
            check(f"transaction of write id {write_id}", txn, FIRST_TXN)
        print(f"{txn:>5} {write_id:>8} {seconds:>8.2f} {model.last - model.first + 1:>11,} {deleted:>8,} {written:>8,}  {' '.join(new)}")
    compact(skep, warehouse, writer, reader, model, today, before)
    second_writer(skep, warehouse, writer, model, today)
    check("reader after its transaction", reader.value(today), model.row())
    check("all rows", writer.value("SELECT count(*) FROM shop.orders"), str(DAYS * ROWS_A_DAY + MERGES * NEW + 1))
    reader.close()
    writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skep", required=True)
    parser.add_argument("--keep", help="use this directory, and leave it")
    args = parser.parse_args()
    warehouse = args.keep or tempfile.mkdtemp(prefix="skep-cdc-")
    try:
        run(args.skep, warehouse)
    finally:
        if not args.keep:
            shutil.rmtree(warehouse)
    print(f"{len(failures)} differences" if failures else "as computed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
