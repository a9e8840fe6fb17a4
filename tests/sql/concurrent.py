#!/usr/bin/env python3
"""Several processes write to one warehouse at once: no row is lost or doubled, no update is lost, readers see whole transactions.

usage: concurrent.py --skep PATH [--writers N] [--statements N]

Writers insert rows of their own, and move money between accounts in transactions that may fail with a write conflict (then nothing of
them is there, and they are tried again). A reader sums the accounts the whole time: the sum never changes."""
import argparse, os, random, shutil, sys, tempfile, threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from session import Session, environment  # noqa: E402

ACCOUNTS = 6


class Run:
    def __init__(self, args):
        self.args, self.here = args, tempfile.mkdtemp(prefix="skep-concurrent-")
        self.failures, self.conflicts, self.moved, self.done = [], 0, 0, False
        self.lock = threading.Lock()

    def session(self):
        session = Session(self.args.skep, os.path.join(self.here, "warehouse"), [], environment(self.args.skep))
        self.must(session, "SET skep.lock.wait.timeout=3600s")  # how long others take is not what is tested
        return session

    def must(self, session, sql):
        rows, err = session.run(sql)
        if err:
            raise RuntimeError(f"refused: {sql}: {err}")
        return rows

    def transfer(self, session, rng):
        """True when it was committed."""
        a, b = rng.sample(range(ACCOUNTS), 2)
        amount = rng.randrange(1, 10)
        for sql in ("START TRANSACTION", f"UPDATE accounts SET n = n - {amount} WHERE id = {a}", f"UPDATE accounts SET n = n + {amount} WHERE id = {b}", "COMMIT"):
            _, err = session.run(sql)
            if err and "conflict" not in err:
                raise RuntimeError(f"refused in other words than a conflict: {sql}: {err}")
            if err:
                return False
        return True

    def writer(self, number):
        rng = random.Random(number)
        try:
            session = self.session()
            for i in range(self.args.statements):
                self.must(session, f"INSERT INTO log VALUES ({number}, {i})")
                if i % 5 == 0:
                    committed = self.transfer(session, rng)
                    with self.lock:
                        self.moved += committed
                        self.conflicts += not committed
            session.close()
        except RuntimeError as failure:
            self.failures.append(f"writer {number}: {failure}")

    def reader(self):
        try:
            session = self.session()
            while not self.done:
                rows = self.must(session, "SELECT sum(n), count(*) FROM accounts")
                if rows != [f"{ACCOUNTS * 100}\t{ACCOUNTS}"]:
                    raise RuntimeError(f"half a transaction is seen: {rows}")
            session.close()
        except RuntimeError as failure:
            self.failures.append(f"reader: {failure}")

    def all(self):
        session = self.session()
        self.must(session, "CREATE TABLE log (w INT, i INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        self.must(session, "CREATE TABLE accounts (id INT, n INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        self.must(session, "INSERT INTO accounts VALUES " + ", ".join(f"({i}, 100)" for i in range(ACCOUNTS)))
        writers = [threading.Thread(target=self.writer, args=(w,)) for w in range(self.args.writers)]
        reader = threading.Thread(target=self.reader)
        for thread in [*writers, reader]:
            thread.start()
        for thread in writers:
            thread.join()
        self.done = True
        reader.join()
        if not self.failures:
            want = sorted(f"{w}\t{i}" for w in range(self.args.writers) for i in range(self.args.statements))
            if sorted(self.must(session, "SELECT w, i FROM log")) != want:
                self.failures.append("rows were lost or doubled")
            if self.must(session, "SELECT sum(n) FROM accounts") != [str(ACCOUNTS * 100)]:
                self.failures.append("an update was lost")
            ids = self.must(session, "SELECT ROW__ID.writeid, ROW__ID.bucketid, ROW__ID.rowid FROM log")
            if len(ids) != len(set(ids)):
                self.failures.append("two rows have one row id")
            if not self.moved:
                self.failures.append("no transfer was ever committed")
        session.close()
        if self.failures:
            sys.exit("\n".join(self.failures) + f"\n  warehouse: {self.here}/warehouse")
        shutil.rmtree(self.here, ignore_errors=True)
        print(f"{self.args.writers * self.args.statements} inserts, {self.moved} transfers committed, {self.conflicts} refused for conflicts")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    parser.add_argument("--writers", type=int, default=3)
    parser.add_argument("--statements", type=int, default=40)
    Run(parser.parse_args()).all()


main()
