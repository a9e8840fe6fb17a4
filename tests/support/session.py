"""A process of the program that takes statements, for tests that talk to it."""
import fcntl, os, select, subprocess


def environment(skep):
    """What the program gets to see of our environment."""
    env = {"PATH": os.path.dirname(os.path.abspath(skep)) + ":" + os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C", "USER": "tester"}
    for name, value in os.environ.items():
        if "SAN_OPTIONS" in name or name.startswith("SKEP_"):
            env[name] = value
    return env


class Refused(Exception):
    """A statement failed: the text of standard error."""


class Session:
    """A process of the program, fed through its standard input; a SELECT after each statement marks the end of its answer."""

    def __init__(self, skep, warehouse, options, env):
        command = [os.path.abspath(skep), "-w", warehouse, "--force", "--outputformat=copy", "--showHeader=false", "--silent", *options]
        self.p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=os.path.dirname(warehouse))
        self.n, self.buffer = 0, b""
        for pipe in (self.p.stdout, self.p.stderr):
            fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_NONBLOCK)

    def run(self, sql):
        """(rows, text of standard error)."""
        self.n += 1
        mark, err = f"@@end {self.n}@@\n".encode(), b""
        end = "\n" if "--" in sql.split("\n")[-1] else ""
        try:
            self.p.stdin.write((sql + end).encode("utf-8", "surrogateescape") + b";\nSELECT '" + mark[:-1] + b"';\n")
            self.p.stdin.flush()
        except BrokenPipeError:
            pass
        out, ended = self.buffer, False
        while not (out.endswith(b"\n" + mark) or out == mark or ended):
            ready, _, _ = select.select([self.p.stdout, self.p.stderr], [], [])
            for pipe in ready:
                data = pipe.read()
                if pipe is self.p.stdout:
                    out += data or b""
                    ended = data == b""
                else:
                    err += data or b""
            if ended:
                err += f"the program ended: {self.p.wait()}\n".encode()
        err += self.p.stderr.read() or b""
        text = out[: -len(mark)] if not ended else out
        return text.decode("utf-8", "surrogateescape").split("\n")[:-1], err.decode("utf-8", "replace")

    def rows(self, sql):
        """The rows of a statement that must not fail."""
        rows, err = self.run(sql)
        if err:
            raise Refused(f"{sql[:200]}: {err.strip()}")
        return rows

    def value(self, sql):
        """The only value of the only row."""
        rows = self.rows(sql)
        if len(rows) != 1:
            raise Refused(f"{sql[:200]}: {len(rows)} rows")
        return rows[0]

    def close(self, kill=False):
        if kill:
            self.p.kill()
        try:
            self.p.stdin.close()
        except BrokenPipeError:
            pass
        for pipe in (self.p.stdout, self.p.stderr):
            fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) & ~os.O_NONBLOCK)
        self.p.stdout.read()
        rest = self.p.stderr.read()
        if self.p.wait() not in (0, 1) and not kill:
            return f"the program ended with {self.p.returncode}: {rest.decode('utf-8', 'replace')}"
        return ""
