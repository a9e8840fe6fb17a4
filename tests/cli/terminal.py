#!/usr/bin/env python3
"""The shell at a terminal: prompt, statements of several lines, history, Ctrl-C at the prompt and during a statement, Ctrl-D.

usage: terminal.py --skep PATH"""
import argparse, os, pty, re, select, sys, tempfile, time

# No machine comes to the end of 10^15 rows.
LONG = "SELECT count(*) FROM " + " CROSS JOIN ".join(f"(SELECT posexplode(split(space(99999), ' ')) AS (p{t}, e)) {t}" for t in "abc") + " WHERE pa + pb + pc < 0;\n"
LIMIT = 1200  # seconds: ctest's own limit is longer, but does not say what it waited for


class Terminal:
    def __init__(self, skep, here):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            env = {"PATH": os.environ["PATH"], "HOME": here, "TERM": "xterm", "USER": "tester", "LC_ALL": "C"}
            env.update({k: v for k, v in os.environ.items() if "SAN_OPTIONS" in k or k.startswith("SKEP_")})
            os.chdir(here)
            os.execve(skep, [skep], env)
        self.text = ""

    def expect(self, pattern):
        """Waits for a regular expression; what came before and with it is forgotten."""
        while not (found := re.search(pattern, self.text, re.S)):
            if not select.select([self.fd], [], [], LIMIT)[0]:
                sys.exit(f"{pattern!r} does not come: {self.text!r}")
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""
            if not data:
                sys.exit(f"the shell ended before {pattern!r} came: {self.text!r}")
            self.text += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode("utf-8", "replace"))
        before = self.text[: found.end()]
        self.text = self.text[found.end() :]
        return before

    def send(self, text):
        os.write(self.fd, text.encode())

    def end(self, words):
        """Sends words until the shell ends: what comes before libedit has set the terminal up may be lost or stay in the line, so
        that is dropped (Ctrl-U) each time; Ctrl-D ends the shell on an empty line only."""
        begin = time.monotonic()
        while time.monotonic() - begin < LIMIT:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            self.send("\x15" + words)
            time.sleep(0.2)
            while select.select([self.fd], [], [], 0)[0]:  # what it shows must not fill the terminal
                try:
                    os.read(self.fd, 65536)
                except OSError:
                    break
        sys.exit(f"{words!r} does not end the shell")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    args = parser.parse_args()
    prompt = r"skep \(default\)> $"
    with tempfile.TemporaryDirectory() as here:
        t = Terminal(os.path.abspath(args.skep), here)
        t.expect(prompt)
        t.send("SELECT 'naïve' AS n\n")
        t.expect(r"\.> $")
        t.send(";\n")
        t.expect(r"\| naïve +\|.*1 row selected \([0-9.]+ seconds\)\s+" + prompt)
        t.send("SELECT 'open\n")
        t.expect(r"'> $")
        t.send("\x03")  # the quote is dropped with the rest
        t.expect(r"\^C\s+" + prompt)
        t.send("help\n")
        t.expect(r"Statements end with ';'.*Ctrl-C cancels.*" + prompt)
        t.send("SELECT * FROM nowhere;\n")
        t.expect(r"FAILED: SemanticException \[Error 10001\].*" + prompt)
        t.send(LONG)
        t.expect(r"running for [0-9.]+ s")
        t.send("\x03")
        t.expect(r"Error: the statement was cancelled\s+" + prompt)
        t.send("CREATE DATABASE other; USE other;\n")
        t.expect(r"skep \(other\)> $")
        t.send("START TRANSACTION;\n")
        t.expect(r"skep \(other\)\*> $")
        t.send("ROLLBACK;\n")
        t.expect(r"skep \(other\)> $")
        t.send("\x10\x10\x10\x10\x10\x10\x10\n")  # seven entries back
        t.expect(r"\| naïve +\|.*> $")
        if t.end("\x04") != 0:
            sys.exit("the shell's exit status is not 0")
        t = Terminal(os.path.abspath(args.skep), here)  # the history is kept; a statement of several lines is one line there
        t.expect(prompt)
        t.send("SELECT 1 + 1 AS two;\n")
        t.expect(r"\| 2 +\|.*" + prompt)
        if t.end("quit\n") != 0:
            sys.exit("quit does not end the shell with 0")
        saved = open(os.path.join(here, ".skep_history"), encoding="utf-8").read()
        if "two" not in saved or "CREATE" not in saved or oct(os.stat(os.path.join(here, ".skep_history")).st_mode)[-3:] != "600":
            sys.exit("the history is not kept, or not for its owner alone: " + saved)


main()
