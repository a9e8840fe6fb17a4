#!/usr/bin/env python3
"""Compacts golden tables as real Hive compacted them and compares: names, events, and the rows that readers see.

usage: golden_compaction.py --skep PATH --compact PATH --work DIR ARCHIVE

Where a snapshot holds a compaction's result beside its inputs, the result is taken away and made again. Where only the result
is left (the cleaner ran), the snapshot before is compacted instead. The list of write ids is the compactor's: below the lowest open
one. Compared are the result's directory (its transaction's number aside), its files, their events in order (without the names
of files' attempts), and `skep cat --row-ids` over the whole before and after."""
import argparse, json, os, re, shutil, subprocess, sys

MAX = 9223372036854775807
# scenario: (snapshot before, snapshot with the result, kind): where inputs are gone from the latter
CLEANED = {
    "08-aborted-open": [("09-cleaned", "10-major-cleaned", "major")],
    "11-original": [("07-bucketed-changed", "08-bucketed-major", "major"), ("15-load-overwrite", "16-load-major", None)],
}
QUERY = {"07-compaction": "qb-", "21-query-compaction": ""}  # snapshots of query-based compaction
EVENT_FIELDS = 6  # of events.tsv; the row is compared by what readers see


def unpack(archive, work):
    name = os.path.basename(archive).removesuffix(".tar.zst")
    folder = os.path.join(work, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    text = subprocess.run(["zstd", "-dc", archive], check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=text, check=True)
    inner = os.path.join(folder, name)
    return name, inner if os.path.isdir(inner) else folder


def run(*words):
    p = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace").strip()


class Snapshot:
    def __init__(self, folder, name):
        self.name, self.folder = name, os.path.join(folder, name)
        with open(os.path.join(self.folder, "meta.json")) as f:
            self.meta = json.load(f)
        self.columns = "struct<" + ",".join(f"{c['name']}:{c['type']}" for c in self.meta["columns"]) + ">"
        self.insert_only = self.meta["kind"] != "full_acid"
        self.format = next((f for f in ("orc", "text") if f in self.meta["input_format"].lower()), "other")
        self.kept = None
        self.properties = {k: v for k, v in self.meta["properties"].items() if k.startswith("orc.")}

    def lists(self, upto=None):
        """The compactor's list of write ids, and the valid transactions, with the result's own as the last."""
        txns, rest = self.meta["valid_write_ids"].split("$", 1)
        table, hwm, min_open, opened, aborted = rest.rsplit(":", 4)
        if upto is not None:
            hwm = str(min(int(hwm), upto))
        if int(min_open) != MAX:
            hwm = str(min(int(hwm), int(min_open) - 1))
        for w in [int(x) for x in opened.split(",") if x]:
            hwm = str(min(int(hwm), w - 1))
        aborted = ",".join(x for x in aborted.split(",") if x and int(x) <= int(hwm))
        return f"{table}:{hwm}:{MAX}::{aborted}", self.meta["valid_txn_list"]

    def lines(self, root, directory):
        """Of a result of Hive's in text, read before it is taken away."""
        return self.kept if self.kept is not None else sorted(open(os.path.join(self.folder, "table", root, directory, "000000_0"), "rb").read().split(b"\n"))

    def roots(self):
        top = os.path.join(self.folder, "table")
        for where, dirs, _ in os.walk(top):
            if any(re.match(r"(base|delta|delete_delta)_\d", d) for d in dirs):
                yield os.path.relpath(where, top)

    def events(self, root, directory):
        at = os.path.normpath(os.path.join(root, directory)) + "/"
        out = []
        with open(os.path.join(self.folder, "events.tsv"), errors="replace") as f:
            for line in f.read().split("\n")[1:]:
                if line.startswith(at):
                    fields = line[len(at):].split("\t")
                    fields[0] = re.sub(r"^(bucket_\d+)_\d+$", r"\1", fields[0])
                    out.append("\t".join(fields[:EVENT_FIELDS]))
        return out


def visibility(name):
    m = re.search(r"_v(\d+)$", name)
    return int(m.group(1)) if m else 0


def parts(name):
    m = re.match(r"(base|delta|delete_delta)_(\d+)(?:_(\d+))?", name)
    return m.group(1), int(m.group(2)), int(m.group(3) or m.group(2))


class Judge:
    def __init__(self, args):
        self.skep, self.compact, self.bad, self.n = args.skep, args.compact, [], 0

    def cat(self, snapshot, table, lists):
        ids = ["--insert-only"] if snapshot.insert_only else ["--row-ids"]
        code, out, err = run(self.skep, "cat", *ids, "--snapshot", lists[0], "--valid-txns", lists[1], "--schema", snapshot.columns,
                             "--outputformat=copy", "--showHeader=false", table)
        if code != 0:
            self.bad.append(f"cat {table}: {err}")
        rows = [x for x in out.split("\n") if x]
        return sorted(rows)

    def events(self, path):
        code, out, err = run(self.skep, "events", "--outputformat=copy", "--showHeader=false", path)
        if code != 0:
            return [err]
        rows = []
        for line in out.split("\n"):
            if line:
                fields = line.split("\t")
                rows.append("\t".join([os.path.basename(fields[0])] + fields[1:EVENT_FIELDS]))
        return rows

    def case(self, what, before, after, root, wanted, kind, query):
        """wanted: names of the result's directories in `after`."""
        table = os.path.join(before.folder, "table", root)
        txn = visibility(wanted[0])
        if before.insert_only and before.format == "text":
            after.kept = after.lines(root, wanted[0])
        for d in os.listdir(table):
            if visibility(d) == txn:
                shutil.rmtree(os.path.join(table, d))
        later = [n for n in os.listdir(table) if re.match(r"(base|delta|delete_delta)_\d", n) and parts(n)[2] > parts(wanted[0])[2]]
        lists = before.lists(parts(wanted[0])[2] if later else None)
        options = [f"{k}={v}" for k, v in before.properties.items()] + (["query"] if query else [])
        if before.insert_only:
            options += ["insert_only"] + ([] if before.format == "orc" else ["text" if before.format == "text" else "files"])
        rows = self.cat(before, table, lists) if before.format == "orc" else None
        code, out, err = run(self.compact, kind, table, before.columns, lists[0], lists[1], str(txn), *options)
        self.n += 1
        if code != 0:
            return self.bad.append(f"{what}: {err}")
        made = sorted(line.split("\t")[1] for line in out.split("\n") if line.startswith("dir\t"))
        if made != sorted(wanted):
            self.bad.append(f"{what}: made {made or out.strip()}, Hive made {sorted(wanted)}")
        for d in made:
            if d not in wanted:
                continue
            ours, hives = (sorted(os.listdir(os.path.join(s.folder, "table", root, d))) for s in (before, after)) \
                if before.folder != after.folder else (sorted(os.listdir(os.path.join(table, d))), None)
            if hives is not None and ours != hives:
                self.bad.append(f"{what}: {d} holds {ours}, Hive's {hives}")
            if before.insert_only:
                if before.format == "text":
                    self.compare(f"{what}: lines of {d}", after.lines(root, d), sorted(open(os.path.join(table, d, "000000_0"), "rb").read().split(b"\n")))
                continue
            self.compare(f"{what}: events of {d}", after.events(root, d), self.events(os.path.join(table, d)))
        if rows is None:
            return
        own = lists[1].split(":")
        visible = (lists[0], ":".join([str(max(int(own[0]), txn))] + own[1:]))
        now = self.cat(before, table, visible)
        if kind == "rebalance":
            rows, now = (sorted(x.split("\t", 3)[3] for x in r) for r in (rows, now))
        self.compare(f"{what}: rows", rows, now)

    def compare(self, what, want, have):
        if want == have:
            return
        shown = [f"- {x}" for x in want if x not in have][:3] + [f"+ {x}" for x in have if x not in want][:3]
        self.bad.append(f"{what} differ: {len(want)} and {len(have)}; " + "; ".join(shown))


def results(snapshot, root):
    """Results in a partition root, by transaction; those whose inputs are there."""
    names = os.listdir(os.path.join(snapshot.folder, "table", root))
    by_txn = {}
    for n in names:
        if visibility(n):
            by_txn.setdefault(visibility(n), []).append(n)
    return names, by_txn


def has_inputs(names, result):
    """A directory of before, inside the result's range."""
    kind, low, high = parts(result)
    low = 1 if kind == "base" else low
    txn = visibility(result)
    for n in names:
        if not re.match(r"(base|delta|delete_delta)_\d", n) or visibility(n) == txn:
            continue
        k, a, b = parts(n)
        if visibility(n) < txn and a >= low and b <= high and (kind == "base" or k != "base"):
            return True
    return False


def main():
    p = argparse.ArgumentParser()
    for name in ("--skep", "--compact", "--work"):
        p.add_argument(name, required=True)
    p.add_argument("archive")
    args = p.parse_args()
    scenario, folder = unpack(args.archive, args.work)
    judge = Judge(args)
    seen = set()
    names = sorted(n for n in os.listdir(folder) if os.path.exists(os.path.join(folder, n, "meta.json")))
    for before, after, kind in CLEANED.get(scenario, []):
        shutil.copytree(os.path.join(folder, before), os.path.join(folder, "copy of " + before))
        first, second = Snapshot(folder, "copy of " + before), Snapshot(folder, after)
        for root in second.roots():
            for txn, made in results(second, root)[1].items():
                judge.case(f"{before} -> {after} {root}", first, second, root, made, kind or "major", False)
    for name in names:
        snapshot = Snapshot(folder, name)
        for root in snapshot.roots():
            listing, by_txn = results(snapshot, root)
            if not by_txn:
                continue
            txn = max(by_txn)
            made = by_txn[txn]
            if txn in seen or not has_inputs(listing, made[0]):
                continue
            if scenario == "08-aborted-open" and name == "07-major-below-open":
                continue  # Hive refused
            seen.add(txn)
            kind = "rebalance" if "rebalanced" in name else "major" if made[0].startswith("base_") else "minor"
            query = scenario in QUERY and name.startswith(QUERY[scenario])
            judge.case(f"{name} {root} {kind}", snapshot, snapshot, root, made, kind, query)
    for line in judge.bad:
        print(line)
    print(f"{scenario}: {judge.n} compactions, {len(judge.bad)} differences")
    return 1 if judge.bad or judge.n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
