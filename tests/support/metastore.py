"""A metastore for a test: SQLite inside the warehouse, or a new database on the PostgreSQL server that SKEP_TEST_POSTGRES names (the file
that scripts/throwaway_postgres.sh writes its URL into)."""
import os, subprocess, sys

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
        done = subprocess.run(["psql", self.pattern.replace("%s", database), "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", sql], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{sql}: {done.stderr}")
        return done.stdout

    def remove(self):
        if self.pattern:
            self.psql("postgres", f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")
