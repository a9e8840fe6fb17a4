"""A metastore for a test: SQLite inside the warehouse, or a new database on the PostgreSQL server that SKEP_TEST_POSTGRES names (the file
that scripts/throwaway_postgres.sh writes its URL into). Server is for tests that must have a server of their own."""
import glob, os, signal, subprocess, sys, time

_made = 0
SKIPPED = 77


def pattern():
    """The server's URL with %s for a database; None: the test runs on SQLite. Ends the program where there should be a server and is none."""
    path = os.environ.get("SKEP_TEST_POSTGRES")
    if path is None:
        return None
    if not os.path.exists(path):
        print("no PostgreSQL server was started: skipped", file=sys.stderr)
        sys.exit(SKIPPED)
    return open(path).read().strip()


def psql(url, sql, *words):
    """What psql prints of one statement or several, each a transaction of its own. words: options of psql."""
    while True:
        done = subprocess.run(["psql", url, "-XqAt", "-v", "ON_ERROR_STOP=1", *words], input=sql, capture_output=True, text=True)
        if "is being accessed by other users" not in done.stderr:  # sessions that are closed may still be ending on the server
            break
    if done.returncode != 0:
        raise RuntimeError(f"{sql[:200]}: {done.stderr}")
    return done.stdout


def runs(process):
    """Whether a process has not ended yet. One that has may still be there to be asked how."""
    try:
        return open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Server:
    """A throw-away PostgreSQL of the test alone. script: scripts/throwaway_postgres.sh; place: a directory for what it says. Ends the program with the
    script's exit status where there can be none."""

    def __init__(self, script, place, *settings):
        self.script, self.place = script, place
        code = self.run("start", *settings)
        if code != 0:
            sys.exit(code)
        self.pattern = open(place + "/url").read().strip()

    def run(self, action, *settings):
        return subprocess.run([self.script, action, self.place, *settings], stdout=subprocess.DEVNULL).returncode

    def url(self, database):
        return self.pattern.replace("%s", database)

    def psql(self, database, sql):
        return psql(self.url(database), sql)

    def kill(self):
        """All its processes at once, as when the machine goes; returns when they are gone, and their memory with them."""
        home = open(self.place + "/place").read().strip()
        postmaster = int(open(home + "/data/postmaster.pid").readline())
        os.kill(postmaster, signal.SIGSTOP)  # it starts no more of them
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(postmaster)], capture_output=True, text=True).stdout.split()
        processes = [postmaster, *map(int, children)]
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        while any(map(runs, processes)):
            time.sleep(0.01)
        for left in [home + "/data/postmaster.pid", *glob.glob(home + "/.s.PGSQL.*")]:
            os.unlink(left)

    def again(self):
        """After kill; whether it started."""
        return self.run("again") == 0

    def stop(self):
        self.run("stop")


class Metastore:
    """options: what the program is to be given besides -w."""

    def __init__(self):
        global _made
        self.pattern, self.options = pattern(), []
        if self.pattern:
            _made += 1
            self.name = f"s_{os.getpid()}_{_made}"
            self.url = self.pattern.replace("%s", self.name)
            self.psql("postgres", f"CREATE DATABASE {self.name}")
            self.options = ["--metastore", self.url]

    def psql(self, database, sql):
        return psql(self.pattern.replace("%s", database), sql)

    def remove(self):
        if self.pattern:
            self.psql("postgres", f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")
