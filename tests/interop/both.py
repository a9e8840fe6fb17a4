"""Skep and a real Hive on one metastore: what the tests that let both work on the same tables share."""
import argparse, collections, os, shutil, subprocess, sys, tempfile, time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")]
from hive import Hive  # noqa: E402
from metastore import SKIPPED  # noqa: E402
from session import Session, environment  # noqa: E402

ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
MM = "STORED AS ORC TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
NO_IDS = ("mm", "plain")  # tables whose names begin so have no row ids
SPACES = "(SELECT posexplode(split(space({}), ' ')) AS (pos, e)) q"  # rows 0 to n


def ids_of(table):
    """What a SELECT asks for besides the columns."""
    return "" if table.split(".")[1].startswith(NO_IDS) else "ROW__ID.writeid, ROW__ID.bucketid, ROW__ID.rowid, "


class Warehouse:
    """Skep and tables that a Hive is to see. a: a session; failed: how many expectations were not met; compared, rows: how much was compared."""

    def __init__(self, args, here, metastore=()):
        self.args, self.here, self.failed, self.compared, self.rows = args, here, 0, 0, 0
        self.env, self.metastore = environment(args.skep), list(metastore)
        self.warehouse = os.path.join(here, "warehouse")
        self.a = self.session()

    def session(self):
        s = Session(self.args.skep, self.warehouse, self.metastore, self.env)
        s.run("SET skep.lock.wait.timeout=300s")
        return s

    def end(self):
        self.a.close()

    def expect(self, what, good, seen=""):
        if not good:
            self.failed += 1
            print(f"FAILED: {what}\n{seen}"[:3000], flush=True)
        return good

    def skep(self, *statements, session=None):
        """Statements that must not fail; the rows of the last."""
        rows = []
        for statement in statements:
            rows, err = (session or self.a).run(statement)
            self.expect(f"Skep: {statement[:200]}", err == "", err)
        return rows

    def equal(self, what, ours, theirs, error=""):
        """Both have the same rows, in whatever order."""
        a, b = collections.Counter(theirs), collections.Counter(ours)
        seen = "".join(f"  only {who}: {row[:300]}\n" for who, d in (("Hive", a - b), ("Skep", b - a)) for row in list(d.elements())[:6])
        self.expect(f"{what}: rows and row ids are equal", not error and a == b, error + seen)

    def compactor(self, *roles):
        """skep compact --once on this metastore."""
        done = subprocess.run([self.args.skep, "compact", "-w", self.warehouse, *self.metastore, "--once", "--roles", ",".join(roles),
                               "--hiveconf", "hive.compactor.delayed.cleanup.enabled=false"], capture_output=True, text=True, env=self.env, stdin=subprocess.DEVNULL)
        self.expect(f"skep compact --roles {roles}", done.returncode == 0, done.stdout + done.stderr)
        return done.stdout + done.stderr


class Both(Warehouse):
    """a, b: sessions of Skep; hive: a Hive on the same metastore."""

    def __init__(self, args, here, settings):
        self.args, self.here, self.settings, self.hive = args, here, settings, None
        self.start({})
        super().__init__(args, here, ["--metastore", self.hive.url])
        self.b = self.session()

    def start(self, settings):
        """Another Hive in place of the one that runs, on the same metastore: some settings are read at its start only."""
        if self.hive:
            self.hive.end()
        self.hive = Hive(self.args.oracle, tempfile.mkdtemp(prefix="hive-", dir=self.here), {**self.settings, **settings})
        self.hive.run("SHOW DATABASES")

    def end(self):
        self.b.close()
        super().end()
        self.hive.end()

    def hives(self, *statements):
        """Statements of Hive that must not fail; the rows of the last. Lines that begin with "--! " are directives to the program that runs it."""
        answers = self.hive.run(*statements)
        self._checked(statements, answers)
        return answers[-1].rows if answers else []

    def _checked(self, statements, answers):
        for statement, answer in zip([s for s in statements if not s.startswith("--! ")], answers):
            self.expect(f"Hive: {statement[:200]}", answer.error == "", answer.error)

    def same(self, *tables, after, then=(), vectors=False):
        """Both see the same rows, with row ids. then: what Hive does before it looks. vectors: Hive reads with its vectorised reader, too."""
        queries = [f"SELECT {ids_of(table)}t.* FROM {table} t" for table in tables]
        again = ["--! session V", "SET hive.fetch.task.conversion=none", *queries, "--! session A"] if vectors else []
        answers = self.hive.run(*then, *queries, *again)
        self._checked(then, answers)
        bad = self.failed
        count = len(queries)
        vectorised = answers[len(answers) - count :] if vectors else []
        read = answers[len(answers) - 2 * count - 1 : -count - 1] if vectors else answers[len(answers) - count :]
        for i, table in enumerate(tables):
            rows, err = self.a.run(queries[i])
            self.compared, self.rows = self.compared + 1, self.rows + len(rows)
            self.equal(f"{table} {after}", rows, read[i].rows, read[i].error + err)
            if vectors:
                self.equal(f"{table} {after}, vectorised", rows, vectorised[i].rows, vectorised[i].error)
        print(f"  {after}: {count} tables {'equal' if bad == self.failed else 'compared'}, {self.rows} rows so far", flush=True)

    def place(self, table, *below):
        """The directory of a table (its database's name is the folder's)."""
        database, name = table.split(".")
        there = self.hive.psql(f"""SELECT "LOCATION" FROM "SDS" JOIN "TBLS" USING ("SD_ID") JOIN "DBS" USING ("DB_ID") WHERE "NAME" = '{database}' AND "TBL_NAME" = '{name}'""")[0]
        return os.path.join(there.split(":", 1)[1], *below)

    def directories(self, table, *below):
        return sorted(d for d in os.listdir(self.place(table, *below)) if d[0] not in "._")


def frame(doc, parts, missing, make):
    """The program around parts, a table from name to function of what make(args, here) returns. missing: of the oracle, why there is none, or None."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skep", required=True, type=os.path.abspath)
    parser.add_argument("--oracle", required=True, help="program that runs scripts on a Hive")
    parser.add_argument("--keep", type=os.path.abspath, help="a directory that stays")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    args = parser.parse_args()
    why = missing(args.oracle)
    if why:
        print(why)
        sys.exit(SKIPPED)
    here = args.keep or tempfile.mkdtemp(prefix="skep-hive-")
    os.makedirs(here, exist_ok=True)
    w = make(args, here)
    try:
        for name in args.parts or parts:
            start = time.monotonic()
            parts[name](w)
            print(f"{name}: {time.monotonic() - start:.0f} s; so far {w.compared} comparisons, {w.rows} rows, {w.failed} failures", flush=True)
    finally:
        w.end()
        if not args.keep:
            shutil.rmtree(here, ignore_errors=True)
    sys.exit(1 if w.failed else 0)


def run(doc, parts, settings):
    """frame() around parts of a Both; settings: Hive's."""
    frame(doc, parts, Hive.missing, lambda args, here: Both(args, here, settings))
