#!/usr/bin/env python3
"""`skep compact` as a service, from outside: metrics over HTTP, stopped and killed at work, two beside each other with writers and readers, and a
PostgreSQL server that restarts under it.

usage: service.py --skep PATH [--server SCRIPT] [--seed N] [--seconds N] NAME...

NAME: metrics, statistics, killed, graceful, readers, soak, restart (which needs --server, the script that makes a throw-away PostgreSQL). With SKEP_TEST_POSTGRES in
the environment the metastore is a database there. Exit status 1 when something differs, 77 where PostgreSQL is missing."""
import argparse, collections, fcntl, http.client, os, random, re, shutil, signal, socket, sqlite3, struct, subprocess, sys, tempfile, threading, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from metastore import Metastore, Server  # noqa: E402
from session import Session, environment  # noqa: E402

failures = []


def expect(what, good, found=""):
    if not good:
        failures.append(what)
        print(f"NOT SO: {what}: {str(found)[:2000]}")


def wait_until(what, look, process=None):
    """The first true answer, however long the machine takes; None: the process that was to bring it about has ended."""
    told = time.time() + 60
    while True:
        over = process is not None and process.poll() is not None
        found = look()
        if found:
            return found
        if over:
            expect(what, False, f"the process ended with {process.returncode}")
            return None
        if time.time() > told:
            print(f"still waiting until {what}", flush=True)
            told += 60
        time.sleep(0.1)


class Warehouse:
    def __init__(self, args, metastore=None):
        self.skep, self.env = os.path.abspath(args.skep), environment(args.skep)
        self.here = tempfile.mkdtemp(prefix="skep-service-")
        self.dir = os.path.join(self.here, "w")
        self.metastore = metastore or Metastore()

    def session(self):
        return Session(self.skep, self.dir, self.metastore.options, self.env)

    def command(self, *words):
        """A sub-command, to its end: (exit status, standard output, standard error)."""
        done = subprocess.run([self.skep, words[0], "-w", self.dir, *self.metastore.options, *words[1:]], capture_output=True, text=True, env=self.env, cwd=self.here)
        return done.returncode, done.stdout, done.stderr

    def sql(self, text):
        done = subprocess.run([self.skep, "-w", self.dir, *self.metastore.options, "--outputformat=copy", "--showHeader=false", "--silent", "-e", text], capture_output=True, text=True, env=self.env, cwd=self.here)
        expect(f"no error from {text[:80]}", done.returncode == 0, done.stderr)
        return done.stdout.split("\n")[:-1]

    def daemon(self, *words):
        log = open(os.path.join(self.here, "daemon.log"), "ab")
        return subprocess.Popen([self.skep, "compact", "-w", self.dir, *self.metastore.options, "--daemon", *words], stdout=log, stderr=log, env=self.env, cwd=self.here)

    def log(self):
        return open(os.path.join(self.here, "daemon.log"), errors="replace").read()

    def names(self, table):
        return sorted(os.listdir(os.path.join(self.dir, table)))

    def close(self):
        self.metastore.remove()
        shutil.rmtree(self.here, ignore_errors=True)


ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
SLOW = ("--hiveconf", "skep.compactor.max.mb.per.sec=1")  # a job takes seconds


def make_large(w, table="t"):
    """Two deltas of some megabytes that do not compress."""
    w.sql(f"CREATE TABLE {table} (id INT, s STRING) {ACID}")
    w.sql("CREATE TABLE IF NOT EXISTS n (i INT)")
    w.sql("INSERT OVERWRITE TABLE n SELECT pos FROM (SELECT posexplode(split(space(49999), ' '))) p")
    for k in range(2):
        w.sql(f"INSERT INTO {table} SELECT i + {k * 50000}, concat(md5(concat('{k}.', i)), sha1(concat('{k}', i))) FROM n")


def sums(w, table="t"):
    return w.sql(f"SELECT count(*), sum(id), min(s), max(s) FROM {table}")


def is_running(w, table="t"):
    """A worker that has made files."""
    return lambda: any("_v" in name for name in w.names(table))


def state_of(w, table):
    """Of its latest compaction."""
    rows = w.sql(f"SHOW COMPACTIONS default.{table}")
    return next((state for state in ("working", "initiated", "ready for cleaning", "succeeded", "failed") if any(f"\t{state}\t" in row for row in rows)), rows)


def end_at_work(w, how, *words):
    """A table whose job was under way when its service got a signal and ended. The job takes seconds; where it was over before the signal came, because we were slow, it is
    tried with another table: the name of the one where it was not, its sums, and the service's exit status."""
    for n in range(20):
        table = f"t{n}"
        make_large(w, table)
        before = sums(w, table)
        w.sql(f"ALTER TABLE {table} COMPACT 'major'")
        d = w.daemon(*SLOW, *words)
        wait_until("a worker works", is_running(w, table), d)
        d.send_signal(how)
        d.wait()
        if state_of(w, table) not in ("ready for cleaning", "succeeded"):
            return table, before, d.returncode
    expect("a job is under way when its process ends", False, w.log())
    return table, before, d.returncode


def stop_between_writes(w, session):
    """SIGSTOP, but not while it has the metastore locked: nobody else could write."""
    while True:
        session.p.send_signal(signal.SIGSTOP)
        if is_unlocked(os.path.join(w.dir, "metastore.sqlite")):
            return
        session.p.send_signal(signal.SIGCONT)
        time.sleep(0.05)


def is_unlocked(path):
    """Nobody writes into the metastore, or stands in the row for it (src/db/sqlite_queue.h)."""
    with open(path + "-queue", "rb") as row:
        form = "hhqqi4x"
        lock = fcntl.fcntl(row, fcntl.F_GETLK, struct.pack(form, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
    if struct.unpack(form, lock)[0] != fcntl.F_UNLCK:
        return False
    db = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        db.execute("BEGIN IMMEDIATE")
        db.execute("ROLLBACK")
        return True
    except sqlite3.OperationalError:
        return False
    finally:
        db.close()


# --- metrics ---


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


PATIENCE = 2  # seconds that the service has for a request, and again for its answer (src/cli/compact_metrics.c)


def once(port, parts, pause):
    """What comes back when these bytes are sent; None: no connection. What was answered before the connection was reset counts."""
    answer = b""
    try:
        with socket.create_connection(("127.0.0.1", port)) as s:
            try:
                for part in parts:
                    s.sendall(part)
                    time.sleep(pause)
            except (ConnectionResetError, BrokenPipeError):
                pass
            while True:
                more = s.recv(65536)
                if not more:
                    return answer
                answer += more
    except ConnectionResetError:
        return answer
    except OSError:
        return None


def raw(port, *parts, pause=0.0, begins=b"HTTP/1.1 "):
    """The same, again while the answer is another one and somebody, we or the service, stood still for so long that it was right to give up."""
    while True:
        start = time.monotonic()
        answer = once(port, parts, pause)
        if answer is not None and answer.startswith(begins) or time.monotonic() - start < PATIENCE:
            return answer


def gone_before_the_answer(port, part):
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(part)


def dawdle(port, begun):
    """A request that never ends, one byte after the other, as long as anybody listens."""
    try:
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.sendall(b"GET /")
            begun.set()
            while True:
                s.sendall(b"x")
                time.sleep(0.3)
    except OSError:
        begun.set()


def get(port, path="/metrics", method="GET"):
    while True:
        start = time.monotonic()
        try:
            c = http.client.HTTPConnection("127.0.0.1", port)
            c.request(method, path)
            r = c.getresponse()
            answer = r.status, r.getheader("Content-Type"), r.read().decode()
            c.close()
            return answer
        except (http.client.HTTPException, ConnectionResetError, BrokenPipeError):
            if time.monotonic() - start < PATIENCE:
                raise


def parse_metrics(text):
    """Name with labels -> value; every line must be of the exposition format."""
    values, typed = {}, {}
    for line in text.split("\n")[:-1]:
        if line.startswith("# HELP "):
            continue
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            expect(f"{name} is declared once", name not in typed)
            typed[name] = kind
            continue
        m = re.fullmatch(r'([a-z_A-Z0-9]+)(\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"\})? (-?[0-9]+(?:\.[0-9]+)?)', line)
        expect(f"a line of metrics: {line!r}", m is not None)
        if m:
            base = re.sub(r"_(sum|count)$", "", m.group(1))
            expect(f"{m.group(1)} has a type", m.group(1) in typed or base in typed)
            values[m.group(1) + (m.group(2) or "")] = float(m.group(3))
    return values


def metrics(w, args):
    w.sql(f"CREATE TABLE t (id INT) {ACID}")
    for k in range(3):
        w.sql(f"INSERT INTO t VALUES ({k})")
    d, port = daemon_with_port(w, "--hiveconf", "hive.compactor.cleaner.run.interval=100ms")
    try:
        w.sql("ALTER TABLE t COMPACT 'major' AND WAIT POOL 'a\"b\\\\c'")
        wait_until("the table is cleaned", lambda: len(w.names("t")) == 1, d)
        least = {"compaction_num_succeeded": 1, "compaction_initiator_cycle_count": 1, "compaction_cleaner_cycle_count": 1, "skep_transactions_begun": 4}
        rest = ("num_open_transactions", "compaction_initiator_cycle_duration", "compaction_oldest_enqueue_age_in_sec")  # once nobody works
        wait_until("what was done is counted", lambda: counts(port, least, rest), d)
        status, kind, body = get(port)
        expect("metrics are served", status == 200 and kind == "text/plain; version=0.0.4; charset=utf-8", (status, kind))
        values = parse_metrics(body)
        for name in ("compaction_initiator_failure_counter", "compaction_cleaner_failure_counter", "compaction_worker_failure_counter", "total_num_timed_out_transactions", "total_num_aborted_transactions"):
            expect(f"{name} is 0", values.get(name) == 0, values)
        w.sql("INSERT INTO t VALUES (4)")
        w.sql("ALTER TABLE t COMPACT 'major'")
        wait_until("a worker's job and its transaction are counted", lambda: counts(port, {'compaction_worker_cycle_count{type="MAJOR"}': 1, "total_num_committed_transactions": 1}, ()), d)
        hostile_requests(port)
        status, _, again = get(port, "/metrics?name=x", "GET")
        expect("it still serves", status == 200 and parse_metrics(again), again)
        begun = [threading.Event() for _ in range(3)]
        dawdlers = [threading.Thread(target=dawdle, args=(port, one)) for one in begun]
        for t in dawdlers:
            t.start()
        for one in begun:
            one.wait()
        d.send_signal(signal.SIGTERM)
        expect("it ends when it is told to, dawdlers or not", d.wait() == 0, d.returncode)
        for t in dawdlers:
            t.join()
    finally:
        d.kill()
        d.wait()


def daemon_with_port(w, *words):
    """A service and its port; somebody else may take a port that was free: then another one."""
    for _ in range(20):
        port = free_port()
        d = w.daemon("--metrics", str(port), *words)
        while d.poll() is None:
            if raw(port, b"GET / HTTP/1.0\r\n\r\n") and d.poll() is None:
                return d, port
            time.sleep(0.1)
        if f"--metrics: port {port}" not in w.log():
            break
    sys.exit(f"no service with a port: {w.log()}")


def counts(port, least, zero):
    values = parse_metrics(get(port)[2])
    return all(values.get(name, -1) >= n for name, n in least.items()) and all(values.get(name) == 0 for name in zero)


def hostile_requests(port):
    head = b"HTTP/1.1 "
    cases = [("another path", [b"GET /etc/passwd HTTP/1.1\r\n\r\n"], b"404"), ("a path that begins alike", [b"GET /metricsx HTTP/1.1\r\n\r\n"], b"404"),
             ("climbing", [b"GET /metrics/../../etc HTTP/1.1\r\n\r\n"], b"404"), ("another method", [b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"], b"405"),
             ("no HTTP", [b"\x16\x03\x01\x02\x00\x01\x00\n\n"], b"400"), ("only ends of lines", [b"\r\n\r\n"], b"405"), ("a NUL", [b"GET /metrics\0 HTTP/1.1\r\n\r\n"], b"400"),
             ("a head without end", [b"GET /metrics HTTP/1.1\r\nX: " + b"a" * 100000], b"400"), ("format letters", [b"GET /%s%n%s HTTP/1.1\r\n\r\n"], b"404"),
             ("in pieces", [b"GE", b"T /met", b"rics HTTP/1.1\r\n", b"\r", b"\n"], b"200"), ("a large body behind it", [b"GET /metrics HTTP/1.1\r\n\r\n" + b"b" * 300000], b"200"),
             ("two requests at once", [b"GET /metrics HTTP/1.1\r\n\r\n" * 2], b"200")]
    for what, parts, status in cases:
        answer = raw(port, *parts, pause=0.05, begins=head + status)
        expect(f"{what}: {status.decode()}", answer is not None and answer.startswith(head + status), answer)
    status, _, body = get(port, "/metrics", "HEAD")
    expect("HEAD has no body", status == 200 and body == "", body)
    gone_before_the_answer(port, b"GET /metrics HTTP/1.1\r\n\r\n")
    gone_before_the_answer(port, b"")


# --- statistics of columns ---


def statistics(w, args):
    """A worker of the service computes statistics of columns again, of those that have some."""
    w.sql(f"CREATE TABLE p (id INT, v STRING) PARTITIONED BY (d STRING) {ACID}")
    w.sql("INSERT INTO p VALUES (1, 'a', 'x/y'), (2, 'b', 'z')")
    w.sql("ANALYZE TABLE p PARTITION (d='x/y') COMPUTE STATISTICS FOR COLUMNS id")
    w.sql("INSERT INTO p VALUES (9, 'a', 'x/y'), (8, 'b', 'z')")
    for d in ("x/y", "z"):
        w.sql(f"ALTER TABLE p PARTITION (d='{d}') COMPACT 'major'")
    code, out, err = w.command("compact", "--once", "--roles", "worker")
    expect("both are compacted", code == 0 and out.count(" made base_") == 2 and "not computed" not in out, out + err)
    shown = "\n".join(w.sql("DESCRIBE FORMATTED p PARTITION (d='x/y') id"))
    expect("the new greatest value is known", re.search(r"max +\t9 ", shown), shown)
    shown = "\n".join(w.sql("DESCRIBE FORMATTED p PARTITION (d='x/y')"))
    expect("and accurate", re.search(r"COLUMN_STATS_ACCURATE.*COLUMN_STATS.*id", shown), shown)
    shown = "\n".join(w.sql("DESCRIBE FORMATTED p PARTITION (d='x/y') v"))
    expect("a column without any has none", re.search(r"num_nulls +\t +\n", shown), shown)
    shown = "\n".join(w.sql("DESCRIBE FORMATTED p PARTITION (d='z') id"))
    expect("nor has another partition", re.search(r"max +\t +\n", shown), shown)
    w.sql("ALTER TABLE p SET TBLPROPERTIES ('x'='y')")
    w.sql("INSERT INTO p VALUES (11, 'a', 'x/y')")
    w.sql("ALTER TABLE p PARTITION (d='x/y') COMPACT 'major'")
    w.command("compact", "--once", "--roles", "worker", "--hiveconf", "hive.compactor.gather.stats=false")
    shown = "\n".join(w.sql("DESCRIBE FORMATTED p PARTITION (d='x/y') id"))
    expect("unless it is switched off", re.search(r"max +\t9 ", shown), shown)


# --- killed, stopped ---


def killed(w, args):
    """A worker's process that was killed: it is said, and the next one does the job at once; nothing of it stays."""
    t, before, _ = end_at_work(w, signal.SIGKILL, "--roles", "worker", "--hiveconf", "skep.compactor.threads=1")
    code, out, err = w.command("why", t)
    expect("skep why says that the process is gone", "the process of its worker" in out and "the next worker takes it over" in out, out + err)
    expect("SHOW COMPACTIONS too", "is gone (transaction" in "\n".join(w.sql("SHOW COMPACTIONS")))
    code, out, err = w.command("compact", "--once", "--roles", "worker")
    expect("the next one takes it over at once", code == 0 and " made base_" in out, out + err)
    expect("rows", sums(w, t) == before)
    time.sleep(1.2)  # numbers of transactions on PostgreSQL settle within a second
    code, out, err = w.command("compact", "--once", "--roles", "cleaner")
    expect("one directory is left", [n[:12] for n in w.names(t)] == ["base_0000002"], w.names(t))
    expect("rows after cleaning", sums(w, t) == before)
    code, out, err = w.command("check", t)
    expect("skep check finds nothing", code == 0, out + err)


def graceful(w, args):
    """SIGTERM in the middle of a job: it goes back into the queue, its files go, and the exit status is 0."""
    t, before, status = end_at_work(w, signal.SIGTERM)
    expect("exit status 0", status == 0, f"{status} {w.log()}")
    expect("no files are left", w.names(t) == ["delta_0000001_0000001_0000", "delta_0000002_0000002_0000"], w.names(t))
    shown = "\n".join(w.sql(f"SHOW COMPACTIONS default.{t}"))
    expect("the job waits again", "\tinitiated\t" in shown and "interrupted" in shown, shown)
    expect("no transaction is left", "OPEN" not in "\n".join(w.sql("SHOW TRANSACTIONS")))
    code, out, err = w.command("compact", "--once")
    expect("the next one does it", code == 0 and " made base_" in out, out + err)
    expect("rows", sums(w, t) == before)


# --- readers that sleep ---


def readers(w, args):
    """Readers that are stopped (SIGSTOP) in a query while everything is compacted and cleaned go on and see what they saw."""
    make_large(w)
    before = sums(w)
    query = "SELECT count(*), sum(id), min(s), max(s) FROM t"
    sessions = [w.session() for _ in range(3)]
    for s in sessions:
        s.rows("SET hive.in.test=true")
        s.rows("START TRANSACTION")
        s.rows("SELECT max(id) FROM t")
        stop_between_writes(w, s)
    w.sql("DELETE FROM t WHERE id % 10 = 0")
    w.sql("ALTER TABLE t COMPACT 'major' AND WAIT")
    time.sleep(1.2)
    code, out, err = w.command("compact", "--once", "--roles", "cleaner")
    expect("the cleaner waits", "0 cleaned, 1 waiting" in out, out + err)
    code, out, err = w.command("why", "t")
    expect("and says for whom", "waits for transaction" in out, out + err)
    for s in sessions:
        s.p.send_signal(signal.SIGCONT)
    for s in sessions:
        expect("a reader sees what it saw", s.rows(query) == before)
        s.rows("COMMIT")
        s.close()
    time.sleep(1.2)
    code, out, err = w.command("compact", "--once", "--roles", "cleaner")
    expect("then it cleans", "1 cleaned" in out and [n[:5] for n in w.names("t")] == ["base_"], f"{out} {err} {w.names('t')}")


# --- two services, killed and started again, beside writers and a reader ---


class Writer(threading.Thread):
    """Inserts, updates and deletes rows of its own until it is told to stop; knows what must be there."""

    def __init__(self, w, number, stop, seed):
        super().__init__()
        self.session, self.number, self.stop_flag, self.rng = w.session(), number, stop, random.Random(seed)
        self.rows, self.statements = {}, 0

    def run(self):
        try:
            while not self.stop_flag.is_set():
                self.one()
        except Exception as e:  # noqa: BLE001
            expect(f"writer {self.number} goes on", False, e)

    def one(self):
        self.statements += 1
        kind, value = self.rng.random(), self.statements
        if kind < 0.6 or not self.rows:
            ids = [self.number * 1000000 + self.statements * 10 + k for k in range(5)]
            table, after = "p", {**self.rows, **{i: value for i in ids}}
            sql = f"INSERT INTO {table} VALUES " + ", ".join(f"({i}, {value}, {i % 2})" for i in ids)
        elif kind < 0.8:
            low = self.rng.choice(list(self.rows))
            after = {i: (value if self.number * 1000000 <= i <= low else v) for i, v in self.rows.items()}
            sql = f"UPDATE p SET v = {value} WHERE id BETWEEN {self.number * 1000000} AND {low}"
        else:
            gone = self.rng.choice(list(self.rows))
            after = {i: v for i, v in self.rows.items() if i != gone}
            sql = f"DELETE FROM p WHERE id = {gone}"
        for _ in range(50):
            _, err = self.session.run(sql)
            if err == "":
                self.rows = after
                return
            if "write" not in err.lower() and "conflict" not in err.lower() and "abort" not in err.lower():
                raise RuntimeError(f"{sql}: {err}")
        raise RuntimeError(f"{sql}: in vain: {err}")


def soak(w, args):
    rng = random.Random(args.seed)
    w.sql(f"CREATE TABLE p (id INT, v INT) PARTITIONED BY (d INT) {ACID}")
    w.sql(f"INSERT INTO p VALUES (1, 0, 0), (2, 0, 1)")
    settings = [x for k in ("hive.compactor.delta.num.threshold=3", "hive.compactor.check.interval=1s", "hive.compactor.cleaner.run.interval=200ms", "skep.compactor.silence=0",
                            "hive.compactor.aborted.txn.time.threshold=1s", "skep.compactor.max.attempts=9", "hive.compactor.initiator.failed.compacts.threshold=20") for x in ("--hiveconf", k)]
    stop = threading.Event()
    writers = [Writer(w, n, stop, rng.random()) for n in (1, 2)]
    for t in writers:
        t.start()
    end, kills, daemons = time.time() + args.seconds, 0, [None, None]
    reader = w.session()
    while time.time() < end and not failures:
        for i in range(2):
            if daemons[i] is None or daemons[i].poll() is not None:
                daemons[i] = w.daemon("--workers", "2", *settings)
        time.sleep(rng.uniform(0.2, 2.0))
        rows, err = reader.run("SELECT count(*), count(DISTINCT id) FROM p")
        expect("a reader reads, and no row twice", err == "" and len(set(rows[0].split("\t"))) == 1, f"{rows} {err}")
        victim = rng.randrange(3)
        if victim < 2:
            daemons[victim].kill()
            daemons[victim].wait()
            kills += 1
    stop.set()
    for t in writers:
        t.join()
        t.session.close()
    reader.close()
    for d in daemons:
        if d is not None and d.poll() is None:
            d.send_signal(signal.SIGTERM)
            expect("a daemon ends with 0", d.wait() == 0, w.log()[-2000:])
    expected = collections.Counter({"1\t0": 1, "2\t0": 1})
    for t in writers:
        expected.update(f"{i}\t{v}" for i, v in t.rows.items())
    have = collections.Counter(w.sql("SELECT id, v FROM p"))
    expect("rows", have == expected, f"missing {list((expected - have))[:5]} extra {list((have - expected))[:5]}")
    settle(w, settings, expected)
    print(f"  {kills} kills, {sum(t.statements for t in writers)} statements, seed {args.seed}")


LEFT = r"\t(initiated|working|ready for cleaning|OPEN|ABORTED)\t"


def shown_left(w):
    return "\n".join(w.sql("SHOW COMPACTIONS") + w.sql("SHOW TRANSACTIONS"))


def settle(w, settings, expected):
    """Nothing is left for ever: after some rounds each partition is a base, and the metastore remembers nothing of the dead."""
    for d in (0, 1):
        w.sql(f"INSERT INTO p VALUES ({-1 - d}, 0, {d})")
        expected[f"{-1 - d}\t0"] += 1
    for _ in range(6):
        w.command("compact", "--once", *settings)
        time.sleep(1.2)
    for d in (0, 1):
        for _ in range(20):
            done = subprocess.run([w.skep, "-w", w.dir, *w.metastore.options, "-e", f"ALTER TABLE p PARTITION (d={d}) COMPACT 'major' AND WAIT"], capture_output=True, text=True, env=w.env)
            if done.returncode == 0 or "ready for cleaning" in done.stderr:
                break
    for _ in range(60):
        time.sleep(1.2)
        w.command("compact", "--once", *settings)
        if all(len(w.names(f"p/d={d}")) == 1 for d in (0, 1)) and not re.search(LEFT, shown_left(w)):
            break
    for d in (0, 1):
        names = w.names(f"p/d={d}")
        expect("one base is left", len(names) == 1 and names[0].startswith("base_"), names)
    shown = shown_left(w)
    expect("no job and no transaction is left", not re.search(LEFT, shown), shown)
    code, out, err = w.command("check", "p")
    expect("skep check finds nothing", code == 0, out + err)
    have = collections.Counter(w.sql("SELECT id, v FROM p"))
    expect("rows after the last cleaning", have == expected)


# --- a server that restarts ---


class OwnServer(Server):
    """As a Metastore."""

    def __init__(self, script, here):
        super().__init__(script, os.path.join(here, "server"))
        self.psql("postgres", "CREATE DATABASE skep_service")
        self.options = ["--metastore", self.url("skep_service")]

    def remove(self):
        self.stop()


def restart(w, args):
    """A service whose database goes away in the middle of a job, and comes back: it goes on by itself."""
    make_large(w)
    before = sums(w)
    w.sql("ALTER TABLE t COMPACT 'major'")
    d = w.daemon("--hiveconf", "skep.compactor.max.mb.per.sec=2", "--hiveconf", "hive.compactor.cleaner.run.interval=500ms", "--hiveconf", "skep.compactor.silence=0",
                 "--hiveconf", "hive.compactor.check.interval=2s", "--hiveconf", "hive.compactor.aborted.txn.time.threshold=1s")
    try:
        wait_until("a worker works", is_running(w), d)
        w.metastore.kill()
        time.sleep(3)
        expect("the service is still there", d.poll() is None, w.log())
        expect("the server starts again", w.metastore.again())
        wait_until("the job is done, and cleaned", lambda: [n[:12] for n in w.names("t")] == ["base_0000002"], d)
        expect("rows", sums(w) == before)
        wait_until("nothing is left in the queue", lambda: not re.search(r"\t(initiated|working|ready for cleaning)\t", "\n".join(w.sql("SHOW COMPACTIONS"))), d)
        d.send_signal(signal.SIGTERM)
        expect("exit status 0", d.wait() == 0, w.log())
    finally:
        d.kill()
        d.wait()
    if failures:
        print(w.log())


def main():
    tests = {t.__name__: t for t in (metrics, statistics, killed, graceful, readers, soak, restart)}
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    parser.add_argument("--server", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("names", nargs="+", choices=sorted(tests))
    args = parser.parse_args()
    for name in args.names:
        own = None
        if name == "restart":
            place = tempfile.mkdtemp(prefix="skep-service-")
            own = OwnServer(args.server, place)
        w = Warehouse(args, own)
        begin = time.time()
        try:
            tests[name](w, args)
        finally:
            if failures and os.path.exists(os.path.join(w.here, "daemon.log")):
                print(w.log()[-4000:])
            w.close()
            if own:
                shutil.rmtree(place, ignore_errors=True)
        print(f"{name}: {time.time() - begin:.1f} s")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
