#!/usr/bin/env python3
"""Runs the ```sh blocks of a runbook in one shell, and checks the lines `#= pattern` against the output of the command
above them: each pattern must be found. Usage: run.py --skep PROGRAM RUNBOOK.md"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile


def steps(text):
    """(command lines, patterns) in order: patterns belong to the line before them."""
    found = []
    for block in re.findall(r"^```sh[^\n]*\n(.*?)^```", text, re.S | re.M):
        for line in block.splitlines():
            if line.startswith("#= "):
                found[-1][1].append(line[3:])
            elif line.strip():
                found.append((line, []))
    return found


def script(found):
    """Marks on both outputs tell where the output of a step ends."""
    lines = ["set -eu"]
    for number, (command, _) in enumerate(found):
        lines.append(command)
        lines.append(f"echo '=== {number}'")
    return "\n".join(lines) + "\n"


def check(found, output):
    failures = 0
    parts = re.split(r"^=== (\d+)\n", output, flags=re.M)
    outputs = {int(parts[i + 1]): parts[i] for i in range(0, len(parts) - 1, 2)}
    for number, (command, patterns) in enumerate(found):
        if number not in outputs:
            print(f"not reached: {command}\n{parts[-1]}")
            return failures + 1
        for pattern in patterns:
            if re.search(pattern, outputs[number], re.M):
                continue
            failures += 1
            print(f"{command}\n  did not print: {pattern}\n  but:\n{outputs[number]}")
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    parser.add_argument("runbook")
    args = parser.parse_args()
    with open(args.runbook, encoding="utf-8") as file:
        found = steps(file.read())
    where = tempfile.mkdtemp(prefix="skep-runbook-")
    environment = dict(os.environ, W=os.path.join(where, "w"))
    environment["PATH"] = os.path.dirname(os.path.abspath(args.skep)) + os.pathsep + environment["PATH"]
    process = subprocess.Popen(["bash", "-c", script(found)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env=environment, cwd=where, text=True, start_new_session=True)
    try:
        output, _ = process.communicate()
    finally:
        try:  # what a failed script left behind, stopped processes too: all of them are its children
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        shutil.rmtree(where, ignore_errors=True)
    failures = check(found, output)
    print(f"{len(found)} steps, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
