#!/usr/bin/env python3
"""Random statements on one table, beside a model of it in memory: after each statement the table holds what the model says.

usage: random_dml.py --skep PATH [--seed N] [--statements N] [--kind plain|partitioned|bucketed|both] [--verbose]

Statements: INSERT, UPDATE, DELETE, MERGE, INSERT OVERWRITE, TRUNCATE, some in transactions that are committed or rolled back, some
that must fail and change nothing. A second session holds a snapshot now and then and must keep seeing it. Processes are ended,
politely or not, and begin anew. Row ids must be unique. The seed is printed; the same seed makes the same statements."""
import argparse, collections, os, random, shutil, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from session import Session, environment  # noqa: E402

COLUMNS = ("k", "v", "s", "d", "p")


def literal(value):
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "\\'") + "'" if isinstance(value, str) else str(value)


def cents(value):
    return "\\N" if value is None else f"{'-' if value < 0 else ''}{abs(value) // 100}.{abs(value) % 100:02d}"


class Model:
    """Rows are tuples (k, v, s, d in cents, p)."""

    def __init__(self, rng, kind):
        self.rng, self.kind, self.rows = rng, kind, []
        self.partitioned = kind in ("partitioned", "both")

    def row(self):
        r = self.rng
        text = r.choice(("", "a", "b'", "naïve", "x" * r.randrange(40))) if r.random() < 0.9 else None
        return (r.randrange(200), r.choice((None, r.randrange(-1000, 1000))), text, r.choice((None, r.randrange(-99999, 99999))), r.randrange(4) if self.partitioned else 0)

    def condition(self):
        """(SQL, function of a row that is True, False or None)."""
        r, c, m = self.rng, self.rng.randrange(200), self.rng.randrange(2, 9)
        choices = [
            (f"k = {c}", lambda x: x[0] == c),
            (f"k < {c}", lambda x: x[0] < c),
            (f"k BETWEEN {c} AND {c + 20}", lambda x: c <= x[0] <= c + 20),
            (f"k % {m} = 1", lambda x: x[0] % m == 1),
            (f"v > {c}", lambda x: None if x[1] is None else x[1] > c),
            ("v IS NULL", lambda x: x[1] is None),
            ("s = 'a'", lambda x: None if x[2] is None else x[2] == "a"),
            ("s LIKE 'x%'", lambda x: None if x[2] is None else x[2].startswith("x")),
            (f"k IN ({c}, {c + 1}, {c + 5})", lambda x: x[0] in (c, c + 1, c + 5)),
            ("k = -1", lambda x: False),
        ]
        if self.partitioned:
            p = r.randrange(4)
            choices += [(f"p = {p}", lambda x: x[4] == p), (f"p = {p} AND k < {c}", lambda x: x[4] == p and x[0] < c)]
        return r.choice(choices)

    def values(self, row):
        sql = [literal(row[0]), literal(row[1]), literal(row[2]), "NULL" if row[3] is None else cents(row[3])]
        return ", ".join(sql + ([str(row[4])] if self.partitioned else []))

    def names(self):
        return ", ".join(COLUMNS if self.partitioned else COLUMNS[:4])

    def text(self, row):
        cells = ["\\N" if row[i] is None else str(row[i]) for i in range(3)] + [cents(row[3])]
        return "\t".join(cells + ([str(row[4])] if self.partitioned else []))


class Run:
    def __init__(self, args):
        self.args, self.rng = args, random.Random(args.seed)
        self.model = Model(self.rng, args.kind)
        self.here = tempfile.mkdtemp(prefix="skep-random-")
        self.env = environment(args.skep)
        self.a, self.b, self.snapshot, self.before, self.n = None, None, None, None, 0

    def open(self):
        return Session(self.args.skep, os.path.join(self.here, "warehouse"), [], self.env)

    def die(self, what, sql=""):
        print(f"seed {self.args.seed}, kind {self.args.kind}, statement {self.n}: {what}\n  {sql[:1500]}\n  warehouse: {self.here}/warehouse")
        sys.exit(1)

    def run(self, sql, session=None, must_fail=False):
        self.n += 1
        if self.args.verbose:
            print(f"{self.n}: {sql[:300]}", flush=True)
        rows, err = (session or self.a).run(sql)
        if bool(err) != must_fail:
            self.die(f"refused: {err}" if err else "not refused", sql)
        return rows

    def check(self, session=None, rows=None, sql="SELECT * FROM t"):
        have = collections.Counter(self.run(sql, session))
        want = collections.Counter(self.model.text(row) for row in (self.model.rows if rows is None else rows))
        if have != want:
            missing, extra = want - have, have - want
            self.die(f"{sum(missing.values())} rows are missing, {sum(extra.values())} should not be there: {list(missing)[:3]} {list(extra)[:3]}", sql)

    def check_ids(self):
        ids = self.run("SELECT ROW__ID.writeid, ROW__ID.bucketid, ROW__ID.rowid" + (", p" if self.model.partitioned else "") + " FROM t")
        if len(ids) != len(set(ids)):
            self.die("two rows have one row id")

    # --- statements: each changes the model as it changes the table ---

    def insert(self):
        rows = [self.model.row() for _ in range(self.rng.choice((1, 1, 3, 20)))]
        self.run("INSERT INTO t VALUES " + ", ".join(f"({self.model.values(row)})" for row in rows))
        self.model.rows += rows

    def insert_select(self):
        sql, holds = self.model.condition()
        c = self.rng.randrange(1, 50)
        new = [(k + c, v, s, d, p) for k, v, s, d, p in self.model.rows if holds((k, v, s, d, p))]
        if len(self.model.rows) + len(new) > 400:
            return self.delete()
        self.run(f"INSERT INTO t SELECT k + {c}, v, s, d{', p' if self.model.partitioned else ''} FROM t WHERE {sql}")
        self.model.rows += new

    def update(self):
        sql, holds = self.model.condition()
        c = self.rng.randrange(-5, 5)
        how, new = self.rng.choice([
            (f"v = v + {c}", lambda x: (x[0], None if x[1] is None else x[1] + c, *x[2:])),
            (f"s = 'u{c}', v = k", lambda x: (x[0], x[0], f"u{c}", *x[3:])),
            ("d = NULL", lambda x: (*x[:3], None, x[4])),
            (f"d = {c}.25, s = NULL", lambda x: (*x[:2], None, c * 100 + (25 if c >= 0 else -25), x[4])),
        ])
        self.run(f"UPDATE t SET {how} WHERE {sql}")
        self.model.rows = [new(x) if holds(x) else x for x in self.model.rows]

    def delete(self):
        sql, holds = self.model.condition()
        self.run(f"DELETE FROM t WHERE {sql}")
        self.model.rows = [x for x in self.model.rows if not holds(x)]

    def source(self, keys):
        return " UNION ALL ".join(f"SELECT {k} AS k, {k * 3} AS n, 'm{k % 3}' AS op" for k in keys)

    def merge(self):
        keys = self.rng.sample(range(220), self.rng.choice((1, 5, 30)))
        with_delete, with_insert = self.rng.random() < 0.6, self.rng.random() < 0.7
        p = self.rng.randrange(4)
        sql = f"MERGE INTO t USING ({self.source(keys)}) m ON t.k = m.k"
        if with_delete:
            sql += " WHEN MATCHED AND m.op = 'm0' THEN DELETE"
        sql += " WHEN MATCHED THEN UPDATE SET v = m.n, s = m.op"
        if with_insert:
            sql += f" WHEN NOT MATCHED THEN INSERT VALUES (m.k, m.n, m.op, 1.5{f', {p}' if self.model.partitioned else ''})"
        self.run(sql)
        present, rows = {x[0] for x in self.model.rows}, []
        for x in self.model.rows:
            if x[0] not in keys:
                rows.append(x)
            elif not (with_delete and x[0] % 3 == 0):
                rows.append((x[0], x[0] * 3, f"m{x[0] % 3}", *x[3:]))
        if with_insert:
            rows += [(k, k * 3, f"m{k % 3}", 150, p if self.model.partitioned else 0) for k in keys if k not in present]
        self.model.rows = rows

    def overwrite(self):
        if self.before is not None:  # a base hides later deltas of its own transaction, in Hive too
            return
        sql, holds = self.model.condition()
        kept = [x for x in self.model.rows if holds(x)]
        self.run(f"INSERT OVERWRITE TABLE t SELECT {self.model.names()} FROM t WHERE {sql}")
        if self.model.partitioned:  # only the partitions that get rows are overwritten
            touched = {x[4] for x in kept}
            kept += [x for x in self.model.rows if x[4] not in touched]
        self.model.rows = kept

    def truncate(self):
        if self.before is not None:  # DDL
            return
        self.run(self.rng.choice(("TRUNCATE TABLE t", "DELETE FROM t")))
        self.model.rows = []

    def refused(self):
        bad = ["INSERT INTO t VALUES (1)", "UPDATE t SET nosuch = 1", "DELETE FROM t WHERE nosuch = 1", "INSERT INTO t SELECT * FROM nowhere"]
        if self.model.rows:
            k = self.rng.choice(self.model.rows)[0]
            bad.append(f"MERGE INTO t USING (SELECT {k} AS k UNION ALL SELECT {k}) m ON t.k = m.k WHEN MATCHED THEN UPDATE SET v = 1")
        self.run(self.rng.choice(bad), must_fail=True)
        if self.before is not None:  # it ended the transaction
            self.model.rows, self.before = self.before, None

    # --- around them ---

    def begin(self):
        if self.before is None:
            self.run("START TRANSACTION")
            self.before = list(self.model.rows)

    def end(self):
        if self.before is None:
            return
        if self.rng.random() < 0.3:
            self.run("ROLLBACK")
            self.model.rows = self.before
        else:
            self.run("COMMIT")
        self.before = None

    def restart(self):
        self.a.close(kill=self.rng.random() < 0.5)
        if self.before is not None:
            self.model.rows, self.before = self.before, None
        self.a = self.open()

    def other_session(self):
        """A snapshot of another process does not change."""
        if self.snapshot is None:
            committed = self.model.rows if self.before is None else self.before
            self.run("START TRANSACTION", self.b)
            self.snapshot = list(committed)
            self.check(self.b, self.snapshot)
        else:
            self.check(self.b, self.snapshot)
            if self.rng.random() < 0.3:
                self.run("COMMIT", self.b)
                self.snapshot = None

    def step(self):
        steps = [(self.insert, 25), (self.insert_select, 8), (self.update, 20), (self.delete, 12), (self.merge, 12), (self.overwrite, 3), (self.truncate, 1),
                 (self.refused, 4), (self.begin, 5), (self.end, 8), (self.other_session, 6), (self.restart, 0.5)]
        self.rng.choices([s for s, _ in steps], [w for _, w in steps])[0]()

    def all(self):
        self.a, self.b = self.open(), self.open()
        self.run("SET hive.acid.lockless.reads.enabled=true", self.b)  # its snapshot is in nobody's way: one script drives both
        partition = " PARTITIONED BY (p INT)" if self.model.partitioned else ""
        buckets = " CLUSTERED BY (k) INTO 3 BUCKETS" if self.args.kind in ("bucketed", "both") else ""
        self.run(f"CREATE TABLE t (k INT, v INT, s STRING, d DECIMAL(10,2)){partition}{buckets} STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        while self.n < self.args.statements:
            self.step()
            self.check()
            if self.n % 50 < 2:
                self.check_ids()
        self.end()
        self.restart()
        self.check()
        self.a.close()
        self.b.close()
        shutil.rmtree(self.here, ignore_errors=True)
        print(f"seed {self.args.seed}, kind {self.args.kind}: {self.n} statements")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--statements", type=int, default=2500)
    parser.add_argument("--kind", default="plain", choices=("plain", "partitioned", "bucketed", "both"))
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    args.skep = os.path.abspath(args.skep)
    if args.seed is None:
        args.seed = random.SystemRandom().randrange(1 << 32)
    print(f"seed {args.seed}", flush=True)
    Run(args).all()


main()
