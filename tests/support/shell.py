"""A `skep` shell on the other end of pipes: statements in, rows out. For tests that drive the real program."""
import subprocess
import threading


class Shell:
    """One session. Answers are found by a marker statement, so that a statement without rows has an end too."""

    def __init__(self, skep, warehouse, *options, env=None):
        self.process = subprocess.Popen(
            [skep, "-w", str(warehouse), "--force", "--outputformat=copy", "--showHeader=false", "--silent", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        self.errors = []
        self.count = 0
        self.reader = threading.Thread(target=self._read_errors, daemon=True)
        self.reader.start()

    def _read_errors(self):
        for line in self.process.stderr:
            self.errors.append(line.decode(errors="replace").rstrip())

    def rows(self, statement):
        """Lines of output; raises Refused with what stood on standard error."""
        self.count += 1
        mark = f"@@end {self.count}@@"
        seen = len(self.errors)
        self.process.stdin.write(f"{statement};\nSELECT '{mark}';\n".encode())
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                self.process.wait()
                self.reader.join()
                raise Refused(f"skep ended with status {self.process.returncode}: " + " ".join(self.errors[seen:]))
            line = line.decode(errors="surrogateescape").rstrip("\n")
            if line == mark:
                break
            lines.append(line)
        if len(self.errors) > seen:
            raise Refused("\n".join(self.errors[seen:]))
        return lines

    def value(self, statement):
        """The only value of a statement's only row."""
        lines = self.rows(statement)
        assert len(lines) == 1, f"{statement}: {len(lines)} rows"
        return lines[0]

    def close(self):
        self.process.stdin.close()
        status = self.process.wait()
        self.reader.join()
        return status


class Refused(Exception):
    """A statement failed."""
