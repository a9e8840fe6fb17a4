"""A real Hive that takes statements one batch after the other, for tests that talk to it and to Skep in turn and at once.

The Hive is a program (RUN.SH -o OUT SCRIPT...) that reads each script when the one before has ended: the scripts given to it
are named pipes, so it lives as long as the test wants. Inside a batch a Pause stops Hive until the test lets it go on."""
import errno, os, subprocess, sys, time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")]
from metastore import psql  # noqa: E402

BATCHES = 200
QUICK = "-XX:TieredStopAtLevel=1"  # a Hive that lives for minutes does not earn back what its compiler costs


class Pause:
    """A place in a batch where Hive waits for the test (Job.reached, Job.go)."""

    def __init__(self, name):
        self.name = name


class Answer:
    """Of one statement: rows as the program encodes them (tabs between values), or the text of the error."""

    def __init__(self, path):
        lines = open(path, encoding="utf-8", errors="surrogateescape").read().split("\n")[:-1] if os.path.exists(path) else []
        self.error = lines.pop()[7:] if lines and lines[-1].startswith("ERROR: ") else ""
        self.rows = lines[2:]


class Job:
    """A batch that Hive works on."""

    def __init__(self, hive, number, statements):
        self.hive, self.number, self.n = hive, number, 0
        text = []
        for item in statements:
            if isinstance(item, Pause):
                os.mkfifo(self._place(item.name + ".go"))
                for end in (".reached", ".go"):
                    text += [f"--! file {self._place(item.name + end)}", "--! end"]
            elif item.startswith("--! "):
                text.append(item)
            else:
                self.n += 1
                text += [f"--! result r{self.n}", item + ";"]
        hive._feed(number, "\n".join(text) + "\n")

    def _place(self, name):
        return os.path.join(self.hive.pipes, f"{self.number:04d}.{name}")

    def reached(self, name, seconds=120):
        """Waits until Hive stands at the pause; False: it does not get there in that time (it waits for something else)."""
        end = time.monotonic() + seconds
        while not os.path.exists(self._place(name + ".reached")):
            self.hive._alive()
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def go(self, name):
        os.close(os.open(self._place(name + ".go"), os.O_RDONLY))  # Hive waits to open the other end

    def ended(self, seconds=0):
        """Whether Hive is through, within the time given."""
        end = time.monotonic() + seconds
        while not self.hive._ready(self.number + 1):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def answers(self):
        """Waits for the end; one Answer a statement, directives left out."""
        while not self.ended(600):
            pass
        return [Answer(os.path.join(self.hive.out, f"{self.number:04d}", f"r{i + 1}")) for i in range(self.n)]

    def log(self):
        return open(os.path.join(self.hive.out, f"{self.number:04d}", "log.txt"), encoding="utf-8", errors="replace").read()


class Hive:
    """here: a directory for pipes, answers and logs. settings: Hive's, name to value."""

    def __init__(self, run, here, settings):
        self.home = os.environ.get("ORACLE_HOME", os.path.expanduser("~/oracle"))
        self.warehouse = os.path.join(self.home, "warehouse")
        self.pipes, self.out, self.run_sh = os.path.join(here, "pipes"), os.path.join(here, "hive"), run
        os.makedirs(self.pipes)
        os.makedirs(self.out)
        names = [os.path.join(self.pipes, f"{i:04d}.hql") for i in range(1, BATCHES + 1)]
        for name in names:
            os.mkfifo(name)
        conf = ";;".join(f"{k}={v}" for k, v in settings.items())
        self.log = open(os.path.join(here, "hive.log"), "wb")
        self.next, self.writer = 1, None
        self.p = subprocess.Popen([run, "-o", self.out, *names], stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
                                  env=dict(os.environ, ORACLE_CONF=conf, QUIET="1", JAVA_TOOL_OPTIONS=QUICK), start_new_session=True)

    @staticmethod
    def missing(run):
        """Why there is no Hive here, or None."""
        home = os.environ.get("ORACLE_HOME", os.path.expanduser("~/oracle"))
        if not run or not os.access(run, os.X_OK):
            return "no program that runs a Hive"
        return None if os.path.exists(os.path.join(home, "lib", ".done")) else "no Hive is set up"

    @property
    def url(self):
        """Of the metastore's database, as Skep takes it."""
        return os.environ.get("ORACLE_URL", "postgresql://hive:hive@127.0.0.1:5499/metastore")

    def psql(self, sql):
        return psql(self.url, sql, "-F", "\t").split("\n")[:-1]

    def begin(self, *statements):
        """A Job; the one before must have ended (Job.answers)."""
        self.next += 1
        return Job(self, self.next - 1, statements)

    def run(self, *statements):
        """The statements' answers."""
        return self.begin(*statements).answers()

    def rows(self, sql):
        answer = self.run(sql)[0]
        if answer.error:
            raise RuntimeError(f"Hive: {sql}: {answer.error}")
        return answer.rows

    def kill(self):
        """Hive, and not the metastore's service: as when the machine goes that it runs on."""
        os.killpg(self.p.pid, 9)
        self.p.wait()

    def end(self):
        """Ends Hive (by its own session, which only this object started) and its database."""
        try:
            os.killpg(self.p.pid, 15)
        except ProcessLookupError:
            pass
        self.p.wait()
        subprocess.run([self.run_sh, "stop"], stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        self.log.close()

    def _alive(self):
        if self.p.poll() is not None:
            raise RuntimeError(f"Hive ended: {self.log.name}")

    def _ready(self, number):
        """Whether Hive waits for this batch: it reads the pipe."""
        self._alive()
        try:
            self.writer = (number, os.open(os.path.join(self.pipes, f"{number:04d}.hql"), os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            if error.errno == errno.ENXIO:
                return False
            raise
        return True

    def _feed(self, number, text):
        while self.writer is None or self.writer[0] != number:
            if not self._ready(number):
                time.sleep(0.05)
        _, pipe = self.writer
        self.writer = None
        os.set_blocking(pipe, True)
        with os.fdopen(pipe, "w", encoding="utf-8") as f:
            f.write(text)
