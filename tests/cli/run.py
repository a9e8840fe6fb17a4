#!/usr/bin/env python3
"""Run command line tests: files of commands with what they must print.

usage: run.py --skep PATH --golden DIR --archives DIR [--fix] FILE.test...

A test file reads like a terminal session:

  # what: one line that says what the file is about
  $ skep cat --limit 1 {golden}/01-basic/07-final/table
  > a line of standard output
  ! a line of standard error
  ? 1                                     exit status, when it is not 0

`$` lines run by /bin/sh in an empty directory that the commands of one file share, with skep on the path. {golden} is the folder of
golden tables (scenarios that a test names are unpacked there when they are not yet), $README the project's README.md. `>*` and `!*` stand for any number of lines; a
line that starts with `>~` or `!~` is a regular expression for a whole line. --fix writes what was printed into the file instead."""
import argparse, fcntl, os, re, subprocess, sys, tempfile


def unpack(archives, golden, name):
    """One at a time: who comes second finds it done, and takes nothing away from the tests that read it already."""
    os.makedirs(golden, exist_ok=True)
    with open(os.path.join(golden, ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        unpack_alone(archives, golden, name)


def unpack_alone(archives, golden, name):
    archive, stamp = os.path.join(archives, name + ".tar.zst"), os.path.join(golden, "." + name)
    if os.path.exists(stamp) and os.path.getmtime(stamp) >= os.path.getmtime(archive):
        return
    with tempfile.TemporaryDirectory(dir=golden) as part:
        unzip = subprocess.Popen(["zstd", "-dcq", archive], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-xf", "-", "-C", part], stdin=unzip.stdout, check=True)
        if unzip.wait() != 0:
            sys.exit("cannot unpack " + archive)
        target = os.path.join(golden, name)
        if os.path.exists(target):
            os.rename(target, os.path.join(part, "old"))
        os.rename(os.path.join(part, name), target)
    open(stamp, "w").close()


def parse(path):
    """Blocks of (line number, command, stdout patterns, stderr patterns, exit status), and the lines between."""
    blocks, block = [], None
    for number, line in enumerate(open(path, encoding="utf-8", errors="surrogateescape").read().split("\n"), 1):
        if line.startswith("$ "):
            block = [number, line[2:], [], [], 0]
            blocks.append(block)
        elif block and line[:1] == ">":
            block[2].append(line[1:])
        elif block and line[:1] == "!":
            block[3].append(line[1:])
        elif block and line.startswith("? "):
            block[4] = int(line[2:])
        elif line.strip() and not line.startswith("#"):
            sys.exit(f"{path}:{number}: what is this line? {line}")
    return blocks


def matches(patterns, lines):
    """Patterns are ' text', '~ regex' or '*'."""
    if not patterns:
        return not lines
    if patterns[0] == "*":
        return any(matches(patterns[1:], lines[i:]) for i in range(len(lines) + 1))
    if not lines:
        return False
    kind, rest = patterns[0][:1], patterns[0][2:] if patterns[0][:1] == "~" else patterns[0][1:]
    same = re.fullmatch(rest, lines[0]) if kind == "~" else rest == lines[0]
    return bool(same) and matches(patterns[1:], lines[1:])


def printed(data, golden):
    text = data.decode("utf-8", "surrogateescape").replace(golden, "{golden}")
    if text == "":
        return []
    return text[:-1].split("\n") if text.endswith("\n") else text.split("\n") + ["(no newline at the end)"]


def run_file(path, args, env):
    golden = os.path.abspath(args.golden)
    text = open(path, encoding="utf-8", errors="surrogateescape").read()
    for name in sorted(set(re.findall(r"\{golden\}/([^/\s\"']+)", text))):
        unpack(args.archives, golden, name)
    failures, fixed = 0, {}
    with tempfile.TemporaryDirectory() as here:
        for number, command, out, err, status in parse(path):
            done = subprocess.run(["/bin/sh", "-c", command.replace("{golden}", golden)], cwd=here, env=env, capture_output=True, stdin=subprocess.DEVNULL)
            have_out, have_err = printed(done.stdout, golden), printed(done.stderr, golden)
            fixed[number] = [f"> {l}" for l in have_out] + [f"! {l}" for l in have_err] + ([f"? {done.returncode}"] if done.returncode else [])
            if matches(out, have_out) and matches(err, have_err) and done.returncode == status:
                fixed[number] = None
                continue
            failures += 1
            if not args.fix:
                print(f"{path}:{number}: {command}")
                print(f"  exit {done.returncode}, expected {status}", *["  > " + l for l in have_out[:30]], *["  ! " + l for l in have_err[:30]], sep="\n")
    if args.fix and failures:
        rewrite(path, text, fixed)
    return 0 if args.fix else failures


def rewrite(path, text, fixed):
    lines, skip = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("$ "):
            lines.append(line)
            skip = fixed.get(number) is not None
            lines += fixed.get(number) or []
        elif not (skip and line[:1] in (">", "!", "?")):
            lines.append(line)
    open(path, "w", encoding="utf-8", errors="surrogateescape").write("\n".join(lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    parser.add_argument("--golden", required=True)
    parser.add_argument("--archives", required=True)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    env = {"PATH": os.path.dirname(os.path.abspath(args.skep)) + ":" + os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C",
           "README": os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "README.md")}
    for name, value in os.environ.items():
        if "SAN_OPTIONS" in name:
            env[name] = value
    sys.exit(1 if sum(run_file(path, args, env) for path in args.files) else 0)


main()
