#!/usr/bin/env python3
"""Metastores in PostgreSQL that the program did not make, a server that goes away, TLS and passwords.

usage: attach.py --skep PATH --server SCRIPT --dump FILE.sql.zst

SCRIPT is scripts/throwaway_postgres.sh; FILE a metastore as Hive 4.0.1 left it (golden 19-metastore). A server of its own is started, since
it is also killed. Exit status 77 where PostgreSQL is not installed."""
import argparse, os, shutil, signal, socket, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from metastore import Server, psql  # noqa: E402
from session import Session, environment  # noqa: E402

FAILURES = []
SHAPE = """SELECT table_name, column_name, data_type, character_maximum_length, column_default, is_nullable FROM information_schema.columns
WHERE table_schema = 'public' UNION ALL SELECT tablename, indexname, indexdef, NULL, NULL, NULL FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2, 3"""
# What Hive 3.1's own script makes otherwise: lower-case tables of transactions, no row 0, numbers from NEXT_TXN_ID, columns that came later.
TO_3_1 = """
DO $$ DECLARE r record; BEGIN
  FOR r IN SELECT table_name t, column_name c FROM information_schema.columns WHERE table_schema = 'public' AND table_name IN ('TXNS', 'TXN_COMPONENTS',
      'COMPLETED_TXN_COMPONENTS', 'HIVE_LOCKS', 'NEXT_LOCK_ID', 'COMPACTION_QUEUE', 'COMPLETED_COMPACTIONS', 'NEXT_COMPACTION_QUEUE_ID', 'AUX_TABLE', 'WRITE_SET',
      'TXN_TO_WRITE_ID', 'NEXT_WRITE_ID', 'MIN_HISTORY_LEVEL') LOOP
    EXECUTE format('ALTER TABLE %I RENAME COLUMN %I TO %I', r.t, r.c, lower(r.c)); END LOOP;
  FOR r IN SELECT DISTINCT table_name t FROM information_schema.columns WHERE table_schema = 'public' AND column_name = lower(column_name) LOOP
    EXECUTE format('ALTER TABLE %I RENAME TO %I', r.t, lower(r.t)); END LOOP;
END $$;
CREATE TABLE next_txn_id (ntxn_next bigint NOT NULL);
INSERT INTO next_txn_id SELECT max(txn_id) + 1 FROM txns;
DELETE FROM txns WHERE txn_state = 'c';
DROP TABLE "MIN_HISTORY_WRITE_ID", "COMPACTION_METRICS_CACHE", "TXN_LOCK_TBL";
ALTER TABLE "DBS" DROP COLUMN "CREATE_TIME", DROP COLUMN "DB_MANAGED_LOCATION_URI", DROP COLUMN "TYPE", DROP COLUMN "DATACONNECTOR_NAME", DROP COLUMN "REMOTE_DBNAME";
ALTER TABLE "TBLS" DROP COLUMN "WRITE_ID";
ALTER TABLE "PARTITIONS" DROP COLUMN "WRITE_ID";
ALTER TABLE "TAB_COL_STATS" DROP COLUMN "ENGINE", DROP COLUMN "HISTOGRAM";
ALTER TABLE "PART_COL_STATS" DROP COLUMN "ENGINE", DROP COLUMN "HISTOGRAM";
UPDATE "VERSION" SET "SCHEMA_VERSION" = '3.1.0'
"""
# And 1.2's: no catalogs, no constraints, no types of transactions, no write ids.
TO_1_2 = """
ALTER TABLE "DBS" DROP CONSTRAINT "DBS_CTLG_NAME_fkey", DROP CONSTRAINT "UNIQUE_DATABASE";
ALTER TABLE "DBS" DROP COLUMN "CTLG_NAME";
ALTER TABLE "TBLS" DROP COLUMN "OWNER_TYPE", DROP COLUMN "IS_REWRITE_ENABLED";
DROP TABLE "CTLGS", "KEY_CONSTRAINTS", "METASTORE_DB_PROPERTIES", txn_to_write_id, next_write_id, min_history_level;
ALTER TABLE txns DROP COLUMN txn_type, DROP COLUMN txn_meta_info, DROP COLUMN txn_agent_info;
UPDATE "VERSION" SET "SCHEMA_VERSION" = '1.2.0'
"""
TO_4_1 = """
DROP INDEX "TAB_COL_STATS_IDX"; DROP INDEX "PCS_STATS_IDX";
ALTER TABLE "TAB_COL_STATS" DROP COLUMN "CAT_NAME", DROP COLUMN "DB_NAME", DROP COLUMN "TABLE_NAME";
ALTER TABLE "PART_COL_STATS" DROP COLUMN "CAT_NAME", DROP COLUMN "DB_NAME", DROP COLUMN "TABLE_NAME", DROP COLUMN "PARTITION_NAME";
UPDATE "VERSION" SET "SCHEMA_VERSION" = '4.1.0'
"""


def expect(what, right, came=""):
    if not right:
        FAILURES.append(what)
        print(f"{what}: {came}", flush=True)


class World:
    def __init__(self, args):
        self.args, self.env = args, environment(args.skep)
        self.here = tempfile.mkdtemp(prefix="skep-attach-")
        try:
            self.server = Server(args.server, self.here + "/server", "fsync=off")
        except SystemExit:
            shutil.rmtree(self.here, ignore_errors=True)
            raise
        self.url, self.psql = self.server.url, self.server.psql

    def skep(self, database, *words, warehouse="w"):
        command = [self.args.skep, *words[:1], "-w", f"{self.here}/{warehouse}", "--metastore", self.url(database), *words[1:]]
        return subprocess.run([word for word in command if word], capture_output=True, text=True, env=self.env)

    def sql(self, database, *statements, options=()):
        words = ["", *options, "--silent", "--showHeader=false", "--outputformat=copy"]
        for statement in statements:
            words += ["-e", statement]
        return self.skep(database, *words)

    def end(self):
        self.server.stop()
        shutil.rmtree(self.here, ignore_errors=True)


def hives_own(w):
    """A metastore that Hive made and used: read, written, and not altered."""
    w.psql("postgres", "CREATE DATABASE hives")
    w.psql("hives", subprocess.run(["zstd", "-dqc", w.args.dump], capture_output=True, text=True, check=True).stdout)
    shape = w.psql("hives", SHAPE)
    done = w.skep("hives", "metastore", "validate")
    expect("Hive's metastore validates", done.returncode == 0, done.stdout + done.stderr)
    done = w.sql("hives", "SHOW DATABASES")
    expect("its databases", "s01\n" in done.stdout and done.returncode == 0, done.stdout + done.stderr)
    before = w.psql("hives", 'SELECT count(*), max("TXN_ID") FROM "TXNS"')
    done = w.sql("hives", "SELECT 1", "SHOW TABLES IN s01", options=["--read-only"])
    expect("looking changes no row", done.returncode == 0 and w.psql("hives", 'SELECT count(*), max("TXN_ID") FROM "TXNS"') == before, done.stderr)
    for version in ("4.0.0", "4.1.0"):
        if version == "4.1.0":
            w.psql("hives", TO_4_1)
            shape = w.psql("hives", SHAPE)
        name = "t" + version.replace(".", "")
        place = f"'file:{w.here}/{name}'"
        done = w.sql("hives", f"CREATE DATABASE d{name} LOCATION {place} MANAGEDLOCATION {place}", f"CREATE TABLE d{name}.t (a INT, b STRING)",
                     f"INSERT INTO d{name}.t VALUES (1, 'x'), (2, 'y')", f"UPDATE d{name}.t SET b = 'z' WHERE a = 2", f"SELECT * FROM d{name}.t ORDER BY a")
        expect(f"{version} is written", done.stdout == "1\tx\n2\tz\n" and done.returncode == 0, done.stdout + done.stderr)
        expect(f"{version} is not altered", w.psql("hives", SHAPE) == shape)
    numbers = w.psql("hives", 'SELECT count(*) = max("TXN_ID") - min("TXN_ID") + 1 FROM "TXNS" WHERE "TXN_ID" > 4240')
    expect("numbers go on from Hive's", numbers == "t\n", numbers)


def old_ones(w):
    """3.1 and 1.2: what is committed is read, nothing is written."""
    w.psql("postgres", "CREATE DATABASE old")
    done = w.sql("old", "CREATE TABLE t (a INT, b STRING) PARTITIONED BY (p INT)", "INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2)", "UPDATE t SET b = 'z' WHERE a = 2",
                 "INSERT INTO t VALUES (9, 'aborted', 1)")
    expect("made", done.returncode == 0, done.stderr)
    w.psql("old", "UPDATE \"TXNS\" SET \"TXN_STATE\" = 'a' WHERE \"TXN_ID\" = (SELECT max(\"T2W_TXNID\") FROM \"TXN_TO_WRITE_ID\")")
    for version, change in (("3.1.0", TO_3_1), ("1.2.0", TO_1_2)):
        w.psql("old", change)
        shape = w.psql("old", SHAPE)
        done = w.skep("old", "metastore", "info")
        expect(f"{version} is known", f"schema: {version}" in done.stdout, done.stdout + done.stderr)
        done = w.sql("old", "SHOW TABLES", "DESCRIBE t", "SHOW PARTITIONS t")
        expect(f"{version}: the catalog", done.returncode == 0 and "p=2" in done.stdout, done.stdout + done.stderr)
        if version == "3.1.0":  # files of write ids; before that a write's id was its transaction's
            done = w.sql("old", "SELECT * FROM t ORDER BY a")
            expect("3.1.0: what is committed is seen, what was aborted is not", done.stdout == "1\tx\t1\n2\tz\t2\n", done.stdout + done.stderr)
        for statement in ("INSERT INTO t VALUES (3, 'w', 3)", "DELETE FROM t", "CREATE TABLE u (a INT)", "DROP TABLE t", "START TRANSACTION"):
            done = w.sql("old", statement)
            expect(f"{version}: {statement} is refused", done.returncode != 0 and "for reading only" in done.stderr, done.stdout + done.stderr)
        expect(f"{version} is not altered", w.psql("old", SHAPE) == shape)
    w.psql("postgres", "CREATE DATABASE other")
    w.psql("other", "CREATE TABLE somebodys (a int)")
    done = w.sql("other", "SHOW TABLES")
    expect("another program's database is left alone", done.returncode != 0 and "1 other tables" in done.stderr, done.stderr)


def the_server_goes(w):
    """A session that goes on finds the server again; what it was doing fails, and nothing of it is there."""
    w.psql("postgres", "CREATE DATABASE gone")
    session = Session(w.args.skep, w.here + "/w2", ["--metastore", w.url("gone")], w.env)
    rows, err = session.run("CREATE TABLE t (a INT)")
    session.run("INSERT INTO t VALUES (1)")
    w.psql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'gone'")
    while w.psql("postgres", "SELECT count(*) FROM pg_stat_activity WHERE datname = 'gone'") != "0\n":  # or it ends in the middle of the next statement
        time.sleep(0.05)
    rows, err = session.run("INSERT INTO t VALUES (2)")
    expect("a connection that was ended is made again", err == "", err)
    session.run("START TRANSACTION")
    session.run("INSERT INTO t VALUES (3)")
    w.server.kill()
    expect("the server starts again", w.server.again())
    rows, err = session.run("COMMIT")
    expect("the transaction goes on on a new connection, or says that it failed", err == "" or "FAILED" in err or "Error" in err or "lost" in err, err)
    committed = err == ""
    rows, err = session.run("SELECT a FROM t ORDER BY a")
    expect("and its end is what it said", rows == (["1", "2", "3"] if committed else ["1", "2"]) and err == "", f"{committed} {rows} {err}")
    session.close()


def secrets(w):
    """A password in the URL is nowhere to be seen."""
    url = w.url("gone").replace("postgresql://skep@", "postgresql://skep:sesame@")
    for words in (["metastore", "--metastore", url, "info"], ["--metastore", url.replace("/gone", "/nowhere"), "-e", "SELECT 1"]):
        done = subprocess.run([w.args.skep, *words], capture_output=True, text=True, env=w.env)
        expect("no password in what is said", "sesame" not in done.stdout + done.stderr, done.stdout + done.stderr)
    expect("a database that is not there is said", "nowhere" in done.stderr and done.returncode == 1, done.stderr)


def waits_end(w):
    """A statement that waits in the database, here for rows that another program has locked, ends within seconds: by Ctrl-C and by KILL QUERY."""
    w.psql("postgres", "CREATE DATABASE waits")
    session = Session(w.args.skep, w.here + "/w3", ["--metastore", w.url("waits")], w.env)
    session.rows("CREATE TABLE t (a INT)")
    session.rows("INSERT INTO t VALUES (1)")
    for table, by_kill in (("TBLS", True), ("TBLS", False), ("NEXT_WRITE_ID", False)):
        holder = subprocess.Popen(["psql", w.url("waits"), "-XqAt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        holder.stdin.write(f'BEGIN;\nSELECT count(*) FROM (SELECT * FROM "{table}" FOR UPDATE) x;\n')
        holder.stdin.flush()
        holder.stdout.readline()
        command = [w.args.skep, "-w", w.here + "/w3", "--metastore", w.url("waits"), "-e", "INSERT INTO t VALUES (2)"]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=w.env)
        what = f"a wait for rows of {table}, ended by {'KILL QUERY' if by_kill else 'Ctrl-C'}"
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'waits' AND application_name = 'skep' AND wait_event_type = 'Lock' AND wait_event <> 'advisory'"
        while w.psql("waits", waiting) == "0\n":
            time.sleep(0.05)
        if by_kill:
            query = session.value("SELECT agent_info FROM sys.transactions WHERE state = 'open' AND tc_table = 't'")
            rows, err = session.run(f"KILL QUERY '{query}'")
            expect(what + " is asked for", err == "" or "was asked to end" in err, err)
        else:
            writer.send_signal(signal.SIGINT)
        out, err = writer.communicate()  # what held it would have given up after a minute, in other words
        expect(what, writer.returncode != 0 and ("killed by" in err if by_kill else "cancelled" in err or "called off" in err or "canceling" in err), err)
        holder.stdin.close()
        holder.wait()
        expect(what + " leaves nothing", session.rows("SELECT a FROM t") == ["1"])
    session.close()


class TlsServer:
    """A second server, on TCP: TLS with a certificate of our own making, and passwords for whoever is not on its socket."""

    def __init__(self, w):
        self.w, self.here, self.server = w, w.here + "/tls", None
        os.makedirs(self.here)

    def start(self):
        for attempt in range(20):  # somebody else may take a port that was free
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.port = free.getsockname()[1]
            try:
                self.server = Server(self.w.args.server, self.here, "listen_addresses=127.0.0.1", f"port={self.port}")
                break
            except SystemExit:
                if attempt == 19:
                    raise
        self.admin = self.server.pattern + f"&port={self.port}"
        for name in ("ca", "other"):
            self.openssl("req", "-x509", "-nodes", "-days", "30", "-subj", f"/CN=Skep test {name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        self.openssl("req", "-nodes", "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
        open(self.here + "/names", "w").write("subjectAltName=DNS:localhost\n")
        self.openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30", "-extfile", "names", "-out", "server.pem")
        self.psql("postgres", "CREATE ROLE ann LOGIN PASSWORD 'sesame'", "CREATE DATABASE hive OWNER ann")
        for name in ("server.pem", "server.key"):
            self.put(name, open(f"{self.here}/{name}").read())
        self.put("pg_hba.conf", "local all all trust\nhostssl all ann 127.0.0.1/32 scram-sha-256\n")
        self.psql("postgres", "ALTER SYSTEM SET ssl_cert_file = 'server.pem'", "ALTER SYSTEM SET ssl_key_file = 'server.key'", "ALTER SYSTEM SET ssl = on",
                  "SELECT pg_reload_conf()")
        while self.psql("postgres", "SHOW ssl") != "on\n":  # the server reads it when it gets to it; its next sessions have it
            time.sleep(0.05)

    def openssl(self, verb, *words):
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1") if verb == "req" else ()
        done = subprocess.run(["openssl", verb, *key, *words], cwd=self.here, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"openssl {verb}: {done.stderr}")

    def psql(self, database, *statements):
        return psql(self.admin.replace("%s", database), ";\n".join(statements))

    def put(self, name, text):
        """A file of the server's, as the server's user and for it alone."""
        lines = ", ".join("'" + line + "'" for line in text.splitlines())
        self.psql("postgres", f"COPY (SELECT unnest(ARRAY[{lines}])) TO PROGRAM 'umask 077; cat >{name}'")

    def skep(self, url, *words, **env):
        command = [self.w.args.skep, "-w", self.w.here + "/tls-warehouse", *(["--metastore", url] if url else []), "--silent", "--showHeader=false", "--outputformat=copy", *words]
        return subprocess.run(command, capture_output=True, text=True, env=self.w.env | env)


def tls_and_passwords(w):
    """What libpq takes works here: certificates are verified, passwords come from wherever it looks for them."""
    if shutil.which("openssl") is None:
        print("openssl is not installed: TLS is not tried")
        return
    server = TlsServer(w)
    try:
        server.start()
        base = f"postgresql://ann@localhost:{server.port}/hive"
        full = base + f"?sslmode=verify-full&sslrootcert={server.here}/ca.pem"
        done = server.skep(full, "-e", "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); SELECT * FROM t", PGPASSWORD="sesame")
        expect("TLS, verified, with PGPASSWORD", done.returncode == 0 and done.stdout == "1\n", done.stdout + done.stderr)
        session = Session(w.args.skep, w.here + "/tls-warehouse", ["--metastore", full], w.env | {"PGPASSWORD": "sesame"})
        session.rows("SELECT 1")
        used = server.psql("postgres", "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'ann'")
        session.close()
        expect("the connections are encrypted", used == "t\n", used)
        refused = {"a root that did not sign it": (full.replace("/ca.pem", "/other.pem"), "certificate verify failed"),
                   "a name that is not in it": (full.replace("@localhost", "@127.0.0.1"), 'does not match host name'),
                   "a root that is not there": (full.replace("/ca.pem", "/none.pem"), "does not exist"),
                   "without TLS": (base + "?sslmode=disable", "no pg_hba.conf entry")}
        for what, (url, message) in refused.items():
            done = server.skep(url, "-e", "SELECT * FROM t", PGPASSWORD="sesame")
            expect(what + " is refused", done.returncode == 1 and message in done.stderr and "\\x0a" not in done.stderr and done.stdout == "", done.stdout + done.stderr)
        done = server.skep(full, "-e", "SELECT * FROM t")
        expect("no password", done.returncode == 1 and "no password supplied" in done.stderr and "\\x0a" not in done.stderr, done.stderr)
        done = server.skep(full, "-e", "SELECT * FROM t", PGPASSWORD="open")
        expect("a wrong password", done.returncode == 1 and "password authentication failed" in done.stderr, done.stderr)
        secret, service = server.here + "/secret", server.here + "/services"
        open(secret, "w").write(f"localhost:{server.port}:hive:ann:sesame\n")
        open(service, "w").write(f"[metastore]\nhost=localhost\nport={server.port}\ndbname=hive\nuser=ann\npassword=sesame\nsslmode=verify-full\nsslrootcert={server.here}/ca.pem\n")
        os.chmod(secret, 0o600)
        for what, url, env in (("a password file in the URL", full.replace("?", f"?passfile={secret}&"), {}), ("PGPASSFILE", full, {"PGPASSFILE": secret}),
                               ("a password in the URL", full.replace("ann@", "ann:sesame@"), {}), ("a service", "postgresql:///?service=metastore", {"PGSERVICEFILE": service}),
                               ("a root and a mode of the environment", base, {"PGSSLMODE": "verify-full", "PGSSLROOTCERT": server.here + "/ca.pem", "PGPASSWORD": "sesame"})):
            done = server.skep(url, "-e", "SELECT * FROM t", **env)
            expect(what, done.returncode == 0 and done.stdout == "1\n", done.stdout + done.stderr)
            told = server.skep("", "-e", "SELECT * FROM t", **env)
            shown = url.replace(":sesame", "")
            expect(what + ": the warehouse remembers it", told.returncode == 1 and f"say --metastore '{shown}'" in told.stderr, told.stderr)
            kept = "".join(open(f"{w.here}/tls-warehouse/.skep-metastore/{name}").read() for name in os.listdir(w.here + "/tls-warehouse/.skep-metastore"))
            expect(what + ": and no password", "sesame" not in kept + told.stderr, kept)
        expect("no other metastore was made", not os.path.exists(w.here + "/tls-warehouse/metastore.sqlite"))
    finally:
        if server.server:
            server.server.stop()


def main():
    parser = argparse.ArgumentParser()
    for name in ("skep", "server", "dump"):
        parser.add_argument("--" + name, required=True, type=os.path.abspath)
    world = World(parser.parse_args())
    try:
        for part in (hives_own, old_ones, the_server_goes, secrets, waits_end, tls_and_passwords):
            part(world)
    finally:
        world.end()
    sys.exit(1 if FAILURES else 0)


main()
