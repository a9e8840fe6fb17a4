#!/usr/bin/env python3
"""Run SQL tests: files of statements with what they must answer, given to the real program.

usage: run.py --skep PATH [--fix] [--keep] FILE.test...
       with SKEP_TEST_POSTGRES in the environment (tests/support/metastore.py) on PostgreSQL

A test file reads like a specification; each file has a new warehouse. `#` begins a comment line. Blocks:

  statement ok                    a statement that must succeed; its rows, if any, are not looked at
  INSERT INTO t VALUES (1, 'a')

  statement error                 one that must be refused; every line after ---- is a part of the message
  DELETE FROM plain
  ----
  [Error 10297]

  query [unordered]               rows, columns separated by tabs, in the format `copy` (NULL is \\N); `~ ` before a line makes it
  SELECT * FROM t ORDER BY id     a regular expression for a whole line; unordered: rows are compared as a multiset
  ----
  1<TAB>a

  run                             a shell command in the folder above the warehouse ($W), standard output compared
  ls $W/t
  ----
  delta_0000001_0000001_0000

  session NAME                    the next statements are those of another session (a process of its own); the first is A
  restart                         all sessions end and begin anew at their next statement
  kill                            the same, without a chance to say good-bye
  options WORDS...                more options for sessions that begin from here on

A statement must not leave a quote or comment open: the shell would wait for its end. It ends at a blank line, at ----, or where the next block begins. ${W} in statements is the warehouse's path, {W} in
expected lines too. --fix writes the rows and messages that came into the file instead of comparing."""
import argparse, collections, os, re, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from metastore import Metastore  # noqa: E402
from session import Session, environment  # noqa: E402

WORDS = re.compile(r"(statement (ok|error)|query( unordered)?|run|session \S+|restart|kill|options .*)$")


def parse(path):
    """Blocks: [line number, words, statement lines, expected lines or None, number of the line after]."""
    blocks, lines = [], open(path, encoding="utf-8", errors="surrogateescape").read().split("\n")
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        if not line.strip() or line.startswith("#"):
            continue
        if not WORDS.fullmatch(line.strip()):
            sys.exit(f"{path}:{i}: what is this line? {line}")
        block = [i, line.split(), [], None, 0]
        if block[1][0] in ("statement", "query", "run"):
            while i < len(lines) and lines[i].strip() and lines[i] != "----" and not WORDS.fullmatch(lines[i]):
                block[2].append(lines[i])
                i += 1
            if i < len(lines) and lines[i] == "----":
                block[3], i = [], i + 1
                while i < len(lines) and lines[i] != "" and not WORDS.fullmatch(lines[i]):
                    block[3].append(lines[i])
                    i += 1
        block[4] = i
        blocks.append(block)
    return lines, blocks


class File:
    def __init__(self, path, args, env):
        self.path, self.args, self.env = path, args, env
        self.here = tempfile.mkdtemp(prefix="skep-sql-")
        self.warehouse = os.path.join(self.here, "warehouse")
        self.metastore = Metastore()
        self.sessions, self.current, self.options, self.failures = {}, "A", list(self.metastore.options), 0

    def session(self):
        if self.current not in self.sessions:
            self.sessions[self.current] = Session(self.args.skep, self.warehouse, self.options, self.env)
        return self.sessions[self.current]

    def close_all(self, kill=False):
        for session in self.sessions.values():
            said = session.close(kill)
            if said:
                self.fail(0, said, [])
        self.sessions = {}

    def fail(self, number, what, lines):
        self.failures += 1
        print(f"{self.path}:{number}: {what}", *["    " + line for line in lines[:25]], sep="\n", flush=True)

    def same(self, want, have, unordered):
        if unordered and not any(line.startswith("~ ") for line in want):
            return collections.Counter(want) == collections.Counter(have)
        return len(want) == len(have) and all(re.fullmatch(w[2:], h) if w.startswith("~ ") else w == h for w, h in zip(want, have))

    def shell(self, command):
        done = subprocess.run(["/bin/sh", "-c", command], cwd=self.here, env=dict(self.env, W=self.warehouse), capture_output=True, stdin=subprocess.DEVNULL)
        text = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
        return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []

    def run_block(self, block):
        """What the expected lines should have been, or None when all is well (or there is nothing to expect)."""
        number, words, statement, want, _ = block
        text = "\n".join(statement)
        if words[0] == "run":
            have, err = self.shell(text), ""
        else:
            have, err = self.session().run(text.replace("${W}", self.warehouse))
        have = [line.replace(self.warehouse, "{W}") for line in have]
        messages = [line.replace(self.warehouse, "{W}") for line in err.split("\n") if line]
        if words[0] == "statement" and words[1] == "error":
            if err and all(any(part in line for line in messages) for part in want or []):
                return None
            self.fail(number, ("refused in other words: " if err else "not refused: ") + text[:200], messages)
            return messages[:1] if err else None
        if err:
            self.fail(number, "refused: " + text[:200], messages)
            return None
        if want is None and words[0] == "statement" or self.same(want or [], have, "unordered" in words):
            return None
        self.fail(number, "other rows: " + text[:200], ["wanted: " + line for line in (want or [])[:12]] + ["came:   " + line for line in have[:12]])
        return sorted(have) if "unordered" in words else have

    def run(self):
        lines, blocks = parse(self.path)
        fixed = {}
        for block in blocks:
            word = block[1][0]
            if word == "session":
                self.current = block[1][1]
            elif word in ("restart", "kill"):
                self.close_all(word == "kill")
            elif word == "options":
                self.options += block[1][1:]
            else:
                right = self.run_block(block)
                if right is not None:
                    fixed[block[0]] = [line or "~ " for line in right]
        self.close_all()
        if self.args.fix and fixed:
            self.rewrite(lines, blocks, fixed)
        if self.args.keep:
            print("kept", self.here, *self.metastore.options)
        else:
            self.metastore.remove()
            shutil.rmtree(self.here, ignore_errors=True)
        return 0 if self.args.fix else self.failures

    def rewrite(self, lines, blocks, fixed):
        out, at = [], 0
        for number, _, statement, want, after in blocks:
            if number not in fixed:
                continue
            out += lines[at : number + len(statement)] + ["----"] + fixed[number]
            at = after
        open(self.path, "w", encoding="utf-8", errors="surrogateescape").write("\n".join(out + lines[at:]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    args.skep = os.path.abspath(args.skep)
    env = environment(args.skep)
    sys.exit(1 if sum(File(path, args, env).run() for path in args.files) else 0)


main()
