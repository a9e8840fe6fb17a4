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


class Both:
    """a, b: sessions of Skep; hive: the Hive; failed: how many expectations were not met."""

    def __init__(self, args, here, settings):
        self.args, self.here, self.failed, self.compared, self.rows = args, here, 0, 0, 0
        self.env = environment(args.skep)
        self.warehouse = os.path.join(here, "warehouse")
        self.settings, self.hive = settings, None
        self.start({})
        self.a, self.b = self.session(), self.session()

    def start(self, settings):
        """Another Hive in place of the one that runs, on the same metastore: some settings are read at its start only."""
        if self.hive:
            self.hive.end()
        self.hive = Hive(self.args.oracle, tempfile.mkdtemp(prefix="hive-", dir=self.here), {**self.settings, **settings})
        self.hive.run("SHOW DATABASES")

    def session(self):
        s = Session(self.args.skep, self.warehouse, ["--metastore", self.hive.url], self.env)
        s.run("SET skep.lock.wait.timeout=300s")
        return s

    def end(self):
        for s in (self.a, self.b):
            s.close()
        self.hive.end()

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

    def hives(self, *statements):
        """The same of Hive. Lines that begin with "--! " are directives to the program that runs it."""
        answers = self.hive.run(*statements)
        self._checked(statements, answers)
        return answers[-1].rows if answers else []

    def _checked(self, statements, answers):
        for statement, answer in zip([s for s in statements if not s.startswith("--! ")], answers):
            self.expect(f"Hive: {statement[:200]}", answer.error == "", answer.error)

    def same(self, *tables, after, then=(), vectors=False):
        """Both see the same rows, with row ids. then: what Hive does before it looks. vectors: Hive reads with its vectorised reader, too."""
        queries = []
        for table in tables:
            ids = "" if table.split(".")[1].startswith(NO_IDS) else "ROW__ID.writeid, ROW__ID.bucketid, ROW__ID.rowid, "
            queries.append(f"SELECT {ids}t.* FROM {table} t")
        again = ["--! session V", "SET hive.fetch.task.conversion=none", *queries, "--! session A"] if vectors else []
        answers = self.hive.run(*then, *queries, *again)
        self._checked(then, answers)
        bad = self.failed
        count = len(queries)
        read = answers[-count * (2 if vectors else 1) - (1 if vectors else 0):]
        for table, query, answer in zip(tables, queries, read):
            rows, err = self.a.run(query)
            self.compared, self.rows = self.compared + 1, self.rows + len(rows)
            self._equal(f"{table} {after}", rows, err, answer)
            if vectors:
                self._equal(f"{table} {after}, vectorised", rows, err, answers[len(answers) - count + tables.index(table)])
        print(f"  {after}: {count} tables {'equal' if bad == self.failed else 'compared'}, {self.rows} rows so far", flush=True)

    def _equal(self, what, rows, err, answer):
        theirs, ours = collections.Counter(answer.rows), collections.Counter(rows)
        seen = "".join(f"  only {who}: {row[:300]}\n" for who, d in (("Hive", theirs - ours), ("Skep", ours - theirs)) for row in list(d.elements())[:6])
        self.expect(f"{what}: rows and row ids are equal", not answer.error and not err and ours == theirs, answer.error + err + seen)

    def compactor(self, *roles):
        """skep compact --once on this metastore."""
        done = subprocess.run([self.args.skep, "compact", "-w", self.warehouse, "--metastore", self.hive.url, "--once", "--roles", ",".join(roles),
                               "--hiveconf", "hive.compactor.delayed.cleanup.enabled=false"], capture_output=True, text=True, env=self.env)
        self.expect(f"skep compact --roles {roles}", done.returncode == 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def place(self, table, *below):
        """The directory of a table (its database's name is the folder's)."""
        database, name = table.split(".")
        there = self.hive.psql(f"""SELECT "LOCATION" FROM "SDS" JOIN "TBLS" USING ("SD_ID") JOIN "DBS" USING ("DB_ID") WHERE "NAME" = '{database}' AND "TBL_NAME" = '{name}'""")[0]
        return os.path.join(there.split(":", 1)[1], *below)

    def directories(self, table, *below):
        return sorted(d for d in os.listdir(self.place(table, *below)) if d[0] not in "._")


def run(doc, parts, settings):
    """The program around parts, a table from name to function of a Both."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skep", required=True, type=os.path.abspath)
    parser.add_argument("--oracle", required=True, help="program that runs scripts on a Hive")
    parser.add_argument("--keep", type=os.path.abspath, help="a directory that stays")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    args = parser.parse_args()
    why = Hive.missing(args.oracle)
    if why:
        print(why)
        sys.exit(SKIPPED)
    here = args.keep or tempfile.mkdtemp(prefix="skep-hive-")
    os.makedirs(here, exist_ok=True)
    w = Both(args, here, settings)
    try:
        for name in args.parts or parts:
            start = time.monotonic()
            parts[name](w)
            print(f"{name}: {time.monotonic() - start:.0f} s; so far {w.compared} tables compared, {w.rows} rows, {w.failed} failures", flush=True)
    finally:
        w.end()
        if not args.keep:
            shutil.rmtree(here, ignore_errors=True)
    sys.exit(1 if w.failed else 0)
