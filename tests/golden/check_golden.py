#!/usr/bin/env python3
"""Read one scenario written by real Hive with a skep binary and compare with Hive's own answers.

usage: check_golden.py --skep PATH --work DIR ARCHIVE.tar.zst

The archive is unpacked below DIR (again only when it is newer). For every snapshot of the scenario:
  rows      skep cat with the snapshot's write id and transaction lists: the rows and row ids are Hive's (expected.tsv)
  earlier   the same directory read with the lists of the table's earlier snapshots gives the earlier answers, as long as Hive's
            cleaner has not removed what they need
  events    skep events gives the first six columns of events.tsv
  files     skep inspect --json gives the facts of orc.tsv (sizes, codec, versions, writer, calendar, schema, user metadata)
  aggregates  16-large has Hive's sums instead of rows
Tables of formats other than ORC must be refused with a clear message. The last line counts checks: "N passed, N failed"."""
import argparse, collections, csv, decimal, json, os, subprocess, sys

csv.field_size_limit(1 << 30)


class Scenario:
    def __init__(self, skep, folder):
        self.skep, self.folder = skep, folder
        self.passed = self.failed = 0
        self.snapshots = [Snapshot(os.path.join(folder, name)) for name in sorted(os.listdir(folder))
                          if os.path.exists(os.path.join(folder, name, "meta.json"))]

    def result(self, what, why):
        if why:
            self.failed += 1
            print(f"FAIL {what}: {why}", flush=True)
        else:
            self.passed += 1

    def run(self, *words):
        done = subprocess.run([self.skep, *words], capture_output=True)
        if done.returncode < 0:
            return None, f"killed by signal {-done.returncode}: {' '.join(words)}"
        if done.returncode:
            return None, done.stderr.decode(errors="replace").strip().split("\n")[-1] or f"exit {done.returncode}, no message"
        return done.stdout, ""


class Snapshot:
    def __init__(self, folder):
        self.folder, self.name = folder, os.path.basename(folder)
        self.meta = json.load(open(os.path.join(folder, "meta.json")))
        self.table = os.path.join(folder, "table")
        self.is_orc = "orc" in self.meta.get("input_format", "orc").lower()
        self.has_ids = self.has("expected.tsv") and not self.has("ids_not_compared.txt")
        self.compared = not self.has("not_compared.txt") and (self.has("expected.tsv") or self.has("expected_plain.tsv"))

    def has(self, name):
        return os.path.exists(os.path.join(self.folder, name))

    def lines(self, name):
        with open(os.path.join(self.folder, name), "rb") as f:
            return f.read().split(b"\n")[1:-1]  # the first line is the header

    def answer(self):
        return self.lines("expected.tsv" if self.has_ids else "expected_plain.tsv")

    def cat(self, lists_of=None):
        """The words of `skep cat` for this directory, with the lists of `lists_of` (default: its own)."""
        meta, lists = self.meta, (lists_of or self).meta
        words = ["cat", "--hive", meta["hive_version"], "--outputformat=copy", "--showHeader=false", "--schema", struct(meta["columns"])]
        if self.has_ids:
            words.append("--row-ids")
        if meta.get("partition_columns"):
            words += ["--partition-schema", struct(meta["partition_columns"])]
        if lists.get("valid_write_ids"):
            words += ["--snapshot", lists["valid_write_ids"]]
        if lists.get("valid_txn_list"):
            words += ["--valid-txns", lists["valid_txn_list"]]
        if (lists_of or self).has("cat_options.txt"):  # what the asking session had set
            words += open(os.path.join((lists_of or self).folder, "cat_options.txt")).read().split()
        return words + [self.table]


def struct(columns):
    return "struct<" + ",".join(f"{c['name']}:{c['type']}" for c in columns) + ">"


def difference(want, have):
    want, have = collections.Counter(want), collections.Counter(have)
    if want == have:
        return ""
    missing, extra = list((want - have).elements()), list((have - want).elements())
    show = "".join(f"\n   hive: {m.decode(errors='replace')[:200]}" for m in missing[:3])
    show += "".join(f"\n   skep: {m.decode(errors='replace')[:200]}" for m in extra[:3])
    return f"{len(missing)} missing, {len(extra)} extra of {sum(want.values())}{show}"


def check_rows(scenario, snapshot):
    what = f"{snapshot.name} rows"
    out, why = scenario.run(*snapshot.cat())
    if not snapshot.is_orc:
        plain = any(files for _, _, files in os.walk(snapshot.table))
        scenario.result(what, "" if not plain or "unsupported" in why or "not an ORC file" in why else why or "should be refused")
    elif snapshot.compared:
        scenario.result(what, why or difference(snapshot.answer(), out.split(b"\n")[:-1]))


def check_earlier(scenario, earlier, later):
    """Same table, later directory: the earlier lists give the earlier answer, or the history is gone."""
    out, why = scenario.run(*later.cat(lists_of=earlier))
    if "not enough history" in why:
        return
    have = set(os.path.relpath(os.path.join(d, f), later.table) for d, _, files in os.walk(later.table) for f in files)
    if any(f["path"] not in have and not f["path"].endswith("_flush_length") for f in earlier.meta["files"]):
        return  # cleaned in between: that snapshot was over
    scenario.result(f"{later.name} as of {earlier.name}", why or difference(earlier.answer(), out.split(b"\n")[:-1]))


def check_events(scenario, snapshot):
    out, why = scenario.run("events", "--outputformat=copy", "--showHeader=false", snapshot.table)
    want = [b"\t".join(line.split(b"\t")[:6]) for line in snapshot.lines("events.tsv")]
    have = [b"\t".join(line.split(b"\t")[:6]) for line in (out or b"").split(b"\n")[:-1]]
    scenario.result(f"{snapshot.name} events", why or difference(want, have))


def check_files(scenario, snapshot):
    with open(os.path.join(snapshot.folder, "orc.tsv"), newline="") as f:
        for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
            what = f"{snapshot.name} file {row['file']}"
            if row["rows"].startswith("UNREADABLE"):
                continue  # a type that Hive writes and cannot read back
            out, why = scenario.run("inspect", "--json", os.path.join(snapshot.table, row["file"]))
            scenario.result(what, why or file_difference(row, json.loads(out)))


def file_difference(want, have):
    """Facts of one file. Hive's tool reports a file that does not name its calendar as hybrid, and no version for old files."""
    software = f"{have['writer']} {have['software_version']}" if have.get("software_version") else None
    metadata = " ".join(f"{m['name']}={m['text']}" for m in have["metadata"] if "text" in m).strip()
    pairs = {"rows": have["rows"], "stripes": len(have["stripes"]), "compression": have["compression"].upper(),
             "stride": have["row_index_stride"], "schema": have["type"], "version": have["version"], "writer": have["writer_version"],
             "software": software, "calendar": have["calendar"] if have["calendar"] in ("hybrid", "proleptic") else "hybrid",
             "metadata": metadata.replace("\\", "\\\\")}
    if pairs["compression"] != "NONE":
        pairs["block"] = have["compression_block_size"]
    for name, value in pairs.items():
        if want.get(name) not in (None, "", "\\N") and want[name] != str(value):
            return f"{name} is {want[name]} for Hive, {value} for skep"
    return ""


def check_aggregates(scenario, snapshot):
    """A table too large to keep its rows: Hive's sums, by row id and with a predicate."""
    out, why = scenario.run(*snapshot.cat()[:1], "--row-ids", *snapshot.cat()[1:])
    rows = [line.split("\t") for line in (out or b"").decode().split("\n")[:-1]]
    column = lambda i, kind=int: [kind(r[i]) for r in rows]
    agg = result_row(scenario, "agg.tsv")
    have = {"c": len(rows), "s_id": sum(column(3)), "s_grp": sum(column(4)), "s_amount": sum(column(6, decimal.Decimal)),
            "s_x": sum(column(7, float)), "mn_k": min(column(5, str), default=""), "mx_k": max(column(5, str), default=""),
            "mn_d": min(column(8, str), default=""), "mx_d": max(column(8, str), default=""), "dk": len(set(column(5, str))),
            "s_flag": column(9, str).count("true")}
    for name, value in have.items():
        same = float(agg[name]) == value if isinstance(value, float) else agg[name] == str(value)
        scenario.result(f"{snapshot.name} {name}", why or ("" if same else f"{agg[name]} for Hive, {value} for skep"))
    ids = result_row(scenario, "agg_rowid.tsv")
    for name, i in (("s_w", 0), ("s_b", 1), ("s_r", 2)):
        scenario.result(f"{snapshot.name} {name}", "" if ids[name] == str(sum(column(i))) else f"{ids[name]} for Hive, {sum(column(i))} for skep")
    out, why = scenario.run(*snapshot.cat()[:-1], "--where", "id BETWEEN 120000 AND 120500", snapshot.cat()[-1])
    part = [line.split("\t") for line in (out or b"").decode().split("\n")[:-1]]
    value = [str(len(part)), str(sum(decimal.Decimal(r[3]) for r in part)), min((r[0] for r in part), default=""), max((r[0] for r in part), default="")]
    want = list(result_row(scenario, "range.tsv").values())
    scenario.result(f"{snapshot.name} range", why or ("" if want == value else f"{want} for Hive, {value} for skep"))


def result_row(scenario, name):
    with open(os.path.join(scenario.folder, name)) as f:
        lines = f.read().split("\n")
    return dict(zip(lines[0].split("\t"), lines[2].split("\t")))  # names, types, the row


def comparable(earlier, later):
    same = all(earlier.meta.get(k) == later.meta.get(k) for k in ("database", "table", "columns", "partition_columns", "hive_version", "kind"))
    return same and earlier.is_orc and earlier.compared and later.compared and earlier.has_ids == later.has_ids \
        and earlier.meta.get("files") and earlier.meta.get("valid_txn_list")


def unpack(archive, work):
    name = os.path.basename(archive)[: -len(".tar.zst")]
    folder = os.path.join(work, name)
    stamp = os.path.join(work, "." + name)
    if not os.path.exists(stamp) or os.path.getmtime(stamp) < os.path.getmtime(archive):
        os.makedirs(work, exist_ok=True)
        subprocess.run(["rm", "-rf", folder], check=True)
        unzip = subprocess.Popen(["zstd", "-dcq", archive], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-xf", "-", "-C", work], stdin=unzip.stdout, check=True)
        if unzip.wait() != 0:
            sys.exit("cannot unpack " + archive)
        open(stamp, "w").close()
    return folder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("archive")
    args = parser.parse_args()
    scenario = Scenario(args.skep, unpack(args.archive, args.work))
    for i, snapshot in enumerate(scenario.snapshots):
        check_rows(scenario, snapshot)
        if snapshot.has("events.tsv"):
            check_events(scenario, snapshot)
        if snapshot.has("orc.tsv"):
            check_files(scenario, snapshot)
        if os.path.exists(os.path.join(scenario.folder, "agg.tsv")):
            check_aggregates(scenario, snapshot)
        for earlier in scenario.snapshots[:i]:
            if comparable(earlier, snapshot):
                check_earlier(scenario, earlier, snapshot)
    print(f"{scenario.passed} passed, {scenario.failed} failed")
    sys.exit(1 if scenario.failed or not scenario.passed else 0)


main()
